"""One event: laid out as JSON, and as it crossed."""

from dataclasses import dataclass, field
from typing import Final

from inspector_web.json_view import Token, laid_out
from inspector_web.pages.head import SessionHead, head_of
from inspector_web.shelf import Overview
from inspector_web.summaries import summary_of
from inspector_web.twins import HTML_ONLY
from wiretape.crossings import Crossing, crossings_of
from wiretape.errors import UsageError
from wiretape.facts import Sender
from wiretape.jsontext import Unparsable, parse_object
from wiretape.store_reader import Exchange, TapeReader

SHOWN_CHARACTERS: Final = 100_000
"""Of the text as it crossed; the raw download has all of it."""


@dataclass(frozen=True, slots=True)
class EventPage:
    """One thing that crossed. ``position`` counts in its exchange from 0.

    ``session`` is the one that the exchange belongs to, if any. ``text`` is as it crossed, cut if
    ``is_cut``, and ``None`` where there was none; ``layout`` is the same as JSON, if it is JSON.
    """

    tape: str
    session: SessionHead | None
    exchange: int
    position: int
    at_us: int
    offset_us: int
    delta_us: int
    sender: Sender
    type: str
    size_bytes: int
    summary: str
    is_unknown: bool
    text: str | None
    is_cut: bool
    layout: tuple[Token, ...] = field(metadata=HTML_ONLY)
    has_next: bool


def event_page(
    tape: str, overview: Overview, reader: TapeReader, exchange: Exchange, position: int
) -> EventPage:
    """The page of the event at that position.

    Raises:
        UsageError: there is none.
    """
    before, found, has_next = _found(reader, exchange, position)
    summary, is_unknown = summary_of(found)
    session = _session_of(tape, overview, exchange)
    text = found.text
    return EventPage(
        tape,
        session,
        exchange.id,
        position,
        found.at_us,
        found.at_us - (session.at_us if session else 0),
        found.at_us - (before or found).at_us,
        found.sender,
        found.type,
        found.size_bytes,
        summary,
        is_unknown,
        None if text is None else text[:SHOWN_CHARACTERS],
        text is not None and len(text) > SHOWN_CHARACTERS,
        layout_of(text or ""),
        has_next,
    )


def layout_of(text: str) -> tuple[Token, ...]:
    """The text laid out, if it is a JSON object; else nothing."""
    value = parse_object(text)
    return () if isinstance(value, Unparsable) else tuple(laid_out(value))


def _found(
    reader: TapeReader, exchange: Exchange, position: int
) -> tuple[Crossing | None, Crossing, bool]:
    """The crossing before, the one at the position, and whether one follows."""
    before: Crossing | None = None
    found: Crossing | None = None
    for number, crossing in enumerate(crossings_of(reader, exchange)):
        if found is not None:
            return before, found, True
        if number == position:
            found = crossing
        else:
            before = crossing
    if found is None:
        raise UsageError(
            f"exchange {exchange.id} has no event number {position}: its list of events has those "
            "that are."
        )
    return before, found, False


def _session_of(tape: str, overview: Overview, exchange: Exchange) -> SessionHead | None:
    for number, session in enumerate(overview.sessions, start=1):
        if any(each.attempt.exchange == exchange.id for each in session.tries):
            return head_of(tape, overview, number)
    return None
