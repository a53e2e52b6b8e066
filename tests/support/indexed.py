"""Tapes with their indexes, for tests of what is read through one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from inspector_web.index.reader import IndexReader
from inspector_web.index.writer import IndexWriter
from wiretape.store_reader import TapeReader


def index_of(tape: Path) -> Path:
    """Where the tests keep the index of a tape."""
    return tape.with_suffix(".index")


def make_index(tape: Path) -> Path:
    """Makes the index of a tape, or brings it up to date."""
    with TapeReader(tape) as reader, IndexWriter(index_of(tape), reader) as writer:
        assert writer.append()
    return index_of(tape)


@contextmanager
def indexed(tape: Path) -> Iterator[IndexReader]:
    """The index of a tape as it is; an empty one where there is none."""
    with TapeReader(tape) as reader, IndexReader(index_of(tape), reader) as index:
        yield index
