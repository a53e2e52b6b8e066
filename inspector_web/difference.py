"""What a request asks beyond the request before it: new input items, and settings that changed.

A coding agent repeats its whole conversation with every request, so what is new is all that a
reader wants to see. Compared is what was meant (see ``meant``), not what was sent: a retry may say
all of a conversation that the attempt before it only went on with.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import islice
from typing import Any, Final

from inspector_web.meant import Meant, key_of, said_in

MOST_CHANGES: Final = 200
_MOST_DEPTH: Final = 12
_MOST_COMPARED: Final = 400


class ChangeKind(StrEnum):
    """What became of something from one request to the next."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that differs. ``path`` says where: ``input[3]``, ``tools[0].name``."""

    kind: ChangeKind
    path: str
    before: Any = None
    after: Any = None


@dataclass(frozen=True, slots=True)
class Difference:
    """How a request differs from the one before it.

    ``repeated`` counts the items of the conversation that were meant before too. ``goes_on``: it
    sent only what is new, after the response ``continues`` or on the same socket; ``is_known``
    says whether the tape has what it goes on from. ``is_cut``: there are more changes than are
    told.
    """

    repeated: int
    goes_on: bool
    continues: str | None
    is_known: bool
    items: tuple[Change, ...]
    settings: tuple[Change, ...]
    is_cut: bool

    @property
    def is_empty(self) -> bool:
        return not (self.items or self.settings)


def difference_of(before: Meant, after: Meant) -> Difference:
    """What ``after`` means that ``before`` did not."""
    old = before.items if after.is_known else []
    items = list(_items(old, after))
    gone = sum(change.kind is not ChangeKind.ADDED for change in items)
    # An addition to what is not on the tape names no settings that could be compared.
    is_told = after.is_known or not after.is_addition
    settings = _settings(before.settings, after.settings) if is_told else iter(())
    changes = list(islice(settings, MOST_CHANGES + 1))
    return Difference(
        len(old) - gone,
        after.goes_on,
        after.continues,
        after.is_known,
        tuple(items[:MOST_CHANGES]),
        tuple(changes[:MOST_CHANGES]),
        len(items) > MOST_CHANGES or len(changes) > MOST_CHANGES,
    )


def _items(old: list[Any], after: Meant) -> Iterator[Change]:
    new = after.items
    a, b = [said_in(item) for item in old], [said_in(item) for item in new]
    same = 0
    while same < min(len(a), len(b)) and a[same] == b[same]:
        same += 1

    def path(index: int) -> str:
        sent = index - after.sent_from
        return f"input[{sent}]" if sent >= 0 else f"conversation[{index}]"

    for code, i, i_end, j, j_end in _aligned(a[same:], b[same:]):
        pairs = min(i_end - i, j_end - j) if code == "replace" else 0
        old_at, new_at = same + i, same + j
        for step in range(pairs):
            yield Change(
                ChangeKind.CHANGED, path(new_at + step), old[old_at + step], new[new_at + step]
            )
        for index in range(old_at + pairs, same + i_end):
            yield Change(ChangeKind.REMOVED, f"input[{index}]", before=old[index])
        for index in range(new_at + pairs, same + j_end):
            yield Change(ChangeKind.ADDED, path(index), after=new[index])


def _aligned(a: list[str], b: list[str]) -> Iterator[tuple[str, int, int, int, int]]:
    if max(len(a), len(b)) > _MOST_COMPARED:
        # Aligning takes the square of the length; so long a tail is taken to be all different.
        yield "replace", 0, len(a), 0, len(b)
        return
    for code in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if code[0] != "equal":
            yield code


def _settings(before: Any, after: Any) -> Iterator[Change]:
    if not isinstance(before, dict) or not isinstance(after, dict):
        if key_of(before) != key_of(after):
            yield Change(ChangeKind.CHANGED, "body", before, after)
        return
    yield from _walk(before, after, "", 0)


def _walk(before: Any, after: Any, path: str, depth: int) -> Iterator[Change]:
    if key_of(before) == key_of(after):
        return
    match before, after:
        case dict(), dict() if depth < _MOST_DEPTH:
            for key in dict.fromkeys((*before, *after)):
                inner = f"{path}.{key}" if path else str(key)
                if key not in after:
                    yield Change(ChangeKind.REMOVED, inner, before=before[key])
                elif key not in before:
                    yield Change(ChangeKind.ADDED, inner, after=after[key])
                else:
                    yield from _walk(before[key], after[key], inner, depth + 1)
        case list(), list() if len(before) == len(after) and depth < _MOST_DEPTH:
            for number, (old, new) in enumerate(zip(before, after, strict=True)):
                yield from _walk(old, new, f"{path}[{number}]", depth + 1)
        case _:
            yield Change(ChangeKind.CHANGED, path, before, after)
