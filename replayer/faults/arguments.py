"""What stands behind ``=`` in a fault, read by what the action takes. Pure.

Each reader is given the text, ``None`` where there is none, and raises ``ValueError`` with what
would make sense.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from wiretape.facts import Headers
from wiretape.frames import LONGEST_CONTROL_BYTES, close_payload
from wiretape.scripts.defaults import reason_of
from wiretape.words import printable

_LONGEST_REASON_BYTES: Final = LONGEST_CONTROL_BYTES - 2
"""The code comes first."""


@dataclass(frozen=True, slots=True)
class Close:
    """A close frame."""

    code: int
    reason: str

    @property
    def payload(self) -> bytes:
        return close_payload(self.code, self.reason)


@dataclass(frozen=True, slots=True)
class Status:
    """A response that is none of the model's."""

    status: int
    headers: Headers = ()

    @property
    def reason(self) -> str:
        return reason_of(self.status)


def nothing(text: str | None) -> None:
    """No argument."""
    if text is not None:
        raise ValueError("it takes nothing behind `=`")


def seconds(default: float | None = None) -> Callable[[str | None], float | None]:
    """A time."""

    def read(text: str | None) -> float | None:
        if text is None:
            return default
        try:
            number = float(text.removesuffix("s"))
        except ValueError:
            number = math.nan
        if not 0 < number <= 86_400:
            raise ValueError(f"{text!r} is no time: give seconds, like 2.5")
        return number

    return read


def close(text: str | None) -> Close:
    """A code, and perhaps a reason behind a comma."""
    code, _, reason = (text or "").partition(",")
    if not (code.isdecimal() and code.isascii() and int(code) <= 65_535):
        raise ValueError(f"{code!r} is no close code: give a number and a reason, like 1011,busy")
    if not _is_unicode(reason):
        raise ValueError(f"{printable(reason)!r} is no UTF-8: write the reason in that")
    if len(reason.encode()) > _LONGEST_REASON_BYTES:
        raise ValueError(f"a reason has {_LONGEST_REASON_BYTES} bytes at most: shorten it")
    return Close(int(code), reason)


def status(default: int | None = None) -> Callable[[str | None], Status]:
    """A status that is an error, and perhaps headers behind commas."""

    def read(text: str | None) -> Status:
        code, *pairs = (text or str(default or "")).split(",")
        if not (code.isdecimal() and code.isascii() and 300 <= int(code) <= 599):
            raise ValueError(
                f"{code!r} is no status: give 300 to 599 and headers, like 429,retry-after=2"
            )
        return Status(int(code), tuple(map(_header, pairs)))

    return read


def event_type(default: str) -> Callable[[str | None], str]:
    """A type of event."""
    return lambda text: default if text is None else text


def _header(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    name, value = name.strip(), value.strip()
    if not (name and equals and value.isprintable() and _is_token(name)):
        raise ValueError(f"{text!r} is no header: give name=value, like retry-after=2")
    if not value.isascii():
        raise ValueError(f"{value!r} cannot be in a header: write it in ASCII")
    return name, value


def _is_unicode(text: str) -> bool:
    """A byte of the command line that is no UTF-8 comes as half a surrogate pair."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _is_token(name: str) -> bool:
    return name.isascii() and name.replace("-", "").replace("_", "").isalnum()
