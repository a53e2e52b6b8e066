"""What a chat client asked, held against what a Responses client asks.

Instructions, context, tools and settings are each client's own and cannot be laid beside each
other. What the user said last can, and what was said and done since: texts, calls, and what tools
gave. Both requests are reduced to that, whichever wire they are written for.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from replayer.tools.printed import texts
from wiretape.asked import Asked
from wiretape.jsontext import JsonObject, object_at, string_at
from wiretape.likeness import AND_MORE
from wiretape.tools import CALL_TYPES, is_output

SAID: Final = "said"
"""The member of a body that has nothing but that."""

_SPEAKERS: Final = ("user", "assistant")


def expected(chat: Asked) -> JsonObject:
    """The body that stands for a chat request: what led to the user's last words may be
    anything."""
    found = list(_said(chat.input_items))
    users = [at for at, each in enumerate(found) if each.get("role") == "user"]
    since = found[users[-1] :] if users else []
    return {SAID: [AND_MORE, *since], AND_MORE: ""}


def in_the_form_of(recorded: Asked, asked: Asked) -> Asked:
    """``asked``, reduced to what it says, if that is all that ``recorded`` is."""
    if not is_reduced(recorded):
        return asked
    return replace(asked, body={SAID: list(_said(asked.input_items))})


def is_reduced(asked: Asked) -> bool:
    """Whether it stands for a chat request."""
    return isinstance(asked.body, dict) and SAID in asked.body


def _said(items: list[Any]) -> Iterator[JsonObject]:
    """Texts, calls and outputs, of chat messages as of items."""
    for item in items:
        if not isinstance(item, dict):
            continue
        if is_output(item):
            given = item.get("output", item.get("content"))
            yield {**_of_call(item), "output": "".join(texts(given))}
            continue
        text = "".join(texts(item.get("content")))
        if text and item.get("role") in _SPEAKERS:
            yield {"role": item["role"], "text": text}
        yield from _calls(item)


def _calls(item: JsonObject) -> Iterator[JsonObject]:
    if item.get("type") in CALL_TYPES:
        asks = item.get("arguments", item.get("input"))
        yield {**_of_call(item), "name": item.get("name"), "arguments": asks}
    called = item.get("tool_calls")
    for each in called if isinstance(called, list) else ():
        if isinstance(each, dict):
            asks = object_at(each, "function")
            name, arguments = asks.get("name"), asks.get("arguments")
            yield {"call_id": each.get("id"), "name": name, "arguments": arguments}


def _of_call(item: JsonObject) -> JsonObject:
    return {"call_id": string_at(item, "tool_call_id") or string_at(item, "call_id")}
