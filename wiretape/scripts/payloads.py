"""What crosses after the heads, in a script's short forms and back.

A step is a mapping with one of the names below. An event, which is a JSON object with a
``type``, stands for itself: in a stream as a chunk of its own, on a socket as a message.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from wiretape.errors import CannotExpress
from wiretape.facts import PieceKind, Sender
from wiretape.frames import LONGEST_CONTROL_BYTES, close_code_and_reason, close_payload
from wiretape.scripts.layout import (
    JsonText,
    Part,
    ScriptFault,
    Word,
    as_json,
    members,
    writable_json,
)

DATA: Final = "data"
"""A chunk that is one event without a name: ``data: …``, then an empty line."""

TOGETHER: Final = "together"
"""A chunk of several events."""

CLIENT: Final = "client"
"""Sent by the client. All else is sent by the server."""

ANY: Final = "any"
"""A message of the client of which nothing is known: whatever the client asks, is meant."""

_KINDS: Final[Mapping[str, PieceKind]] = {str(kind): kind for kind in PieceKind}
_NAMES: Final = (DATA, TOGETHER, *_KINDS)
_CONTROL: Final = frozenset({PieceKind.CLOSE, PieceKind.PING, PieceKind.PONG})
_FRAMED: Final = re.compile(r"event: ([^\r\n]*)\ndata: ([^\r\n]*)\n\n")
_DATA_ONLY: Final = re.compile(r"data: ([^\r\n]*)\n\n")
_CODE_AND_REASON: Final = re.compile(r"([0-9]{1,5})(?: (.+))?", re.DOTALL)

type Short = JsonText | Word | str | dict[str, Short] | tuple[Short, ...]
"""What a script writes: JSON and words as they are, texts, mappings and lists."""


@dataclass(frozen=True, slots=True)
class Payload:
    """What a piece is, but for its time and its exchange."""

    sender: Sender
    kind: PieceKind
    data: bytes


def data_from(part: Part) -> bytes:
    """The bytes that a text, JSON, or a mapping with ``text`` or ``base64`` stands for."""
    match part.value:
        case Word(text):
            return _encoded(part, text)
        case dict() | JsonText():
            inner = members(part)
            if inner.keys() == {"text"}:
                return data_from(inner["text"])
            if inner.keys() == {"base64"}:
                return _from_base64(inner["base64"])
            return _encoded(part, as_json(part).text)
    raise ScriptFault(part.line, "a text, JSON, or `base64: …` is expected here, not a list")


def short_data(data: bytes) -> Short:
    """Undoes :func:`data_from`."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(data).decode()}
    json = writable_json(text)
    return text if json is None or json.value.keys() in ({"text"}, {"base64"}) else json


def payload_from(part: Part, *, is_websocket: bool) -> Payload:
    """What a step stands for.

    Raises:
        ScriptFault: it is no step.
    """
    if isinstance(part.value, Word):
        raise ScriptFault(part.line, f"a step is a mapping, not the text {part.value.text!r:.40}")
    step = members(part)
    if CLIENT in step and len(step) == 1:
        if not is_websocket:
            raise ScriptFault(part.line, "only on a WebSocket a client sends steps: use `body`")
        return _from_client(step[CLIENT])
    if "type" in step:
        kind, data = _event(part, is_websocket=is_websocket)
    else:
        kind, data = _named(part.line, step, is_websocket=is_websocket)
    return Payload(Sender.SERVER, kind, data)


def _event(part: Part, *, is_websocket: bool) -> tuple[PieceKind, bytes]:
    if is_websocket:
        return PieceKind.TEXT, _encoded(part, as_json(part).text)
    return PieceKind.CHUNK, _framed(part)


def _from_client(part: Part) -> Payload:
    if isinstance(part.value, Word):
        if part.value.text != ANY:
            raise ScriptFault(
                part.line, f"`client: {part.value.text:.40}` is neither `any` nor a message"
            )
        return Payload(Sender.CLIENT, PieceKind.TEXT, b"")
    step = members(part)
    if "type" in step:
        return Payload(Sender.CLIENT, PieceKind.TEXT, _encoded(part, as_json(part).text))
    kind, data = _named(part.line, step, is_websocket=True)
    return Payload(Sender.CLIENT, kind, data)


