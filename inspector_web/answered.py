"""The items of one attempt's answer, read from its tape: those that were done, and what had come
of those that were not."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from inspector_web.index.reader import IndexReader, Only
from wiretape.asked import RequestKind
from wiretape.attempt import Attempt
from wiretape.chat.items import Skipped
from wiretape.chat.response import read_response
from wiretape.chat.stream import ChatStream
from wiretape.client.events import OutputItemDone, OutputTextDelta, ReasoningContentDelta
from wiretape.crossings import HTTP_BODY
from wiretape.events import Channel, Phase, parse_event
from wiretape.facts import Sender
from wiretape.output import ItemState, OutputItem
from wiretape.response import ResponseFold
from wiretape.said import Outcome

MOST_EVENTS: Final = 5000
"""Read of an answer that was not completed, the first."""
_TELLING: Final = ("response.output_item.done", Phase.COMPLETED.value, Phase.DONE.value)


@dataclass(frozen=True, slots=True)
class AnswerItem:
    """An item as the server said it; ``is_done``: to its end."""

    item: Any
    is_done: bool


@dataclass(frozen=True, slots=True)
class AnswerItems:
    """The items of an answer. ``is_cut``: later ones are left out."""

    items: tuple[AnswerItem, ...]
    is_cut: bool


def answer_items(index: IndexReader, attempt: Attempt) -> AnswerItems:
    """What the server said in answer to an attempt."""
    is_chat = attempt.kind is RequestKind.CHAT
    # Whole items are repeated at their ends: of a good answer the deltas need not be read.
    is_short = attempt.outcome is Outcome.COMPLETED and not is_chat
    texts: list[tuple[str, str]] = []
    for kind, text in _sent(index, attempt, Only(types=_TELLING) if is_short else Only()):
        if is_short and kind not in _TELLING:
            continue
        if len(texts) == MOST_EVENTS:
            return AnswerItems(tuple(_items(texts, is_chat)), True)
        texts.append((kind, text))
    return AnswerItems(tuple(_items(texts, is_chat)), False)


def answer_body(index: IndexReader, attempt: Attempt, most: int) -> str:
    """The beginning of the body that came in answer, where that is no stream of events."""
    body = ""
    for kind, text in _sent(index, attempt, Only(types=(HTTP_BODY,))):
        if kind == HTTP_BODY:
            body += text
        if len(body) > most:
            break
    return body[:most]


def _sent(index: IndexReader, attempt: Attempt, only: Only) -> Iterator[tuple[str, str]]:
    """Type and text of what the server sent, as long as the attempt was under way."""
    until_us = attempt.ended_at_us or attempt.until_us or attempt.last_event_us or attempt.at_us
    for stretch in index.stretches_since(attempt.at_us, {attempt.exchange}, only):
        if stretch.at_us > until_us:
            return
        for crossing in index.crossings(stretch):
            is_within = attempt.at_us <= crossing.at_us <= until_us
            if is_within and crossing.sender is Sender.SERVER and crossing.text is not None:
                yield crossing.type, crossing.text


def _items(texts: list[tuple[str, str]], is_chat: bool) -> Iterator[AnswerItem]:
    if is_chat:
        yield from _chat_items(texts)
        return
    fold = ResponseFold()
    repeated: list[Any] = []
    for kind, text in texts:
        event = parse_event(text)
        fold.add(event)
        if kind in _TELLING[1:]:
            response = getattr(event, "raw", {}).get("response")
            output = response.get("output") if isinstance(response, dict) else None
            repeated = output if isinstance(output, list) else repeated
    found = fold.state().items
    if not found:
        yield from (AnswerItem(item, True) for item in repeated)
    for item in found:
        is_done = item.state is ItemState.DONE
        yield AnswerItem(item.raw if is_done else _so_far(item), is_done)


_SO_FAR: Final = {
    "message": ("content", Channel.TEXT),
    "reasoning": ("summary", Channel.SUMMARY),
    "function_call": ("arguments", Channel.ARGUMENTS),
    "custom_tool_call": ("input", Channel.INPUT),
}
"""Where the text of an item stands that is not done, and which of its texts that is."""


def _so_far(item: OutputItem) -> Any:
    key, channel = _SO_FAR.get(item.type, ("content", Channel.TEXT))
    text = item.text(channel) or item.text(Channel.REASONING)
    is_list = key in ("content", "summary")
    return {**item.raw, key: [{"text": text}] if is_list and text else text}


def _chat_items(texts: list[tuple[str, str]]) -> Iterator[AnswerItem]:
    whole = "".join(text for kind, text in texts if kind == HTTP_BODY)
    if whole:
        answer = read_response(whole)
        if not isinstance(answer, Skipped):
            yield from (AnswerItem(_with_one_part(item), True) for item in answer.items)
        return
    stream = ChatStream()
    said: list[str] = []
    thought: list[str] = []
    for _, text in texts:
        for event in stream.feed(text):
            match event:
                case OutputTextDelta(delta=delta):
                    said.append(delta)
                case ReasoningContentDelta(delta=delta):
                    thought.append(delta)
                case OutputItemDone(item=item):
                    (thought if item.get("type") == "reasoning" else said).clear()
                    yield AnswerItem(_with_one_part(item), True)
    if thought:
        yield AnswerItem({"type": "reasoning", "summary": [{"text": "".join(thought)}]}, False)
    if said:
        yield AnswerItem({"role": "assistant", "content": "".join(said)}, False)


def _with_one_part(item: Mapping[str, object]) -> Any:
    """An item whose texts are one: a chat's stand there piece by piece, as they came."""
    content = item.get("content")
    if not isinstance(content, list):
        return dict(item)
    parts = [part["text"] for part in content if isinstance(part, dict)]
    return {**item, "content": [{"type": "text", "text": "".join(parts)}]}
