"""Conversation items → chat messages.

Every conversation begins with a system message. Calls that follow one another share one
assistant message without content; each output is a ``tool`` message of its own. What the chat
wire has no place for is left out: reasoning (but see :mod:`wiretape.chat.anchors`), web searches,
snapshots, compactions, and every type unknown to the client.

An item or a part that the client itself could not have held (no type, a call without its id, a
file) is refused with :class:`~wiretape.errors.CannotExpress` rather than sent in part.

Source: document 000 §5 to §10; its examples are §13.
"""

from collections.abc import Callable, Mapping, Sequence

from wiretape.chat.anchors import reasoning_by_anchor
from wiretape.chat.shapes import field, string
from wiretape.client.events import Item
from wiretape.errors import CannotExpress

type Message = dict[str, object]


def chat_messages(instructions: str, items: Sequence[Item]) -> list[Message]:
    """The ``messages`` of a chat request (§5.1, §5.2), without those that have no place (§10)."""
    conversation = _Conversation(instructions)
    reasoning = reasoning_by_anchor(items)
    for position, item in enumerate(items):
        kind = _required_text(item, "type")
        if kind == "message":
            conversation.add_message(item, reasoning.get(position))
        elif kind in _CALLS:
            conversation.add_call(_CALLS[kind](item), reasoning.get(position))
        elif kind in _OUTPUTS:
            conversation.add_output(_required_text(item, "call_id"), _OUTPUTS[kind](item))
    return conversation.messages


class _Conversation:
    """The messages so far, and what decides whether the next one joins or is left out."""

    def __init__(self, instructions: str) -> None:
        self.messages: list[Message] = [{"role": "system", "content": instructions}]
        self._open_calls: list[object] | None = None
        self._last_assistant_text: str | None = None

    def add_message(self, item: Item, reasoning: str | None) -> None:
        """Add a message (§7.1, §7.3, §7.4).

        An assistant's text equal to the assistant's text before it is left out (§7.2), however
        many other items stand between the two, and its reasoning goes with it.
        """
        role = _required_text(item, "role")
        parts = _parts(item, "content", _MESSAGE_PARTS)
        text = "".join(str(part["text"]) for part in parts if part["type"] == "text")
        if role == "assistant":
            if text == self._last_assistant_text:
                return
            self._last_assistant_text = text
        has_image = any(part["type"] == "image_url" for part in parts)
        message: Message = {"role": role}
        message["content"] = parts if has_image and role != "assistant" else text
        if reasoning is not None:
            message["reasoning"] = reasoning
        self._append(message)

    def add_call(self, call: Message, reasoning: str | None) -> None:
        """Add a call to the open group, or open one (§8.4)."""
        if self._open_calls is None:
            calls: list[object] = [call]
            self._append({"role": "assistant", "content": None, "tool_calls": calls})
            self._open_calls = calls
        else:
            self._open_calls.append(call)
        if reasoning is not None:
            group = self.messages[-1]
            earlier = group.get("reasoning")
            group["reasoning"] = f"{earlier}\n{reasoning}" if earlier else reasoning

    def add_output(self, call_id: str, content: object) -> None:
        """Add what a call returned (§9.1, §9.2; 003 step 4)."""
        self._append({"role": "tool", "tool_call_id": call_id, "content": content})

    def _append(self, message: Message) -> None:
        self.messages.append(message)
        self._open_calls = None


def _function_call(item: Item) -> Message:
    """§8.1."""
    return {
        "id": _required_text(item, "call_id"),
        "type": "function",
        "function": {
            "name": _required_text(item, "name"),
            "arguments": _required_text(item, "arguments"),
        },
    }


def _local_shell_call(item: Item) -> Message:
    """§8.2: by ``id``, not ``call_id``, so an output may find no call of its name."""
    return {
        "id": string(item, "id") or "",
        "type": "local_shell_call",
        "status": _required(item, "status"),
        "action": _required(item, "action"),
    }


def _custom_tool_call(item: Item) -> Message:
    """§8.3, by ``id`` as well.

    Its output answers by ``call_id``, and document 003 wants the two to agree; §8.3 is followed,
    since it says what the client sent. It names no stand-in for a missing ``id``: null.
    """
    return {
        "id": item.get("id"),
        "type": "custom",
        "custom": {"name": _required_text(item, "name"), "input": _required(item, "input")},
    }


def _function_output(item: Item) -> object:
    """§9.1: a string stays one, a list of items becomes a list of parts."""
    if isinstance(item.get("output"), list):
        return _parts(item, "output", _OUTPUT_PARTS)
    return _required_text(item, "output")


def _custom_output(item: Item) -> object:
    """§9.2: whatever it is."""
    return _required(item, "output")


def _text_part(part: Item) -> Message:
    return {"type": "text", "text": _required_text(part, "text")}


def _image_part(part: Item) -> Message:
    return {"type": "image_url", "image_url": {"url": _required_text(part, "image_url")}}


type _Shape = Callable[[Item], Message]

_CALLS: Mapping[str, _Shape] = {
    "function_call": _function_call,
    "local_shell_call": _local_shell_call,
    "custom_tool_call": _custom_tool_call,
}
_OUTPUTS: Mapping[str, Callable[[Item], object]] = {
    "function_call_output": _function_output,
    "custom_tool_call_output": _custom_output,
}
_OUTPUT_PARTS: Mapping[str, _Shape] = {"input_text": _text_part, "input_image": _image_part}
_MESSAGE_PARTS: Mapping[str, _Shape] = {**_OUTPUT_PARTS, "output_text": _text_part}


def _parts(item: Item, key: str, shapes: Mapping[str, _Shape]) -> list[Message]:
    """The list under ``key``, part by part in its chat shape."""
    found = item.get(key)
    if not isinstance(found, list):
        raise CannotExpress(_complaint(item, f"its {key} is not a list"))
    parts = []
    for part in found:
        shape = shapes.get(string(part, "type") or "")
        if shape is None:
            kind = field(part, "type")
            raise CannotExpress(_complaint(item, f"its {key} holds a part of type {kind!r}"))
        parts.append(shape(part))
    return parts


def _required(item: Item, key: str) -> object:
    if key not in item:
        raise CannotExpress(_complaint(item, f"it has no {key}"))
    return item[key]


def _required_text(item: Item, key: str) -> str:
    found = string(item, key)
    if found is None:
        raise CannotExpress(_complaint(item, f"it has no {key} that is a string"))
    return found


def _complaint(item: Item, fault: str) -> str:
    kind = string(item, "type") or "without a type"
    return f"No chat message can carry this item ({kind}): {fault}."
