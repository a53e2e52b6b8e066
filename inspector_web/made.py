"""What the client makes of an event, by the documented model of it: it is heard, ignored or
swallowed, or ends the response.

Each event is looked at by itself; what came after the end of a response has its own word. Of a
client that has no model here, nothing is guessed: what it makes of its answers is not known.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from inspector_web.marks import TROUBLE
from wiretape.attempt import Attempt
from wiretape.attempt import Transport as AttemptTransport
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
from wiretape.events import Phase
from wiretape.facts import Headers, Sender
from wiretape.scope import Purpose, purpose_of
from wiretape.store_reader import Exchange

_LONGEST: Final = 1_000_000
"""Characters beyond which an event is not looked at."""


class Effect(StrEnum):
    """What became of an event."""

    HEARD = "heard"
    IGNORED = "ignored"
    SWALLOWED_ERROR = "swallowed_error"
    """An error that the client does not tell, or not yet."""
    COMPLETED = "completed"
    """It ends the response, and well."""
    FAILED = "failed"
    """It ends the response."""
    NOT_READ = "not_read"
    """The response was over, and the client gone."""
    NOT_KNOWN = "not_known"
    NOT_LOOKED_AT = "not_looked_at"
    """It is too long to be read for the sake of a few words."""


@dataclass(frozen=True, slots=True)
class Made:
    """What the client makes of an event, and more about that in words."""

    effect: Effect
    words: str


_ANSWERED_BY_EVENTS: Final = frozenset({Purpose.RESPONSES, Purpose.CHAT})
_HEARD: Final[Mapping[type, str]] = {
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


_NOT_KNOWN: Final = Made(Effect.NOT_KNOWN, "there is no model of this client here")
_NOT_LOOKED_AT: Final = Made(
    Effect.NOT_LOOKED_AT, f"it is longer than {_LONGEST:,} characters, and was not looked at here"
)
_NOT_READ: Final = Made(Effect.NOT_READ, "the response was over before it came")


def made_of(exchange: Exchange, crossing: Crossing) -> Made | None:
    """What the client makes of what crossed; ``None`` for what is no event of a response."""
    request, text = exchange.request, crossing.text
    if crossing.sender is not Sender.SERVER or text is None:
        return None
    if crossing.type == COMMENT or crossing.type.startswith(("http.", "websocket.")):
        return None
    purpose = purpose_of(request.method, request.target, is_upgrade=exchange.is_upgrade)
    dialect = _dialect(request.headers)
    if purpose not in _ANSWERED_BY_EVENTS:
        return None
    if purpose is Purpose.CHAT or dialect is None:
        return _NOT_KNOWN
    if len(text) > _LONGEST:
        return _NOT_LOOKED_AT
    transport = Transport.WEBSOCKET if exchange.is_websocket else Transport.SSE
    stream = ResponseStream(transport, dialect)
    match stream.receive(Said(text)), stream.held:
        case [Failure() as failure], _:
            again = "may be tried again" if failure.may_be_retried else "is not tried again"
            return Made(Effect.FAILED, f"{failure.text} (it {again})")
        case [Ignored(reason=reason)], _:
            is_error = crossing.type in TROUBLE
            return Made(Effect.SWALLOWED_ERROR if is_error else Effect.IGNORED, str(reason))
        case [heard], _:
            is_end = isinstance(heard, Completed)
            return Made(Effect.COMPLETED if is_end else Effect.HEARD, _HEARD[type(heard)])
        case _, held:
            assert held is not None
            return Made(
                Effect.SWALLOWED_ERROR,
                f"{held.text} (told when the stream ends, unless it completes)",
            )


def made_within(attempt: Attempt, at_us: int, made: Made | None) -> Made | None:
    """The same, unless the attempt that it is part of was over by then, and the client gone.

    A client leaves an event stream where its response completes; on a socket it stays.
    """
    is_left = attempt.transport is AttemptTransport.HTTP and attempt.ended_by == Phase.COMPLETED
    is_late = attempt.ended_at_us is not None and at_us > attempt.ended_at_us
    is_known = made is not None and made.effect is not Effect.NOT_KNOWN
    return _NOT_READ if is_known and is_left and is_late else made


@lru_cache(maxsize=64)
def _dialect(headers: Headers) -> Dialect | None:
    return dialect_for(headers)
