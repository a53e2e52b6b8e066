"""Which of two sequences' members belong together, told by keys."""

from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

type Keys = tuple[Hashable, ...]
"""What a member is told by, the most telling key first; the later ones take in more."""

type Places = tuple[int | None, int | None]
"""A place in one sequence and the place in the other that belongs to it, ``None`` for a hole."""

_MOST_COMPARED: Final = 400
"""Aligning takes the square of the length: of longer stretches, places that are equal count."""


def aligned(left: Sequence[Keys], right: Sequence[Keys], level: int = 0) -> Iterator[Places]:
    """Every place of both, in order.

    As many as can belong together by their first keys do; those between them by their second
    keys, and so on. What no key brings together stands alone. All have the same number of keys.
    """
    if not left or not right or level == len(left[0]):
        yield from ((at, None) for at in range(len(left)))
        yield from ((None, at) for at in range(len(right)))
        return
    at = other_at = 0
    for start, other_start, size in _matches(
        [keys[level] for keys in left], [keys[level] for keys in right]
    ):
        between = aligned(left[at:start], right[other_at:other_start], level + 1)
        yield from (moved(places, at, other_at) for places in between)
        yield from ((start + step, other_start + step) for step in range(size))
        at, other_at = start + size, other_start + size


def _matches(left: list[Hashable], right: list[Hashable]) -> Iterator[tuple[int, int, int]]:
    """Stretches of equal keys: where each begins on either side, and how long it is. The last one
    is empty, at the ends."""
    shorter = min(len(left), len(right))
    ahead = behind = 0
    while ahead < shorter and left[ahead] == right[ahead]:
        ahead += 1
    while behind < shorter - ahead and left[-1 - behind] == right[-1 - behind]:
        behind += 1
    yield 0, 0, ahead
    middle = left[ahead : len(left) - behind], right[ahead : len(right) - behind]
    if max(map(len, middle)) <= _MOST_COMPARED:
        matcher = SequenceMatcher(None, *middle, autojunk=False)
        for start, other_start, size in matcher.get_matching_blocks():
            yield ahead + start, ahead + other_start, size
    else:
        pairs = zip(*middle, strict=False)
        yield from ((ahead + at, ahead + at, 1) for at, (a, b) in enumerate(pairs) if a == b)
    yield len(left) - behind, len(right) - behind, behind
    yield len(left), len(right), 0


def moved(places: Places, by: int, other_by: int) -> Places:
    """The same places, counted from so much further ahead."""
    one, other = places
    return None if one is None else one + by, None if other is None else other + other_by
