"""Responses API streams, whole and deterministic, from a script's content.

Shapes follow the public Responses API: every event has ``type`` and ``sequence_number``, items
are added and done, text and arguments come in deltas, ``response.completed`` carries the output
and the usage. Two things that a reader must survive are in every answer: an event of unknown
type, and a U+2028 inside a string, where lines must not be cut.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from provider_script import Content, Event, Fail, Run, Say, WarmUp, Written
from provider_tools import ToolCall, run_command

CREATED_AT = 1767225600
MODEL = "gpt-5.2-codex"
THOUGHT = "**Überlege kurz**\u2028Ein Schritt nach dem anderen …"
RATE_LIMITS: dict[str, object] = {
    "type": "codex.rate_limits",
    "plan_type": "plus",
    "rate_limits": {
        "allowed": True,
        "limit_reached": False,
        "primary": {"used_percent": 12, "window_minutes": 300, "reset_after_seconds": 600},
        "secondary": None,
    },
}
USAGE: dict[str, object] = {
    "input_tokens": 120,
    "input_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 0},
    "output_tokens": 34,
    "output_tokens_details": {"reasoning_tokens": 12},
    "total_tokens": 154,
}


def events(content: Content, number: int, tools: Sequence[str]) -> tuple[Event, ...]:
    """The stream that says ``content`` in answer to the provider's ``number``-th request.

    ``tools`` are the names the client offers. ``LookupError`` when a command is to be run and
    none of them runs commands.
    """
    stream = _Stream(number)
    match content:
        case Written(written):
            return written
        case WarmUp():
            stream.begin()
            stream.complete()
        case Say(text):
            stream.begin()
            stream.think(THOUGHT)
            stream.say(text)
            stream.complete()
        case Run(command):
            stream.begin()
            stream.think(THOUGHT)
            stream.call(run_command(tools, command))
            stream.complete()
        case Fail(code, message):
            stream.begin()
            stream.fail(code, message)
    return tuple(stream.events)


@dataclass(slots=True)
class _Stream:
    """The events of one response as they grow, with its items so far."""

    number: int
    events: list[Event] = field(default_factory=list)
    output: list[dict[str, object]] = field(default_factory=list)

    def begin(self) -> None:
        self.events.append(RATE_LIMITS)
        self._add("response.created", response=self._response("in_progress"))
        self._add("response.in_progress", response=self._response("in_progress"))

    def think(self, text: str) -> None:
        part = {"type": "summary_text", "text": text}
        item: dict[str, object] = {
            "id": self._id("rs"),
            "type": "reasoning",
            "summary": [part],
            "encrypted_content": f"gAAAA-thought-{self.number:04}",
        }
        place = {"item_id": item["id"], "output_index": len(self.output), "summary_index": 0}
        self._open(item | {"summary": [], "encrypted_content": None})
        self._add("response.reasoning_summary_part.added", **place, part=part | {"text": ""})
        for delta in _deltas(text):
            self._add("response.reasoning_summary_text.delta", **place, delta=delta)
        self._add("response.reasoning_summary_text.done", **place, text=text)
        self._add("response.reasoning_summary_part.done", **place, part=part)
        self._close(item)

    def say(self, text: str) -> None:
        part: dict[str, object] = {
            "type": "output_text",
            "text": text,
            "annotations": [],
            "logprobs": [],
        }
        item: dict[str, object] = {
            "id": self._id("msg"),
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [part],
        }
        place = {"item_id": item["id"], "output_index": len(self.output), "content_index": 0}
        self._open(item | {"status": "in_progress", "content": []})
        self._add("response.content_part.added", **place, part=part | {"text": ""})
        for delta in _deltas(text):
            self._add("response.output_text.delta", **place, delta=delta, logprobs=[])
        self._add("response.output_text.done", **place, text=text, logprobs=[])
        self._add("response.content_part.done", **place, part=part)
        self._close(item)

    def call(self, call: ToolCall) -> None:
        kind, key, deltas = (
            ("custom_tool_call", "input", "response.custom_tool_call_input")
            if call.is_custom
            else ("function_call", "arguments", "response.function_call_arguments")
        )
        item: dict[str, object] = {
            "id": self._id("ctc" if call.is_custom else "fc"),
            "type": kind,
            "status": "completed",
            "call_id": self._id("call"),
            "name": call.name,
            key: call.input,
        }
        place = {"item_id": item["id"], "output_index": len(self.output)}
        self._open(item | {"status": "in_progress", key: ""})
        for delta in _deltas(call.input):
            self._add(f"{deltas}.delta", **place, delta=delta)
        self._add(f"{deltas}.done", **place, **{key: call.input})
        self._close(item)

    def complete(self) -> None:
        self._add("response.completed", response=self._response("completed", usage=USAGE))

    def fail(self, code: str, message: str) -> None:
        error = {"code": code, "message": message}
        self._add("response.failed", response=self._response("failed", error=error))

    def _open(self, item: dict[str, object]) -> None:
        self._add("response.output_item.added", output_index=len(self.output), item=item)

    def _close(self, item: dict[str, object]) -> None:
        self._add("response.output_item.done", output_index=len(self.output), item=item)
        self.output.append(item)

    def _add(self, kind: str, **fields: object) -> None:
        sequence_number = len(self.events) - 1
        self.events.append({"type": kind, "sequence_number": sequence_number} | fields)

    def _id(self, prefix: str) -> str:
        return f"{prefix}_{self.number:04}_{len(self.output)}"

    def _response(self, status: str, **more: object) -> dict[str, object]:
        return {
            "id": f"resp_{self.number:04}",
            "object": "response",
            "created_at": CREATED_AT,
            "status": status,
            "error": None,
            "incomplete_details": None,
            "model": MODEL,
            "output": list(self.output),
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": None,
        } | more


def _deltas(text: str) -> list[str]:
    """The text in pieces of nine characters, so that most answers need several."""
    return [text[start : start + 9] for start in range(0, len(text), 9)]
