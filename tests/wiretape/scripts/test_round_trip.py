"""Recordings as scripts: nothing is lost, and what is plain stays short."""

from pathlib import Path

import pytest
from any_recordings import recordings
from declared import REPOSITORY
from hypothesis import given, settings
from mistakes import EVERYTHING

from wiretape import recording
from wiretape.scripts.reading import read_script
from wiretape.scripts.writing import write_script
from wiretape.store_reader import TapeReader
from wiretape.store_recording import read_recording

SAMPLES = sorted((REPOSITORY / "recordings" / "samples").glob("*/tape.db"))


@settings(max_examples=150, deadline=None)
@given(recordings())
def test_a_recording_comes_back_from_its_script(some: recording.Recording) -> None:
    """Whatever crossed, in whatever spelling: every byte and every microsecond."""
    assert read_script(write_script(some)) == some


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.parent.name)
def test_a_sample_comes_back_from_its_script(sample: Path) -> None:
    """So do the recordings of the real client, and its script is the same each time."""
    with TapeReader(sample) as reader:
        some = read_recording(reader)
    script = write_script(some)
    assert read_script(script) == some
    assert write_script(read_script(script)) == script


def test_everything_by_hand_comes_back() -> None:
    """What a person may write in many ways is written in one."""
    some = read_script(EVERYTHING)
    assert [len(each.pieces) for each in some.exchanges] == [5, 8]
    assert read_script(write_script(some)) == some
