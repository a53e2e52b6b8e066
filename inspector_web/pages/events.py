"""Events in the order of time, a page at a time, of a tape, a session or one exchange."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from inspector_web.listing import Listing, Place, Wanted, listing_after, listing_before
from inspector_web.pages.head import SessionHead, head_of
from inspector_web.shelf import Overview, exchanges_of
from wiretape.facts import Sender
from wiretape.store_reader import TapeReader


@dataclass(frozen=True, slots=True)
class EventsQuery:
    """What the address asks for: whose events, which of them, and where to begin or to end."""

    session: int | None = None
    exchange: int | None = None
    wanted: Wanted = field(default_factory=Wanted)
    after: Place | None = None
    before: Place | None = None

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> Self:
        """What is not understood does not count."""
        sender = given.get("sender")
        return cls(
            _number(given.get("session", "")),
            _number(given.get("exchange", "")),
            Wanted(
                given.get("text", ""),
                given.get("type", "").strip(),
                Sender(sender) if sender in set(Sender) else None,
            ),
            Place.parse(given.get("after", "")),
            Place.parse(given.get("before", "")),
        )


@dataclass(frozen=True, slots=True)
class EventsPage:
    """A page of events; offsets count from ``origin_us``, the begin of the session or the tape."""

    tape: str
    session: SessionHead | None
    query: EventsQuery
    origin_us: int
    listing: Listing


def events_page(
    tape: str, overview: Overview, reader: TapeReader, query: EventsQuery
) -> EventsPage:
    """The page that the query asks for.

    Raises:
        NoSuchSession: the tape has no session of that number.
    """
    head = None
    exchanges = list(reader.exchanges())
    if query.session is not None:
        head = head_of(tape, overview, query.session)
        exchanges = list(exchanges_of(reader, overview.session(query.session)).values())
    if query.exchange is not None:
        exchanges = [exchange for exchange in exchanges if exchange.id == query.exchange]
    if query.before is not None:
        listing = listing_before(reader, exchanges, query.wanted, query.before)
    else:
        listing = listing_after(reader, exchanges, query.wanted, query.after)
    return EventsPage(tape, head, query, head.at_us if head else 0, listing)


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 10 else None
