"""Runs of simple list members, read without YAML: most of a long script is such, and YAML is slow.

A run is replaced by one word, and by empty lines that keep the count. Where the word turns up as a
member of a list, it was a run; anywhere else, the lines were the text of something.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

_SIMPLE: Final = re.compile(r"( *)- +(?:([a-z_]+): +)?(?:(\{.*\})|([0-9]+(?:\.[0-9]+)?))[ \r]*")
"""A member on one line: JSON or a number, which may have a name."""
_FEWEST: Final = 4

type Simple = tuple[str | None, str | None, str | None]
"""The name of a member's value; and the value as JSON, or as a number."""


def without_runs[T](
    lines: Sequence[str], mark: str, read: Callable[[int, Simple], T | None]
) -> tuple[list[str], Mapping[str, tuple[T, ...]]]:
    """The lines without their runs, each of which a word stands for that begins with ``mark``.
    ``read`` is given the number of a line, from 1, and what stands there; it gives ``None`` for
    what is not simple after all."""
    kept: list[str] = []
    runs: dict[str, tuple[T, ...]] = {}
    indent, run = 0, list[T]()

    def close(end: int) -> None:
        if len(run) >= _FEWEST:
            word = f"{mark}{len(runs)}"
            runs[word] = tuple(run)
            kept[end - len(run) :] = [f"{' ' * indent}- {word}", *[""] * (len(run) - 1)]
        run.clear()

    for number, line in enumerate(lines, 1):
        match = _SIMPLE.fullmatch(line)
        found = None if match is None else read(number, (match[2], match[3], match[4]))
        if run and len(line) - len(line.lstrip(" ")) > indent:
            # The member before goes on here.
            run.pop()
            before = kept.pop()
            close(len(kept))
            kept.append(before)
        elif run and (match is None or found is None or len(match[1]) != indent):
            close(len(kept))
        if match is not None and found is not None:
            indent = len(match[1])
            run.append(found)
        kept.append(line)
    close(len(kept))
    return kept, runs
