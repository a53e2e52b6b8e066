"""Delta debugging: the smallest part of something that still does it. Pure.

After "Simplifying and Isolating Failure-Inducing Input" (Zeller and Hildebrandt, 2002), with the
tests of complements only.
"""

from collections.abc import Callable, Hashable, Sequence


def smallest[T: Hashable](
    units: Sequence[T], holds: Callable[[tuple[T, ...]], bool]
) -> tuple[T, ...]:
    """What is left of ``units``, which hold, when none of them can be spared any more.

    ``holds`` is never asked twice about the same. What is left stays in its order, and leaving
    out any one unit of it does not hold.
    """
    kept = tuple(units)
    if not kept or holds(()):
        return ()
    failed: set[tuple[T, ...]] = {()}
    size = len(kept)
    while True:
        size = max(1, size // 2)
        before, at = len(kept), 0
        while at < len(kept):
            rest = kept[:at] + kept[at + size :]
            if rest not in failed and holds(rest):
                kept = rest
            else:
                failed.add(rest)
                at += size
        if size == 1 and len(kept) == before:
            break
    return kept
