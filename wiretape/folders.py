"""Which folders of its machine a client speaks of to its model. Pure.

Source: the published clients 0.99.0 and 0.169.0, seen by running them.
"""

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any, Final


class Folder(StrEnum):
    """What a folder is to a client."""

    WORK = "work"
    HOME = "home"


_PATTERNS: Final = {
    Folder.WORK: re.compile(r"<cwd>(/[^<]+)</cwd>"),
    Folder.HOME: re.compile(r"(/[^\s`'\"()<>]+)/skills/\.system"),
}
"""How a client speaks of them: where it works, and where its own skills lie."""


def folders_in(items: Iterable[Any]) -> dict[Folder, str]:
    """The folders that these input items speak of first."""
    said = [text for item in items for text in _texts(item)]
    return {
        folder: found[1]
        for folder, pattern in _PATTERNS.items()
        if (found := next(filter(None, map(pattern.search, said)), None))
    }


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value, however deep, in order."""
    pending = [value]
    while pending:
        match pending.pop():
            case str() as text:
                yield text
            case dict() as members:
                pending += reversed(members.values())
            case list() as elements:
                pending += reversed(elements)
