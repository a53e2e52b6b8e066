"""Where two texts part: what they share at both ends, and what lies between."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

_AROUND: Final = 160
"""Characters of what is shared that stand on either side."""
_MOST: Final = 1500
"""Of what lies between."""


@dataclass(frozen=True, slots=True)
class Parted:
    """A text around the place where it parts from another. Only ``part`` differs.

    ``cut_before`` and ``cut_after`` count the shared characters that are left out, ``cut`` those of
    the part.
    """

    cut_before: int
    before: str
    part: str
    cut: int
    after: str
    cut_after: int


def parted(a: str, b: str) -> tuple[Parted, Parted]:
    """Both texts around the place where they part, each cut to what can be read."""
    ahead = _shared(a, b)
    behind = _shared(a[ahead:][::-1], b[ahead:][::-1])
    return _around(a, ahead, behind), _around(b, ahead, behind)


def _around(text: str, ahead: int, behind: int) -> Parted:
    until = len(text) - behind
    part = text[ahead:until]
    return Parted(
        max(0, ahead - _AROUND),
        text[max(0, ahead - _AROUND) : ahead],
        part[:_MOST],
        max(0, len(part) - _MOST),
        text[until : until + _AROUND],
        max(0, behind - _AROUND),
    )


def _shared(a: str, b: str) -> int:
    """How many characters both begin with."""
    shorter = min(len(a), len(b))
    # Halving compares whole stretches at a time, which a walk in Python does not.
    return bisect_right(range(1, shorter + 1), 0, key=lambda end: a[:end] != b[:end])
