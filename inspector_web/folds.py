"""Which folds of a page are open: those that its address names, else as the page has them.

A fold is named by what it is and where it stands (``tree-0.2``, ``finding-fallback-1``), so that a
link opens the same one however much of the page came since. What a page opens or shuts by itself
is not named.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self

from inspector_web.addresses import BadAddress


class Fold(StrEnum):
    """What can be opened and shut."""

    ANSWERED = "answered"
    ASKED = "asked"
    DIFFERENCE = "difference"
    FINDING = "finding"
    HAD = "had"
    LEGEND = "legend"
    TREE = "tree"
    TRIED = "tried"


_PLACE: Final = re.compile(r"[a-z0-9_.-]{1,200}")


@dataclass(frozen=True, slots=True)
class Folds:
    """The names of the folds that an address wants open, and of those that it wants shut."""

    opened: frozenset[str] = frozenset()
    shut: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> Self:
        """The folds of an address; one that its page has not got changes nothing.

        Raises:
            BadAddress: a name is none of a fold.
        """
        return cls(_names_in(given, "open"), _names_in(given, "shut"))

    def shows(self, name: str, *, by_itself: bool) -> bool:
        """Whether the fold of that name is open, which it is or is not ``by_itself``."""
        return name not in self.shut if by_itself else name in self.opened


def _names_in(given: Mapping[str, str], which: str) -> frozenset[str]:
    names = given.get(which, "").split()
    for name in names:
        kind, _, place = name.partition("-")
        if kind not in set(Fold) or (place and not _PLACE.fullmatch(place)):
            raise BadAddress(
                f"{which} holds {name[:40]!r}: a fold is called by what it is ({', '.join(Fold)}) "
                "and its place, as tree-0.2."
            )
    return frozenset(names)
