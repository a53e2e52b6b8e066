"""Answers of the chat wire as events of a response."""

import json
from collections.abc import Iterable, Iterator

from wiretape.chat.aggregate import AggregateMode, Aggregator
from wiretape.chat.response import ChatResponse
from wiretape.chat.stream import ChatEvent, ChatStream
from wiretape.client.events import (
    Completed,
    Item,
    OutputItemAdded,
    OutputItemDone,
    OutputTextDelta,
    ReasoningContentDelta,
    TokenUsage,
)
from wiretape.client.failures import Failure, FailureKind, failure
from wiretape.jsontext import JsonObject, Unparsable, object_at, parse_object, string_at

_LENGTH = "length"
_CONTEXT_WINDOW = "context_length_exceeded"


class ResponseWriter:
    """Writes one response, event by event, as texts for an event stream.

    With a ``mode``, the pieces of a text are gathered as the documented client gathered them.
    """

    def __init__(self, response: str, mode: AggregateMode | None) -> None:
        self._response = response
        self._gather = None if mode is None else Aggregator(mode)
        self._has_begun = False
        self._numbers: dict[str, int] = {}
        self._items = 0
        self._usage: JsonObject | None = None

    def counted(self, usage: JsonObject) -> None:
        """The chat wire has said what the answer cost."""
        details = object_at(usage, "prompt_tokens_details")
        produced = object_at(usage, "completion_tokens_details")
        self._usage = {
            "input_tokens": usage.get("prompt_tokens", 0),
            "input_tokens_details": {"cached_tokens": details.get("cached_tokens", 0)},
            "output_tokens": usage.get("completion_tokens", 0),
            "output_tokens_details": {"reasoning_tokens": produced.get("reasoning_tokens", 0)},
            "total_tokens": usage.get("total_tokens", 0),
        }

    def write(self, events: Iterable[ChatEvent]) -> Iterator[str]:
        """The texts of what the client made of the chat wire."""
        for event in events:
            for shown in [event] if self._gather is None else self._gather.feed(event):
                yield from self._write(shown)

    def _write(self, event: ChatEvent) -> Iterator[str]:
        if not self._has_begun:
            self._has_begun = True
            yield _text("response.created", response=self._named())
        match event:
            case OutputItemAdded(item):
                kind = str(item.get("type"))
                self._numbers[kind] = self._items
                self._items += 1
                yield _text("response.output_item.added", **self._placed(kind), item=dict(item))
            case OutputItemDone(item):
                yield self._done(item)
            case OutputTextDelta(delta):
                place = {**self._placed("message"), "content_index": 0}
                yield _text("response.output_text.delta", **place, delta=delta)
            case ReasoningContentDelta(delta, index):
                place = {**self._placed("reasoning"), "content_index": index}
                yield _text("response.reasoning_text.delta", **place, delta=delta)
            case Completed():
                yield _text("response.completed", response=self._named())
            case Failure(kind=FailureKind.CONTEXT_WINDOW):
                error = {"code": _CONTEXT_WINDOW, "message": "The answer was cut for its length."}
                yield _text("response.failed", response={**self._named(), "error": error})
            case _:
                raise AssertionError(f"the chat wire makes no {event}")

    def _done(self, item: Item) -> str:
        kind = str(item.get("type"))
        if kind not in self._numbers:
            self._numbers[kind] = self._items
            self._items += 1
        place = self._placed(kind)
        del self._numbers[kind]
        return _text("response.output_item.done", **place, item=_in_one_part(item))

    def _placed(self, kind: str) -> JsonObject:
        return {"output_index": self._numbers.get(kind, 0)}

    def _named(self) -> JsonObject:
        named: JsonObject = {"id": self._response}
        return named if self._usage is None else {**named, "usage": self._usage}


class Translation:
    """One streamed answer, translated as it comes."""

    def __init__(self, response: str, mode: AggregateMode | None) -> None:
        self._chat = ChatStream()
        self._writer = ResponseWriter(response, mode)

    def feed(self, data: str) -> list[str]:
        """The events for one event of the chat stream."""
        chunk = parse_object(data)
        if not isinstance(chunk, Unparsable) and (usage := object_at(chunk, "usage")):
            self._writer.counted(usage)
        return list(self._writer.write(self._chat.feed(data)))

    def close(self) -> list[str]:
        """The events for the stream's proper end."""
        return list(self._writer.write(self._chat.close()))


def whole_answer(response: str, answer: ChatResponse, mode: AggregateMode | None) -> list[str]:
    """The events for an answer that was not streamed."""
    writer = ResponseWriter(response, mode)
    if answer.usage is not None:
        writer.counted(_chat_usage(answer.usage))
    if answer.finish_reason == _LENGTH:
        return list(writer.write([failure(FailureKind.CONTEXT_WINDOW)]))
    done: list[ChatEvent] = [OutputItemDone(item) for item in answer.items]
    return list(writer.write([*done, Completed(answer.response_id)]))


def response_id(text: str) -> str | None:
    """What the chat wire calls its answer."""
    said = parse_object(text)
    return None if isinstance(said, Unparsable) else string_at(said, "id")


def _in_one_part(item: Item) -> JsonObject:
    """The item with its texts in one part each. The chat client made a part of every piece; to a
    Responses client parts are messages of their own."""
    content = item.get("content")
    if not isinstance(content, list) or not content:
        return dict(item)
    text = "".join(part["text"] for part in content)
    return {**item, "content": [{**content[0], "text": text}]}


def _chat_usage(usage: TokenUsage) -> JsonObject:
    return {
        "prompt_tokens": usage.input_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_input_tokens},
        "completion_tokens": usage.output_tokens,
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_output_tokens},
        "total_tokens": usage.total_tokens,
    }


def _text(kind: str, **members: object) -> str:
    return json.dumps({"type": kind, **members}, ensure_ascii=False, separators=(",", ":"))
