"""A recording at another pace: what a replay does about time, done to the recording. Pure.

So that what is bent after it keeps its own times: a silence of two seconds, put into a recording
that waits for nothing, lasts two seconds in a replay at the recorded pace.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from wiretape.facts import Fact, Gap
from wiretape.recording import Bend, Recording, with_facts


def at_factor(factor: float | None) -> Bend:
    """So many times as fast; ``None``: without any waiting, and everything in its order."""

    def bend(recording: Recording) -> Recording:
        if factor is None:
            return _retimed(recording, _ranks(recording.facts()))
        return _retimed(recording, lambda at_us: round(at_us / factor))

    return bend


def _ranks(facts: Iterable[Fact]) -> Callable[[int], int]:
    """Times in the same order, a microsecond apart."""
    times = sorted({at_us for fact in facts for at_us in _times(fact)})
    ranks = {at_us: rank for rank, at_us in enumerate(times)}
    return ranks.__getitem__


def _times(fact: Fact) -> tuple[int, ...]:
    return (fact.at_us, fact.until_us) if isinstance(fact, Gap) else (fact.at_us,)


def _retimed(recording: Recording, new: Callable[[int], int]) -> Recording:
    def at_another_time(fact: Fact) -> Fact:
        if isinstance(fact, Gap):
            return replace(fact, at_us=new(fact.at_us), until_us=new(fact.until_us))
        return replace(fact, at_us=new(fact.at_us))

    exchanges = tuple(with_facts(each, at_another_time) for each in recording.exchanges)
    gaps = tuple(
        replace(gap, at_us=new(gap.at_us), until_us=new(gap.until_us)) for gap in recording.gaps
    )
    return replace(recording, exchanges=exchanges, gaps=gaps)
