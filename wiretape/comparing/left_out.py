"""What differs between any two runs, also of a live model, without meaning anything. Data, and how
it is left out of what is compared."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from wiretape.asked import Asked
from wiretape.likeness import UUID
from wiretape.redact import is_secret_header
from wiretape.volatile import VOLATILE_HEADERS, VOLATILE_PATHS

_SERVER_IDS: Final = "call|cmp|ctc|fc|ig|lsh|mcp|msg|resp|rs|ws"
ID: Final = re.compile(
    rf"(?<![A-Za-z0-9_])(?:(?:{_SERVER_IDS})_|chatcmpl-)(?=[\w-]*\d)[\w-]*\w|{UUID.pattern}",
    re.IGNORECASE,
)
"""An id: the client's are UUIDs, the server's say of what, and hold a digit, by which they are told
from words. They must correspond, not be equal."""

VOLATILE_KEYS: Final = frozenset(
    {"completed_at", "created", "created_at", "encrypted_content", "obfuscation", "sequence_number"}
)
"""Members of what a server says, and of what a client says again, that are new each time."""

VOLATILE_ANSWER_HEADERS: Final = frozenset(
    {
        "age",
        "cf-cache-status",
        "cf-ray",
        "connection",
        "content-encoding",
        "content-length",
        "date",
        "keep-alive",
        "openai-processing-ms",
        "proxy-connection",
        "sec-websocket-accept",
        "sec-websocket-extensions",
        "server",
        "server-timing",
        "transfer-encoding",
        "upgrade",
        "via",
        "x-codex-turn-state",
        "x-envoy-upstream-service-time",
        "x-request-id",
    }
)
"""Headers of an answer that tell of the way it took, or name this one answer."""


def counts(header: str) -> bool:
    """Whether a header of an answer, its name in lower case, is compared."""
    return header not in VOLATILE_ANSWER_HEADERS and not is_secret_header(header)


_MOST_DEPTH: Final = 100
"""What is nested more deeply is compared as it is."""


def without_volatile(value: Any, depth: int = 0) -> Any:
    """A JSON value without the members that are new each time."""
    match value:
        case dict() | list() if depth > _MOST_DEPTH:
            return value
        case dict():
            return {
                key: without_volatile(each, depth + 1)
                for key, each in value.items()
                if key not in VOLATILE_KEYS
            }
        case list():
            return [without_volatile(each, depth + 1) for each in value]
        case _:
            return value


def comparable(asked: Asked) -> Asked:
    """What was asked, without the members that are new each time."""
    return replace(asked, body=without_volatile(asked.body))


def left_out(one: Asked, other: Asked) -> Iterator[str]:
    """The known-volatile parts in which two requests do differ."""
    headers = [
        {name.lower(): value for name, value in asked.headers if name.lower() in VOLATILE_HEADERS}
        for asked in (one, other)
    ]
    bodies = [asked.body if isinstance(asked.body, dict) else {} for asked in (one, other)]
    for name in sorted(headers[0].keys() | headers[1].keys()):
        if headers[0].get(name) != headers[1].get(name):
            yield f"headers.{name}"
    for path in sorted(VOLATILE_PATHS):
        if bodies[0].get(path) != bodies[1].get(path):
            yield path
    inside = [list(_volatile_in(body)) for body in bodies]
    if inside[0] != inside[1]:
        for key in sorted(VOLATILE_KEYS):
            left, right = ([value for name, value in each if name == key] for each in inside)
            if left != right:
                yield key


def _volatile_in(value: Any, depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The members anywhere in it that are new each time."""
    match value:
        case dict() | list() if depth > _MOST_DEPTH:
            return
        case dict():
            for name, each in value.items():
                if name in VOLATILE_KEYS:
                    yield name, each
                else:
                    yield from _volatile_in(each, depth + 1)
        case list():
            for each in value:
                yield from _volatile_in(each, depth + 1)
