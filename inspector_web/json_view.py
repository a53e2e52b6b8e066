"""JSON laid out to be read, however large or deep: what is too much is cut, and says so.

A line feed inside a string is shown as its escape and begins a line, so that prompts and tool
outputs can be read; the escapes are still exactly JSON's.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Any, Final

MOST_CHARACTERS: Final = 4000
"""Of one string."""
MOST_DEPTH: Final = 40
MOST_TOKENS: Final = 20_000


class Ink(StrEnum):
    """What a piece of JSON is, so that it can be told apart on screen."""

    KEY = "key"
    STRING = "string"
    NUMBER = "number"
    WORD = "word"
    """``true``, ``false`` and ``null``."""
    SIGN = "sign"
    NOTE = "note"
    """No JSON, but what we say about it."""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the layout; white space is part of the signs."""

    ink: Ink
    text: str


def laid_out(value: Any, most: int = MOST_TOKENS, longest: int = MOST_CHARACTERS) -> list[Token]:
    """The value as ``most`` tokens that, joined, are indented JSON, unless something was cut.

    ``longest`` is the most characters of one string that are shown.
    """
    tokens = list(islice(_value(value, 0, longest), most + 1))
    if len(tokens) > most:
        tokens[-1] = Token(Ink.NOTE, "… cut here: the raw text has the rest")
    return tokens


def _value(value: Any, depth: int, longest: int) -> Iterator[Token]:
    match value:
        case str():
            yield from _string(value, Ink.STRING, depth, longest)
        case bool() | None:
            yield Token(Ink.WORD, json.dumps(value))
        case int() | float():
            yield Token(Ink.NUMBER, json.dumps(value))
        case dict() | list() if not value:
            yield Token(Ink.SIGN, "{}" if isinstance(value, dict) else "[]")
        case dict() | list() if depth >= MOST_DEPTH:
            yield Token(Ink.NOTE, f"… {len(value)} inside, nested too deeply to show")
        case dict():
            yield from _members(value, depth, longest)
        case list():
            yield from _elements(value, depth, longest)


def _members(value: dict[str, Any], depth: int, longest: int) -> Iterator[Token]:
    before = "{"
    for key, member in value.items():
        yield Token(Ink.SIGN, f"{before}\n{_indent(depth + 1)}")
        yield from _string(key, Ink.KEY, depth + 1, longest)
        yield Token(Ink.SIGN, ": ")
        yield from _value(member, depth + 1, longest)
        before = ","
    yield Token(Ink.SIGN, f"\n{_indent(depth)}}}")


def _elements(value: list[Any], depth: int, longest: int) -> Iterator[Token]:
    before = "["
    for element in value:
        yield Token(Ink.SIGN, f"{before}\n{_indent(depth + 1)}")
        yield from _value(element, depth + 1, longest)
        before = ","
    yield Token(Ink.SIGN, f"\n{_indent(depth)}]")


def _string(text: str, ink: Ink, depth: int, longest: int) -> Iterator[Token]:
    shown = text[:longest]
    lines = (json.dumps(line, ensure_ascii=False)[1:-1] for line in shown.split("\n"))
    end = '"' if len(shown) == len(text) else ""
    yield Token(ink, '"' + f"\\n\n{_indent(depth + 1)}".join(lines) + end)
    if not end:
        yield Token(Ink.NOTE, f"… {len(text) - len(shown):,} more characters")


def _indent(depth: int) -> str:
    return "  " * depth
