"""Words as a command line that a shell reads as them, and that nothing in them can falsify."""

import json
import re
import shlex
from collections.abc import Iterable
from typing import Final

from inspector_web.visible import visible

_ESCAPES: Final = {"\\": "\\\\", "'": "\\'", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_TO_ESCAPE: Final = re.compile(r"[\\'\t\n\r]")


def command_line(words: Iterable[str]) -> str:
    """The words, quoted; what cannot be seen stands there as an escape of bash and zsh."""
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    if visible(word) == word:
        return shlex.quote(word)
    return "$'" + "".join(map(_escaped, word)) + "'"


def _escaped(character: str) -> str:
    if _TO_ESCAPE.match(character):
        return _ESCAPES[character]
    if visible(character) == character:
        return character
    # The name of a file may hold bytes that are no text: they are passed on as they are.
    number = ord(character)
    if 0xDC80 <= number <= 0xDCFF:
        return f"\\x{number - 0xDC00:02x}"
    return f"\\U{number:08x}"


def recorded_command(recorded: str | None) -> tuple[str, ...] | None:
    """The command that a tape says was recorded, as its words."""
    try:
        words = json.loads(recorded or "null")
    except ValueError:
        return None
    is_list = isinstance(words, list) and words and all(isinstance(word, str) for word in words)
    return tuple(words) if is_list else None
