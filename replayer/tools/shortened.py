"""An output that the client shortened ──▶ what to print, so that it shortens it to the same again.

Codex keeps so many bytes of the beginning and of the end, whole characters each, and says what it
left out between them: in tokens (0.99.0; four bytes are one), or in characters (0.169.0). It also
counts the tokens and the lines of all that was printed. So anything may stand in the middle that
has as many bytes, characters and lines; the characters at its ends are wide, as those that were
cut there may have been.
"""

import re
from dataclasses import dataclass
from typing import Final

_BYTES_OF_A_TOKEN: Final = 4
_CUT: Final = re.compile(r"…(\d+) (tokens|chars) truncated…")
_SHORTENED: Final = re.compile(
    r"(?:Warning: truncated output \(original token count: (?P<tokens>\d+)\)\n)?"
    r"Total output lines: (?P<lines>\d+)\n\n(?P<kept>.*)",
    re.DOTALL,
)
_OF_WIDTH: Final = {1: "x", 2: "é", 3: "…", 4: "😀"}
"""A character that takes so many bytes."""


@dataclass(frozen=True, slots=True)
class Run:
    """One character, so many times."""

    character: str
    count: int


type Part = str | bytes | Run
"""What is printed: a text, bytes that are none, or a run."""


def is_shortened(text: str) -> bool:
    """Whether it says that something was left out."""
    return _CUT.search(text) is not None


def tokens_of(size_bytes: int) -> int:
    """How many tokens the client takes so many bytes for."""
    return -(-size_bytes // _BYTES_OF_A_TOKEN)


def told_tokens(text: str) -> int | None:
    """How many tokens an output had that was shortened, by its own first words."""
    shortened = _SHORTENED.fullmatch(text)
    tokens = None if shortened is None else shortened["tokens"]
    return None if tokens is None else int(tokens)


def unshortened(text: str, tokens: int) -> tuple[Part, ...] | None:
    """What to print for an output of so many tokens; ``None`` where that cannot be told."""
    shortened = _SHORTENED.fullmatch(text)
    if shortened is None:
        return None
    kept = _CUT.split(shortened["kept"])
    if len(kept) != 4:
        return None
    beginning, number, unit, end = kept
    most = tokens * _BYTES_OF_A_TOKEN - len(beginning.encode()) - len(end.encode())
    size = most
    characters = most - 2 * (max(_OF_WIDTH) - 1)
    if unit == "chars":
        characters = int(number)
        size = min(most, max(most - _BYTES_OF_A_TOKEN + 1, characters))
    whole = f"{beginning}{end}"
    lines = whole.count("\n") + (not whole.endswith("\n"))
    middle = _middle(size, characters, int(shortened["lines"]) - lines)
    return None if middle is None else (beginning, *middle, end)


def _middle(size: int, characters: int, newlines: int) -> tuple[Run, ...] | None:
    """So many bytes in so many characters, some of which end lines."""
    widest = max(_OF_WIDTH)
    more = size - characters
    first = min(widest - 1, more)
    last = min(widest - 1, more - first)
    wide, rest = divmod(more - first - last, widest - 1)
    plain = characters - 2 - newlines - wide - 1
    if more < 0 or newlines < 0 or plain < 0:
        return None
    runs = (
        Run(_OF_WIDTH[first + 1], 1),
        Run("\n", newlines),
        Run(_OF_WIDTH[1], plain),
        Run(_OF_WIDTH[widest], wide),
        Run(_OF_WIDTH[rest + 1], 1),
        Run(_OF_WIDTH[last + 1], 1),
    )
    return tuple(run for run in runs if run.count)
