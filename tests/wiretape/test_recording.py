"""Recordings as values: read, written, renumbered and moved without a loss."""

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from any_recordings import recordings
from hypothesis import given, settings
from tape_facts import LABEL, answer, asked, chunk, complete, head

from wiretape.errors import WouldOverwrite
from wiretape.facts import Gap
from wiretape.recording import Recording, WholeExchange, bent, moved, numbered
from wiretape.store_reader import TapeReader
from wiretape.store_recording import read_recording, reader_of, write_recording

GAP = Gap(5, 7, 1, 1, 10, "the disk was full")
ONE = WholeExchange(head(1), asked(1, b"{}"), answer(1), (chunk(1, 3, b"a"),), complete(1), (GAP,))
TWO = WholeExchange(head(2, at_us=4))


def written(recording: Recording, path: Path) -> Recording:
    """What comes back of a recording from its tape."""
    write_recording(recording, path)
    with TapeReader(path) as reader:
        return read_recording(reader)


@settings(max_examples=60, deadline=None)
@given(recordings())
def test_a_recording_comes_back_from_its_tape(recording: Recording) -> None:
    """Label, exchanges, times, pieces, ends and gaps: all equal."""
    with tempfile.TemporaryDirectory() as folder:
        assert written(recording, Path(folder) / "t.db") == recording


def test_a_gap_of_an_exchange_without_head_stays(tmp_path: Path) -> None:
    """It belongs to no exchange of the recording, and keeps the number it names."""
    recording = Recording(LABEL, (TWO,), (GAP,))
    assert written(recording, tmp_path / "t.db") == recording


def test_a_recording_is_read_without_a_tape(tmp_path: Path) -> None:
    """As if it were on one, which messages name; nothing is left beside it."""
    recording = Recording(LABEL, (ONE, TWO))
    with reader_of(recording, tmp_path / "bent.db") as reader:
        assert read_recording(reader) == recording
        assert reader.path == tmp_path / "bent.db"
    assert list(tmp_path.iterdir()) == []


def test_nothing_existing_is_overwritten(tmp_path: Path) -> None:
    """A file that stands in the way is left as it is."""
    (tmp_path / "t.db").write_text("mine")
    with pytest.raises(WouldOverwrite):
        write_recording(Recording(LABEL, (ONE,)), tmp_path / "t.db")
    assert (tmp_path / "t.db").read_text() == "mine"


def test_exchanges_are_numbered_in_the_order_given() -> None:
    """From 1 on, and every fact of an exchange with it."""
    first, second = numbered((TWO, ONE))
    assert first == WholeExchange(head(1, at_us=4))
    assert {fact.exchange for fact in second.facts()} == {2}
    assert second.gaps == (replace(GAP, exchange=2),)


def test_an_exchange_is_moved_with_all_its_times() -> None:
    """Every fact comes so much later, a gap with both its ends."""
    later = moved(ONE, 10)
    assert [fact.at_us for fact in later.facts()] == [10, 11, 12, 13, 19, 15]
    assert later.gaps[0].until_us == 17


def test_bends_follow_one_another() -> None:
    """Each takes what the one before has made."""

    def without_last(recording: Recording) -> Recording:
        return replace(recording, exchanges=recording.exchanges[:-1])

    def doubled(recording: Recording) -> Recording:
        return replace(recording, exchanges=numbered(recording.exchanges * 2))

    one = Recording(LABEL, (ONE, TWO))
    assert [each.id for each in bent(one, [doubled, without_last]).exchanges] == [1, 2, 3]
    assert bent(one, []) == one
