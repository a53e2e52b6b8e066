"""Events in the order of time, a page at a time, of a tape, a session, a request or an exchange."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Self
from urllib.parse import parse_qsl, urlencode

from inspector_web.addresses import choice_in, flag_in, number_in, row_or_moment_in
from inspector_web.index.reader import IndexReader
from inspector_web.listing import (
    PAGE_EVENTS,
    Listing,
    Row,
    listing_after,
    listing_before,
    listing_with,
)
from inspector_web.made import made_within
from inspector_web.overview import AttemptPlace, Overview
from inspector_web.pages.head import SessionHead, head_of
from inspector_web.seen import Place
from inspector_web.tally import Known, Tally, tally_of
from inspector_web.wanted import ANYTHING, EVER_US, WHOLE, BadPattern, Part, Wanted
from wiretape.errors import UsageError
from wiretape.facts import Sender


@dataclass(frozen=True, slots=True)
class EventsQuery:
    """What the address asks for: whose events, which of them, and where to begin or to end.

    ``request`` and ``attempt`` are numbers in the session. The page is that with the ``row`` of
    that number, from 1, or with the first event since ``at_us``. ``trouble`` says why the text is
    no regular expression; then it does not count.
    """

    session: int | None = None
    request: int | None = None
    attempt: int | None = None
    exchange: int | None = None
    wanted: Wanted = field(default_factory=Wanted)
    after: Place | None = None
    before: Place | None = None
    row: int | None = None
    at_us: int | None = None
    trouble: str | None = None

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> Self:
        """The query of an address; a text that is no pattern does not count.

        Raises:
            BadAddress: a value makes no sense.
        """
        wanted, trouble = _wanted(given)
        return cls(
            number_in(given, "session", least=1),
            number_in(given, "request", least=1),
            number_in(given, "attempt", least=1),
            number_in(given, "exchange", least=1),
            wanted,
            Place.parse(given.get("after", "")),
            Place.parse(given.get("before", "")),
            *row_or_moment_in(given, "go"),
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
    def is_of_all(self) -> bool:
        """Whether every event is wanted."""
        return self.wanted == ANYTHING

    @property
    def as_list(self) -> str:
        """The same as one value; undoes ``parse_list``."""
        return urlencode(self.chosen)


def _wanted(given: Mapping[str, str]) -> tuple[Wanted, str | None]:
    text, kind = given.get("text", ""), given.get("type", "").strip()
    whose = choice_in(given, "sender", Sender)
    try:
        return Wanted(text, kind, whose, flag_in(given, "regex")), None
    except BadPattern as error:
        return Wanted("", kind, whose), str(error)


@dataclass(frozen=True, slots=True)
class Found:
    """How many events there are; more than that unless that ``is_all``."""

    events: int
    is_all: bool


@dataclass(frozen=True, slots=True)
class EventsPage:
    """A page of events.

    ``found`` are those that are like what is asked for, of ``all`` in that part of the tape.
    ``first`` is the number of the first row among them, from 1; ``None`` while that is not known.
    ``chosen`` is the number of the row that was asked for.
    ``problems`` are the positions in ``listing`` of events that a finding rests on; the first one
    after this page is at ``next_problem``, in the row ``next_problem_row`` if that is known.
    ``turns`` are the positions where a turn begins. ``session`` is ``None`` for a tape that is
    being read for the first time, too. ``answered`` counts the events in answer to the request
    that was asked for.
    """

    tape: str
    started_at_us: int
    session: SessionHead | None
    query: EventsQuery
    listing: Listing
    found: Found
    all: Found
    first: int | None
    chosen: int | None
    problems: tuple[int, ...]
    next_problem: Place | None
    next_problem_row: int | None
    turns: tuple[int, ...]
    answered: int | None

    @property
    def page_events(self) -> int:
        """How many events are on a page."""
        return PAGE_EVENTS


type Counted = Callable[[Part, Wanted], Known]
"""Says how many events of a block hold a text, as far as that is known."""


@dataclass(frozen=True, slots=True)
class FoundPage:
    """How many events there are on a list of them; fields as of ``EventsPage``."""

    tape: str
    query: EventsQuery
    found: Found
    all: Found


def found_page(
    tape: str, overview: Overview | None, index: IndexReader, query: EventsQuery, counted: Counted
) -> FoundPage:
    """The same numbers as on the page that the query asks for.

    Raises:
        NoSuchSession, UsageError: the tape has no such session, or that no such request.
    """
    part, _ = _part(overview, query)
    tally, every = _tallies(index, part, query, counted(part, query.wanted))
    return FoundPage(tape, query, _found(tally), _found(every))


def events_page(
    tape: str,
    started_at_us: int,
    overview: Overview | None,
    index: IndexReader,
    query: EventsQuery,
    counted: Counted,
) -> EventsPage:
    """The page that the query asks for; without an overview, of events and no more.

    Raises:
        NoSuchSession, UsageError: the tape has no such session, or that no such request.
    """
    part, answered = _part(overview, query)
    known = counted(part, query.wanted)
    tally, every = _tallies(index, part, query, known)
    chosen = _chosen(tally, query)
    if query.before is not None:
        listing = listing_before(index, part, query.wanted, query.before, known)
    elif chosen is not None:
        listing = listing_with(tally, chosen - 1, known)
    else:
        # A moment that is beyond what has been counted yet.
        after = query.after if query.at_us is None else Place(query.at_us, 0, 0)
        listing = listing_after(index, part, query.wanted, after, known)
    problem = None if overview is None else _next_problem(overview, part, listing)
    is_problem = frozenset[tuple[int, int]]() if overview is None else overview.problems
    return EventsPage(
        tape,
        started_at_us,
        None
        if overview is None or query.session is None
        else head_of(tape, overview, query.session),
        query,
        listing
        if overview is None
        else replace(listing, rows=tuple(_within(overview, row) for row in listing.rows)),
        _found(tally),
        _found(every),
        _first(tally, listing, query),
        chosen,
        tuple(
            at
            for at, row in enumerate(listing.rows)
            if (row.place.exchange, row.place.position) in is_problem
        ),
        problem,
        None if problem is None else _number(tally, problem),
        () if overview is None else tuple(_turns(overview, listing)),
        answered,
    )


def _tallies(
    index: IndexReader, part: Part, query: EventsQuery, known: Known
) -> tuple[Tally, Tally]:
    """What is known of the wanted events of a part, and of all of them."""
    every = tally_of(index, part, ANYTHING)
    return every if query.is_of_all else tally_of(index, part, query.wanted, known), every


def _found(tally: Tally) -> Found:
    return Found(tally.found, tally.is_all)


def _part(overview: Overview | None, query: EventsQuery) -> tuple[Part, int | None]:
    """The part of the tape that is asked about, and how many events came in answer to the request
    that it is of."""
    part, answered = WHOLE, None
    if overview is not None and query.session is not None:
        part = Part(overview.exchanges_of(overview.session(query.session)))
        if query.request is not None:
            part, answered = _asked_for(overview, query.session, query.request, query.attempt)
    if query.exchange is not None:
        part = replace(
            part, of=frozenset({query.exchange}).intersection(part.of or {query.exchange})
        )
    return part, answered


def _chosen(tally: Tally, query: EventsQuery) -> int | None:
    """The number of the row that is asked for, from 1: one that there is, if any."""
    row = query.row
    if query.at_us is not None:
        row = _number(tally, Place(query.at_us, 0, 0))
    return None if row is None or not tally.found else min(row, tally.found)


def _first(tally: Tally, listing: Listing, query: EventsQuery) -> int | None:
    if not listing.rows:
        return None
    if listing.previous is None and query.before is None:
        return 1
    return _number(tally, listing.rows[0].place)


def _number(tally: Tally, place: Place) -> int | None:
    """The number, from 1, of the first wanted row from there on."""
    before = tally.before(place)
    return None if before is None else before + 1


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
    """Where the first event after a page is that a finding rests on."""
    last = listing.rows[-1].place if listing.rows else None
    places = (
        Place(each.at_us, each.exchange, each.position)
        for told in overview.told or ()
        for each in told.evidence
        if part.holds(each.exchange, each.at_us)
    )
    return min((place for place in places if last is None or place > last), default=None)


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
