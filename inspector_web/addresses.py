"""What an address asks for, value by value: what is none of those that make sense is refused."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final
from urllib.parse import urlencode

from wiretape.errors import UsageError

_MOST_DIGITS: Final = 16
_MOMENT: Final = re.compile(
    r"(?:(?:(\d{1,4}):)?(\d{1,6}):)?(\d{1,9})(?:\.(\d{1,6}))?\s*s?", re.ASCII
)


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


def row_or_moment_in(given: Mapping[str, str], name: str) -> tuple[int | None, int | None]:
    """The number of a row, from 1, or a time in microseconds since the tape began: a time has a
    point, a colon or an ``s``, like ``12.5``, ``1:02`` or ``90s``. Neither where there is nothing.

    Raises:
        BadAddress: it is neither of them.
    """
    text = given.get(name, "").strip()
    if not text:
        return None, None
    number = text.replace(",", "")
    if number.isascii() and number.isdecimal() and len(number) <= _MOST_DIGITS and int(number):
        return int(number), None
    found = _MOMENT.fullmatch(number)
    if found is None or number.isdecimal():
        raise BadAddress(
            f"{name} is {text[:40]!r}: it has to be the number of a row, from 1, or a time, as "
            "12.5s or 1:02."
        )
    hours, minutes, seconds, parts = (each or "0" for each in found.groups())
    whole_s = (int(hours) * 60 + int(minutes)) * 60 + int(seconds)
    return None, whole_s * 1_000_000 + int(parts.ljust(6, "0"))
