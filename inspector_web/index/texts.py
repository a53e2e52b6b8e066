"""The texts of what crossed in which a text is looked for."""

from collections.abc import Iterator
from typing import Any, Final

from wiretape.crossings import Crossing
from wiretape.jsontext import Unparsable, mended, parse_object

_MOST_DEPTH: Final = 60


def texts_of(crossing: Crossing, asked: str | None) -> Iterator[str]:
    """What is told of it, and what crossed: as it did, and as it reads.

    ``asked`` is what the client said with it for the first time, if that is known.
    """
    yield crossing.summary
    if asked is not None:
        yield asked
    elif crossing.text:
        yield crossing.text
        yield from readable(crossing.text)


def readable(text: str) -> Iterator[str]:
    """The texts in an event's JSON, where they are not written there as they read: ``"`` and what
    is no ASCII may be escaped."""
    if "\\" not in text:
        return
    value = parse_object(text)
    if not isinstance(value, Unparsable):
        yield from strings_in(value)


def strings_in(value: Any, depth: int = 0) -> Iterator[str]:
    """Every text in a JSON value, keys included, in order."""
    if depth > _MOST_DEPTH:
        return
    match value:
        case str():
            yield mended(value)
        case dict():
            for key, member in value.items():
                if not isinstance(member, dict | list):
                    yield mended(f"{key}: {member}")
                    continue
                yield mended(key)
                yield from strings_in(member, depth + 1)
        case list():
            for element in value:
                yield from strings_in(element, depth + 1)
        case int() | float():
            yield str(value)
