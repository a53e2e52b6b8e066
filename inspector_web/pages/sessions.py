"""The list of sessions, over all tapes."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, Self

from inspector_web.addresses import choice_in, number_in, page_in
from inspector_web.health import Sort
from inspector_web.orders import COLUMNS, ORDERS, Column, Order, in_order
from inspector_web.pages.head import SessionHead, heads_of
from inspector_web.readings import Look
from inspector_web.stretches import LONG_WAIT_US
from wiretape.attempt import Transport
from wiretape.words import duration

ROWS: Final = 100
"""Sessions on one page."""


_HEALTHS: Final = {
    Sort.COMPLETED: "completed",
    Sort.FAILED: "not completed",
    Sort.OPEN: "not over",
    Sort.RETRY: "with retries",
    Sort.FALLBACK: "with a fallback",
    Sort.SILENCE: f"with a silence of {duration(LONG_WAIT_US)} or more",
    Sort.GAP: "with gaps",
    Sort.FINDING: "with findings",
}


@dataclass(frozen=True, slots=True)
class SessionsQuery:
    """What the address asks for: a text, what a chip is about, a transport, how many seconds it
    took at least, an order, a page."""

    text: str = ""
    health: Sort | None = None
    transport: Transport | None = None
    over_s: int | None = None
    order: Order = Order.NEWEST
    page: int = 1

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> Self:
        """The query of an address.

        Raises:
            BadAddress: a value makes no sense.
        """
        return cls(
            given.get("text", "").strip(),
            choice_in(given, "health", Sort),
            choice_in(given, "transport", Transport),
            number_in(given, "over_s"),
            choice_in(given, "order", Order) or Order.NEWEST,
            page_in(given),
        )

    def takes(self, head: SessionHead) -> bool:
        if self.health is not None and self.health not in {chip.sort for chip in head.chips}:
            return False
        if self.transport is not None and self.transport not in head.transports:
            return False
        if self.over_s is not None and head.duration_us < self.over_s * 1_000_000:
            return False
        return any(self.text.casefold() in text.casefold() for text in head.texts)

    @property
    def is_filter(self) -> bool:
        """Whether it leaves sessions out."""
        return bool(self.text or self.health or self.transport or self.over_s)


@dataclass(frozen=True, slots=True)
class UnreadableTape:
    """A tape that cannot be used, and why."""

    tape: str
    reason: str


@dataclass(frozen=True, slots=True)
class UnreadTape:
    """A tape that is being read for the first time, and which share of it has been."""

    tape: str
    share: float


@dataclass(frozen=True, slots=True)
class SessionsPage:
    """The list. ``found`` counts the sessions on all pages, ``total`` those of any filter.

    ``growing`` are the tapes that somebody is writing.
    """

    query: SessionsQuery
    sessions: tuple[SessionHead, ...]
    found: int
    total: int
    tapes: int
    unread: tuple[UnreadTape, ...]
    unreadable: tuple[UnreadableTape, ...]
    empty: tuple[str, ...]
    growing: tuple[str, ...]

    @property
    def has_next(self) -> bool:
        return self.query.page < self.last_page

    @property
    def last_page(self) -> int:
        """The number of the last page that has sessions; 1 where there is none."""
        return max(1, -(-self.found // ROWS))

    @property
    def healths(self) -> Mapping[Sort, str]:
        """What chips are about that can be asked for, in words."""
        return _HEALTHS

    @property
    def orders(self) -> Mapping[Order, str]:
        return ORDERS

    @property
    def columns(self) -> tuple[Column, ...]:
        return COLUMNS


def sessions_page(
    query: SessionsQuery, looks: Collection[tuple[str, Look]], growing: Collection[str] = ()
) -> SessionsPage:
    """The page that the query asks for, of the tapes by name."""
    heads: list[SessionHead] = []
    unread: list[UnreadTape] = []
    unreadable: list[UnreadableTape] = []
    empty: list[str] = []
    for name, look in looks:
        if look.error is not None:
            unreadable.append(UnreadableTape(name, str(look.error)))
        elif look.overview is None:
            unread.append(UnreadTape(name, look.share))
        elif look.overview.sessions:
            heads += heads_of(name, look.overview)
        else:
            empty.append(name)
    wanted = in_order([head for head in heads if query.takes(head)], query.order)
    first = (query.page - 1) * ROWS
    return SessionsPage(
        query,
        tuple(wanted[first : first + ROWS]),
        len(wanted),
        len(heads),
        len(looks),
        tuple(unread),
        tuple(unreadable),
        tuple(empty),
        tuple(growing),
    )
