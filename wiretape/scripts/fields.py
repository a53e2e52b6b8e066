"""The values in a script, read as what they should be, or refused with the line they are on."""

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Final

from wiretape.scripts.layout import JsonText, Part, ScriptFault, Word, members

NONE: Final = "none"
"""In the place of what the recording does not have, though it would go without saying."""

_LIMIT_US: Final = 10**16
_WHOLE: Final = re.compile(r"[0-9]{1,18}")


class Fields:
    """The members of a mapping, all of whose names are known."""

    def __init__(self, part: Part, *names: str) -> None:
        self._members = members(part)
        self.line = part.line
        for name, member in self._members.items():
            if name not in names:
                raise ScriptFault(
                    member.line, f"there is no `{name:.40}` here, only {', '.join(names)}"
                )

    def given(self, name: str) -> Part | None:
        return self._members.get(name)

    def needed(self, name: str) -> Part:
        if (part := self._members.get(name)) is None:
            raise ScriptFault(self.line, f"`{name}: …` is missing here")
        return part

    def read[T, D](self, name: str, reader: Callable[[Part], T], default: D) -> T | D:
        """What ``reader`` makes of a member; the default where there is none."""
        return default if (part := self._members.get(name)) is None else reader(part)


def listed(part: Part | None) -> tuple[Part, ...]:
    if part is None:
        return ()
    if isinstance(part.value, tuple):
        return part.value
    raise ScriptFault(part.line, "a list is expected here: begin each line with `- `")


def text_of(part: Part) -> str:
    match part.value:
        case Word(text) | JsonText(text):
            return text
    raise ScriptFault(part.line, "a text is expected here")


def latin_of(part: Part) -> str:
    """A text of a head, whose characters are bytes (Latin-1), as everywhere in heads."""
    text = text_of(part)
    if any(ord(character) > 0xFF for character in text):
        raise ScriptFault(part.line, f"{text!r:.40} cannot stand in a head: it is no Latin-1")
    return text


def us_of(part: Part) -> int:
    """A time in milliseconds, as microseconds."""
    try:
        us = Decimal(text_of(part)) * 1000
        if abs(us) < _LIMIT_US and us == int(us):
            return int(us)
    except (InvalidOperation, ValueError, OverflowError):
        pass
    raise ScriptFault(
        part.line, f"{text_of(part)!r:.40} is no time: give milliseconds, like 250 or 0.125"
    )


def wait_of(part: Part) -> int:
    """How long something takes: a time that goes on."""
    us = us_of(part)
    if us < 0:
        raise ScriptFault(
            part.line,
            f"nothing takes {text_of(part):.40} ms: where a clock went back, give the time since "
            "the recording began instead, as `at_ms` (`body_at_ms` for a body)",
        )
    return us


def number_of(part: Part) -> int:
    text = text_of(part)
    if not _WHOLE.fullmatch(text):
        raise ScriptFault(part.line, f"{text!r:.40} is no whole number")
    return int(text)


def status_of(part: Part) -> int:
    """The status of a response."""
    status = number_of(part)
    if not 100 <= status <= 999:
        raise ScriptFault(
            part.line, f"{text_of(part)!r:.40} is no status: write three digits, like 503"
        )
    return status


def number_or_none(part: Part) -> int | None:
    return None if text_of(part) == NONE else number_of(part)


def close_code_or_none(part: Part) -> int | None:
    """The code of a close frame, which has two bytes for it."""
    code = number_or_none(part)
    if code is not None and code > 0xFFFF:
        raise ScriptFault(part.line, f"{text_of(part)!r:.40} is no close code: 65535 is the last")
    return code


def text_or_none(part: Part) -> str | None:
    return None if part.value == Word(NONE) else text_of(part)


def truth_of(part: Part) -> bool:
    if text_of(part) not in ("true", "false"):
        raise ScriptFault(part.line, f"{text_of(part)!r:.40} is neither true nor false")
    return text_of(part) == "true"


def one_of[E: StrEnum](kinds: type[E], part: Part) -> E:
    try:
        return kinds(text_of(part))
    except ValueError as error:
        raise ScriptFault(
            part.line, f"{text_of(part)!r:.40} is none of {', '.join(kinds)}"
        ) from error
