"""Where two requests differ, in words: short, on one line, with nothing that moves a cursor."""

import json
from collections.abc import Sequence
from typing import Any, Final

from wiretape.likeness import Change, Difference
from wiretape.words import counted, printable

_SHOWN: Final = 80
_LEAD: Final = 20


def told(difference: Difference) -> str:
    """The place, and both values, quoted as JSON and cut to where they part."""
    recorded, replayed = _quoted(difference)
    path = printable(difference.path)
    match difference.change:
        case Change.CHANGED:
            return f"{path} was {recorded} and is {replayed}"
        case Change.ADDED:
            return f"{path} is new: {replayed}"
        case Change.REMOVED:
            return f"{path} is missing: it was {recorded}"


def first_told(differences: Sequence[Difference]) -> str:
    """The first of the differences, and how many more there are."""
    others = len(differences) - 1
    more = f", and {counted(others, 'more difference')}" if others else ""
    return told(differences[0]) + more


def is_told_whole(difference: Difference) -> bool:
    """Whether :func:`told` leaves nothing out."""
    return all(len(_json(each)) <= _SHOWN for each in (difference.recorded, difference.replayed))


def _quoted(difference: Difference) -> tuple[str, str]:
    one, other = _json(difference.recorded), _json(difference.replayed)
    pairs = enumerate(zip(one, other, strict=False))
    parting = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
    start = 0 if parting < _SHOWN - _LEAD else parting - _LEAD
    return _cut(one, start), _cut(other, start)


def _cut(text: str, start: int) -> str:
    lead, tail = "…" if start else "", "…" if len(text) > start + _SHOWN else ""
    return printable(f"{lead}{text[start : start + _SHOWN]}{tail}")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
