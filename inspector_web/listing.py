"""Events in the order of time, a page at a time, by the place of the last one seen.

A place is a time, an exchange and a position in it, so a page begins where another ended whatever
has been written since. Exchanges that were over before the place are not read again. A search
looks at a limited number of events for each page and says how far it came.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Final, Self

from inspector_web.summaries import summary_of
from wiretape.crossings import HTTP_REQUEST, Crossing, crossings_of
from wiretape.facts import Sender
from wiretape.store_reader import Exchange, TapeReader

PAGE_EVENTS: Final = 200
LOOKED_AT_MOST: Final = 100_000
"""Events that a search goes through for one page: about a second's work."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where an event stands. ``position`` counts what crossed in its exchange, from 0."""

    at_us: int
    exchange: int
    position: int

    def __str__(self) -> str:
        return f"{self.at_us}.{self.exchange}.{self.position}"

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Undoes ``str()``; ``None`` for what is no place."""
        parts = text.split(".")
        if len(parts) != 3 or not all(part.isdecimal() and len(part) < 19 for part in parts):
            return None
        return cls(*map(int, parts))


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which events: those that hold ``text`` (in any case) and ``type``, sent by ``sender``."""

    text: str = ""
    type: str = ""
    sender: Sender | None = None

    def takes(self, crossing: Crossing) -> bool:
        if self.sender is not None and crossing.sender is not self.sender:
            return False
        if self.type.lower() not in crossing.type.lower():
            return False
        text = self.text.casefold()
        return not text or any(text in part.casefold() for part in _searched(crossing))


def _searched(crossing: Crossing) -> Iterator[str]:
    yield crossing.type
    yield crossing.summary
    yield crossing.text or ""


@dataclass(frozen=True, slots=True)
class Row:
    """One event for a table. ``delta_us`` is since whatever crossed before it."""

    place: Place
    delta_us: int
    sender: Sender
    type: str
    size_bytes: int
    summary: str
    is_unknown: bool
    begins_attempt: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of rows. ``next`` and ``previous`` are where the neighbouring pages begin.

    ``searched_to`` is where a search gave up with the page not full, and can be gone on with.
    """

    rows: tuple[Row, ...]
    next: Place | None
    previous: Place | None
    searched_to: Place | None = None


def listing_after(
    reader: TapeReader, exchanges: Iterable[Exchange], wanted: Wanted, after: Place | None
) -> Listing:
    """The first page of events after the place, or of all."""
    rows: list[Row] = []
    last = after
    for looked_at, (place, crossing) in enumerate(_from(reader, exchanges, after)):
        if len(rows) == PAGE_EVENTS:
            return Listing(tuple(rows), rows[-1].place, _start(rows, after))
        if looked_at == LOOKED_AT_MOST:
            return Listing(tuple(rows), None, _start(rows, after), last)
        if wanted.takes(crossing):
            rows.append(_row(place, crossing, last))
        last = place
    return Listing(tuple(rows), None, _start(rows, after))


def listing_before(
    reader: TapeReader, exchanges: Iterable[Exchange], wanted: Wanted, before: Place
) -> Listing:
    """The last page of events before the place."""
    found: deque[Row] = deque(maxlen=PAGE_EVENTS + 1)
    last: Place | None = None
    for place, crossing in _from(reader, exchanges, None):
        if place >= before:
            break
        if wanted.takes(crossing):
            found.append(_row(place, crossing, last))
        last = place
    is_more = len(found) > PAGE_EVENTS
    rows = tuple(found)[1:] if is_more else tuple(found)
    return Listing(rows, rows[-1].place if rows else None, rows[0].place if is_more else None)


def _start(rows: list[Row], after: Place | None) -> Place | None:
    """Where the page before ends: there is none before the first page."""
    if after is None:
        return None
    return rows[0].place if rows else Place(after.at_us, after.exchange, after.position + 1)


def _from(
    reader: TapeReader, exchanges: Iterable[Exchange], after: Place | None
) -> Iterator[tuple[Place, Crossing]]:
    """What crossed after the place, by time."""
    waiting = deque(
        exchange
        for exchange in exchanges
        if after is None or exchange.end is None or exchange.end.at_us >= after.at_us
    )
    # Only exchanges that overlap are open at once: opening one reads its request's body.
    open_now: list[tuple[Place, Crossing, _Stream]] = []
    while waiting or open_now:
        while waiting and (not open_now or waiting[0].request.at_us <= open_now[0][0].at_us):
            _advance(open_now, _placed(reader, waiting.popleft()))
        if open_now:
            place, crossing, stream = heappop(open_now)
            _advance(open_now, stream)
            if after is None or place > after:
                yield place, crossing


type _Stream = Iterator[tuple[Place, Crossing]]


def _advance(open_now: list[tuple[Place, Crossing, _Stream]], stream: _Stream) -> None:
    if (found := next(stream, None)) is not None:
        heappush(open_now, (*found, stream))


def _placed(reader: TapeReader, exchange: Exchange) -> Iterator[tuple[Place, Crossing]]:
    """Each crossing with its place. Times never go back, so that places are in order."""
    at_us = 0
    for position, crossing in enumerate(crossings_of(reader, exchange)):
        at_us = max(at_us, crossing.at_us)
        yield Place(at_us, exchange.id, position), crossing


def _row(place: Place, crossing: Crossing, last: Place | None) -> Row:
    summary, is_unknown = summary_of(crossing)
    return Row(
        place,
        0 if last is None else place.at_us - last.at_us,
        crossing.sender,
        crossing.type,
        crossing.size_bytes,
        summary,
        is_unknown,
        crossing.type == HTTP_REQUEST or (crossing.sender is Sender.CLIENT and bool(crossing.text)),
    )
