"""Whether a recording came to its end: the tape knows it."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tape_facts import LABEL, answer, complete, head, tape_of

from wiretape.facts import Fact
from wiretape.store_reader import TapeReader
from wiretape.store_writer import TapeWriter


def is_closed(tape: Path) -> bool:
    """What a reader says."""
    with TapeReader(tape) as reader:
        return reader.is_closed()


def test_a_tape_is_closed_when_its_recording_ends(tmp_path: Path) -> None:
    """And not before."""
    tape = tmp_path / "t.db"
    with TapeWriter(tape, LABEL, on_trouble=pytest.fail) as writer:
        writer.put(head())
        assert not is_closed(tape)
        writer.put(complete())
    assert is_closed(tape)


def test_a_tape_whose_writer_was_killed_is_not_closed(tmp_path: Path) -> None:
    """However its exchanges ended: what lay on the disk at that time is all there is."""
    tape, left = tmp_path / "t.db", tmp_path / "left"
    with TapeWriter(tape, LABEL, on_trouble=pytest.fail) as writer:
        for fact in (head(), answer(), complete()):
            writer.put(fact)
        with TapeReader(tape) as reader:
            while next(reader.exchanges(), None) is None:
                pass
        shutil.copytree(tape.parent, left)
    assert not is_closed(left / tape.name)


def test_a_tape_is_closed_though_somebody_reads_it(tmp_path: Path) -> None:
    """A reader holds the journal; it cannot hold back what the tape says."""
    tape = tmp_path / "t.db"
    writer = TapeWriter(tape, LABEL, on_trouble=pytest.fail)
    with TapeReader(tape):
        writer.close()
        assert is_closed(tape)


@pytest.mark.parametrize(
    ("facts", "closed"),
    [([], True), ([head(), complete()], True), ([head(), complete(), head(2)], False)],
)
def test_an_older_tape_is_closed_if_everything_on_it_has_ended(
    facts: list[Fact], closed: bool, tmp_path: Path
) -> None:
    """It does not say it itself."""
    tape = tape_of(tmp_path / "t.db", facts)
    with closing(sqlite3.connect(tape)) as database:
        database.execute("ALTER TABLE tape DROP COLUMN is_closed")
    assert is_closed(tape) is closed
