"""Where two texts part: the words that differ, with a little of what is shared around each.

Lines are laid beside each other first, then the words of those that differ. What is too long for
that is taken to differ as a whole.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Final

_AROUND: Final = 160
"""Characters of what is shared that stand on either side."""
_MOST: Final = 1500
"""Of one stretch that differs."""
_MOST_SHOWN: Final = 4000
"""Of a whole text; the rest is counted."""
_MOST_ALIGNED: Final = 200_000
_MOST_UNITS: Final = 600
"""Aligning takes the square of the number of lines, or of words."""
_LONGEST_WORD: Final = 40

_LINES_THEN_WORDS: Final = (re.compile(r".*\n|.+"), re.compile(r"(?:\w+|[^\w\s])\s*|\s+"))
_WORD: Final = re.compile(r"\w+")
_MOST_SIGNS: Final = 3
"""Between two changes, so few signs and no word part nothing."""


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of one of the texts, which differs from the other text or not.

    ``left_out`` counts the characters after it that are not shown; they are of its kind, save at
    the very end of what is shown.
    """

    text: str
    differs: bool
    left_out: int = 0


type Stretch = tuple[str, str]
"""A stretch of each text: equal ones are shared, others differ."""


def parted(a: str, b: str) -> tuple[tuple[Run, ...], tuple[Run, ...]]:
    """Both texts around the places where they part, each cut to what can be read."""
    ahead = _shared(a, b)
    ahead -= _cut_word(
        a[:ahead][-_LONGEST_WORD:][::-1], a[ahead : ahead + 1] + b[ahead : ahead + 1]
    )
    behind = _shared(a[ahead:][::-1], b[ahead:][::-1])
    a_end, b_end = len(a) - behind, len(b) - behind
    before = a[max(ahead, a_end - 1) : a_end] + b[max(ahead, b_end - 1) : b_end]
    behind -= _cut_word(a[a_end:][:_LONGEST_WORD], before)
    a_end, b_end = len(a) - behind, len(b) - behind
    stretches = [
        (a[:ahead], b[:ahead]),
        *_aligned(a[ahead:a_end], b[ahead:b_end], _LINES_THEN_WORDS),
        (a[a_end:], b[b_end:]),
    ]
    whole = list(_joined(stretches))
    return _runs(whole, 0), _runs(whole, 1)


def _aligned(a: str, b: str, units: tuple[re.Pattern[str], ...]) -> Iterator[Stretch]:
    """Both texts in stretches, by the first of these units; within what differs, by the next."""
    if not units or not a or not b or max(len(a), len(b)) > _MOST_ALIGNED:
        yield a, b
        return
    ones, others = units[0].findall(a), units[0].findall(b)
    if max(len(ones), len(others)) <= _MOST_UNITS:
        yield from _matched(ones, others, units[1:])
        return
    yield from _split(ones, others, units)


def _split(
    ones: list[str], others: list[str], units: tuple[re.Pattern[str], ...]
) -> Iterator[Stretch]:
    """The same for units that are many: parted at those that both have once, which as a rule
    leaves pieces that are short enough."""
    anchors = _anchors(ones, others)
    if not anchors:
        yield "".join(ones), "".join(others)
        return
    i = j = 0
    for i_next, j_next in [*anchors, (len(ones), len(others))]:
        one, other = ones[i:i_next], others[j:j_next]
        behind = _alike(one[::-1], other[::-1])
        ends = len(one) - behind, len(other) - behind
        yield from _aligned("".join(one[: ends[0]]), "".join(other[: ends[1]]), units)
        # What is shared before an anchor, and the anchor itself.
        yield "".join(ones[i + ends[0] : i_next + 1]), "".join(others[j + ends[1] : j_next + 1])
        i, j = i_next + 1, j_next + 1


def _alike(ones: list[str], others: list[str]) -> int:
    """How many units both begin with."""
    pairs = enumerate(zip(ones, others, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(ones), len(others)))


def _matched(
    ones: list[str], others: list[str], units: tuple[re.Pattern[str], ...]
) -> Iterator[Stretch]:
    """The same for units that are few; what differs is parted by the next ``units``."""
    matcher = SequenceMatcher(None, ones, others, autojunk=False)
    for code, i, i_end, j, j_end in matcher.get_opcodes():
        one, other = "".join(ones[i:i_end]), "".join(others[j:j_end])
        if code == "equal":
            yield one, other
        else:
            yield from _aligned(one, other, units)


def _anchors(ones: list[str], others: list[str]) -> list[tuple[int, int]]:
    """Where units stand that each side has once: as many as come in the same order on both."""
    counts, other_counts = Counter(ones), Counter(others)
    places = {unit: at for at, unit in enumerate(others) if other_counts[unit] == 1}
    pairs = [
        (at, places[unit]) for at, unit in enumerate(ones) if counts[unit] == 1 and unit in places
    ]
    # The longest increasing run, by the smallest place in which one of each length ends.
    ends: list[int] = []
    last: list[int] = []
    before: list[int | None] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [number]
        before.append(last[length - 1] if length else None)
    chain: list[tuple[int, int]] = []
    at = last[-1] if last else None
    while at is not None:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]


def _joined(stretches: Iterable[Stretch]) -> Iterator[Stretch]:
    """The same with neighbours of a kind as one; signs alone between two changes part nothing."""
    told = [stretch for stretch in stretches if any(stretch)]
    kinds = [one != other for one, other in told]
    for at in range(1, len(told) - 1):
        is_between = kinds[at - 1] and told[at + 1][0] != told[at + 1][1]
        signs = told[at][0].strip()
        kinds[at] |= is_between and len(signs) <= _MOST_SIGNS and not _WORD.search(signs)
    numbered = groupby(range(len(told)), key=lambda at: kinds[at])
    for _, places in numbered:
        ones, others = zip(*(told[at] for at in places), strict=True)
        yield "".join(ones), "".join(others)


def _runs(stretches: list[Stretch], side: int) -> tuple[Run, ...]:
    """One side of them as it is shown."""
    runs: list[Run] = []
    room = _MOST_SHOWN
    for at, stretch in enumerate(stretches):
        if room <= 0:
            left_out = sum(len(each[side]) for each in stretches[at:])
            runs.append(Run("", differs=True, left_out=left_out))
            break
        if stretch[0] == stretch[1]:
            is_after = at > 0 or len(stretches) == 1
            shown = list(_shared_runs(stretch[side], is_after, at < len(stretches) - 1))
        else:
            text = stretch[side]
            shown = [Run(text[:_MOST], differs=True, left_out=max(0, len(text) - _MOST))]
        room -= sum(len(run.text) for run in shown)
        runs += shown
    return tuple(runs)


def _shared_runs(text: str, is_after: bool, is_before: bool) -> Iterator[Run]:
    """What is shared, cut to what stands next to a change: after one, before one, or between."""
    head = _AROUND if is_after else 0
    tail = _AROUND if is_before else 0
    left_out = len(text) - head - tail
    if left_out <= 0:
        yield Run(text, differs=False)
        return
    yield Run(text[:head], differs=False, left_out=left_out)
    if tail:
        yield Run(text[-tail:], differs=False)


def _cut_word(shared: str, beside: str) -> int:
    """How much of a word is shared, read from the change on, if the word goes on in the change."""
    found = _WORD.match(shared)
    return len(found[0]) if found and _WORD.search(beside) else 0


def _shared(a: str, b: str) -> int:
    """How many characters both begin with."""
    shorter = min(len(a), len(b))
    low, high = 0, shorter
    # Halving compares whole stretches at a time, which a walk in Python does not.
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
