"""Reading an exchange from a place on."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tape_facts import chunk, head, message, tape_of

from wiretape import store_reader
from wiretape.segments import Segment
from wiretape.store_reader import TapeReader
from wiretape.store_rows import TapeRows


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    """Two exchanges that take turns, in several segments, some of their pieces kept as bodies."""
    path = tape_of(tmp_path / "tape.db", [])
    with closing(sqlite3.connect(path)) as connection, connection:
        rows = TapeRows(connection)
        rows.write([head(1), head(2)])
        for number in range(40):
            rows.write([chunk(1, number, b"%d" % number * 20_000)])
            rows.write([message(2, number, b"{" + b"%d" % number * 600)])
    return path


@pytest.mark.parametrize("exchange", [1, 2])
def test_pieces_from_any_place_on(tape: Path, exchange: int) -> None:
    """They are those that reading all of them gives from there."""
    with TapeReader(tape) as reader:
        whole = list(reader.pieces(exchange))
        assert len(whole) == 40
        for first in (*range(42), 1000):
            assert list(reader.pieces(exchange, first)) == whole[first:]


def test_the_bytes_of_some_pieces(tape: Path) -> None:
    """Joined, over the borders of segments; none where there are no such pieces."""
    with TapeReader(tape) as reader:
        whole = [piece.data for piece in reader.pieces(1)]
        for first, after in ((0, 40), (3, 4), (5, 39), (38, 60), (7, 7), (60, 70)):
            assert b"".join(reader.data(1, first, after)) == b"".join(whole[first:after])


def test_a_late_place_costs_one_segment(tape: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes before is not unpacked, and what was unpacked last is kept at hand."""
    unpacked: list[int] = []

    class Noted(Segment):
        def __init__(self, first_at_us: int, blob: bytes) -> None:
            unpacked.append(first_at_us)
            super().__init__(first_at_us, blob)

    monkeypatch.setattr(store_reader, "Segment", Noted)
    with TapeReader(tape) as reader:
        next(reader.pieces(1, 39))
        next(reader.pieces(1, 38))
    assert len(unpacked) == 1
    assert unpacked[0] > 0


def test_when_exchanges_began(tape: Path) -> None:
    """Their numbers and times, without their heads."""
    with TapeReader(tape) as reader:
        assert reader.begins() == [(1, 0), (2, 0)]
