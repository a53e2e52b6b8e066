"""Items of the wire as what somebody said: messages, reasoning, tool calls and their outputs."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from wiretape.jsontext import object_at, string_at
from wiretape.tools import CALL_TYPES, cut_in, failure_in, is_output

MOST_CHARACTERS: Final = 4000
"""Of one text; the page of the request has all of it."""
_END_OF_OUTPUT: Final = 1000
"""Of these, so many are the end of an output, where it says how it went."""


class Saying(StrEnum):
    """What kind of thing was said."""

    MESSAGE = "message"
    REASONING = "reasoning"
    CALL = "call"
    OUTPUT = "output"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Said:
    """One thing that was said.

    ``who`` is a message's role; ``name`` is the tool's, or the wire's type of anything other.
    ``cut`` counts the characters behind ``text``, before the ``end`` that an output has.
    ``is_done``: it was said to its end. ``is_hidden``: the wire has it in a form that only the
    server can read. ``failure`` says how a tool failed, where its output shows that it did;
    ``shortened`` are the words of an output that the client cut.
    """

    saying: Saying
    who: str | None
    name: str | None
    text: str
    cut: int
    is_done: bool = True
    is_hidden: bool = False
    call_id: str | None = None
    failure: str | None = None
    shortened: str | None = None
    end: str = ""


def said_in(item: Any, *, is_done: bool = True) -> Iterator[Said]:
    """What one item says; a chat message may say something and call tools too."""
    if isinstance(item, str):
        yield _said(Saying.MESSAGE, item, is_done, who="user")
        return
    if not isinstance(item, dict):
        yield _said(Saying.OTHER, _as_json(item), is_done)
        return
    kind = string_at(item, "type") or ("message" if "role" in item else "")
    if is_output(item):
        yield _output(item, is_done)
    elif kind == "message":
        yield from _message(item, is_done)
    elif kind == "reasoning":
        texts = [*_texts(item.get("summary")), *_texts(item.get("content"))]
        is_hidden = not texts and bool(item.get("encrypted_content"))
        yield _said(Saying.REASONING, "\n\n".join(texts), is_done, is_hidden=is_hidden)
    elif kind in CALL_TYPES:
        call_id = string_at(item, "call_id") or string_at(item, "id")
        yield _said(
            Saying.CALL,
            _asked_of_tool(item),
            is_done,
            name=string_at(item, "name") or CALL_TYPES[kind].value,
            call_id=call_id,
        )
    else:
        yield _said(Saying.OTHER, _as_json(item), is_done, name=kind or None)


def _message(item: dict[str, Any], is_done: bool) -> Iterator[Said]:
    who = string_at(item, "role") or "user"
    # The parts of an answer are one text; those of an input stand for themselves.
    text = _joined(item.get("content"), "" if who == "assistant" else "\n")
    calls = item.get("tool_calls")
    calls = calls if isinstance(calls, list) else []
    for thought in _texts(item.get("reasoning_content") or item.get("reasoning")):
        yield _said(Saying.REASONING, thought, is_done)
    if text or not calls:
        yield _said(Saying.MESSAGE, text, is_done, who=who)
    for call in calls:
        if isinstance(call, dict):
            function = object_at(call, "function")
            yield _said(
                Saying.CALL,
                string_at(function, "arguments") or "",
                is_done,
                name=string_at(function, "name"),
                call_id=string_at(call, "id"),
            )


def _said(
    saying: Saying,
    text: str,
    is_done: bool,
    *,
    who: str | None = None,
    name: str | None = None,
    is_hidden: bool = False,
    call_id: str | None = None,
) -> Said:
    cut = max(0, len(text) - MOST_CHARACTERS)
    text = text[:MOST_CHARACTERS]
    return Said(saying, who, name, text, cut, is_done, is_hidden, call_id)


def _output(item: dict[str, Any], is_done: bool) -> Said:
    """The beginning of an output, and where that is not all of it, its end."""
    text = _joined(item.get("output", item.get("content")))
    end = text[-_END_OF_OUTPUT:] if len(text) > MOST_CHARACTERS else ""
    text = text.removesuffix(end)
    return Said(
        Saying.OUTPUT,
        None,
        None,
        text[: MOST_CHARACTERS - len(end)],
        max(0, len(text) - MOST_CHARACTERS + len(end)),
        is_done,
        call_id=string_at(item, "call_id") or string_at(item, "tool_call_id"),
        failure=failure_in(item),
        shortened=cut_in(item),
        end=end,
    )


_NOT_ASKED: Final = frozenset({"call_id", "id", "status", "type"})


def _asked_of_tool(item: dict[str, Any]) -> str:
    for key in ("arguments", "input"):
        if isinstance(item.get(key), str):
            return str(item[key])
    return _as_json({key: value for key, value in item.items() if key not in _NOT_ASKED})


def _joined(content: Any, separator: str = "\n") -> str:
    texts = list(_texts(content))
    if not texts and content not in (None, "", []):
        return _as_json(content)
    return separator.join(texts)


def _texts(content: Any) -> Iterator[str]:
    """The texts in a content; what is no text is named."""
    match content:
        case str():
            yield content
        case dict() if isinstance(content.get("content"), str):
            yield content["content"]
        case list():
            for part in content:
                yield from _part(part)


def _part(part: Any) -> Iterable[str]:
    if isinstance(part, str):
        return (part,)
    if not isinstance(part, dict):
        return ()
    for key in ("text", "refusal", "output"):
        if isinstance(part.get(key), str):
            return (part[key],)
    return (f"[{string_at(part, 'type') or 'something without a type'}]",)


def _as_json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "nested too deeply to be shown"
