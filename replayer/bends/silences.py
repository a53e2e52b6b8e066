"""A recording with shorter silences. Pure."""

from dataclasses import replace
from itertools import accumulate, pairwise

from wiretape.facts import Fact, Gap
from wiretape.recording import Bend, Recording, WholeExchange, with_facts


def no_silence_longer_than(longest_us: int) -> Bend:
    """No time in which nothing crosses in an exchange is longer: what follows comes sooner."""

    def bend(recording: Recording) -> Recording:
        shorter = (_shortened(each, longest_us) for each in recording.exchanges)
        return replace(recording, exchanges=tuple(shorter))

    return bend


def _shortened(exchange: WholeExchange, longest_us: int) -> WholeExchange:
    times = sorted({fact.at_us for fact in exchange.facts()})
    sooner = accumulate(
        (max(0, after - before - longest_us) for before, after in pairwise(times)), initial=0
    )
    new = {at_us: at_us - by_us for at_us, by_us in zip(times, sooner, strict=True)}

    def at_its_time(fact: Fact) -> Fact:
        at_us = new[fact.at_us]
        if isinstance(fact, Gap):
            return replace(fact, at_us=at_us, until_us=at_us + fact.until_us - fact.at_us)
        return replace(fact, at_us=at_us)

    return with_facts(exchange, at_its_time)
