"""A chat response that was not streamed → items and a finish.

Its items stand in the order of a Responses answer: reasoning, message, calls, choice by choice. A
call's arguments stay the model's text, valid JSON or not. An empty ``content`` beside calls is no
message (document 003: "null or the empty string").

Document 000 knows streamed responses only. Where 003 is silent its rules hold here too: the three
shapes of reasoning, text as a string or a list, and every call a function call, with a stand-in
for a missing id and left out without a name.

Source: document 003; the token details are those of the Chat Completions API.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from wiretape.chat.items import Skipped, SkipReason, message_item, reasoning_item
from wiretape.chat.shapes import array, field, parse_json, string, unsigned
from wiretape.chat.texts import content_texts, reasoning_text
from wiretape.chat.tool_calls import ToolCall, call_item
from wiretape.client.events import Item, TokenUsage


@dataclass(frozen=True, slots=True)
class ChatResponse:
    """What one whole response said.

    ``finish_reason`` is the first choice's, as the wire spells it; ``skipped`` are calls that
    became no item.
    """

    response_id: str
    items: tuple[Item, ...]
    finish_reason: str | None
    usage: TokenUsage | None
    skipped: tuple[Skipped, ...] = ()


def read_response(text: str) -> ChatResponse | Skipped:
    """The response in the body ``text``, and what it finished for (003 note 2).

    :class:`Skipped` where there is none to be read.
    """
    try:
        body = parse_json(text)
    except ValueError:
        return Skipped(SkipReason.NOT_JSON, text)
    choices = array(body, "choices")
    if not choices:
        return Skipped(SkipReason.NO_CHOICES, text)
    found = [made for choice in choices for made in _read_message(field(choice, "message"))]
    return ChatResponse(
        response_id=string(body, "id") or "",
        items=tuple(made for made in found if not isinstance(made, Skipped)),
        finish_reason=string(choices[0], "finish_reason"),
        usage=token_usage(field(body, "usage")),
        skipped=tuple(made for made in found if isinstance(made, Skipped)),
    )


def _read_message(message: object) -> Iterator[Item | Skipped]:
    """Its items: its content unless that is empty (003 note 1), and its calls, if any, one by one
    (003 step 1, 003 note 4, 003 step 2)."""
    reasoning = reasoning_text(message)
    if reasoning:
        yield reasoning_item([reasoning])
    texts = content_texts(field(message, "content"))
    if any(texts):
        yield message_item(texts)
    for index, entry in enumerate(array(message, "tool_calls")):
        function = field(entry, "function")
        arguments = string(function, "arguments") or ""
        name = string(function, "name") or None
        yield call_item(ToolCall(index, string(entry, "id"), name, arguments))


def token_usage(usage: object) -> TokenUsage | None:
    """The counts in a ``usage``, ``None`` where there is none."""
    if usage is None:
        return None
    return TokenUsage(
        input_tokens=_tokens(usage, "prompt_tokens"),
        cached_input_tokens=_tokens(field(usage, "prompt_tokens_details"), "cached_tokens"),
        output_tokens=_tokens(usage, "completion_tokens"),
        reasoning_output_tokens=_tokens(
            field(usage, "completion_tokens_details"), "reasoning_tokens"
        ),
        total_tokens=_tokens(usage, "total_tokens"),
    )


def _tokens(counts: object, key: str) -> int:
    return unsigned(counts, key) or 0
