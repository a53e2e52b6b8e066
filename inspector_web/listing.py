"""Events in the order of time, a page at a time, by the place of the last one seen.

A place is a time, an exchange and a position in it, so a page begins where another ended whatever
has been written since. Only stretches of the tape that can hold what is wanted are read. A search
looks at a limited number of events for each page and says how far it came.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from inspector_web.index.reader import IndexReader, Stretch
from inspector_web.made import Made, made_of
from inspector_web.seen import Passed, Place, Seen, can_hold, merged, seen_in, takes
from inspector_web.summaries import summary_of
from inspector_web.tally import NONE_KNOWN, Known, Tally
from inspector_web.wanted import Part, Wanted
from wiretape.crossings import HTTP_REQUEST
from wiretape.facts import Sender

PAGE_EVENTS: Final = 200
MOST_EFFORT: Final = 6_000
"""Events that a search goes through for one page: about a twentieth of a second's work."""
_PASSED_EFFORT: Final = 10
"""What passing a stretch by takes, in events."""


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


def listing_after(
    index: IndexReader, part: Part, wanted: Wanted, after: Place | None, known: Known = NONE_KNOWN
) -> Listing:
    """The first page of events after the place, or of all of the part."""
    rows: list[Row] = []
    last = after
    effort = 0
    since_us = part.since_us if after is None else max(part.since_us, after.at_us)
    stretches = index.stretches_since(since_us, part.of, wanted.only(index.types()))
    for each in merged(index, _not_empty(stretches, known), wanted):
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
        if takes(index, wanted, each):
            rows.append(_row(index, each))
        last = each.place
    return Listing(tuple(rows), None, _start(rows, after))


def listing_before(
    index: IndexReader, part: Part, wanted: Wanted, before: Place, known: Known = NONE_KNOWN
) -> Listing:
    """The last page of events of the part before the place."""
    found: list[Seen] = []
    effort = 0
    gave_up_us: int | None = None
    until = min(before, Place(part.until_us, 0, 0))
    stretches = index.stretches_until(until.at_us, part.of, wanted.only(index.types()))
    for stretch in _not_empty(stretches, known):
        if stretch.until_us < part.since_us:
            break
        # What is still to be read ended before this; what came later is complete.
        complete = [each for each in found if each.place.at_us > stretch.until_us]
        if len(complete) > PAGE_EVENTS:
            break
        if effort > MOST_EFFORT:
            found, gave_up_us = complete, stretch.until_us
            break
        if not can_hold(index, wanted, stretch):
            effort += _PASSED_EFFORT
            continue
        for each in seen_in(index, stretch):
            if each.place >= until:
                break
            if each.place.at_us < part.since_us:
                continue
            effort += 1
            if takes(index, wanted, each):
                found.append(each)
    found.sort(key=lambda each: each.place)
    rows = tuple(_row(index, each) for each in found[-PAGE_EVENTS:])
    previous = rows[0].place if len(found) > PAGE_EVENTS else None
    if previous is None and gave_up_us is not None:
        previous = Place(gave_up_us + 1, 0, 0)
    return Listing(rows, rows[-1].place if rows else None, previous)


def listing_with(tally: Tally, row: int, known: Known = NONE_KNOWN) -> Listing:
    """The page with the event of that number, counted from 0, or the last one that is known:
    pages begin at whole multiples of their length."""
    row = min(row, tally.found - 1)
    first = tally.place_of(row - row % PAGE_EVENTS) if row >= PAGE_EVENTS else None
    after = None if first is None else replace(first, position=first.position - 1)
    return listing_after(tally.index, tally.part, tally.wanted, after, known)


def _not_empty(stretches: Iterable[Stretch], known: Known) -> Iterator[Stretch]:
    """Those that nobody has found to hold nothing that is wanted."""
    return (each for each in stretches if known.get((each.exchange, each.start.position)) != 0)


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
