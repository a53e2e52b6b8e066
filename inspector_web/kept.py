"""Dataclasses as JSON and back, so that what was worked out once can be kept in a file.

Which fields there are is read from the classes: a dataclass is a list of its fields' values in
their order, an enumeration its value. Kept values are read by the program that wrote them.
"""

import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

type _Reader = Callable[[Any], Any]


def as_text(value: Any) -> str:
    """A dataclass as text."""
    return json.dumps(_plain(value), separators=(",", ":"))


def from_text[Value](kind: type[Value], text: str) -> Value:
    """Undoes :func:`as_text`.

    Raises:
        ValueError, TypeError, LookupError: the text is not of that kind.
    """
    reader: _Reader = _reader(kind)  # type: ignore[arg-type]  # a class is hashable
    value: Value = reader(json.loads(text))
    return value


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return [_plain(getattr(value, field.name)) for field in fields(value)]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


@cache
def _reader(kind: Any) -> _Reader:
    """What makes a value of that kind from its plain form."""
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        readers = [_reader(hints[field.name]) for field in fields(kind)]
        return lambda plain: kind(*(read(each) for read, each in zip(readers, plain, strict=True)))
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        (inner,) = (_reader(part) for part in parts if part is not NoneType)
        return lambda plain: None if plain is None else inner(plain)
    if origin is list or (origin is tuple and parts[1:] == (...,)):
        inner, gather = _reader(parts[0]), origin
        return lambda plain: gather(map(inner, plain))
    if origin is tuple:
        readers = [_reader(part) for part in parts]
        return lambda plain: tuple(read(each) for read, each in zip(readers, plain, strict=True))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    return _as_it_stands


def _as_it_stands(plain: Any) -> Any:
    return plain
