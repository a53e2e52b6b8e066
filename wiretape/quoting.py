"""Where two requests differ, in words: short, on one line, with nothing that moves a cursor."""

import json
from collections.abc import Sequence
from typing import Any, Final

from wiretape.likeness import Change, Difference
from wiretape.words import counted, cut_to_parting, printable

_SHOWN: Final = 80
_LEAD: Final = 20


def told(difference: Difference) -> str:
    """The place, and both values, quoted as JSON and cut to where they part."""
    values = _json(difference.recorded), _json(difference.replayed)
    recorded, replayed = map(printable, cut_to_parting(*values, _SHOWN, _LEAD))
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


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
