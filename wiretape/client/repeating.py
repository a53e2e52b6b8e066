"""What the next request repeats of an answer.

Source: document 004 (the tool loop: every round says the message, the ``function_call`` and its
``function_call_output`` again). Ids and the state of an item are the server's and are not said
back.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from wiretape.client.events import Item

_PARTS: Final = ("type", "text", "refusal", "image_url")


def sent_back(item: Item) -> Item:
    """What an item of an answer says, without what is the server's own."""
    kept = _SAYING.get(str(item.get("type")))
    if kept is None:
        return {key: value for key, value in item.items() if key not in ("id", "status")}
    said = {key: said(item[key]) for key, said in kept.items() if item.get(key) is not None}
    return {"type": item["type"], **said}


def is_said_by_model(item: Item) -> bool:
    """Whether an item of a conversation is of the kind that a client repeats after the model."""
    kind = item.get("type")
    return item.get("role") == "assistant" if kind == "message" else kind in _SAYING


def _itself(value: Any) -> Any:
    return value


def _parts(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    return [
        {key: part[key] for key in _PARTS if key in part} if isinstance(part, dict) else part
        for part in content
    ]


_SAYING: Final[Mapping[str, Mapping[str, Callable[[Any], Any]]]] = {
    "message": {"role": _itself, "content": _parts},
    "reasoning": {"summary": _parts, "content": _parts, "encrypted_content": _itself},
    "function_call": {
        "call_id": _itself,
        "namespace": _itself,
        "name": _itself,
        "arguments": _itself,
    },
    "custom_tool_call": {"call_id": _itself, "name": _itself, "input": _itself},
    "local_shell_call": {"call_id": _itself, "status": _itself, "action": _itself},
}
"""What each kind of item says, and how it is reduced to that."""
