"""How long two sessions took, and what on: why one of them was slower."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from inspector_web.stretches import Spent, Use

_LEAST_SHARE: Final = 100
"""What is less than one such part of the longer of both is not told."""


@dataclass(frozen=True, slots=True)
class Took:
    """What the two sessions' time went to, each in microseconds."""

    use: Use
    a_us: int
    b_us: int


def took_by(a: Sequence[Spent], b: Sequence[Spent]) -> tuple[Took, ...]:
    """What the time of both went to; first where they differ most."""
    sides = [{each.use: each.us for each in spent} for spent in (a, b)]
    least_us = max(sum(side.values()) for side in sides) // _LEAST_SHARE
    found = [Took(use, sides[0].get(use, 0), sides[1].get(use, 0)) for use in Use]
    told = [each for each in found if max(each.a_us, each.b_us) > least_us]
    return tuple(sorted(told, key=lambda each: -abs(each.a_us - each.b_us)))
