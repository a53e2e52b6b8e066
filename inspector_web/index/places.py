"""Places in an exchange from which it can be read on, without reading what comes before."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Final

from wiretape.crossings import (
    COMMENT,
    END,
    HTTP_BODY,
    HTTP_REQUEST,
    Crossing,
    crossings_in,
    crossings_of,
    end_of,
    heads_of,
    is_tiled,
)
from wiretape.facts import Piece
from wiretape.store_reader import Exchange, TapeReader


@dataclass(frozen=True, slots=True)
class Start:
    """A place between two events of an exchange.

    ``position`` counts the events before it. The next one begins ``skip_bytes`` into the piece
    ``piece``; where the exchange is not tiled both are 0, and the events are counted from its
    begin. ``clock_us`` is the latest time of what came before: places never go back in time.
    """

    position: int = 0
    piece: int = 0
    skip_bytes: int = 0
    clock_us: int = 0


BEGIN: Final = Start()


def crossings_from(reader: TapeReader, exchange: Exchange, start: Start) -> Iterator[Crossing]:
    """What crossed from that place on, the end included."""
    if start.position == 0:
        return crossings_of(reader, exchange)
    if not is_tiled(exchange):
        return islice(crossings_of(reader, exchange), start.position, None)
    pieces = reader.pieces(exchange.id, start.piece)
    if start.skip_bytes:
        pieces = _without(pieces, start.skip_bytes)
    return chain(
        crossings_in(exchange, pieces, goes_on=start.skip_bytes > 0),
        end_of(exchange),
    )


def _without(pieces: Iterator[Piece], skip_bytes: int) -> Iterator[Piece]:
    for first in pieces:
        yield replace(first, data=first.data[skip_bytes:])
        break
    yield from pieces


class Walk:
    """What crossed from a place on, crossing by crossing, and the places in between."""

    def __init__(self, reader: TapeReader, exchange: Exchange, start: Start) -> None:
        self._reader = reader
        self._exchange = exchange
        self._start = start
        self._position = start.position
        self._clock_us = start.clock_us
        self._ruler = _Ruler(start)
        self._last: Crossing | None = None

    def __iter__(self) -> Iterator[Crossing]:
        exchange, start = self._exchange, self._start
        if not is_tiled(exchange):
            return self._noted(crossings_from(self._reader, exchange, start))
        pieces = self._ruler.along(self._reader.pieces(exchange.id, start.piece))
        heads: Iterator[Crossing] = iter(())
        if start.position == 0:
            heads = heads_of(exchange, len(self._reader.request_body(exchange.id)))
        in_pieces = crossings_in(exchange, pieces, goes_on=start.skip_bytes > 0)
        if not exchange.is_websocket:
            in_pieces = self._ruler.measured(in_pieces)
        return self._noted(chain(heads, in_pieces, end_of(exchange)))

    def place(self) -> Start | None:
        """The place after the last crossing.

        ``None`` where one cannot stop: after a comment or half an event, of which more may come,
        between the heads, and after the end.
        """
        if self._last is None or self._last.type in _NO_PLACE:
            return None
        place: Start | None = BEGIN
        if is_tiled(self._exchange):
            place = self._ruler.place(is_stream=not self._exchange.is_websocket)
        if place is None:
            return None
        return replace(place, position=self._position, clock_us=self._clock_us)

    @property
    def after_piece(self) -> int:
        """The number of the first piece that was not read yet; 0 where pieces are not places."""
        return self._ruler.after_piece if is_tiled(self._exchange) else 0

    def _noted(self, crossings: Iterator[Crossing]) -> Iterator[Crossing]:
        for crossing in crossings:
            self._position += 1
            if crossing.at_us > self._clock_us:
                self._clock_us = crossing.at_us
            self._last = crossing
            yield crossing


_NO_PLACE: Final = frozenset({HTTP_REQUEST, COMMENT, HTTP_BODY, END})


class _Ruler:
    """Measures where in the pieces an event of a stream ended."""

    def __init__(self, start: Start) -> None:
        self.after_piece = start.piece
        self._skip_bytes = start.skip_bytes
        self._piece_begin = 0
        self._read_bytes = 0
        self._told_bytes = 0

    def along(self, pieces: Iterator[Piece]) -> Iterator[Piece]:
        """The pieces, as they are read; the first without its beginning."""
        skip_bytes = self._skip_bytes
        for piece in pieces:
            self.after_piece += 1
            rest = replace(piece, data=piece.data[skip_bytes:]) if skip_bytes else piece
            # Where the whole piece would begin, so that what is to be skipped counts from there.
            self._piece_begin = self._read_bytes - skip_bytes
            self._read_bytes += len(rest.data)
            skip_bytes = 0
            yield rest

    def measured(self, crossings: Iterator[Crossing]) -> Iterator[Crossing]:
        """The crossings, as their sizes are added up. Comments are part of the event after them."""
        for crossing in crossings:
            if crossing.type != COMMENT:
                self._told_bytes += crossing.size_bytes
            yield crossing

    def place(self, *, is_stream: bool) -> Start | None:
        """The place reached, if what ended there did so in the piece that was read last."""
        if not is_stream or self._told_bytes == self._read_bytes:
            return Start(piece=self.after_piece)
        if self._told_bytes <= self._piece_begin:
            return None
        return Start(piece=self.after_piece - 1, skip_bytes=self._told_bytes - self._piece_begin)
