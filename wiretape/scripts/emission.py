"""Writes the tree of a script as YAML, in the one form that ``layout`` reads back."""

import re
from collections.abc import Iterator
from typing import Final

from wiretape.scripts.layout import JsonText, Word
from wiretape.scripts.payloads import Short

_PLAIN: Final = re.compile(r"[A-Za-z/](?:[\w./()*+,;=%@!?~^$'-]|:(?=\S)| (?=[^ #]))*", re.ASCII)
_NOT_PLAIN: Final = frozenset(
    {"true", "false", "null", "none", "any", "yes", "no", "on", "off", "y", "n"}
)
"""What YAML, or a script, takes for something else than a text."""

_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def emitted(tree: dict[str, Short]) -> str:
    """The YAML of a whole script."""
    return "".join(f"{line}\n" for line in _block(tree, ""))


def _block(value: Short, indent: str) -> Iterator[str]:
    """The lines of a mapping or a list, neither of them empty."""
    match value:
        case dict():
            for name, each in value.items():
                yield from _entry(f"{indent}{_scalar(name)}:", each, indent)
        case tuple():
            for each in value:
                if isinstance(each, dict | tuple) and each:
                    lines = list(_block(each, indent + "  "))
                    yield f"{indent}- {lines[0].removeprefix(indent + '  ')}"
                    yield from lines[1:]
                else:
                    yield from _entry(f"{indent}-", each, indent)


def _entry(start: str, value: Short, indent: str) -> Iterator[str]:
    match value:
        case dict() if value:
            yield start
            yield from _block(value, indent + "  ")
        case tuple() if value:
            yield start
            yield from _block(value, indent)
        case str() if _stands_on_lines_of_its_own(value):
            yield f"{start} {'|+' if value.endswith('\n') else '|-'}"
            for line in value.removesuffix("\n").split("\n"):
                yield f"{indent}  {line}" if line else ""
        case _:
            yield f"{start} {_inline(value)}"


def _inline(value: Short) -> str:
    match value:
        case JsonText(text) | Word(text):
            return text
        case str():
            return _scalar(value)
        case dict():
            return "{}"
        case tuple():
            return "[]"


def _scalar(text: str) -> str:
    """A text as YAML: plain where it cannot be taken for anything else, else in quotes."""
    if _PLAIN.fullmatch(text) and text.lower() not in _NOT_PLAIN:
        return text
    return f'"{"".join(map(_quoted, text))}"'


def _quoted(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _stands_on_lines_of_its_own(text: str) -> bool:
    """Whether a text can be read as it is, line by line, and only the indentation is put before."""
    lines = text.split("\n")
    return (
        len(lines) > 1
        and lines[0] != ""
        and not lines[0].startswith(" ")
        and all(line.isprintable() and (line == "" or line.strip(" ") != "") for line in lines)
    )
