"""Client messages: what a client says over a WebSocket, and the same request as an HTTP body.

A message that is not known here is an ``UnknownMessage``; each keeps its whole JSON object in
``raw``. Nothing that the wire holds raises: text that is no JSON object is ``Unparsable``.
"""

from dataclasses import dataclass, field
from typing import Any

from wiretape.jsontext import JsonObject, Unparsable, parse_object, string_at

type Input = list[Any] | str | None
"""Input items, or one user message as plain text; ``None`` where there is neither."""


@dataclass(frozen=True, slots=True)
class ClientMessage:
    """Something that the client said. ``type`` is the wire's, ``""`` where it gives none."""

    type: str
    raw: JsonObject = field(repr=False)


@dataclass(frozen=True, slots=True)
class UnknownMessage(ClientMessage):
    """A message of a type that is not known here."""


@dataclass(frozen=True, slots=True)
class Create(ClientMessage):
    """``response.create``, or the body of an HTTP request, which only lacks the ``type``."""

    model: str | None
    previous_response_id: str | None
    prompt_cache_key: str | None
    input: Input = field(repr=False)
    is_warm_up: bool
    """Asked with ``generate: false``: prepares the server and produces no output."""


@dataclass(frozen=True, slots=True)
class Append(ClientMessage):
    """``response.append``: a request that sends only the input that is new."""

    input: Input = field(repr=False)


def parse_client_message(text: str) -> ClientMessage | Unparsable:
    """The message that a WebSocket message of the client holds."""
    raw = parse_object(text)
    if isinstance(raw, Unparsable):
        return raw
    match kind := string_at(raw, "type") or "":
        case "response.create":
            return read_create(raw)
        case "response.append":
            return Append(kind, raw, _input(raw))
        case _:
            return UnknownMessage(kind, raw)


def read_create(raw: JsonObject) -> Create:
    """The request for a response that a JSON object makes."""
    return Create(
        type=string_at(raw, "type") or "",
        raw=raw,
        model=string_at(raw, "model"),
        previous_response_id=string_at(raw, "previous_response_id"),
        prompt_cache_key=string_at(raw, "prompt_cache_key"),
        input=_input(raw),
        is_warm_up=raw.get("generate") is False,
    )


def _input(raw: JsonObject) -> Input:
    value = raw.get("input")
    return value if isinstance(value, list | str) else None
