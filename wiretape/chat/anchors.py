"""Where reasoning is attached: the chat wire has no place for it but a field of what follows.

A *reasoning* item is no message of its own; its text becomes the ``reasoning`` of an assistant
message or of a call next to it, its *anchor*. Reasoning that finds none is dropped, as is all of
it from before the last user message.

Source: document 000 §6.
"""

from collections.abc import Sequence

from wiretape.chat.shapes import array, string
from wiretape.client.events import Item

_ROLE_OF = {
    "function_call": "assistant",
    "local_shell_call": "assistant",
    "function_call_output": "tool",
    "custom_tool_call_output": "tool",
}
"""Item type → the role that its being last means (§6.1). A custom call is not among them."""

_TEXT_PARTS = frozenset({"reasoning_text", "text"})
_ANCHOR_CALLS = frozenset({"function_call", "local_shell_call"})


def reasoning_by_anchor(items: Sequence[Item]) -> dict[int, str]:
    """Position of an anchor in ``items`` → the reasoning attached to it (§6.3).

    Several that meet at one anchor are joined without a separator (§6.6).
    """
    attached: dict[int, str] = {}
    # Implied by what follows, as no anchor can stand after the user then; the document gates twice.
    if last_emitted_role(items) == "user":
        return attached
    for position in range(_last_user_position(items) + 1, len(items)):
        text = _reasoning_text(items[position])
        anchor = _anchor(items, position)
        if text.strip() and anchor is not None:
            attached[anchor] = attached.get(anchor, "") + text
    return attached


def last_emitted_role(items: Sequence[Item]) -> str | None:
    """The role of the last item that has one on the chat wire (§6.1)."""
    for item in reversed(items):
        kind = string(item, "type") or ""
        role = string(item, "role") if kind == "message" else _ROLE_OF.get(kind)
        if role is not None:
            return role
    return None


def _last_user_position(items: Sequence[Item]) -> int:
    """The position of the last user message (§6.2); -1 where there is none."""
    positions = (at for at, item in enumerate(items) if _is_message_of(item, "user"))
    return max(positions, default=-1)


def _reasoning_text(item: Item) -> str:
    """The joined text of a reasoning's ``content`` (§6.4); empty for any other item."""
    if item.get("type") != "reasoning":
        return ""
    parts = array(item, "content")
    return "".join(
        string(part, "text") or "" for part in parts if string(part, "type") in _TEXT_PARTS
    )


def _anchor(items: Sequence[Item], position: int) -> int | None:
    """Where the reasoning at ``position`` is attached (§6.5.1 to §6.5.4, in this order)."""
    if position > 0 and _is_message_of(items[position - 1], "assistant"):
        return position - 1
    if position + 1 < len(items):
        following = items[position + 1]
        is_call = string(following, "type") in _ANCHOR_CALLS
        if is_call or _is_message_of(following, "assistant"):
            return position + 1
    return None


def _is_message_of(item: Item, role: str) -> bool:
    return item.get("type") == "message" and item.get("role") == role
