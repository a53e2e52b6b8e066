"""What the list of sessions can be sorted by, in which column, and what it is then called."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from inspector_web.health import Tone
from inspector_web.pages.head import SessionHead


class Order(StrEnum):
    """What the sessions are sorted by, and which end comes first."""

    NEWEST = "newest"
    OLDEST = "oldest"
    TROUBLE = "trouble"
    DURATION = "duration"
    SHORTEST = "shortest"
    SILENCE = "silence"
    TURNS = "turns"
    FEWEST_TURNS = "fewest_turns"
    REQUESTS = "requests"
    FEWEST_REQUESTS = "fewest_requests"
    TOKENS = "tokens"
    FEWEST_TOKENS = "fewest_tokens"


ORDERS: Final[Mapping[Order, str]] = {
    Order.NEWEST: "newest first",
    Order.OLDEST: "oldest first",
    Order.TROUBLE: "most trouble first",
    Order.DURATION: "longest first",
    Order.SHORTEST: "shortest first",
    Order.SILENCE: "longest silence first",
    Order.TURNS: "most turns first",
    Order.FEWEST_TURNS: "fewest turns first",
    Order.REQUESTS: "most requests first",
    Order.FEWEST_REQUESTS: "fewest requests first",
    Order.TOKENS: "most tokens first",
    Order.FEWEST_TOKENS: "fewest tokens first",
}
"""Each in words."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the list; ``most`` and ``least`` are the orders that it sorts by, if it does."""

    name: str
    most: Order | None = None
    least: Order | None = None
    is_number: bool = False

    def sorted_by(self, order: Order) -> str | None:
        """Which way the column is sorted in that order, as ``aria-sort`` has it."""
        return {self.most: "descending", self.least: "ascending"}.get(order)

    def next_after(self, order: Order) -> Order | None:
        """The order that its head asks for: the other way, where it is sorted already."""
        return self.least if order is self.most and self.least else self.most


COLUMNS: Final = (
    Column("Began", Order.NEWEST, Order.OLDEST),
    Column("First words"),
    Column("How it went", Order.TROUBLE),
    Column("Took", Order.DURATION, Order.SHORTEST, is_number=True),
    Column("Turns", Order.TURNS, Order.FEWEST_TURNS, is_number=True),
    Column("Requests", Order.REQUESTS, Order.FEWEST_REQUESTS, is_number=True),
    Column("Tokens", Order.TOKENS, Order.FEWEST_TOKENS, is_number=True),
    Column("Over"),
    Column("Client"),
)

_KEYS: Final[Mapping[Order, Callable[[SessionHead], Any]]] = {
    Order.NEWEST: lambda head: head.started_at_us,
    Order.TROUBLE: lambda head: [
        sum(chip.tone is tone for chip in head.chips) for tone in (Tone.BAD, Tone.WARN)
    ],
    Order.DURATION: lambda head: head.duration_us,
    Order.SILENCE: lambda head: head.silence_us or 0,
    Order.TURNS: lambda head: head.turns,
    Order.REQUESTS: lambda head: (head.requests, head.attempts),
    Order.TOKENS: lambda head: head.tokens.total if head.tokens else -1,
}
_TURNED: Final = {column.least: column.most for column in COLUMNS if column.least}


def in_order(heads: list[SessionHead], order: Order) -> list[SessionHead]:
    """The sessions in that order; the newest first wherever it leaves a choice."""
    newest = sorted(heads, key=_KEYS[Order.NEWEST], reverse=True)
    most = _TURNED.get(order)
    return sorted(newest, key=_KEYS[most or order], reverse=most is None)
