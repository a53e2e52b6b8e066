"""Counts what the tape's queue had no room for, at its place among what it had room for."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from wiretape.facts import Fact, Gap, Piece, RequestBody

BULKY: Final = (Piece, RequestBody)
"""What may be counted instead of kept. A tuple, since ``Piece | RequestBody`` would be made anew
each time, in the path of the traffic."""


@dataclass(slots=True)
class Loss:
    """A stretch of one exchange that is counted instead of kept. It grows while it is open."""

    exchange: int
    at_us: int
    until_us: int
    facts: int = 0
    size_bytes: int = 0

    def add(self, fact: Piece | RequestBody) -> None:
        self.until_us = fact.at_us
        self.facts += 1
        self.size_bytes += len(fact.data)

    def as_gap(self, reason: str) -> Gap:
        return Gap(self.at_us, self.until_us, self.exchange, self.facts, self.size_bytes, reason)


class Losses:
    """The open stretches, one for each exchange; for the two threads of a queue.

    While a stretch of an exchange is open, all of its bodies and messages go there: what is
    kept lies wholly before or wholly after it.
    """

    def __init__(self) -> None:
        self._open: dict[int, Loss] = {}
        self._lock = threading.Lock()

    def has(self, exchange: int) -> bool:
        """Whether a stretch of this exchange is open."""
        return exchange in self._open

    def count(self, fact: Piece | RequestBody) -> Loss | None:
        """Counts ``fact``; gives the stretch back if it begins with it."""
        with self._lock:
            loss = self._open.get(fact.exchange)
            begins = loss is None
            if loss is None:
                loss = self._open[fact.exchange] = Loss(fact.exchange, fact.at_us, fact.at_us)
            loss.add(fact)
        return loss if begins else None

    def close(self, loss: Loss) -> None:
        """Ends a stretch, which grows no more."""
        with self._lock:
            del self._open[loss.exchange]


def without_bulk(facts: Iterable[Fact]) -> tuple[list[Fact], list[Loss]]:
    """What is left of ``facts`` without bodies and messages, and for each exchange the stretch
    that counts those."""
    kept: list[Fact] = []
    lost: dict[int, Loss] = {}
    for fact in facts:
        if isinstance(fact, BULKY):
            begins = Loss(fact.exchange, fact.at_us, fact.at_us)
            lost.setdefault(fact.exchange, begins).add(fact)
        else:
            kept.append(fact)
    return kept, list(lost.values())
