"""The conversation items that the chat wire is turned into, and what became none.

Spelled as document 000 §11 does: the chat wire knows no item ids, so a reasoning's is empty, and
the others have none.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from wiretape.client.events import Item


class SkipReason(StrEnum):
    """Why something on the wire became neither an event nor an item."""

    NOT_JSON = "not_json"
    NO_CHOICES = "no_choices"
    NAMELESS_CALL = "nameless_call"


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that the client passed over: unreadable text, or a nameless call's arguments."""

    reason: SkipReason
    text: str


def message_item(texts: Iterable[str]) -> Item:
    """An assistant message, one ``output_text`` part for each text."""
    return {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": text} for text in texts],
    }


def reasoning_item(texts: Iterable[str]) -> Item:
    """A reasoning, one ``reasoning_text`` part for each text."""
    return {
        "type": "reasoning",
        "id": "",
        "summary": [],
        "content": [{"type": "reasoning_text", "text": text} for text in texts],
        "encrypted_content": None,
    }


def function_call_item(name: str, arguments: str, call_id: str) -> Item:
    """A call of a function; ``arguments`` is the model's text, meant to be JSON."""
    return {
        "type": "function_call",
        "name": name,
        "arguments": arguments,
        "call_id": call_id,
    }
