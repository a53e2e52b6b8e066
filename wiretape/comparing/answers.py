"""What came back for an attempt, as a value that can be compared.

How a text was cut into deltas means nothing, and neither does what is said twice: an answer is its
head, its output items, what else was said, and how it ended. Its events are told by their types,
deltas of a kind in a row counted as one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from typing import Any, Final

from wiretape.asked import RequestKind
from wiretape.attempt import Attempt
from wiretape.comparing.left_out import counts, without_volatile
from wiretape.crossings import (
    CLOSE,
    COMMENT,
    END,
    HTTP_BODY,
    HTTP_RESPONSE,
    PING,
    PONG,
    Crossing,
)
from wiretape.events import ErrorEvent, Lifecycle, UnknownEvent, parse_event
from wiretape.jsontext import Unparsable, object_at, parse_object, string_at
from wiretape.output import ItemState, OutputItem
from wiretape.response import ResponseFold
from wiretape.store_reader import Exchange


@dataclass(frozen=True, slots=True)
class EventRun:
    """Events of one type in a row: deltas may be many, of anything else there is one."""

    type: str
    count: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. ``says`` is JSON in which everything stands that two answers are compared
    by; ``events`` are what the server sent, in order.
    """

    says: Mapping[str, Any] = field(default_factory=dict)
    events: tuple[EventRun, ...] = ()


_FRAMING: Final = frozenset({HTTP_RESPONSE, COMMENT, PING, PONG, CLOSE, END})
_DELTA: Final = ".delta"


def answer_to(attempt: Attempt, exchange: Exchange, sent: Iterable[Crossing]) -> Answer:
    """What came back for ``attempt``, which ``sent`` is all of."""
    content = [each for each in sent if each.type not in _FRAMING]
    texts = tuple((each.type == HTTP_BODY, each.text) for each in content)
    said = dict(_said(attempt.kind is RequestKind.CHAT, texts))
    said["outcome"] = str(attempt.outcome)
    if attempt.response_id is not None:
        said["response_id"] = attempt.response_id
    if attempt.detail:
        said["detail"] = attempt.detail
    if attempt.message is None and exchange.response is not None:
        said["status"] = exchange.response.status
        said["headers"] = _headers(exchange)
    return Answer(without_volatile(said), tuple(_runs(content)))


def _headers(exchange: Exchange) -> dict[str, str]:
    assert exchange.response is not None
    found: dict[str, str] = {}
    for name, value in exchange.response.headers:
        key = name.lower()
        if counts(key):
            found[key] = f"{found[key]}, {value}" if key in found else value
    return found


@lru_cache(maxsize=1)
def _said(is_chat: bool, sent: tuple[tuple[bool, str | None], ...]) -> Mapping[str, Any]:
    """The words of an answer, by what was sent, each with whether it is of a body that is no
    stream. The last one is kept: that of a replay, asked for next, is often the same."""
    bodies = "".join(text or "" for is_body, text in sent if is_body)
    if bodies:
        parsed = parse_object(bodies)
        return {"body": bodies if isinstance(parsed, Unparsable) else parsed}
    texts = [text for _, text in sent if text is not None]
    if is_chat:
        return {"chunks": [_json(text) for text in texts]}
    return _responses(texts)


def _responses(texts: list[str]) -> dict[str, Any]:
    """The words of a stream of Responses events."""
    fold = ResponseFold()
    said: dict[str, Any] = {}
    others: list[Any] = []
    for text in texts:
        event = parse_event(text)
        fold.add(event)
        match event:
            case Lifecycle() if model := string_at(object_at(event.raw, "response"), "model"):
                said["model"] = model
            case ErrorEvent(raw=raw, status=int(status)):
                said |= {"status": status, "body": {"error": raw.get("error")}}
            case UnknownEvent():
                others.append(event.raw)
            case Unparsable():
                others.append(event.text)
    state = fold.state()
    said["output"] = [_item(item) for item in state.items]
    if others:
        said["other_events"] = others
    if state.usage is not None:
        usage = state.usage
        said["usage"] = {name: getattr(usage, name) for name in usage.__slots__}
    return said


def _item(item: OutputItem) -> Any:
    """An output item as it was said to be; one that was cut off, with what had come of it."""
    if item.state is ItemState.DONE:
        return item.raw
    return {**item.raw, "so_far": [text.text for text in item.texts]}


def _json(text: str) -> Any:
    parsed = parse_object(text)
    return text if isinstance(parsed, Unparsable) else parsed


def _runs(sent: list[Crossing]) -> Iterator[EventRun]:
    types = (each.type for each in sent if each.type != HTTP_BODY)
    for kind, same in groupby(types):
        count = sum(1 for _ in same)
        if kind.endswith(_DELTA):
            yield EventRun(kind, count)
        else:
            yield from [EventRun(kind, 1)] * count
