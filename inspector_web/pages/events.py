"""Events in the order of time, a page at a time, of a tape, a session or one exchange."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Self

from inspector_web.index.reader import IndexReader
from inspector_web.listing import BadPattern, Listing, Place, Wanted, listing_after, listing_before
from inspector_web.overview import Overview
from inspector_web.pages.head import SessionHead, head_of
from wiretape.facts import Sender


@dataclass(frozen=True, slots=True)
class EventsQuery:
    """What the address asks for: whose events, which of them, and where to begin or to end.

    ``trouble`` says why the text is no regular expression; then it does not count.
    """

    session: int | None = None
    exchange: int | None = None
    wanted: Wanted = field(default_factory=Wanted)
    after: Place | None = None
    before: Place | None = None
    trouble: str | None = None

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> Self:
        """What is not understood does not count."""
        wanted, trouble = _wanted(given)
        return cls(
            _number(given.get("session", "")),
            _number(given.get("exchange", "")),
            wanted,
            Place.parse(given.get("after", "")),
            Place.parse(given.get("before", "")),
            trouble,
        )


def _wanted(given: Mapping[str, str]) -> tuple[Wanted, str | None]:
    sender = given.get("sender")
    text, kind = given.get("text", ""), given.get("type", "").strip()
    whose = Sender(sender) if sender in set(Sender) else None
    try:
        return Wanted(text, kind, whose, given.get("regex") == "on"), None
    except BadPattern as error:
        return Wanted("", kind, whose), str(error)


@dataclass(frozen=True, slots=True)
class EventsPage:
    """A page of events.

    ``problems`` are the positions in ``listing`` of events that a finding rests on; the first one
    after this page is at ``next_problem``. ``turns`` are the positions where a turn begins.
    ``session`` is ``None`` for a tape that is being read for the first time, too.
    """

    tape: str
    session: SessionHead | None
    query: EventsQuery
    listing: Listing
    problems: tuple[int, ...]
    next_problem: Place | None
    turns: tuple[int, ...]


def events_page(
    tape: str, overview: Overview | None, index: IndexReader, query: EventsQuery
) -> EventsPage:
    """The page that the query asks for; without an overview, of events and no more.

    Raises:
        NoSuchSession: the tape has no session of that number.
    """
    head = of = None
    if overview is not None and query.session is not None:
        head = head_of(tape, overview, query.session)
        of = overview.exchanges_of(overview.session(query.session))
    if query.exchange is not None:
        of = frozenset({query.exchange}) & (of or {query.exchange})
    if query.before is not None:
        listing = listing_before(index, of, query.wanted, query.before)
    else:
        listing = listing_after(index, of, query.wanted, query.after)
    if overview is None:
        return EventsPage(tape, head, query, listing, (), None, ())
    return EventsPage(
        tape,
        head,
        query,
        listing,
        tuple(
            at
            for at, row in enumerate(listing.rows)
            if (row.place.exchange, row.place.position) in overview.problems
        ),
        _next_problem(overview, of, listing),
        tuple(_turns(overview, listing)),
    )


def _next_problem(overview: Overview, of: Collection[int] | None, listing: Listing) -> Place | None:
    """Where a page begins that shows the next problem first: right before it."""
    last = listing.rows[-1].place if listing.rows else None
    places = (
        Place(each.at_us, each.exchange, each.position)
        for told in overview.told or ()
        for each in told.evidence
        if of is None or each.exchange in of
    )
    found = min((place for place in places if last is None or place > last), default=None)
    return None if found is None else Place(max(found.at_us - 1, 0), found.exchange, 0)


def _turns(overview: Overview, listing: Listing) -> Iterator[int]:
    for at, row in enumerate(listing.rows):
        if not row.begins_attempt:
            continue
        found = overview.attempt_at(row.place.exchange, row.place.at_us)
        if found is not None:
            session, place = found
            requests = overview.sessions[session - 1].requests
            before = requests[place.request - 2] if place.request > 1 else None
            is_first = before is None or before.turn != requests[place.request - 1].turn
            if is_first and place.number == 1:
                yield at


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 10 else None
