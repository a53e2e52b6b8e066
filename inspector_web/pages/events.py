"""Events in the order of time, a page at a time, of a tape, a session, a request or an exchange."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Self
from urllib.parse import parse_qsl, urlencode

from inspector_web.addresses import choice_in, number_in
from inspector_web.index.reader import IndexReader
from inspector_web.listing import (
    EVER_US,
    WHOLE,
    BadPattern,
    Listing,
    Part,
    Place,
    Row,
    Wanted,
    listing_after,
    listing_before,
)
from inspector_web.made import made_within
from inspector_web.overview import AttemptPlace, Overview
from inspector_web.pages.head import SessionHead, head_of
from wiretape.errors import UsageError
from wiretape.facts import Sender


@dataclass(frozen=True, slots=True)
class EventsQuery:
    """What the address asks for: whose events, which of them, and where to begin or to end.

    ``request`` and ``attempt`` are numbers in the session. ``trouble`` says why the text is no
    regular expression; then it does not count.
    """

    session: int | None = None
    request: int | None = None
    attempt: int | None = None
    exchange: int | None = None
    wanted: Wanted = field(default_factory=Wanted)
    after: Place | None = None
    before: Place | None = None
    trouble: str | None = None

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> Self:
        """The query of an address; a text that is no pattern does not count.

        Raises:
            BadAddress: a value makes no sense.
        """
        wanted, trouble = _wanted(given)
        return cls(
            number_in(given, "session"),
            number_in(given, "request"),
            number_in(given, "attempt"),
            number_in(given, "exchange"),
            wanted,
            Place.parse(given.get("after", "")),
            Place.parse(given.get("before", "")),
            trouble,
        )

    @classmethod
    def parse_list(cls, given: Mapping[str, str]) -> Self | None:
        """The list that the address of an event says that one came from, if it says so.

        Raises:
            BadAddress: a value makes no sense.
        """
        text = given.get("list")
        return None if text is None else cls.parse(dict(parse_qsl(text)))

    @property
    def chosen(self) -> dict[str, str | int]:
        """What an address needs to choose the same events, from wherever it begins."""
        wanted = self.wanted
        values = {
            "session": self.session,
            "request": self.request,
            "attempt": self.attempt,
            "exchange": self.exchange,
            "text": wanted.text or None,
            "regex": "on" if wanted.is_regex else None,
            "type": wanted.type or None,
            "sender": wanted.sender,
        }
        return {name: value for name, value in values.items() if value is not None}

    @property
    def as_list(self) -> str:
        """The same as one value; undoes ``parse_list``."""
        return urlencode(self.chosen)


def _wanted(given: Mapping[str, str]) -> tuple[Wanted, str | None]:
    text, kind = given.get("text", ""), given.get("type", "").strip()
    whose = choice_in(given, "sender", Sender)
    try:
        return Wanted(text, kind, whose, given.get("regex") == "on"), None
    except BadPattern as error:
        return Wanted("", kind, whose), str(error)


@dataclass(frozen=True, slots=True)
class EventsPage:
    """A page of events.

    ``problems`` are the positions in ``listing`` of events that a finding rests on; the first one
    after this page is at ``next_problem``. ``turns`` are the positions where a turn begins.
    ``session`` is ``None`` for a tape that is being read for the first time, too. ``answered``
    counts the events in answer to the request that was asked for.
    """

    tape: str
    started_at_us: int
    session: SessionHead | None
    query: EventsQuery
    listing: Listing
    problems: tuple[int, ...]
    next_problem: Place | None
    turns: tuple[int, ...]
    answered: int | None


def events_page(
    tape: str, started_at_us: int, overview: Overview | None, index: IndexReader, query: EventsQuery
) -> EventsPage:
    """The page that the query asks for; without an overview, of events and no more.

    Raises:
        NoSuchSession, UsageError: the tape has no such session, or that no such request.
    """
    head = answered = None
    part = WHOLE
    if overview is not None and query.session is not None:
        head = head_of(tape, overview, query.session)
        part = Part(overview.exchanges_of(overview.session(query.session)))
        if query.request is not None:
            part, answered = _asked_for(overview, query.session, query.request, query.attempt)
    if query.exchange is not None:
        part = replace(part, of={query.exchange}.intersection(part.of or {query.exchange}))
    if query.before is not None:
        listing = listing_before(index, part, query.wanted, query.before)
    else:
        listing = listing_after(index, part, query.wanted, query.after)
    if overview is None:
        return EventsPage(tape, started_at_us, head, query, listing, (), None, (), None)
    return EventsPage(
        tape,
        started_at_us,
        head,
        query,
        replace(listing, rows=tuple(_within(overview, row) for row in listing.rows)),
        tuple(
            at
            for at, row in enumerate(listing.rows)
            if (row.place.exchange, row.place.position) in overview.problems
        ),
        _next_problem(overview, part, listing),
        tuple(_turns(overview, listing)),
        answered,
    )


def _asked_for(
    overview: Overview, session: int, number: int, attempt: int | None
) -> tuple[Part, int]:
    """What crossed with a request, or one attempt at it, and how many events came in answer."""
    request = next((e for e in overview.session(session).requests if e.number == number), None)
    tries = () if request is None else request.tries
    chosen = [
        (AttemptPlace(number, at), each.attempt)
        for at, each in enumerate(tries, start=1)
        if attempt in (None, at)
    ]
    if not chosen:
        what = f"attempt {attempt} at a request" if attempt is not None else "request"
        raise UsageError(
            f"session {session} has no {what} {number}: its timeline has those that are."
        )
    spells = [overview.spell_of(each.exchange, place, session) for place, each in chosen]
    part = Part(
        frozenset(each.exchange for _, each in chosen),
        min(since_us for since_us, _ in spells),
        max(EVER_US if until_us is None else until_us for _, until_us in spells),
    )
    return part, sum(each.events for _, each in chosen)


def _within(overview: Overview, row: Row) -> Row:
    """The row, with what is known from the attempt that it is part of."""
    if (
        row.made is None
        or (attempt := overview.under_way(row.place.exchange, row.place.at_us)) is None
    ):
        return row
    return replace(row, made=made_within(attempt, row.place.at_us, row.made))


def _next_problem(overview: Overview, part: Part, listing: Listing) -> Place | None:
    """Where a page begins that shows the next problem first: right before it."""
    last = listing.rows[-1].place if listing.rows else None
    places = (
        Place(each.at_us, each.exchange, each.position)
        for told in overview.told or ()
        for each in told.evidence
        if part.holds(each.exchange, each.at_us)
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
