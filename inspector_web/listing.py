"""Events in the order of time, a page at a time, by the place of the last one seen.

A place is a time, an exchange and a position in it, so a page begins where another ended whatever
has been written since. Only stretches of the tape that can hold what is wanted are read. A search
looks at a limited number of events for each page and says how far it came.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from typing import Final, Self

from inspector_web.addresses import BadAddress
from inspector_web.index.letters import literals_in, match_expression
from inspector_web.index.reader import IndexReader, Only, Stretch
from inspector_web.made import Made, made_of
from inspector_web.summaries import summary_of
from wiretape.crossings import HTTP_REQUEST, Crossing
from wiretape.facts import Sender

PAGE_EVENTS: Final = 200
MOST_EFFORT: Final = 6_000
"""Events that a search goes through for one page: about a twentieth of a second's work."""
_PASSED_EFFORT: Final = 10
"""What passing a stretch by takes, in events."""
EVER_US: Final = 1 << 62
_SEARCHED_CHARACTERS: Final = 1_000_000
"""Of one event, by a regular expression."""


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


class BadPattern(ValueError):
    """A regular expression that is none; the message says why."""


@dataclass(frozen=True)
class Wanted:
    """Which events: those that hold ``text`` (in any case) and ``type``, sent by ``sender``.

    ``is_regex``: the text is a regular expression. What a request repeats from an earlier one
    counts where it was first sent.

    Raises:
        BadPattern: the text is no regular expression.
    """

    text: str = ""
    type: str = ""
    sender: Sender | None = None
    is_regex: bool = False

    def __post_init__(self) -> None:
        if self.is_regex:
            try:
                re.compile(self.text)
            except (re.error, OverflowError, RecursionError) as error:
                raise BadPattern(f"{self.text!r} is no regular expression: {error}.") from error

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self.text if self.is_regex else re.escape(self.text), re.IGNORECASE)

    @cached_property
    def literal(self) -> str:
        """A text that every such event holds; empty where none is known."""
        return max(self._literals, key=len, default="")

    @cached_property
    def _literals(self) -> tuple[str, ...]:
        return literals_in(self.text) if self.is_regex else (self.text,)

    def only(self, types: Collection[str]) -> Only:
        """Which blocks can hold such events, where these types are known."""
        return Only(
            [name for name in types if self._is_type(name)] if self.type else None,
            self.sender is Sender.CLIENT,
            match_expression(self._literals),
        )

    def takes(self, crossing: Crossing, asked: str | None) -> bool:
        """Whether it is such an event; ``asked`` is what the client said with it for the first
        time, if that is known."""
        if self.sender is not None and crossing.sender is not self.sender:
            return False
        if not self._is_type(crossing.type):
            return False
        text = (crossing.text or "") if asked is None else asked
        return not self.text or any(map(self.found_in, (crossing.type, crossing.summary, text)))

    def found_in(self, text: str) -> re.Match[str] | None:
        """Where in a text the wanted one stands first."""
        return self._pattern.search(text, 0, _SEARCHED_CHARACTERS if self.is_regex else len(text))

    def every(self, text: str) -> Iterator[re.Match[str]]:
        """Each place in a text where the wanted one stands."""
        return self._pattern.finditer(text)

    def _is_type(self, name: str) -> bool:
        return self.type.lower() in name.lower()


