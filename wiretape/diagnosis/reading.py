"""The events of a tape read again, as the client that got them read them.

``attempts`` looks only at events that tell of an answer as a whole; here every one is given to the
client's own model, which costs a parse of each. For a client that is not a Codex the newest
dialect stands in: what it cannot read is malformed to anybody.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from wiretape.asked import RequestKind, asked_by_message
from wiretape.chat.items import SkipReason
from wiretape.chat.stream import ChatStream
from wiretape.client.decoding import Ignored, IgnoreReason, decode
from wiretape.client.dialect import Dialect
from wiretape.client.dialects import DIALECTS, dialect_for
from wiretape.client.failed import delay_in_ms
from wiretape.client.failures import Failure
from wiretape.client.heads import retry_after_ms
from wiretape.client.statuses import refusal
from wiretape.client.wire import Refused
from wiretape.client.wrapped import wrapped_error
from wiretape.crossings import COMMENT, HTTP_BODY, Crossing, crossings_of, unasked_coding
from wiretape.events import ErrorEvent, Lifecycle, Phase, parse_event
from wiretape.facts import PieceKind, Sender, header
from wiretape.jsontext import JsonObject, Unparsable, object_at, parse_object, string_at
from wiretape.scope import Purpose, purpose_of
from wiretape.spot import Spot
from wiretape.store_reader import Exchange, TapeReader

MOST_SPOTS: Final = 20
"""So many places are kept of what happens over and over."""
_MOST_PAGE_CHARACTERS: Final = 1_000_000


@dataclass(slots=True)
class Reading:
    """What the client made of one answer.

    ``failure`` is the last thing that it took for one. ``asked_delay_us`` is how long the server
    asked to wait, whether or not this client heeds it. ``unheeded`` is an end that the client
    takes no notice of, ``unheeded_words`` the error in it. ``swallowed`` are events that it cannot
    read, with the reason.
    ``unasked_coding`` is a content coding that it did not ask for: it could read nothing.
    """

    failure: Failure | None = None
    asked_delay_us: int | None = None
    unheeded: Spot | None = None
    unheeded_words: str = ""
    swallowed: list[tuple[Spot, str]] = field(default_factory=list)
    swallowed_count: int = 0
    binary: Spot | None = None
    unasked_coding: str | None = None

    def swallow(self, spot: Spot, reason: str) -> None:
        """Notes an event that the client cannot read."""
        self.swallowed_count += 1
        if len(self.swallowed) < MOST_SPOTS:
            self.swallowed.append((spot, reason))


type Readings = dict[tuple[int, int | None], Reading]
"""By exchange and message."""


def readings_of(reader: TapeReader, exchange: Exchange) -> Iterator[tuple[int | None, Reading]]:
    """The reading of each answer in one exchange, with the message that asked for it."""
    request = exchange.request
    purpose = purpose_of(request.method, request.target, is_upgrade=exchange.is_upgrade)
    if purpose in (None, Purpose.MODELS):
        return
    if (coding := unasked_coding(exchange)) is not None:
        yield None, Reading(unasked_coding=coding)
        return
    dialect = dialect_for(request.headers) or DIALECTS[-1]
    message: int | None = None
    count = 0
    current = _Reader(exchange, None, dialect, is_chat=purpose is Purpose.CHAT)
    for crossing in crossings_of(reader, exchange):
        is_message = exchange.is_websocket and crossing.sender is Sender.CLIENT
        if not is_message or crossing.text is None:
            current.take(crossing)
            continue
        if _asks(crossing.text):
            yield message, current.over()
            message = count
            current = _Reader(exchange, message, dialect, is_chat=False)
        count += 1
    yield message, current.over()


def _asks(text: str) -> bool:
    asked = asked_by_message((), text.encode())
    return asked.body is None or asked.kind is not RequestKind.OTHER


class _Reader:
    """Reads one answer."""

    def __init__(
        self, exchange: Exchange, message: int | None, dialect: Dialect, *, is_chat: bool
    ) -> None:
        self._exchange = exchange
        self._message = message
        self._dialect = dialect
        self._chat = ChatStream() if is_chat else None
        self._reading = Reading()
        self._page: list[str] = []
        self._page_characters = 0

    def take(self, crossing: Crossing) -> None:
        """Takes the next thing that crossed."""
        if crossing.sender is not Sender.SERVER:
            return
        if crossing.type in _BINARY:
            self._reading.binary = self._reading.binary or self._spot(crossing)
        elif crossing.type == HTTP_BODY:
            self._hold(crossing.text or "")
        elif crossing.type != COMMENT and (text := crossing.text or "").strip() not in _SENTINELS:
            if self._chat is not None:
                self._read_chat(self._chat, crossing, text)
            else:
                self._read(crossing, text)

    def over(self) -> Reading:
        """The reading, once everything was taken."""
        response = self._exchange.response
        if response is not None and response.status >= 400 and not self._exchange.is_websocket:
            page = "".join(self._page)
            refused = Refused(response.status, response.headers, page)
            self._reading.failure = refusal(refused, None, self._dialect)
            body = parse_object(page)
            said = "" if isinstance(body, Unparsable) else _message_of(object_at(body, "error"))
            self._asked_to_wait(header(response.headers, "retry-after"), said)
        return self._reading

    def _read(self, crossing: Crossing, text: str) -> None:
        read = decode(text, self._dialect)
        if isinstance(read, Ignored) and self._message is not None:
            read = wrapped_error(text, self._dialect) or read
        match read:
            case Failure():
                self._reading.failure = read
                self._read_delay(text)
            case Ignored(reason=reason):
                self._ignored(crossing, text, reason)

    def _ignored(self, crossing: Crossing, text: str, reason: IgnoreReason) -> None:
        raw = parse_object(text)
        if isinstance(raw, Unparsable):
            self._reading.swallow(self._spot(crossing), f"no JSON object: {raw.reason}")
        elif reason is IgnoreReason.UNKNOWN_TYPE:
            event = parse_event(text)
            if isinstance(event, ErrorEvent) or (
                isinstance(event, Lifecycle) and event.phase in _ENDS
            ):
                self._reading.unheeded = self._spot(crossing)
                self._reading.unheeded_words = "" if event.error is None else event.error.words
        elif self._is_known(crossing.type):
            self._reading.swallow(self._spot(crossing), str(reason))

    def _is_known(self, kind: str) -> bool:
        """Whether the client makes anything of events of this type."""
        bare = decode(json.dumps({"type": kind}), self._dialect)
        return not isinstance(bare, Ignored) or bare.reason is not IgnoreReason.UNKNOWN_TYPE

    def _read_chat(self, chat: ChatStream, crossing: Crossing, text: str) -> None:
        before = len(chat.skipped)
        chat.feed(text)
        for skipped in chat.skipped[before:]:
            if skipped.reason is not SkipReason.NO_CHOICES or not _is_error_or_usage(text):
                self._reading.swallow(self._spot(crossing), str(skipped.reason))

    def _read_delay(self, text: str) -> None:
        raw = parse_object(text)
        if isinstance(raw, Unparsable):
            return
        error = object_at(object_at(raw, "response"), "error") or object_at(raw, "error")
        headers = object_at(error, "headers") or object_at(raw, "headers")
        advice = headers.get("retry-after")
        self._asked_to_wait(None if advice is None else str(advice), _message_of(error))

    def _asked_to_wait(self, advice: str | None, said: str) -> None:
        delay_ms = retry_after_ms(advice)
        if delay_ms is None:
            delay_ms = delay_in_ms(said)
        if delay_ms is not None:
            self._reading.asked_delay_us = delay_ms * 1000

    def _hold(self, text: str) -> None:
        if self._page_characters < _MOST_PAGE_CHARACTERS:
            self._page.append(text)
            self._page_characters += len(text)

    def _spot(self, crossing: Crossing) -> Spot:
        return Spot(crossing.exchange, crossing.at_us, crossing.type, self._message)


def _message_of(error: JsonObject) -> str:
    return string_at(error, "message") or ""


def _is_error_or_usage(text: str) -> bool:
    """Chat chunks that hold no choices by right."""
    raw = parse_object(text)
    return not isinstance(raw, Unparsable) and bool(raw.keys() & {"error", "usage"})


_SENTINELS: Final = ("", "[DONE]", "DONE")
_BINARY: Final = frozenset({f"websocket.{PieceKind.BINARY}", f"websocket.{PieceKind.UNDECODED}"})
_ENDS: Final = frozenset({Phase.COMPLETED, Phase.DONE, Phase.FAILED, Phase.INCOMPLETE})
