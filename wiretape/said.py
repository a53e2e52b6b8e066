"""What the words of an answer come to: how it ended, what it cost, which tools it called.

``ResponsesWords`` reads the events of the Responses API, ``ChatWords`` those of the chat wire; each
reads a body that is one JSON value too. Both keep what they find in a ``Said``.

Whether an event ends an answer depends on who reads it: for a Codex whose dialect is known, its
own reading counts (``client.decoding``), so that what it did next makes sense.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Protocol

from wiretape.chat.items import Skipped
from wiretape.chat.response import read_response
from wiretape.chat.stream import ChatStream, is_finished
from wiretape.client.decoding import Decoded, Ignored, decode
from wiretape.client.dialect import Dialect
from wiretape.client.events import Completed, OutputItemDone
from wiretape.client.failures import Failure, FailureKind
from wiretape.client.wrapped import wrapped_error
from wiretape.crossings import HTTP_BODY
from wiretape.events import (
    ErrorEvent,
    ItemDone,
    Lifecycle,
    Phase,
    Usage,
    error_in,
    parse_event,
)
from wiretape.jsontext import JsonObject, Unparsable, count_at, object_at, parse_object, string_at
from wiretape.tools import Call, calls_in


class Outcome(StrEnum):
    """What came of an attempt, as far as the wire shows."""

    COMPLETED = "completed"
    """The response was completed, or an HTTP body came whole."""
    FAILED = "failed"
    """``response.failed``, or an ``error`` event."""
    INCOMPLETE = "incomplete"
    HTTP_ERROR = "http_error"
    """An HTTP status of 400 or more; for a WebSocket, a refused upgrade."""
    CUT = "cut"
    """The server ended the connection before the response was complete."""
    ABANDONED = "abandoned"
    """The client hung up before the response was complete."""
    UNREACHED = "unreached"
    """The upstream could not be reached."""
    CONNECTED = "connected"
    """A WebSocket was opened, and nothing asked on it."""
    OPEN = "open"
    """The recording ends before the attempt does."""


@dataclass(frozen=True, slots=True)
class CallMade:
    """A call that an answer made, and when it was whole."""

    call: Call
    at_us: int


@dataclass(slots=True)
class Said:
    """What an answer has come to so far.

    ``is_first_word_final``: a failure ends the answer at once, as over WebSocket; over SSE a later
    ``response.completed`` still counts (document 002 §3.3, §4.3). ``ended_by`` is the type of the
    event that decided the outcome. ``is_finished``: it said why it stops, which on the chat wire is
    an end once its body has ended too.
    """

    is_first_word_final: bool = False
    is_finished: bool = False
    outcome: Outcome = Outcome.OPEN
    detail: str = ""
    error_code: str | None = None
    ended_by: str | None = None
    ended_at_us: int | None = None
    response_id: str | None = None
    usage: Usage | None = None
    calls: dict[str, CallMade] = field(default_factory=dict)
    item_ids: list[str] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        """Whether an end was said that nothing can change any more."""
        return self.outcome is Outcome.COMPLETED or (
            self.outcome is not Outcome.OPEN and self.is_first_word_final
        )

    def end(
        self, outcome: Outcome, by: str, at_us: int, detail: str, code: str | None = None
    ) -> None:
        """An end, unless one was said before that counts more."""
        is_better = self.outcome is Outcome.OPEN or outcome is Outcome.COMPLETED
        if is_better and not self.is_over:
            self.outcome, self.detail, self.error_code = outcome, detail, code
            self.ended_by, self.ended_at_us = by, at_us

    def refuse(self, body: JsonObject) -> None:
        """The body of an error page, if that is what it is."""
        error = error_in(body)
        self.error_code = error.code or error.type
        self.detail = " ".join(error.words.split())

    def take_item(self, item: Any, at_us: int) -> None:
        """An item of the output, whole."""
        if isinstance(item, dict) and (item_id := string_at(item, "id")):
            self.item_ids.append(item_id)
        for call in calls_in(item):
            self.calls.setdefault(call.call_id, CallMade(call, at_us))


class Words(Protocol):
    """What reads an answer."""

    said: Said

    def event(self, kind: str, text: str, at_us: int) -> None:
        """An event of this type."""

    def body(self, body: JsonObject, at_us: int) -> None:
        """A body that is one JSON object, once it is whole."""


class Noise:
    """An answer that the client could not read: nothing is said, whatever stands in it."""

    def __init__(self, said: Said) -> None:
        self.said = said

    def event(self, kind: str, text: str, at_us: int) -> None:
        """Is passed over."""

    def body(self, body: JsonObject, at_us: int) -> None:
        """Is passed over."""


class ResponsesWords:
    """Reads the events of the Responses API. Those that only stream text are passed over."""

    def __init__(self, said: Said, dialect: Dialect | None) -> None:
        self.said = said
        self._dialect = dialect

    def event(self, kind: str, text: str, at_us: int) -> None:
        if kind not in _TELLING:
            return
        event = parse_event(text)
        if isinstance(event, ItemDone):
            self.said.take_item(event.item, at_us)
        elif isinstance(event, Lifecycle | ErrorEvent):
            read = None if self._dialect is None else self._as_read(text, self._dialect)
            self._take(event, read, kind, at_us)

    def body(self, body: JsonObject, at_us: int) -> None:
        if body.get("object") == "response" or isinstance(body.get("output"), list):
            kind = f"response.{string_at(body, 'status') or 'completed'}"
            event = parse_event(json.dumps({"type": kind, "response": body}))
            if isinstance(event, Lifecycle):
                self._take(event, None, HTTP_BODY, at_us)
                if self.said.outcome is Outcome.OPEN:
                    # Asked for in the background: that it goes on elsewhere is the whole answer.
                    self.said.end(Outcome.COMPLETED, HTTP_BODY, at_us, event.status or "")
        else:
            self.said.refuse(body)

    def _as_read(self, text: str, dialect: Dialect) -> Decoded:
        """What this client makes of the event."""
        read = decode(text, dialect)
        if isinstance(read, Ignored) and self.said.is_first_word_final:
            return wrapped_error(text, dialect) or read
        return read

    def _take(
        self, event: Lifecycle | ErrorEvent, read: Decoded | None, by: str, at_us: int
    ) -> None:
        """An event about the answer as a whole; ``read`` is what the client makes of it."""
        said, error = self.said, event.error
        detail = "" if error is None else error.words
        match event:
            case Lifecycle():
                said.response_id = event.response_id or said.response_id
                said.usage = event.usage or said.usage
                outcome = _OUTCOMES.get(event.phase)
                detail = detail or event.incomplete_reason or ""
            case ErrorEvent():
                outcome = Outcome.FAILED
        match read:
            case Completed():
                outcome = Outcome.COMPLETED
            case Failure(kind=FailureKind.INCOMPLETE):
                outcome = Outcome.INCOMPLETE
            case Failure(text=words):
                outcome, detail = Outcome.FAILED, detail or words
            case Ignored():
                outcome = None
        if outcome is Outcome.COMPLETED:
            self._take_output(event.raw, at_us)
        if outcome is not None:
            code = None if error is None else error.code or error.type
            said.end(outcome, by, at_us, detail, code)

    def _take_output(self, raw: JsonObject, at_us: int) -> None:
        output = object_at(raw, "response").get("output")
        for item in output if isinstance(output, list) else ():
            self.said.take_item(item, at_us)


class ChatWords:
    """Reads the chunks of the chat wire."""

    def __init__(self, said: Said) -> None:
        self.said = said
        self._stream = ChatStream()

    def event(self, kind: str, text: str, at_us: int) -> None:
        chunk = parse_object(text)
        self._totals(chunk)
        self.said.is_finished = self.said.is_finished or is_finished(chunk)
        for event in self._stream.feed(text):
            match event:
                case OutputItemDone(item=item):
                    self.said.take_item(item, at_us)
                case Completed():
                    self.said.end(Outcome.COMPLETED, kind, at_us, "")
                case Failure():
                    self.said.end(Outcome.INCOMPLETE, kind, at_us, _TOO_LONG)

    def body(self, body: JsonObject, at_us: int) -> None:
        response = read_response(json.dumps(body))
        if isinstance(response, Skipped):
            self.said.refuse(body)
        else:
            self._totals(body)
            for item in response.items:
                self.said.take_item(item, at_us)
            is_short = response.finish_reason == _TOO_LONG
            outcome = Outcome.INCOMPLETE if is_short else Outcome.COMPLETED
            self.said.end(outcome, HTTP_BODY, at_us, _TOO_LONG if is_short else "")

    def _totals(self, body: JsonObject | Unparsable) -> None:
        if isinstance(body, Unparsable):
            return
        self.said.response_id = string_at(body, "id") or self.said.response_id
        usage = object_at(body, "usage")
        given, made = count_at(usage, "prompt_tokens"), count_at(usage, "completion_tokens")
        if given is not None and made is not None:
            self.said.usage = Usage(
                given,
                count_at(object_at(usage, "prompt_tokens_details"), "cached_tokens") or 0,
                made,
                count_at(object_at(usage, "completion_tokens_details"), "reasoning_tokens") or 0,
                count_at(usage, "total_tokens") or given + made,
            )


_TOO_LONG: Final = "length"
"""The finish reason of a chat that was cut for its length."""
_TELLING: Final = frozenset(
    {*(phase.value for phase in Phase), "error", "response.output_item.done"}
)
_OUTCOMES: Final[Mapping[Phase, Outcome]] = {
    Phase.COMPLETED: Outcome.COMPLETED,
    Phase.DONE: Outcome.COMPLETED,
    Phase.FAILED: Outcome.FAILED,
    Phase.INCOMPLETE: Outcome.INCOMPLETE,
}