ANYTHING: Final = Wanted()


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a tape that is looked at: these exchanges, or all, from ``since_us`` until
    before ``until_us``.
    """

    of: Collection[int] | None = None
    since_us: int = 0
    until_us: int = EVER_US

    def holds(self, exchange: int, at_us: int) -> bool:
        return (self.of is None or exchange in self.of) and self.since_us <= at_us < self.until_us


WHOLE: Final = Part()


@dataclass(frozen=True, slots=True)
class Row:
    """One event for a table. ``delta_us`` is since what crossed before it in its exchange, ``None``
    for the first.

    ``made`` is what the client makes of it, by the model of that client.
    """

    place: Place
    delta_us: int | None
    sender: Sender
    type: str
    size_bytes: int
    summary: str
    is_unknown: bool
    made: Made | None
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


def listing_after(index: IndexReader, part: Part, wanted: Wanted, after: Place | None) -> Listing:
    """The first page of events after the place, or of all of the part."""
    rows: list[Row] = []
    last = after
    effort = 0
    since_us = part.since_us if after is None else max(part.since_us, after.at_us)
    stretches = index.stretches_since(since_us, part.of, wanted.only(index.types()))
    for each in merged(index, stretches, wanted):
        if isinstance(each, Passed):
            effort += _PASSED_EFFORT
            continue
        if each.place.at_us < since_us or (after is not None and each.place <= after):
            continue
        if each.place.at_us >= part.until_us:
            break
        effort += 1
        if len(rows) == PAGE_EVENTS:
            return Listing(tuple(rows), rows[-1].place, _start(rows, after))
        if effort > MOST_EFFORT:
            return Listing(tuple(rows), None, _start(rows, after), last)
        if _takes(index, wanted, each):
            rows.append(_row(index, each))
        last = each.place
    return Listing(tuple(rows), None, _start(rows, after))


def listing_before(index: IndexReader, part: Part, wanted: Wanted, before: Place) -> Listing:
    """The last page of events of the part before the place."""
    found: list[Seen] = []
    effort = 0
    gave_up_us: int | None = None
    until = min(before, Place(part.until_us, 0, 0))
    for stretch in index.stretches_until(until.at_us, part.of, wanted.only(index.types())):
        if stretch.until_us < part.since_us:
            break
        # What is still to be read ended before this; what came later is complete.
        complete = [each for each in found if each.place.at_us > stretch.until_us]
        if len(complete) > PAGE_EVENTS:
            break
        if effort > MOST_EFFORT:
            found, gave_up_us = complete, stretch.until_us
            break
        if not _can_hold(index, wanted, stretch):
            effort += _PASSED_EFFORT
            continue
        for each in seen_in(index, stretch):
            if each.place >= until:
                break
            if each.place.at_us < part.since_us:
                continue
            effort += 1
            if _takes(index, wanted, each):
                found.append(each)
    found.sort(key=lambda each: each.place)
    rows = tuple(_row(index, each) for each in found[-PAGE_EVENTS:])
    previous = rows[0].place if len(found) > PAGE_EVENTS else None
    if previous is None and gave_up_us is not None:
        previous = Place(gave_up_us + 1, 0, 0)
    return Listing(rows, rows[-1].place if rows else None, previous)


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
            if _can_hold(index, wanted, following):
                advance(seen_in(index, following))
            else:
                yield Passed(following)
            following = next(waiting, None)
        if open_now:
            _, seen, stream = heappop(open_now)
            advance(stream)
            yield seen


def _can_hold(index: IndexReader, wanted: Wanted, stretch: Stretch) -> bool:
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


def _takes(index: IndexReader, wanted: Wanted, seen: Seen) -> bool:
    asked = None
    if wanted.text and seen.crossing.sender is Sender.CLIENT:
        asked = index.asked(seen.place.exchange, seen.place.position)
    return wanted.takes(seen.crossing, asked)


def _start(rows: list[Row], after: Place | None) -> Place | None:
    """Where the page before ends: there is none before the first page."""
    if after is None:
        return None
    return rows[0].place if rows else Place(after.at_us, after.exchange, after.position + 1)


def _row(index: IndexReader, seen: Seen) -> Row:
    crossing = seen.crossing
    summary, is_unknown = summary_of(crossing)
    return Row(
        seen.place,
        seen.delta_us,
        crossing.sender,
        crossing.type,
        crossing.size_bytes,
        summary,
        is_unknown,
        made_of(index.exchange(crossing.exchange), crossing),
        crossing.type == HTTP_REQUEST or (crossing.sender is Sender.CLIENT and bool(crossing.text)),
    )
