"""Which findings there are, their order, and what each belongs to."""

from pathlib import Path

from timed_tapes import NEW_CODEX, TapeMaker, ask, completed, created, failed
from troubled_tapes import S1, answer, diagnosis, the_finding

from wiretape.diagnosis.advice import ADVICE
from wiretape.diagnosis.diagnose import Diagnosis
from wiretape.diagnosis.kinds import Kind, Severity
from wiretape.diagnosis.rules import RULES
from wiretape.spot import Spot


def test_every_kind_has_a_rule_a_meaning_and_advice() -> None:
    """The tables are whole."""
    assert set(RULES) == set(ADVICE) == set(Kind)


def test_a_healthy_tape_is_said_to_be_so(maker: TapeMaker) -> None:
    """With what was looked at."""
    answer(maker, 0)
    assert diagnosis(maker) == Diagnosis("nothing wrong: 1 session, 1 request.", ())


def test_an_empty_tape_holds_nothing_wrong(maker: TapeMaker) -> None:
    """And nothing at all."""
    assert diagnosis(maker) == Diagnosis("nothing wrong: no sessions.", ())


def test_the_worst_comes_first(maker: TapeMaker) -> None:
    """What was never answered, though it happened later; the verdict counts both."""
    maker.post(0, ask("one"), S1).refuse(1, 500)
    answer(maker, 300, "one")
    maker.post(500, ask("two"), S1).answer(501, created(), failed("invalid_prompt", "no"))
    found = diagnosis(maker)
    assert [(each.kind, each.severity, each.request) for each in found.findings] == [
        (Kind.FATAL, Severity.BROKEN, 2),
        (Kind.HTTP_ERROR, Severity.RECOVERED, 1),
    ]
    assert found.verdict == (
        "2 findings (1 not recovered, 1 recovered) in 1 session, 2 requests: "
        "refused for good: invalid_prompt: no."
    )


def test_a_finding_names_its_session_and_request(maker: TapeMaker) -> None:
    """By number and by the client's own name."""
    answer(maker, 0)
    maker.post(10, ask("hi", "more"), S1).refuse(11, 500)
    found = the_finding(maker, Kind.HTTP_ERROR)
    assert (found.session, found.session_id, found.request) == (1, "s1", 2)


def test_one_cause_makes_one_finding_of_a_request(maker: TapeMaker) -> None:
    """With the end of each try for evidence."""
    for at_ms in (0, 200):
        socket = maker.socket(at_ms, S1)
        socket.ask(at_ms + 5, ask("hi"))
        socket.say(at_ms + 6, created())
        socket.close(at_ms + 7, 1011, "broken")
    found = the_finding(maker, Kind.CLOSED_EARLY)
    assert found.what == (
        "WebSocket ended 2 times before the answer was complete: closed 1011 broken"
    )
    assert found.evidence == (
        Spot(1, 7000, "websocket.close", 0),
        Spot(2, 207_000, "websocket.close", 0),
    )


def test_a_failed_warm_up_hurts_nobody_if_the_request_went_well(tmp_path: Path) -> None:
    """It is a finding, and a mild one."""
    maker = TapeMaker(tmp_path / "tape.db", NEW_CODEX)
    socket = maker.socket(0, S1)
    socket.ask(1, ask("rules", generate=False))
    socket.close(2, 1011)
    again = maker.socket(10, S1)
    again.ask(11, ask("rules", "hi"))
    again.say(12, created(), completed())
    assert the_finding(maker, Kind.CLOSED_EARLY).severity is Severity.GONE_WITHOUT


def test_evidence_is_not_without_end(maker: TapeMaker) -> None:
    """Twenty places are enough of what happens over and over; the count is whole."""
    post = maker.post(0, ask("hi"), S1)
    post.answer(5, created(), *["no json"] * 500, completed())
    found = the_finding(maker, Kind.SWALLOWED)
    assert found.what.startswith("500 events that the client cannot read")
    assert len(found.evidence) == 20
