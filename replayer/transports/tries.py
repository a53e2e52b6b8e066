"""One try at a request, in terms that both transports share."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

from replayer.chats.asked import is_reduced
from wiretape.asked import SESSION_HEADERS, Asked
from wiretape.attempt import Transport
from wiretape.client.dialect import Dialect
from wiretape.client.dialects import dialect_for
from wiretape.events import event_type
from wiretape.facts import Headers
from wiretape.inputs import view_of
from wiretape.jsontext import Unparsable, parse_object
from wiretape.recording import Place, WholeExchange
from wiretape.words import place_told

LAST_EVENTS: Final = frozenset(
    {
        "response.completed",
        "response.done",
        "response.failed",
        "response.incomplete",
        "error",
    }
)
"""After one of these nothing more belongs to an answer."""

_NAMING: Final = frozenset({*SESSION_HEADERS, "user-agent"})


class HowEnded(StrEnum):
    """What became of the answer's transport, once everything was said."""

    WELL = "well"
    """In good order: a body's proper end; a socket that stays open, or is closed with 1000."""
    CUT = "cut"
    RESET = "reset"
    LEFT = "left"
    """It was the client who left, before the answer was whole."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Said:
    """An event of the answer, as its text stands on the wire."""

    at_us: int
    text: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """A status in the place of an answer. ``body`` is decoded."""

    status: int
    reason: str
    body: bytes


@dataclass(frozen=True, eq=False)
class Try:
    """One try at a request. ``asked`` has the whole input, and is ``None`` for an upgrade that was
    refused: nothing could be asked then. ``message`` counts the client's messages on a socket.
    ``headers`` are those of the answer's head."""

    exchange: WholeExchange
    message: int | None
    transport: Transport
    session: str | None
    asked: Asked | None
    asked_us: int
    head_us: int
    headers: Headers
    refusal: Refusal | None
    said: tuple[Said, ...]
    ended: HowEnded
    ended_us: int

    @property
    def origin(self) -> Place | None:
        """Where it stands on the tape, if it does."""
        here = self.exchange.id, self.message
        return dict(self.exchange.places).get(here, here)

    @property
    def place(self) -> str:
        """Where that is, in words; where it is now, if it was put in."""
        exchange, message = self.origin or (self.exchange.id, self.message)
        return place_told(exchange, message)

    @property
    def dialect(self) -> Dialect | None:
        """The dialect of the client, if it is Codex."""
        return dialect_for(self.exchange.request.headers)

    @cached_property
    def is_completed(self) -> bool:
        """Whether the client had what it asked for."""
        return any(completes(each.text, self.dialect) for each in self.said)

    @cached_property
    def begins_turn(self) -> bool:
        """Whether it asks for something new, and does not go on from what tools gave."""
        view = None if self.asked is None else view_of(self.asked, with_prefixes=False)
        return view is None or not view.answers_tools


def is_any(asked: Asked) -> bool:
    """Whether it says nothing, as a script may, or nothing that a socket would say again: then
    whatever is asked will do."""
    return not asked.raw or is_reduced(asked)


def completes(text: str, dialect: Dialect | None) -> bool:
    """Whether an event completes a response, to clients of this dialect."""
    match event_type(text):
        case "response.completed":
            return True
        case "response.done":
            return dialect is None or dialect.completes_on_done
    return False


def naming_headers(headers: Headers) -> Headers:
    """The headers of a request that say who asks. What else a client says in headers depends on
    the transport."""
    return tuple((name, value) for name, value in headers if name.lower() in _NAMING)


def carried_headers(headers: Headers) -> Headers:
    """The headers of an answer that are not the transport's own."""
    return tuple(
        (name, value)
        for name, value in headers
        if name.lower() not in _OF_A_TRANSPORT
        and not name.lower().startswith(("content-", "sec-websocket-"))
    )


_OF_A_TRANSPORT: Final = frozenset(
    {
        "cache-control",
        "connection",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)


def members(text: str) -> Mapping[str, object]:
    """The members of an event; none where it is no JSON object."""
    found = parse_object(text)
    return {} if isinstance(found, Unparsable) else found
