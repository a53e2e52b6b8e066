"""What crossed, each at its place, in the order of time over all exchanges."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Self

from inspector_web.addresses import BadAddress
from inspector_web.index.reader import IndexReader, Stretch
from inspector_web.wanted import ANYTHING, Wanted
from wiretape.crossings import Crossing
from wiretape.facts import Sender


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
        """Undoes ``str()``; ``None`` for nothing.

        Raises:
            BadAddress: it is no place.
        """
        if not text:
            return None
        parts = text.split(".")
        if len(parts) != 3 or not all(part.isdecimal() and len(part) < 19 for part in parts):
            raise BadAddress(
                f"{text[:60]!r} is no place: one is like 2500000.1.7, for the time in "
                "microseconds, the exchange and the position in it."
            )
        return cls(*map(int, parts))


@dataclass(frozen=True, slots=True)
class Passed:
    """A stretch that was passed by, because nothing in it can be wanted."""

    stretch: Stretch


@dataclass(frozen=True, slots=True)
class Seen:
    """An event at its place. ``delta_us`` is since the one before it in its exchange, ``None`` for
    the first."""

    place: Place
    delta_us: int | None
    crossing: Crossing


def merged(
    index: IndexReader, stretches: Iterable[Stretch], wanted: Wanted = ANYTHING
) -> Iterator[Seen | Passed]:
    """What crossed in the stretches, which are in the order of their begins, by time.

    Stretches that cannot hold what is wanted are passed by.
    """
    waiting = iter(stretches)
    following = next(waiting, None)
    # Only stretches that overlap are open at once: opening one reads the tape.
    open_now: list[tuple[Place, Seen, Iterator[Seen]]] = []

    def advance(stream: Iterator[Seen]) -> None:
        if (found := next(stream, None)) is not None:
            heappush(open_now, (found.place, found, stream))

    while following is not None or open_now:
        while following is not None and (not open_now or following.at_us <= open_now[0][0].at_us):
            if can_hold(index, wanted, following):
                advance(seen_in(index, following))
            else:
                yield Passed(following)
            following = next(waiting, None)
        if open_now:
            _, seen, stream = heappop(open_now)
            advance(stream)
            yield seen


def can_hold(index: IndexReader, wanted: Wanted, stretch: Stretch) -> bool:
    """Whether the bytes of a stretch can hold the text: much faster than reading its events."""
    if not wanted.literal or (data := index.data(stretch)) is None:
        return True
    # Of other letters, upper and lower case may have other bytes.
    return not wanted.literal.isascii() or wanted.literal.lower().encode() in data.lower()


def seen_in(index: IndexReader, stretch: Stretch) -> Iterator[Seen]:
    """Each crossing at its place. Times never go back, so that places are in order."""
    start = stretch.start
    at_us = start.clock_us
    for position, crossing in enumerate(index.crossings(stretch), start.position):
        before_us, at_us = at_us, max(at_us, crossing.at_us)
        place = Place(at_us, stretch.exchange, position)
        yield Seen(place, at_us - before_us if position else None, crossing)


def takes(index: IndexReader, wanted: Wanted, seen: Seen) -> bool:
    asked = None
    if wanted.text and seen.crossing.sender is Sender.CLIENT:
        asked = index.asked(seen.place.exchange, seen.place.position)
    return wanted.takes(seen.crossing, asked)
