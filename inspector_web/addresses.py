"""What an address asks for, value by value: what is none of those that make sense is refused."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final
from urllib.parse import urlencode

from wiretape.errors import UsageError

_MOST_DIGITS: Final = 16


class BadAddress(UsageError):
    """A value in an address that makes no sense."""


def number_in(given: Mapping[str, str], name: str) -> int | None:
    """A whole number from 0; ``None`` where there is none.

    Raises:
        BadAddress: it is something else.
    """
    text = given.get(name, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS):
        raise BadAddress(
            f"{name} is {text[:40]!r}: it has to be a number of {_MOST_DIGITS} digits at most."
        )
    return int(text)


def choice_in[Choice: StrEnum](
    given: Mapping[str, str], name: str, kind: type[Choice]
) -> Choice | None:
    """One of a closed set; ``None`` where there is none.

    Raises:
        BadAddress: it is none of them.
    """
    text = given.get(name, "")
    if not text:
        return None
    if text not in set(kind):
        raise BadAddress(f"{name} is {text[:40]!r}: it has to be one of {', '.join(kind)}.")
    return kind(text)


def page_in(given: Mapping[str, str]) -> int:
    """The page that is asked for, from 1.

    Raises:
        BadAddress: it is no number.
    """
    return max(1, number_in(given, "page") or 1)


def changed(given: Mapping[str, str], **values: object) -> str:
    """The query of the same view with some values changed; ``None`` takes one out."""
    kept = dict(given) | values
    return f"?{urlencode({name: value for name, value in kept.items() if value is not None})}"