def _named(line: int, step: dict[str, Part], *, is_websocket: bool) -> tuple[PieceKind, bytes]:
    if len(step) != 1 or (name := next(iter(step))) not in _NAMES:
        given = ", ".join(step) or "nothing"
        raise ScriptFault(
            line,
            f"a step is an event, which has a `type`, or one of {', '.join(_NAMES)}: "
            f"this has {given}",
        )
    part = step[name]
    if name == DATA:
        line_of_data = data_from(part)
        if b"\n" in line_of_data or b"\r" in line_of_data:
            raise ScriptFault(part.line, "`data` is one line: write the event as a `chunk`")
        return PieceKind.CHUNK, b"data: %s\n\n" % line_of_data
    if name == TOGETHER:
        if not isinstance(part.value, tuple):
            raise ScriptFault(part.line, "`together` is a list of events")
        return PieceKind.CHUNK, b"".join(map(_framed, part.value))
    kind = _KINDS[name]
    if is_websocket is (kind is PieceKind.CHUNK):
        where = "on a WebSocket" if is_websocket else "in the answer to a request over HTTP"
        raise ScriptFault(part.line, f"there is no `{name}` {where}")
    data = _close_from(part) if kind is PieceKind.CLOSE else data_from(part)
    if kind in _CONTROL and len(data) > LONGEST_CONTROL_BYTES:
        raise ScriptFault(
            part.line,
            f"a `{name}` holds {LONGEST_CONTROL_BYTES} bytes at most, two of a close frame being "
            f"its code, and this has {len(data)}: shorten it",
        )
    return kind, data


def short_payload(payload: Payload, *, is_websocket: bool) -> Short:
    """Undoes :func:`payload_from`.

    Raises:
        CannotExpress: nothing of the kind crosses there.
    """
    is_client = payload.sender is Sender.CLIENT
    if is_websocket is (payload.kind is PieceKind.CHUNK) or (is_client and not is_websocket):
        raise CannotExpress(
            f"a script cannot hold a {payload.kind} of the {payload.sender} "
            f"{'on a WebSocket' if is_websocket else 'over HTTP'}: leave out that exchange."
        )
    short = _short_step(payload, is_websocket=is_websocket)
    if not is_client:
        return short
    if payload.kind is PieceKind.TEXT and not payload.data:
        short = ANY
    return {CLIENT: short}


def _short_step(payload: Payload, *, is_websocket: bool) -> Short:
    match payload.kind:
        case PieceKind.CLOSE:
            return {"close": _short_close(payload.data)}
        case PieceKind.TEXT:
            event = _event_in(payload.data)
            if event is not None:
                return event
        case PieceKind.CHUNK if not is_websocket and (stream := _short_stream(payload.data)):
            return stream
    return {str(payload.kind): short_data(payload.data)}


def _short_stream(chunk: bytes) -> Short | None:
    """A chunk of whole events in the plain form."""
    try:
        text = chunk.decode()
    except UnicodeDecodeError:
        return None
    if only := _DATA_ONLY.fullmatch(text):
        return {DATA: short_data(only[1].encode())}
    events: list[JsonText] = []
    end = 0
    while framed := _FRAMED.match(text, end):
        event = _event_in(framed[2].encode())
        if event is None or event.value["type"] != framed[1]:
            return None
        events.append(event)
        end = framed.end()
    if end < len(text) or not events:
        return None
    return events[0] if len(events) == 1 else {TOGETHER: tuple(events)}


def _event_in(data: bytes) -> JsonText | None:
    """The event that a message, or the data of an event in a stream, is, if it is one."""
    try:
        event = writable_json(data.decode())
    except UnicodeDecodeError:
        return None
    return event if event is not None and isinstance(event.value.get("type"), str) else None


def _framed(part: Part) -> bytes:
    json = as_json(part)
    kind = json.value.get("type")
    if not isinstance(kind, str) or "\n" in kind or "\r" in kind:
        raise ScriptFault(part.line, "an event of a stream has a `type`, which is one line")
    return b"event: %s\ndata: %s\n\n" % (_encoded(part, kind), _encoded(part, json.text))


def _close_from(part: Part) -> bytes:
    match part.value:
        case Word(""):
            return b""
        case Word(text) if (match := _CODE_AND_REASON.fullmatch(text)) and int(match[1]) < 65536:
            return close_payload(int(match[1]), "") + _encoded(part, match[2] or "")
        case Word(text):
            raise ScriptFault(
                part.line, f"`close: {text:.40}` has no code: write `close: 1011 why`"
            )
    return data_from(part)


def _short_close(data: bytes) -> Short:
    code, reason = close_code_and_reason(data)
    short = "" if code is None else f"{code} {reason}".rstrip(" ")
    again = _CODE_AND_REASON.fullmatch(short)
    told = b"" if again is None else close_payload(int(again[1]), again[2] or "")
    return short if told == data else {"base64": b64encode(data).decode()}


def _from_base64(part: Part) -> bytes:
    if isinstance(part.value, Word):
        try:
            return b64decode("".join(part.value.text.split()), validate=True)
        except ValueError:
            pass
    raise ScriptFault(part.line, "this is no base64: use `text: …` for what is text")


def _encoded(part: Part, text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ScriptFault(
            part.line, "a text holds half a character (a lone surrogate): write it as base64"
        ) from error
