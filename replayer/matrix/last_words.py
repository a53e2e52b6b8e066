"""The last thing that a client had to say: of Codex, with and without ``--json``. Pure."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

_LOG: Final = re.compile(
    r"mcp startup: |(?i:warning): |[0-9-]{10}T\S+ +(?:TRACE|DEBUG|INFO|WARN|ERROR) "
)


def last_words(stdout: str, stderr: str) -> str:
    """What a person would have read last: an answer, or an error; else the last line of all."""
    lines = _lines(stdout)
    if any(line.startswith("{") for line in lines):
        return next(_said(lines), "")
    return (lines or _told_in_passing(_lines(stderr)) or [""])[-1]


def _said(lines: list[str]) -> Iterator[str]:
    """What the events of ``codex exec --json`` say to a person, from the last to the first."""
    for line in reversed(lines):
        try:
            event = json.loads(line)
        except ValueError:
            continue
        match event:
            case {"type": "turn.failed", "error": {"message": str(said)}}:
                yield _told(said)
            case {"type": "error", "message": str(said)}:
                yield _told(said)
            case {"type": "item.completed", "item": {"type": "agent_message", "text": str(said)}}:
                yield said


def _told_in_passing(lines: list[str]) -> list[str]:
    """What ``codex exec`` tells beside its answer, without its log, and without the count of
    tokens at its end; nothing where it came no further than to repeat what it was asked."""
    match [line for line in lines if not _LOG.match(line)]:
        case [*before, "tokens used", number] if number.replace(",", "").isdecimal():
            return before
        case [*_, "--------", "user", _]:
            return []
        case told:
            return told or lines


def _told(said: str) -> str:
    """The words of an error, which may be the JSON of one."""
    try:
        error: Any = json.loads(said)
    except ValueError:
        return said
    match error:
        case {"error": {"message": str(words)}} | {"message": str(words)}:
            return words
        case _:
            return said


def _lines(text: str) -> list[str]:
    # Not splitlines(): U+2028 is legal inside a JSON string.
    return [line for line in text.split("\n") if line.strip()]
