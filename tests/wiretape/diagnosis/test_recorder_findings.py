"""What the recorder did not see is held against nobody."""

from pathlib import Path

import pytest
from timed_tapes import LABEL, TapeMaker, ask, completed, created, session
from troubled_tapes import S1, diagnosis

from wiretape.diagnosis.diagnose import Diagnosis, diagnose
from wiretape.diagnosis.kinds import Kind, Severity
from wiretape.facts import EndKind, Sender
from wiretape.spot import Spot
from wiretape.store_reader import TapeReader
from wiretape.store_writer import TapeWriter


def test_a_recording_that_was_cut_off_says_what_has_no_end(maker: TapeMaker) -> None:
    """And where the tape shows the last of it."""
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    post.events(6, created())
    maker.is_cut_off = True
    found = diagnosis(maker)
    assert found.verdict == (
        "1 finding (1 end unknown) in 1 session, 1 request: the recording was cut off: "
        "1 exchange has no end on the tape."
    )
    assert found.findings[0].evidence == (Spot(1, 6000, "last event"),)


def test_a_recording_that_was_cut_off_between_requests_is_one_too(maker: TapeMaker) -> None:
    """Nothing is left open, and yet the rest is not there."""
    maker.post(0, ask("hi"), S1).answer(5, created(), {"type": "response.done", "response": {}})
    maker.is_cut_off = True
    (finding,) = diagnosis(maker).findings
    assert finding.kind is Kind.RECORDING_CUT
    assert finding.what == "the recording was cut off"


def test_a_recording_that_goes_on_is_not_cut_off(tmp_path: Path) -> None:
    """Somebody is writing it: there will be more, and nothing is wrong yet."""
    path = tmp_path / "live.db"
    with TapeWriter(path, LABEL, on_trouble=pytest.fail), TapeReader(path) as reader:
        assert diagnose(reader) == Diagnosis("nothing wrong: no sessions.", (), is_live=True)


def test_a_failure_before_the_cut_is_of_unseen_outcome(maker: TapeMaker) -> None:
    """Whether the client tried again is not on the tape."""
    maker.post(0, ask("hi"), S1).refuse(5, 503)
    maker.is_cut_off = True
    severities = {each.kind: each.severity for each in diagnosis(maker).findings}
    assert severities == {
        Kind.HTTP_ERROR: Severity.UNSEEN,
        Kind.RECORDING_CUT: Severity.UNSEEN,
    }


def test_a_gap_is_no_failure_of_its_request(maker: TapeMaker) -> None:
    """The end may be what is missing."""
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    maker.gap(6, 7, exchange=1)
    post.end(9, EndKind.SERVER_CLOSED, Sender.SERVER)
    (finding,) = diagnosis(maker).findings
    assert (finding.kind, finding.severity) == (Kind.RECORDER_GAP, Severity.UNSEEN)


def test_the_gaps_of_a_session_are_one_finding(maker: TapeMaker) -> None:
    """A recorder that loses once loses again and again, for the same reason."""
    for at_ms, name in ((0, "s1"), (50, "s1"), (100, "s2")):
        maker.post(at_ms, ask("hi"), session(name)).answer(at_ms + 5, created(), completed())
        maker.gap(at_ms + 6, at_ms + 6, exchange=maker.exchanges)
    one, other = diagnosis(maker).findings
    assert one.what == "2 facts with 200 B are missing at 2 places: a test left it out"
    assert (one.session, one.request) == (1, None)
    assert one.evidence == (Spot(1, 6000, "gap"), Spot(2, 56_000, "gap"))
    assert other.what == "1 fact with 100 B is missing: a test left it out"
    assert (other.session, other.request) == (2, 1)


def test_requests_that_were_going_on_are_counted_in_a_good_verdict(maker: TapeMaker) -> None:
    """Nothing is wrong with them as far as was seen, and that is not far."""
    maker.post(0, ask("hi"), S1).end(9, EndKind.RECORDER_STOPPED)
    assert diagnosis(maker).verdict == (
        "nothing wrong: 1 session, 1 request, 1 going on at the end of the tape."
    )


def test_a_client_that_does_not_trust_the_recorder_is_no_quiet_one(maker: TapeMaker) -> None:
    """There is no session, because nothing could be asked: that is what went wrong."""
    for at_ms in (0, 20):
        tunnel = maker.get(at_ms, "api.openai.com:443")
        tunnel.end(at_ms + 5, EndKind.TLS_FAILURE, Sender.CLIENT)
    found = diagnosis(maker)
    assert found.verdict == (
        "1 finding (1 end unknown) in no sessions: "
        "TLS with the client failed for api.openai.com 2 times."
    )
    (finding,) = found.findings
    assert finding.kind is Kind.NOT_TRUSTED
    assert finding.evidence == (Spot(1, 5000, "tls_failure"), Spot(2, 25000, "tls_failure"))
