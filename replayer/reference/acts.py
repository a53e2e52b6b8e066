"""What a recorded client did that crossed the wire, act by act, each with its place."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from replayer.answers import is_request
from wiretape.asked import (
    Asked,
    RequestKind,
    asked_by_message,
    asked_in,
)
from wiretape.scope import Purpose, purpose_of
from wiretape.store_reader import Exchange, TapeReader


class ActKind(StrEnum):
    """What a client does, in words that a report uses."""

    UPGRADE = "opens a WebSocket"
    WARM_UP = "warms up on its WebSocket"
    ASK = "asks on its WebSocket"
    POST = "asks over HTTP"


@dataclass(frozen=True, slots=True)
class Place:
    """A place on a tape. ``message`` counts the client's messages on a socket from 0, ``None``
    over HTTP; ``event`` counts what the server said in answer, from 1, 0 before that."""

    exchange: int
    message: int | None
    event: int
    at_us: int

    def __str__(self) -> str:
        """``exchange 2, message 0, event 14, at 0.253532 s``"""
        message = "" if self.message is None else f", message {self.message}"
        event = f", event {self.event}" if self.event else ""
        return f"exchange {self.exchange}{message}{event}, at {self.at_us / 1e6:.6f} s"


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that the client did, and what it asked by it.

    ``is_unused`` is said of a WebSocket that was opened, and nothing asked on it.
    """

    kind: ActKind
    exchange: Exchange
    message: int | None
    at_us: int
    asked: Asked
    is_unused: bool = False

    @property
    def place(self) -> Place:
        return Place(self.exchange.id, self.message, 0, self.at_us)

    @property
    def is_request(self) -> bool:
        """Whether it asks for an answer."""
        return self.kind in (ActKind.ASK, ActKind.POST)


def acts_of(reader: TapeReader, exchange: Exchange) -> Iterator[Act]:
    """The acts in one exchange; none where it asks for something else than a response."""
    request = exchange.request
    purpose = purpose_of(request.method, request.target, is_upgrade=exchange.is_upgrade)
    if purpose is not Purpose.RESPONSES:
        return
    asked = asked_in(request, reader.request_body(exchange.id))
    if not exchange.is_upgrade:
        yield Act(ActKind.POST, exchange, None, request.at_us, asked)
        return
    messages = [piece for piece in reader.pieces(exchange.id) if is_request(piece)]
    is_unused = exchange.is_websocket and not messages
    yield Act(ActKind.UPGRADE, exchange, None, request.at_us, asked, is_unused)
    for number, piece in enumerate(messages):
        asked = asked_by_message(request.headers, piece.data)
        is_warm_up = asked.kind is RequestKind.WARM_UP
        kind = ActKind.WARM_UP if is_warm_up else ActKind.ASK
        yield Act(kind, exchange, number, piece.at_us, asked)
