"""Server-sent chat chunks → client events.

One :class:`ChatStream` reads one response: ``feed`` takes the data of each event, and ``close``,
``timed_out`` or ``broke_off`` says how the body ended. The ``Completed`` that results names no
response and counts no tokens, as the client's did.

What the client passed over in silence is kept: unreadable data and nameless calls in ``skipped``,
calls that no ``finish_reason`` released in ``open_calls()``.

Where document 000 leaves a choice:

- §11.2 has the sentinel send ``Completed`` always, §11.1 and §11.6 only once. Once, since the
  client's turn ends with the first; a sentinel after ``stop`` still hands up items begun since.
- §11.4 gives reasoning a ``content_index`` without saying which: the position of the new text
  among the parts of the item, from 0.
- Text may be the empty string (§11.4 asks for a string only): document 003's ``"content": ""``
  beside calls therefore begins an empty message.

Source: document 000 §11.
"""

from collections.abc import Iterator

from wiretape.chat.items import Skipped, SkipReason, message_item, reasoning_item
from wiretape.chat.shapes import array, field, parse_json, string
from wiretape.chat.texts import content_texts, reasoning_text
from wiretape.chat.tool_calls import ToolCall, ToolCalls, call_item
from wiretape.client.events import (
    ClientEvent,
    Completed,
    OutputItemAdded,
    OutputItemDone,
    OutputTextDelta,
    ReasoningContentDelta,
)
from wiretape.client.failures import Failure, FailureKind, failure, stream_failure

IDLE_TIMEOUT = "idle timeout waiting for SSE"
_SENTINELS = frozenset({"[DONE]", "DONE"})


type ChatEvent = ClientEvent | Failure


def is_finished(chunk: object) -> bool:
    """Whether a chunk says why its answer stops, for whatever reason."""
    return any(string(choice, "finish_reason") for choice in array(chunk, "choices"))


class ChatStream:
    """The reader of one streamed chat response."""

    def __init__(self) -> None:
        self.skipped: list[Skipped] = []
        self._reasoning: list[str] | None = None
        self._message: list[str] | None = None
        self._calls = ToolCalls()
        self._is_completed = False
        self._is_over = False

    def feed(self, data: str) -> list[ChatEvent]:
        """The events of one server-sent event's ``data`` (§11.2, §11.3, §11.4); none once the
        stream is over."""
        trimmed = data.strip()
        if self._is_over or not trimmed:
            return []
        if trimmed in _SENTINELS:
            self._is_over = True
            return list(self._complete())
        try:
            chunk = parse_json(data)
        except ValueError:
            self.skipped.append(Skipped(SkipReason.NOT_JSON, data))
            return []
        if not isinstance(field(chunk, "choices"), list):
            self.skipped.append(Skipped(SkipReason.NO_CHOICES, data))
            return []
        return list(self._read_choices(array(chunk, "choices")))

    def close(self) -> list[ChatEvent]:
        """The body has ended (§11.1): what is open is done, unless ``Completed`` came before."""
        if self._is_over:
            return []
        self._is_over = True
        return [] if self._is_completed else list(self._complete())

    def timed_out(self) -> list[ChatEvent]:
        """No event came for as long as the client waits (§11.1)."""
        return self.broke_off(IDLE_TIMEOUT)

    def broke_off(self, message: str) -> list[ChatEvent]:
        """The body was cut short, in the words of ``message``; nothing open is handed up.

        §11.1 speaks of a proper end only: a cut is no such end, and fails as a timeout does.
        """
        if self._is_over:
            return []
        self._is_over = True
        return [stream_failure(message)]

    def open_calls(self) -> tuple[ToolCall, ...]:
        """Calls begun and not handed up; those left at the end, the client never made."""
        return self._calls.open_calls()

    def _read_choices(self, choices: list[object]) -> Iterator[ChatEvent]:
        for choice in choices:
            delta = field(choice, "delta")
            yield from self._read_reasoning(delta)
            yield from self._read_content(field(delta, "content"))
            for piece in array(delta, "tool_calls"):
                self._calls.add(piece)
            yield from self._read_reasoning(field(choice, "message"))
            yield from self._read_finish(string(choice, "finish_reason"))
            if self._is_over:
                return

    def _read_reasoning(self, holder: object) -> Iterator[ChatEvent]:
        """§11.4.a and §11.4.c."""
        text = reasoning_text(holder)
        if text is None:
            return
        if self._reasoning is None:
            self._reasoning = []
            yield OutputItemAdded(reasoning_item([]))
        self._reasoning.append(text)
        yield ReasoningContentDelta(text, content_index=len(self._reasoning) - 1)

    def _read_content(self, content: object) -> Iterator[ChatEvent]:
        """§11.4.b."""
        for text in content_texts(content):
            if self._message is None:
                self._message = []
                yield OutputItemAdded(message_item([]))
            self._message.append(text)
            yield OutputTextDelta(text)

    def _read_finish(self, finish_reason: str | None) -> Iterator[ChatEvent]:
        """§11.5 and §11.6 (003 note 2); any other reason, or none, means that more is to come."""
        match finish_reason:
            case "stop":
                yield from self._complete()
            case "length":
                self._is_over = True
                # An answer cut for its length is to the client a full context window.
                yield failure(FailureKind.CONTEXT_WINDOW)
            case "tool_calls":
                yield from self._finish_reasoning()
                yield from self._finish_calls()

    def _complete(self) -> Iterator[ChatEvent]:
        yield from self._finish_reasoning()
        if self._message is not None:
            yield OutputItemDone(message_item(self._message))
            self._message = None
        if not self._is_completed:
            self._is_completed = True
            yield Completed(response_id="")

    def _finish_reasoning(self) -> Iterator[ChatEvent]:
        if self._reasoning is not None:
            yield OutputItemDone(reasoning_item(self._reasoning))
            self._reasoning = None

    def _finish_calls(self) -> Iterator[ChatEvent]:
        for call in self._calls.take():
            made = call_item(call)
            if isinstance(made, Skipped):
                self.skipped.append(made)
            else:
                yield OutputItemDone(made)
