"""The list of sessions, over all tapes."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Self

from inspector_web.addresses import choice_in, page_in
from inspector_web.health import Sort, Tone
from inspector_web.pages.head import SessionHead, heads_of
from inspector_web.readings import Look
from inspector_web.stretches import LONG_WAIT_US
from wiretape.attempts import Transport
from wiretape.words import duration

ROWS: Final = 100
"""Sessions on one page."""


class Order(StrEnum):
    """What the sessions are sorted by, the most of it first."""

    NEWEST = "newest"
    DURATION = "duration"
    REQUESTS = "requests"
    TOKENS = "tokens"
    SILENCE = "silence"
    TROUBLE = "trouble"


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

_KEYS: Final[Mapping[Order, Callable[[SessionHead], Any]]] = {
    Order.NEWEST: lambda head: head.started_at_us,
    Order.DURATION: lambda head: head.duration_us,
    Order.REQUESTS: lambda head: (head.requests, head.attempts),
    Order.TOKENS: lambda head: head.tokens.total if head.tokens else -1,
    Order.SILENCE: lambda head: head.silence_us or 0,
    Order.TROUBLE: lambda head: [
        sum(chip.tone is tone for chip in head.chips) for tone in (Tone.BAD, Tone.WARN)
    ],
}


@dataclass(frozen=True, slots=True)
class SessionsQuery:
    """What the address asks for: a text, what a chip is about, a transport, an order, a page."""

    text: str = ""
    health: Sort | None = None
    transport: Transport | None = None
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
            choice_in(given, "order", Order) or Order.NEWEST,
            page_in(given),
        )

    def takes(self, head: SessionHead) -> bool:
        if self.health is not None and self.health not in {chip.sort for chip in head.chips}:
            return False
        if self.transport is not None and self.transport not in head.transports:
            return False
        places = (head.words, head.client, head.model, head.id, head.tape)
        texts = [text for text in (*places, *(chip.text for chip in head.chips)) if text]
        return any(self.text.casefold() in text.casefold() for text in texts)


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
        return self.query.page * ROWS < self.found

    @property
    def healths(self) -> Mapping[Sort, str]:
        """What chips are about that can be asked for, in words."""
        return _HEALTHS


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
    wanted = [head for head in heads if query.takes(head)]
    # The newest first wherever the order leaves a choice.
    wanted.sort(key=_KEYS[Order.NEWEST], reverse=True)
    wanted.sort(key=_KEYS[query.order], reverse=True)
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
