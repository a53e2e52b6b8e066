"""One event of the wire to what the client makes of it: an event, a failure, or nothing.

Source: document 002 §3.2 and §6. Both transports use this; what a failure does to the stream
is the stream's own rule. What the client makes nothing of is kept, with the reason.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from wiretape.client.completed import read_completed, read_done
from wiretape.client.dialect import Dialect, Incomplete
from wiretape.client.events import (
    ClientEvent,
    Completed,
    Created,
    OutputItemAdded,
    OutputItemDone,
    OutputTextDelta,
    ReasoningContentDelta,
    ReasoningSummaryDelta,
    ReasoningSummaryPartAdded,
)
from wiretape.client.failed import read_failed
from wiretape.client.failures import Failure, FailureKind, failure, stream_failure
from wiretape.client.items import is_readable
from wiretape.jsontext import JsonObject, Unparsable, object_at, parse_object, string_at


class IgnoreReason(StrEnum):
    """Why the client made nothing of something."""

    NOT_AN_EVENT = "not an event"
    """No JSON object, no ``type``, or a field of the wrong kind."""
    UNKNOWN_TYPE = "unknown type"
    MISSING_FIELD = "missing field"
    UNREADABLE_ITEM = "unreadable item"


@dataclass(frozen=True, slots=True)
class Ignored:
    """Something the server said that the client passes over."""

    reason: IgnoreReason
    text: str


type Decoded = ClientEvent | Failure | Ignored


def decode(text: str, dialect: Dialect) -> Decoded:
    """What the client makes of an event's text (§3.2)."""
    raw = parse_object(text)
    if isinstance(raw, Unparsable) or not _is_event(raw):
        return Ignored(IgnoreReason.NOT_AN_EVENT, text)
    reader = _READERS.get(raw["type"])
    decoded = IgnoreReason.UNKNOWN_TYPE if reader is None else reader(raw, dialect)
    return Ignored(decoded, text) if isinstance(decoded, IgnoreReason) else decoded


def _is_event(raw: JsonObject) -> bool:
    """Whether the client can read it: a type, and each field that it knows of its kind or null."""
    return isinstance(raw.get("type"), str) and all(
        raw.get(name) is None or type(raw[name]) is kind for name, kind in _FIELDS.items()
    )


_FIELDS = {"delta": str, "summary_index": int, "content_index": int}

type _Reader = Callable[[JsonObject, Dialect], ClientEvent | Failure | IgnoreReason]


def _created(raw: JsonObject, _: Dialect) -> Created | IgnoreReason:
    return IgnoreReason.MISSING_FIELD if raw.get("response") is None else Created()


def _item(made: type[OutputItemAdded | OutputItemDone]) -> _Reader:
    def read(raw: JsonObject, _: Dialect) -> ClientEvent | IgnoreReason:
        item = raw.get("item")
        if item is None:
            return IgnoreReason.MISSING_FIELD
        return made(item) if is_readable(item) else IgnoreReason.UNREADABLE_ITEM

    return read


def _fields(made: Callable[..., ClientEvent], *names: str) -> _Reader:
    """An event made of these fields, all of which it needs."""

    def read(raw: JsonObject, _: Dialect) -> ClientEvent | IgnoreReason:
        values = [raw.get(name) for name in names]
        return IgnoreReason.MISSING_FIELD if None in values else made(*values)

    return read


def _completed(raw: JsonObject, _: Dialect) -> Completed | Failure | IgnoreReason:
    response = raw.get("response")
    return IgnoreReason.MISSING_FIELD if response is None else read_completed(response)


def _done(raw: JsonObject, dialect: Dialect) -> Completed | Failure | IgnoreReason:
    if not dialect.completes_on_done:
        return IgnoreReason.UNKNOWN_TYPE
    response = raw.get("response")
    return Completed("") if response is None else read_done(response)


def _failed(raw: JsonObject, dialect: Dialect) -> Failure:
    return read_failed(raw.get("response"), dialect)


def _incomplete(raw: JsonObject, dialect: Dialect) -> Completed | Failure | IgnoreReason:
    details = object_at(object_at(raw, "response"), "incomplete_details")
    reason = string_at(details, "reason") or "unknown"
    match dialect.incomplete.get(reason, dialect.incomplete[""]):
        case Incomplete.IGNORED:
            return IgnoreReason.UNKNOWN_TYPE
        case Incomplete.RETRIED:
            return stream_failure(f"Incomplete response returned, reason: {reason}")
        case Incomplete.FATAL:
            return failure(FailureKind.INCOMPLETE, reason)
        case Incomplete.COMPLETED:
            return _completed(raw, dialect)


_READERS: Mapping[str, _Reader] = {
    "response.created": _created,
    "response.output_item.added": _item(OutputItemAdded),
    "response.output_item.done": _item(OutputItemDone),
    "response.output_text.delta": _fields(OutputTextDelta, "delta"),
    "response.reasoning_summary_text.delta": _fields(
        ReasoningSummaryDelta, "delta", "summary_index"
    ),
    "response.reasoning_text.delta": _fields(ReasoningContentDelta, "delta", "content_index"),
    "response.reasoning_summary_part.added": _fields(ReasoningSummaryPartAdded, "summary_index"),
    "response.completed": _completed,
    "response.done": _done,
    "response.failed": _failed,
    "response.incomplete": _incomplete,
}
