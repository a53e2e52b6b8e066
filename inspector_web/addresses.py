"""What an address asks for, value by value: what is none of those that make sense is refused."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final
from urllib.parse import urlencode

from werkzeug.datastructures import MultiDict
from werkzeug.routing import IntegerConverter

from wiretape.errors import UsageError

MOST_DIGITS: Final = 16
_MOMENT: Final = re.compile(
    r"(?:(?:(\d{1,4}):)?(\d{1,6}):)?(\d{1,9})(?:\.(\d{1,6}))?\s*s?", re.ASCII
)


class Number(IntegerConverter):
    """A number in a path: one with more digits leads nowhere."""

    regex = rf"\d{{1,{MOST_DIGITS}}}"


class BadAddress(UsageError):
    """A value in an address that makes no sense."""


def number_in(given: Mapping[str, str], name: str, least: int = 0) -> int | None:
    """A whole number from ``least`` on; ``None`` where there is none.

    Raises:
        BadAddress: it is something else.
    """
    text = given.get(name, "").strip()
    if not text:
        return None
    if not _is_number(text) or int(text) < least:
        raise BadAddress(
            f"{name} is {text[:40]!r}: it has to be a whole number from {least}, of "
            f"{MOST_DIGITS} digits at most."
        )
    return int(text)


def time_in(given: Mapping[str, str], name: str) -> int | None:
    """Microseconds since the tape began, or before that; ``None`` where there are none.

    Raises:
        BadAddress: it is something else.
    """
    text = given.get(name, "").strip()
    if not text:
        return None
    if not _is_number(text.removeprefix("-")):
        raise BadAddress(
            f"{name} is {text[:40]!r}: it has to be a whole number of microseconds, of "
            f"{MOST_DIGITS} digits at most."
        )
    return int(text)


def window_in(given: Mapping[str, str]) -> tuple[int | None, int | None]:
    """The times ``from`` and ``to``.

    Raises:
        BadAddress: one is no time, or the window ends before it begins.
    """
    from_us, to_us = time_in(given, "from"), time_in(given, "to")
    if from_us is not None and to_us is not None and from_us >= to_us:
        raise BadAddress(f"from is {from_us} and to is {to_us}: a window begins before it ends.")
    return from_us, to_us


def flag_in(given: Mapping[str, str], name: str) -> bool:
    """Whether something is on.

    Raises:
        BadAddress: it is neither that nor left out.
    """
    text = given.get(name, "")
    if text not in ("", "on"):
        raise BadAddress(f"{name} is {text[:40]!r}: it has to be on, or left out.")
    return bool(text)


def check_once(given: MultiDict[str, str]) -> None:
    """Refuses a value that is given twice.

    Raises:
        BadAddress: one is.
    """
    for name, values in given.lists():
        if len(values) > 1:
            raise BadAddress(f"{name[:40]} is given {len(values)} times: once is enough.")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS


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
        BadAddress: it is none.
    """
    return number_in(given, "page", least=1) or 1


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
    if _is_number(number) and int(number):
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
