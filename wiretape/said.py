"""What the words of an answer come to: how it ended, what it cost, which tools it called.

``ResponsesWords`` reads the events of the Responses API, ``ChatWords`` those of the chat wire; each
reads a body that is one JSON value too. Both keep what they find in a ``Said``.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Protocol

from wiretape.chat.items import Skipped
from wiretape.chat.response import read_response
from wiretape.chat.stream import ChatStream, ContextWindowExceeded
from wiretape.client.events import Completed, OutputItemDone
from wiretape.events import ErrorEvent, ErrorInfo, ItemDone, Lifecycle, Phase, Usage, parse_event
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
    ``response.completed`` still counts (document 002 §3.3, §4.3). ``done_completes``: so does
    ``response.done``. ``ended_by`` is the type of the event that decided the outcome.
    """

    is_first_word_final: bool = False
    done_completes: bool = True
    outcome: Outcome = Outcome.OPEN
    detail: str = ""
    error_code: str | None = None
    ended_by: str | None = None
    ended_at_us: int | None = None
    response_id: str | None = None
    usage: Usage | None = None
    calls: dict[str, CallMade] = field(default_factory=dict)
    item_ids: list[str] = field(default_factory=list)

    def end(
        self, outcome: Outcome, by: str, at_us: int, detail: str, code: str | None = None
    ) -> None:
        """An end, unless one was said that is final."""
        is_final = self.outcome is Outcome.COMPLETED or (
            self.outcome is not Outcome.OPEN
            and (self.is_first_word_final or outcome is not Outcome.COMPLETED)
        )
        if not is_final:
            self.outcome, self.detail, self.error_code = outcome, detail, code
            self.ended_by, self.ended_at_us = by, at_us

    def refuse(self, body: JsonObject) -> None:
        """The body of an error page, if that is what it is."""
        error = object_at(body, "error")
        self.error_code = string_at(error, "code") or string_at(error, "type")

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


class ResponsesWords:
    """Reads the events of the Responses API. Those that only stream text are passed over."""

    def __init__(self, said: Said) -> None:
        self.said = said

    def event(self, kind: str, text: str, at_us: int) -> None:
        if kind not in _TELLING:
            return
        match parse_event(text):
            case ItemDone(item=item):
                self.said.take_item(item, at_us)
            case Lifecycle() as event:
                self._lifecycle(event, at_us)
            case ErrorEvent(type=by, error=error):
                self.said.end(Outcome.FAILED, by, at_us, _words(error), error.code or error.type)

    def body(self, body: JsonObject, at_us: int) -> None:
        if body.get("object") == "response" or isinstance(body.get("output"), list):
            kind = f"response.{string_at(body, 'status') or 'completed'}"
            self.event(kind, json.dumps({"type": kind, "response": body}), at_us)
        else:
            self.said.refuse(body)

    def _lifecycle(self, event: Lifecycle, at_us: int) -> None:
        said, error = self.said, event.error
        said.response_id = event.response_id or said.response_id
        said.usage = event.usage or said.usage
        outcome = _OUTCOMES.get(event.phase)
        if outcome is None or (event.phase is Phase.DONE and not said.done_completes):
            return
        if outcome is Outcome.COMPLETED:
            output = object_at(event.raw, "response").get("output")
            for item in output if isinstance(output, list) else ():
                said.take_item(item, at_us)
        detail = event.incomplete_reason or "" if error is None else _words(error)
        code = None if error is None else error.code or error.type
        said.end(outcome, event.type, at_us, detail, code)


class ChatWords:
    """Reads the chunks of the chat wire."""

    def __init__(self, said: Said) -> None:
        self.said = said
        self._stream = ChatStream()

    def event(self, kind: str, text: str, at_us: int) -> None:
        self._totals(parse_object(text))
        for event in self._stream.feed(text):
            match event:
                case OutputItemDone(item=item):
                    self.said.take_item(item, at_us)
                case Completed():
                    self.said.end(Outcome.COMPLETED, kind, at_us, "")
                case ContextWindowExceeded():
                    self.said.end(Outcome.INCOMPLETE, kind, at_us, "length")

    def body(self, body: JsonObject, at_us: int) -> None:
        response = read_response(json.dumps(body))
        if isinstance(response, Skipped):
            self.said.refuse(body)
        else:
            self._totals(body)
            for item in response.items:
                self.said.take_item(item, at_us)

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


def _words(error: ErrorInfo) -> str:
    return f"{error.code or 'no code'}: {error.message or ''}"


_TELLING: Final = frozenset(
    {*(phase.value for phase in Phase), "error", "response.output_item.done"}
)
_OUTCOMES: Final[Mapping[Phase, Outcome]] = {
    Phase.COMPLETED: Outcome.COMPLETED,
    Phase.DONE: Outcome.COMPLETED,
    Phase.FAILED: Outcome.FAILED,
    Phase.INCOMPLETE: Outcome.INCOMPLETE,
}
