"""Responses events: the JSON text of a stream's events into typed records.

The events are those of the Responses API, the same over SSE and WebSocket. What is not known here,
or lacks the field that makes it what its type says, is an ``UnknownEvent``. Every event keeps its
whole JSON object in ``raw``, so nothing is lost, and nothing that the wire holds raises: text that
is no JSON object is ``Unparsable``.

This module refuses to know order: which event may follow which is ``response.py``'s.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from wiretape.jsontext import (
    JsonObject,
    Unparsable,
    count_at,
    object_at,
    parse_object,
    string_at,
)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that the server said. ``type`` is the wire's, ``""`` where it gives none."""

    type: str
    raw: JsonObject = field(repr=False)


@dataclass(frozen=True, slots=True)
class UnknownEvent(Event):
    """An event of a type that is not known here, or without what its type needs (``problem``)."""

    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of a response. The details are parts of input and output, 0 if not stated."""

    input_tokens: int
    cached_tokens: int
    output_tokens: int
    reasoning_tokens: int
    total_tokens: int


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """An error object, each field as far as it is stated."""

    code: str | None = None
    message: str | None = None
    type: str | None = None
    param: str | None = None

    @property
    def words(self) -> str:
        """The code, or for want of one the type, and the message."""
        return ": ".join(each for each in (self.code or self.type, self.message) if each)


class Phase(StrEnum):
    """What a ``Lifecycle`` event says about the response. The values are the wire's types."""

    CREATED = "response.created"
    QUEUED = "response.queued"
    IN_PROGRESS = "response.in_progress"
    COMPLETED = "response.completed"
    DONE = "response.done"
    """An older word for completed, or one that follows it."""
    FAILED = "response.failed"
    INCOMPLETE = "response.incomplete"


@dataclass(frozen=True, slots=True)
class Lifecycle(Event):
    """An event about the response as a whole, with what its ``response`` object states."""

    phase: Phase
    response_id: str | None
    status: str | None
    usage: Usage | None
    error: ErrorInfo | None
    incomplete_reason: str | None


@dataclass(frozen=True, slots=True)
class ErrorEvent(Event):
    """``error``: flat over SSE; over WebSocket an ``error`` object and an HTTP ``status``."""

    error: ErrorInfo
    status: int | None


class Channel(StrEnum):
    """The kinds of text that an output item can be streaming."""

    TEXT = "text"
    REFUSAL = "refusal"
    REASONING = "reasoning"
    SUMMARY = "summary"
    ARGUMENTS = "arguments"
    """The JSON arguments of a function or MCP call."""
    INPUT = "input"
    """The free-form input of a custom tool call."""


@dataclass(frozen=True, slots=True)
class ItemEvent(Event):
    """An event about an output item. Either way of naming the item may be missing."""

    item_id: str | None
    output_index: int | None


@dataclass(frozen=True, slots=True)
class ItemAdded(ItemEvent):
    """``response.output_item.added``"""

    item: JsonObject = field(repr=False)


@dataclass(frozen=True, slots=True)
class ItemDone(ItemEvent):
    """``response.output_item.done``: the item as it is meant to be kept."""

    item: JsonObject = field(repr=False)


@dataclass(frozen=True, slots=True)
class PartAdded(ItemEvent):
    """A part of an item's content or summary begins; ``channel`` is ``None`` if not of text."""

    part_index: int
    channel: Channel | None


@dataclass(frozen=True, slots=True)
class PartDone(PartAdded):
    """A part has ended, with its text as it is meant to be kept."""

    text: str | None


@dataclass(frozen=True, slots=True)
class Delta(ItemEvent):
    """A piece of an item's text; ``part_index`` is 0 where the channel has no parts."""

    part_index: int
    channel: Channel
    delta: str


@dataclass(frozen=True, slots=True)
class TextDone(ItemEvent):
    """The whole text that the deltas of a part make up."""

    part_index: int
    channel: Channel
    text: str


def event_type(text: str) -> str | None:
    """The type of an event, cheaply: read from the start of the text where it stands first.

    Equals ``parse_event(text).type`` for JSON without repeated keys; the rest of the text is not
    looked at. ``None`` if there is no such type.
    """
    if found := _TYPE_FIRST.match(text):
        return found[1]
    raw = parse_object(text)
    return None if isinstance(raw, Unparsable) else string_at(raw, "type")


def parse_event(text: str) -> Event | Unparsable:
    """The event that the text of an SSE event or a WebSocket message holds."""
    raw = parse_object(text)
    if isinstance(raw, Unparsable):
        return raw
    kind = string_at(raw, "type") or ""
    reader = _READERS.get(kind)
    if reader is None:
        return UnknownEvent(kind, raw)
    try:
        return reader(kind, raw)
    except _Missing as missing:
        return UnknownEvent(kind, raw, problem=f"no {missing} in it")


class _Missing(Exception):
    """A field without which an event is not what its type says."""


type _Reader = Callable[[str, JsonObject], Event]


