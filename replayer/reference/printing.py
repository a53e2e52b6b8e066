"""Prints a run as ``codex exec --json`` does: one JSON object a line."""

import json
from collections.abc import Callable
from typing import Any

from wiretape.client.actions import Fail, Finish, Printed, PrintedKind
from wiretape.client.events import Completed, Item, OutputItemDone, TokenUsage
from wiretape.client.turn import TOOL_CALLS, Output


class Printer:
    """Says what a client sees and does; ``say`` gets each line."""

    def __init__(self, thread: str, say: Callable[[str], None]) -> None:
        self._say = say
        self._items = 0
        self._usage = {"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0}
        self._line("thread.started", thread_id=thread)
        self._line("turn.started")

    def watch(self, output: Output) -> None:
        """Prints it, if a person would see it."""
        match output:
            case OutputItemDone(item):
                self._print_item(item)
            case Completed(_, TokenUsage() as usage):
                for name in self._usage:
                    self._usage[name] += getattr(usage, name)
            case Printed(PrintedKind.WARNING):
                self._item("error", message=output.line)
            case Printed():
                self._line("error", message=output.line)
            case Fail(text):
                self._line("error", message=text)
                self._line("turn.failed", error={"message": text})
            case Finish():
                self._line("turn.completed", usage=self._usage)

    def _print_item(self, item: Item) -> None:
        match item:
            case {"type": "message", "role": "assistant", "content": list(parts)}:
                self._item("agent_message", text=_text(parts))
            case {"type": "reasoning", "summary": list(parts)} if parts:
                self._item("reasoning", text=_text(parts))
            case {"type": str(kind)} if kind in TOOL_CALLS:
                said = item.get("arguments", item.get("input", item.get("action")))
                self._item(
                    "tool_call", call_id=item.get("call_id"), name=item.get("name"), said=said
                )

    def _item(self, kind: str, **said: Any) -> None:
        self._line("item.completed", item={"id": f"item_{self._items}", "type": kind, **said})
        self._items += 1

    def _line(self, kind: str, **said: Any) -> None:
        self._say(json.dumps({"type": kind, **said}, ensure_ascii=False))


def _text(parts: list[Any]) -> str:
    return "".join(part.get("text", "") for part in parts)
