"""What the client makes of an event, by the documented model of it: it reads, ignores or swallows.

Each event is looked at by itself: that a response was over before it, an event does not tell.
Nothing is said of clients that are no Codex: they have no model here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from inspector_web.marks import TROUBLE
from wiretape.client.decoding import Ignored
from wiretape.client.dialect import Dialect
from wiretape.client.dialects import dialect_for
from wiretape.client.events import (
    Completed,
    Created,
    OutputItemAdded,
    OutputItemDone,
    OutputTextDelta,
    RateLimits,
    ReasoningContentDelta,
    ReasoningSummaryDelta,
    ReasoningSummaryPartAdded,
)
from wiretape.client.failures import Failure
from wiretape.client.streams import ResponseStream
from wiretape.client.transport import Transport
from wiretape.client.wire import Said
from wiretape.crossings import COMMENT, Crossing
from wiretape.facts import Headers, Sender
from wiretape.scope import Purpose, purpose_of
from wiretape.store_reader import Exchange

_LONGEST: Final = 1_000_000
"""Characters beyond which an event is not read for the sake of a few words."""


class Effect(StrEnum):
    """What became of an event."""

    READ = "read"
    IGNORED = "ignored"
    SWALLOWED = "swallowed"
    """An error that the client does not tell, or not yet."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Made:
    """What the client makes of an event, and more about that in words."""

    effect: Effect
    words: str


_READ: Final[Mapping[type, str]] = {
    Created: "the response begins",
    OutputItemAdded: "an item begins",
    OutputItemDone: "an item is whole",
    OutputTextDelta: "more of the text",
    ReasoningSummaryDelta: "more of a summary of the reasoning",
    ReasoningContentDelta: "more of the reasoning",
    ReasoningSummaryPartAdded: "another part of the summary begins",
    Completed: "the response is over, and well",
    RateLimits: "how much of the rate limits is used",
}


def made_of(exchange: Exchange, crossing: Crossing) -> Made | None:
    """What the client makes of what crossed; ``None`` for what is no event of a response."""
    request, text = exchange.request, crossing.text
    if crossing.sender is not Sender.SERVER or text is None or len(text) > _LONGEST:
        return None
    if crossing.type == COMMENT or crossing.type.startswith(("http.", "websocket.")):
        return None
    purpose = purpose_of(request.method, request.target, is_upgrade=exchange.is_upgrade)
    dialect = _dialect(request.headers)
    if purpose is not Purpose.RESPONSES or dialect is None:
        return None
    transport = Transport.WEBSOCKET if exchange.is_websocket else Transport.SSE
    stream = ResponseStream(transport, dialect)
    match stream.receive(Said(text)), stream.held:
        case [Failure() as failure], _:
            again = "may be tried again" if failure.may_be_retried else "is not tried again"
            return Made(Effect.FAILED, f"{failure.text} (it {again})")
        case [Ignored(reason=reason)], _:
            is_error = crossing.type in TROUBLE
            return Made(Effect.SWALLOWED if is_error else Effect.IGNORED, str(reason))
        case [read], _:
            return Made(Effect.READ, _READ[type(read)])
        case _, held:
            assert held is not None
            return Made(
                Effect.SWALLOWED, f"{held.text} (told when the stream ends, unless it completes)"
            )


@lru_cache(maxsize=64)
def _dialect(headers: Headers) -> Dialect | None:
    return dialect_for(headers)