def _lifecycle(kind: str, raw: JsonObject) -> Event:
    response = object_at(raw, "response")
    error = object_at(response, "error")
    return Lifecycle(
        type=kind,
        raw=raw,
        phase=Phase(kind),
        response_id=string_at(response, "id"),
        status=string_at(response, "status"),
        usage=_usage(object_at(response, "usage")),
        error=_error_info(error) if error else None,
        incomplete_reason=string_at(object_at(response, "incomplete_details"), "reason"),
    )


def _usage(raw: JsonObject) -> Usage | None:
    """The counts, if the two that matter are there; a total that is not stated is their sum."""
    given, made = count_at(raw, "input_tokens"), count_at(raw, "output_tokens")
    if given is None or made is None:
        return None
    total = count_at(raw, "total_tokens")
    return Usage(
        input_tokens=given,
        cached_tokens=count_at(object_at(raw, "input_tokens_details"), "cached_tokens") or 0,
        output_tokens=made,
        reasoning_tokens=count_at(object_at(raw, "output_tokens_details"), "reasoning_tokens") or 0,
        total_tokens=given + made if total is None else total,
    )


def _error(kind: str, raw: JsonObject) -> Event:
    flat = {key: value for key, value in raw.items() if key != "type"}
    error = _error_info(object_at(raw, "error") or flat)
    return ErrorEvent(kind, raw, error, count_at(raw, "status") or count_at(raw, "status_code"))


def error_in(body: JsonObject) -> ErrorInfo:
    """The error that the body of an error page tells of: its ``error``, an object or a text, or
    what stands in it without one. Some servers write the message into ``detail``."""
    words = string_at(body, "error") or string_at(body, "detail")
    told = object_at(body, "error") or object_at(body, "detail") or body
    return replace(_error_info(told), message=words) if words else _error_info(told)


def _error_info(raw: JsonObject) -> ErrorInfo:
    return ErrorInfo(*(string_at(raw, key) for key in ("code", "message", "type", "param")))


def _item(made: type[ItemAdded] | type[ItemDone]) -> _Reader:
    def read(kind: str, raw: JsonObject) -> Event:
        item = raw.get("item")
        if not isinstance(item, dict):
            raise _Missing("item")
        return made(kind, raw, string_at(item, "id"), count_at(raw, "output_index"), item)

    return read


def _part(made: type[PartAdded] | type[PartDone], index_key: str) -> _Reader:
    def read(kind: str, raw: JsonObject) -> Event:
        item_id, output_index = string_at(raw, "item_id"), count_at(raw, "output_index")
        index, part = count_at(raw, index_key) or 0, object_at(raw, "part")
        channel, text_key = PART_TEXTS.get(string_at(part, "type") or "", (None, ""))
        if made is PartDone:
            text = string_at(part, text_key)
            return PartDone(kind, raw, item_id, output_index, index, channel, text)
        return PartAdded(kind, raw, item_id, output_index, index, channel)

    return read


def _text(
    made: type[Delta] | type[TextDone], channel: Channel, index_key: str, text_key: str
) -> _Reader:
    def read(kind: str, raw: JsonObject) -> Event:
        item_id, output_index = string_at(raw, "item_id"), count_at(raw, "output_index")
        text = raw.get(text_key)
        if not isinstance(text, str):
            raise _Missing(text_key)
        return made(kind, raw, item_id, output_index, count_at(raw, index_key) or 0, channel, text)

    return read


PART_TEXTS = {
    "output_text": (Channel.TEXT, "text"),
    "refusal": (Channel.REFUSAL, "refusal"),
    "reasoning_text": (Channel.REASONING, "text"),
    "summary_text": (Channel.SUMMARY, "text"),
}
"""Part types that hold text: the channel that streams it, and the key that holds it whole."""

_STREAMS = (
    ("response.output_text", Channel.TEXT, "content_index", "text"),
    ("response.refusal", Channel.REFUSAL, "content_index", "refusal"),
    ("response.reasoning_text", Channel.REASONING, "content_index", "text"),
    ("response.reasoning_summary_text", Channel.SUMMARY, "summary_index", "text"),
    ("response.function_call_arguments", Channel.ARGUMENTS, "", "arguments"),
    ("response.mcp_call_arguments", Channel.ARGUMENTS, "", "arguments"),
    ("response.custom_tool_call_input", Channel.INPUT, "", "input"),
)
"""Event types that stream text: their stem, channel, the key of the part, the key of the whole."""

_READERS: dict[str, _Reader] = {
    **{phase.value: _lifecycle for phase in Phase},
    "error": _error,
    "response.output_item.added": _item(ItemAdded),
    "response.output_item.done": _item(ItemDone),
    "response.content_part.added": _part(PartAdded, "content_index"),
    "response.content_part.done": _part(PartDone, "content_index"),
    "response.reasoning_summary_part.added": _part(PartAdded, "summary_index"),
    "response.reasoning_summary_part.done": _part(PartDone, "summary_index"),
    **{f"{stem}.delta": _text(Delta, channel, at, "delta") for stem, channel, at, _ in _STREAMS},
    **{f"{stem}.done": _text(TextDone, channel, at, key) for stem, channel, at, key in _STREAMS},
}

_TYPE_FIRST = re.compile(r'[ \t\r\n]*{[ \t\r\n]*"type"[ \t\r\n]*:[ \t\r\n]*"([^"\\\x00-\x1f]*)"')
