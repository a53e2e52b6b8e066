"""One event: laid out as JSON, and as it crossed."""

from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from inspector_web.index.reader import IndexReader
from inspector_web.json_tree import Branch, tree_of
from inspector_web.json_view import Token, laid_out
from inspector_web.made import Made, made_of, made_within
from inspector_web.offered import is_event_of_answer
from inspector_web.overview import AttemptPlace, Evidence, Overview
from inspector_web.pages.events import EventsQuery
from inspector_web.pages.head import SessionHead, head_of
from inspector_web.seen import Place, Seen, seen_in
from inspector_web.summaries import summary_of
from inspector_web.twins import HTML_ONLY
from wiretape.crossings import Crossing
from wiretape.errors import UsageError
from wiretape.facts import Sender
from wiretape.jsontext import Unparsable, parse_object

SHOWN_CHARACTERS: Final = 100_000
"""Of the text as it crossed; the raw download has all of it."""


@dataclass(frozen=True, slots=True)
class EventPage:
    """One thing that crossed. ``position`` counts in its exchange from 0; ``delta_us`` is since the
    one before it there, ``None`` for the first.

    ``session`` and ``attempt`` are those that it belongs to, if any. ``text`` is as it crossed, cut
    if ``is_cut``, and ``None`` where there was none; ``layout`` and ``tree`` are the same as JSON,
    if it is. ``is_of_answer``: a fault can be asked for before it. ``made`` is what the client
    makes of it, by the model of that client. ``came_from`` is the list that one came from, if the
    address tells; after ``list_after`` it begins with this.
    """

    tape: str
    started_at_us: int
    session: SessionHead | None
    attempt: AttemptPlace | None
    exchange: int
    position: int
    at_us: int
    delta_us: int | None
    sender: Sender
    type: str
    size_bytes: int
    summary: str
    is_unknown: bool
    is_of_answer: bool
    made: Made | None
    text: str | None
    is_cut: bool
    layout: tuple[Token, ...] = field(metadata=HTML_ONLY)
    tree: Branch | None = field(metadata=HTML_ONLY)
    has_next: bool
    next_problem: Evidence | None
    came_from: EventsQuery | None = field(metadata=HTML_ONLY)
    list_after: Place = field(metadata=HTML_ONLY)


def event_page(
    tape: str,
    started_at_us: int,
    overview: Overview | None,
    index: IndexReader,
    exchange: int,
    position: int,
    came_from: EventsQuery | None = None,
) -> EventPage:
    """The page of the event at that position; without an overview, of no session.

    Raises:
        UsageError: there is none.
    """
    seen, has_next = _found(index, exchange, position)
    found = seen.crossing
    summary, is_unknown = summary_of(found)
    under_way = None if overview is None else overview.attempt_at(exchange, seen.place.at_us)
    text = found.text
    return EventPage(
        tape,
        started_at_us,
        None if overview is None or under_way is None else head_of(tape, overview, under_way[0]),
        None if under_way is None else under_way[1],
        exchange,
        position,
        found.at_us,
        seen.delta_us,
        found.sender,
        found.type,
        found.size_bytes,
        summary,
        is_unknown,
        is_event_of_answer(found),
        _made(overview, index, found, seen.place.at_us),
        None if text is None else text[:SHOWN_CHARACTERS],
        text is not None and len(text) > SHOWN_CHARACTERS,
        layout_of(text or ""),
        _tree(text or ""),
        has_next,
        None if overview is None else _next_problem(overview, seen),
        came_from,
        Place(max(seen.place.at_us - 1, 0), exchange, 0),
    )


def _made(
    overview: Overview | None, index: IndexReader, crossing: Crossing, at_us: int
) -> Made | None:
    made = made_of(index.exchange(crossing.exchange), crossing)
    attempt = None if overview is None else overview.under_way(crossing.exchange, at_us)
    return made if attempt is None else made_within(attempt, at_us, made)


def _next_problem(overview: Overview, seen: Seen) -> Evidence | None:
    """The next event that a finding rests on."""
    evidence = (each for told in overview.told or () for each in told.evidence)
    later = [each for each in evidence if _key(each) > (seen.place.at_us, *_place(seen))]
    return min(later, key=_key, default=None)


def _key(evidence: Evidence) -> tuple[int, int, int]:
    return evidence.at_us, evidence.exchange, evidence.position


def _place(seen: Seen) -> tuple[int, int]:
    return seen.place.exchange, seen.place.position


def layout_of(text: str) -> tuple[Token, ...]:
    """The text laid out, if it is a JSON object; else nothing."""
    value = parse_object(text)
    return () if isinstance(value, Unparsable) else tuple(laid_out(value))


def _tree(text: str) -> Branch | None:
    """The same as a tree."""
    value = parse_object(text)
    return None if isinstance(value, Unparsable) else tree_of(value)


def _found(index: IndexReader, exchange: int, position: int) -> tuple[Seen, bool]:
    """The event at the position, and whether one follows."""
    stretch = index.stretch_with(exchange, position)
    found: Seen | None = None
    for seen in seen_in(index, stretch):
        if found is not None:
            return found, True
        if seen.place.position == position:
            found = seen
    if found is None:
        raise UsageError(
            f"exchange {exchange} has no event number {position}: its list of events has those "
            "that are."
        )
    # The first of the next stretch, if this one is the last of its own.
    following = index.stretch_with(exchange, position + 1)
    return found, any(True for _ in islice(index.crossings(following), 1))
