"""JSON as a tree that is opened and shut, however large or deep: what is too much is counted."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from inspector_web.json_view import Ink, Token, laid_out
from wiretape.words import counted

_MOST_BRANCHES: Final = 2000
_MOST_DEPTH: Final = 40
_LONGEST: Final = 200
"""Characters of one string, or of a member's name."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A value in its place: the ``name`` of a member or the number of an element, what it is in
    short, and what is inside. ``left_out`` counts what is inside and not shown."""

    name: str
    brief: tuple[Token, ...]
    inside: tuple["Branch", ...] = ()
    left_out: int = 0


def tree_of(value: Any) -> Branch:
    """The tree of a value."""
    room = iter(range(_MOST_BRANCHES))
    return _branch("", value, room, 0)


def _branch(name: str, value: Any, room: Iterator[int], depth: int) -> Branch:
    if not isinstance(value, dict | list) or not value:
        return Branch(name, tuple(laid_out(value, longest=_LONGEST)))
    members = value.items() if isinstance(value, dict) else enumerate(value)
    inside: list[Branch] = []
    if depth < _MOST_DEPTH:
        for key, member in members:
            if next(room, None) is None:
                break
            inside.append(_branch(_cut(str(key)), member, room, depth + 1))
    what = "member" if isinstance(value, dict) else "element"
    brief = (Token(Ink.NOTE, counted(len(value), what)),)
    return Branch(name, brief, tuple(inside), len(value) - len(inside))


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…"
