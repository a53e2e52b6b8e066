"""JSON as the wire holds it: strict, never raising, and read without trust.

Text is read by RFC 8259: no NaN, no Infinity, no number beyond the range of a float (which the
clients refuse as well). Of a key that stands twice the last value counts. A string may hold a lone
surrogate, as the wire's ``\\udXXX`` may; such a string cannot be encoded before it is mended.

The invariant tests keep: whatever the text, the answer is an object or ``Unparsable``.
"""

import json
import math
from dataclasses import dataclass
from typing import Any

type JsonObject = dict[str, Any]

_SURELY_FINITE_DIGITS = 300


@dataclass(frozen=True, slots=True)
class Unparsable:
    """Text that is not a JSON object, and why."""

    text: str
    reason: str


def parse_object(text: str) -> JsonObject | Unparsable:
    """The JSON object that the text holds."""
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        return Unparsable(text, f"{error.msg} at character {error.pos}")
    except RecursionError:
        return Unparsable(text, "nested too deeply")
    except _NotJson as error:
        return Unparsable(text, str(error))
    if isinstance(value, dict):
        return value
    return Unparsable(text, "not a JSON object")


def encoded(value: JsonObject) -> bytes:
    """The object as short as JSON can be. A lone surrogate, which UTF-8 cannot hold, is escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def string_at(value: JsonObject, key: str) -> str | None:
    """The string under ``key``, ``None`` if it is missing or something else."""
    found = value.get(key)
    return found if isinstance(found, str) else None


def count_at(value: JsonObject, key: str) -> int | None:
    """The count or index under ``key``, if it is one that a store can hold; ``true`` is none."""
    found = value.get(key)
    return found if type(found) is int and 0 <= found < 1 << 63 else None


def object_at(value: JsonObject, key: str) -> JsonObject:
    """The object under ``key``, an empty one if it is missing or something else."""
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def mended(text: str) -> str:
    """The text with surrogate halves that belong together joined, and lone ones as U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


class _NotJson(ValueError):
    """A literal that Python would read and JSON does not allow."""


def _integer(digits: str) -> int:
    if len(digits) > _SURELY_FINITE_DIGITS:
        _float(digits)
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise _NotJson("a number beyond the range of a float")
    return value


def _constant(name: str) -> float:
    raise _NotJson(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_int=_integer, parse_float=_float, parse_constant=_constant)
