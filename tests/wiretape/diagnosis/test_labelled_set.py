"""The diagnosis of recordings with a known cause, written fact by fact."""

from pathlib import Path

import pytest
from diagnosis_table import judge
from labelled import LABELLED, Labelled
from timed_tapes import TapeMaker

from wiretape.diagnosis.diagnose import diagnose
from wiretape.diagnosis.kinds import Kind


@pytest.mark.parametrize("recording", LABELLED, ids=lambda recording: recording.name)
def test_a_recording_is_found_to_be_what_it_is(recording: Labelled, tmp_path: Path) -> None:
    """The findings are of the kinds that the recording was made for, and of no other."""
    maker = TapeMaker(tmp_path / "tape.db", recording.agent)
    recording.make(maker)
    with maker.read() as reader:
        findings = diagnose(reader).findings
    row = judge(recording.name, recording.expected, {finding.kind for finding in findings})
    assert row.found == row.expected


def test_every_kind_of_finding_is_in_the_set() -> None:
    """No rule goes untried."""
    assert {kind for recording in LABELLED for kind in recording.expected} == set(Kind)


def test_names_of_recordings_are_their_own() -> None:
    """The summary names what was missed by it."""
    names = [recording.name for recording in LABELLED]
    assert len(set(names)) == len(names) >= 40
