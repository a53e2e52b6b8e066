"""A recording as a value: everything on a tape, exchange by exchange, to be looked at or bent.

Whatever a replay can do, a recording can hold. So a recording is bent before it is played, not
while: a *bend* takes a recording and gives another one, and knows no tape, no player and no
client. :mod:`wiretape.store_recording` reads recordings from tapes and writes tapes of them.

The facts inside are those of :mod:`wiretape.facts`, unchanged; a recording that is read, written
and read again is equal to itself.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain

from wiretape.facts import (
    End,
    Fact,
    Gap,
    Piece,
    PieceKind,
    RequestBody,
    RequestHead,
    ResponseHead,
    Sender,
)
from wiretape.store_writer import TapeLabel

type Place = tuple[int, int | None]
"""An exchange, and the number of the client's message on it: ``None`` for a request over HTTP, and
for a handshake."""


@dataclass(frozen=True, slots=True)
class WholeExchange:
    """All facts of one exchange, in the order in which they crossed.

    What the tape does not hold is ``None``: the ``body`` of a request that was never over, the
    ``response`` that never came, the ``end`` of an exchange that was cut off.
    """

    request: RequestHead
    body: RequestBody | None = None
    response: ResponseHead | None = None
    pieces: tuple[Piece, ...] = ()
    end: End | None = None
    gaps: tuple[Gap, ...] = ()
    origins: tuple[Place | None, ...] = field(default=(), compare=False)

    @property
    def id(self) -> int:
        return self.request.exchange

    @property
    def is_websocket(self) -> bool:
        """Whether it became a WebSocket."""
        return self.response is not None and self.response.status == 101

    @property
    def places(self) -> Iterator[tuple[Place, Place | None]]:
        """Where each thing that the client asks stands, and where it stands on the tape."""
        for index in range(1 + sum(map(_is_message, self.pieces)) * self.is_websocket):
            here = self.id, None if index == 0 else index - 1
            yield here, self.origins[index] if index < len(self.origins) else here

    @property
    def until_us(self) -> int:
        """When the last of it crossed."""
        facts = (self.end, *self.pieces[-1:], self.response, self.body, self.request)
        return next(fact.at_us for fact in facts if fact is not None)

    def facts(self) -> Iterator[Fact]:
        """Its facts, by kind; of the pieces, the order matters."""
        heads = (self.request, self.body, self.response)
        for fact in (*heads, *self.pieces, self.end, *self.gaps):
            if fact is not None:
                yield fact


@dataclass(frozen=True, slots=True)
class Recording:
    """All that is on a tape.

    ``exchanges`` ascend by number. ``gaps`` are those that belong to none of them. What is not
    ``is_closed`` was cut off, or is being recorded still.
    """

    label: TapeLabel
    exchanges: tuple[WholeExchange, ...]
    gaps: tuple[Gap, ...] = ()
    is_closed: bool = True

    def facts(self) -> Iterator[Fact]:
        """Every fact, exchange by exchange."""
        return chain(chain.from_iterable(each.facts() for each in self.exchanges), self.gaps)


type Bend = Callable[[Recording], Recording]
"""Makes another recording of one. Pure: the same recording always gives the same one."""


def bent(recording: Recording, bends: Iterable[Bend]) -> Recording:
    """The recording after all ``bends``, in their order."""
    for bend in bends:
        recording = bend(recording)
    return recording


def with_facts(exchange: WholeExchange, change: Callable[[Fact], Fact]) -> WholeExchange:
    """The exchange with every fact replaced by what ``change``, which keeps kinds, makes of it."""

    def changed[F: Fact](fact: F) -> F:
        new = change(fact)
        assert isinstance(new, type(fact))
        return new

    return WholeExchange(
        changed(exchange.request),
        None if exchange.body is None else changed(exchange.body),
        None if exchange.response is None else changed(exchange.response),
        tuple(map(changed, exchange.pieces)),
        None if exchange.end is None else changed(exchange.end),
        tuple(map(changed, exchange.gaps)),
        exchange.origins,
    )


def tape_places(recording: Recording) -> dict[Place, Place | None]:
    """Where the tape has what a bent recording has elsewhere: ``None`` for what was put in."""
    places = (pair for exchange in recording.exchanges for pair in exchange.places)
    return {here: origin for here, origin in places if here != origin}


def tape_numbers(recording: Recording) -> dict[int, int]:
    """The exchange of the tape that each exchange of a bent recording comes from; the last one,
    where that is several. What was put in comes from none."""
    places = (pair for exchange in recording.exchanges for pair in exchange.places)
    return {here: origin[0] for (here, _), origin in places if origin is not None}


def numbered(exchanges: Iterable[WholeExchange]) -> tuple[WholeExchange, ...]:
    """The exchanges with new numbers, from 1 in the order given: after some were put in, left
    out or moved."""
    return tuple(with_number(each, number) for number, each in enumerate(exchanges, 1))


def with_number(exchange: WholeExchange, number: int) -> WholeExchange:
    """The exchange by another number."""
    if exchange.id == number:
        return exchange
    origins = tuple(origin for _, origin in exchange.places)
    named = with_facts(exchange, lambda fact: replace(fact, exchange=number))
    return replace(named, origins=origins)


def moved(exchange: WholeExchange, by_us: int) -> WholeExchange:
    """The exchange ``by_us`` microseconds later."""

    def later(fact: Fact) -> Fact:
        if isinstance(fact, Gap):
            return replace(fact, at_us=fact.at_us + by_us, until_us=fact.until_us + by_us)
        return replace(fact, at_us=fact.at_us + by_us)

    return with_facts(exchange, later)


def _is_message(piece: Piece) -> bool:
    return piece.sender is Sender.CLIENT and piece.kind in (PieceKind.TEXT, PieceKind.BINARY)
