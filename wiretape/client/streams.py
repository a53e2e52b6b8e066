"""One response being streamed: when it is over, and how.

The two transports share the events and differ in how a stream ends. Over SSE a failure said in
an event is held until the stream ends, so that a later ``response.completed`` still wins; over
WebSocket it ends the response at once. Source: document 002 §3.3, §3.4 and §4.3.

The invariant a test keeps: a stream gives at most one ``Completed`` or one ``Failure``, as its
last output, and nothing after it.
"""

from collections.abc import Mapping

from wiretape.client.decoding import Decoded, Ignored, IgnoreReason, decode
from wiretape.client.dialect import Dialect
from wiretape.client.events import Completed
from wiretape.client.failures import Failure, FailureKind, stream_failure
from wiretape.client.heads import rate_limits_event
from wiretape.client.transport import Transport
from wiretape.client.wire import Broken, Closed, Ended, Input, Pinged, Said, SaidBytes, TimedOut
from wiretape.client.wrapped import wrapped_error
from wiretape.jsontext import Unparsable, parse_object

CLOSED_EARLY = "stream closed before response.completed"

_LAST_WORDS: Mapping[tuple[Transport, type[Input]], str] = {
    (Transport.SSE, Ended): CLOSED_EARLY,
    (Transport.SSE, TimedOut): "idle timeout waiting for SSE",
    (Transport.WEBSOCKET, Ended): CLOSED_EARLY,
    (Transport.WEBSOCKET, TimedOut): "idle timeout waiting for websocket",
    (Transport.WEBSOCKET, Closed): "websocket closed by server before response.completed",
    (Transport.WEBSOCKET, SaidBytes): "unexpected binary websocket event",
}
"""What is said of a stream that this ends."""


class ResponseStream:
    """Reads one response. ``receive()`` takes what the wire says until ``is_over``."""

    def __init__(self, transport: Transport, dialect: Dialect) -> None:
        self._transport = transport
        self._dialect = dialect
        self._held: Failure | None = None
        self._is_over = False

    @property
    def is_over(self) -> bool:
        """It has completed or failed. Nothing more is read."""
        return self._is_over

    @property
    def held(self) -> Failure | None:
        """The failure that an SSE stream has been told of and keeps to itself."""
        return self._held

    def receive(self, happening: Input) -> list[Decoded]:
        """What the client makes of it (§3.3, §3.4, §4.3), a ``Completed`` or ``Failure`` last.

        ``ValueError`` for what cannot happen to a stream of this transport.
        """
        if self._is_over:
            return []
        match happening:
            case Said(text):
                return self._read(text)
            case Pinged(was_answered) if self._transport is Transport.WEBSOCKET:
                return [] if was_answered else self._end(stream_failure("websocket ping failed"))
            case Broken(how):
                return self._end(stream_failure(how))
            case Ended() if self._held is not None:
                return self._end(self._held)
        try:
            return self._end(stream_failure(_LAST_WORDS[self._transport, type(happening)]))
        except KeyError:
            raise ValueError(f"{happening} in a stream over {self._transport}") from None

    def _read(self, text: str) -> list[Decoded]:
        decoded = decode(text, self._dialect)
        if self._transport is Transport.WEBSOCKET and isinstance(decoded, Ignored):
            decoded = _websocket_event(decoded, self._dialect)
        match decoded:
            case Completed():
                return self._end(decoded)
            case Failure(kind) if self._holds(kind):
                self._held = decoded
                return []
            case Failure():
                return self._end(decoded)
            case _:
                return [decoded]

    def _holds(self, kind: FailureKind) -> bool:
        # An incomplete response that the client does not retry ends the turn on either transport.
        return self._transport is Transport.SSE and kind is not FailureKind.INCOMPLETE

    def _end(self, last: Decoded) -> list[Decoded]:
        self._is_over = True
        return [last]


def _websocket_event(ignored: Ignored, dialect: Dialect) -> Decoded:
    """The two events that mean something on a WebSocket alone."""
    failure = wrapped_error(ignored.text, dialect)
    if failure is not None:
        return failure
    raw = parse_object(ignored.text)
    if (
        ignored.reason is IgnoreReason.UNKNOWN_TYPE
        and not isinstance(raw, Unparsable)
        and raw["type"] == "codex.rate_limits"
    ):
        return rate_limits_event(raw) or ignored
    return ignored
