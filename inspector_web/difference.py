"""What a request asks beyond the request before it: new input items, and settings that changed.

A coding agent repeats its whole conversation with every request, so what is new is all that a
reader wants to see. A request that goes on from a response on the server's side sends only what
is new, and is not compared item by item.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import islice
from typing import Any, Final

from wiretape.asked import Asked, RequestKind

MOST_CHANGES: Final = 200
_MOST_DEPTH: Final = 12
_MOST_COMPARED: Final = 400
_INPUTS: Final = ("input", "messages")


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

    ``repeated`` counts the input items that were sent before too. ``goes_on``: it sends only what
    is new, after the response ``continues`` or on the same socket. ``is_cut``: there are more
    changes than are told.
    """

    repeated: int
    goes_on: bool
    continues: str | None
    items: tuple[Change, ...]
    settings: tuple[Change, ...]
    is_cut: bool

    @property
    def is_empty(self) -> bool:
        return not (self.items or self.settings)


def difference_of(before: Asked, after: Asked) -> Difference:
    """What ``after`` asks that ``before`` did not."""
    body = after.body if isinstance(after.body, dict) else {}
    previous = body.get("previous_response_id")
    continues = previous if isinstance(previous, str) else None
    is_addition = after.kind is RequestKind.APPEND
    goes_on = is_addition or continues is not None
    old, new = [] if goes_on else before.input_items, after.input_items
    items = list(_items(old, new))
    gone = sum(change.kind is not ChangeKind.ADDED for change in items)
    # An addition names no settings: those of the request that it adds to hold.
    settings = iter(()) if is_addition else _settings(before.body, after.body)
    changes = list(islice(settings, MOST_CHANGES + 1))
    return Difference(
        len(old) - gone,
        goes_on,
        continues,
        tuple(items[:MOST_CHANGES]),
        tuple(changes[:MOST_CHANGES]),
        len(items) > MOST_CHANGES or len(changes) > MOST_CHANGES,
    )


def _items(old: list[Any], new: list[Any]) -> Iterator[Change]:
    a, b = [_key(item) for item in old], [_key(item) for item in new]
    same = 0
    while same < min(len(a), len(b)) and a[same] == b[same]:
        same += 1
    for code, i, i_end, j, j_end in _aligned(a[same:], b[same:]):
        pairs = min(i_end - i, j_end - j) if code == "replace" else 0
        old_at, new_at = same + i, same + j
        for step in range(pairs):
            path = f"input[{new_at + step}]"
            yield Change(ChangeKind.CHANGED, path, old[old_at + step], new[new_at + step])
        for index in range(old_at + pairs, same + i_end):
            yield Change(ChangeKind.REMOVED, f"input[{index}]", before=old[index])
        for index in range(new_at + pairs, same + j_end):
            yield Change(ChangeKind.ADDED, f"input[{index}]", after=new[index])


def _aligned(a: list[str], b: list[str]) -> Iterator[tuple[str, int, int, int, int]]:
    if max(len(a), len(b)) > _MOST_COMPARED:
        # Aligning takes the square of the length; so long a tail is taken to be all different.
        yield "replace", 0, len(a), 0, len(b)
        return
    for code in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if code[0] != "equal":
            yield code


def _key(value: Any) -> str:
    """Text by which equal JSON is told; unlike ``==`` it tells ``true`` from 1."""
    try:
        return json.dumps(value, sort_keys=True)
    except RecursionError:
        return f"nested too deeply: {id(value)}"


def _settings(before: Any, after: Any) -> Iterator[Change]:
    if not isinstance(before, dict) or not isinstance(after, dict):
        if _key(before) != _key(after):
            yield Change(ChangeKind.CHANGED, "body", before, after)
        return
    yield from _walk(_without_input(before), _without_input(after), "", 0)


def _without_input(body: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key not in _INPUTS}


def _walk(before: Any, after: Any, path: str, depth: int) -> Iterator[Change]:
    if _key(before) == _key(after):
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
