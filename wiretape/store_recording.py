"""Reads whole recordings from tapes, and writes tapes of them."""

import sqlite3
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from wiretape.errors import TapeError
from wiretape.facts import Gap, RequestBody
from wiretape.recording import Recording, WholeExchange
from wiretape.store_reader import Exchange, TapeReader
from wiretape.store_writer import TapeWriter


def read_recording(
    reader: TapeReader, is_wanted: Callable[[Exchange], bool] = lambda _: True
) -> Recording:
    """Everything on a tape, in memory; of its exchanges, those that are wanted."""
    exchanges = list(reader.exchanges())
    gaps: dict[int | None, list[Gap]] = defaultdict(list)
    for gap in reader.gaps():
        gaps[gap.exchange].append(gap)
    placed = [(each, tuple(gaps.pop(each.id, ()))) for each in exchanges]
    whole = tuple(_whole(reader, each, own) for each, own in placed if is_wanted(each))
    # What is left belongs to no exchange, or to one whose head is not on the tape.
    loose = sorted((gap for some in gaps.values() for gap in some), key=lambda gap: gap.at_us)
    return Recording(reader.label(), whole, tuple(loose), reader.is_closed())


def _whole(reader: TapeReader, exchange: Exchange, gaps: tuple[Gap, ...]) -> WholeExchange:
    body = None
    if exchange.request_at_us is not None:
        data = reader.request_body(exchange.id)
        body = RequestBody(exchange.id, exchange.request_at_us, data, exchange.request_is_whole)
    pieces = tuple(reader.pieces(exchange.id))
    return WholeExchange(exchange.request, body, exchange.response, pieces, exchange.end, gaps)


def write_recording(recording: Recording, path: Path) -> None:
    """Makes the tape of a recording at ``path``.

    Raises:
        WouldOverwrite: there is a file at ``path``.
        TapeError: the tape cannot be made there.
    """
    troubles: list[str] = []
    # Nothing here is in a hurry: what waits to be written must not become a gap.
    with TapeWriter(
        path, recording.label, on_trouble=troubles.append, limit_bytes=sys.maxsize
    ) as writer:
        for fact in recording.facts():
            writer.put(fact)
    if troubles:
        path.unlink(missing_ok=True)
        raise TapeError(f"no tape can be made at {path}: {troubles[-1]}")
    if not recording.is_closed:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE tape SET is_closed = 0")


def tape_bytes(recording: Recording) -> bytes:
    """The tape of a recording, in memory."""
    with tempfile.TemporaryDirectory(prefix="wiretape-") as folder:
        tape = Path(folder) / "tape.db"
        write_recording(recording, tape)
        return tape.read_bytes()


def reader_of(recording: Recording, path: Path) -> TapeReader:
    """A reader of a recording that is on no tape; messages call it ``path``."""
    return TapeReader(path, tape_bytes(recording))
