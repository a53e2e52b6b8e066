"""A recording with other silences. Pure."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import Enum, auto
from itertools import accumulate, pairwise

from replayer.answers import is_last_message, is_request
from wiretape.facts import EndKind, Fact, Gap, Sender
from wiretape.recording import Bend, Recording, WholeExchange, with_facts


class Awaited(Enum):
    """What a client waits for in a silence."""

    HANDSHAKE = auto()
    HEAD = auto()
    ANSWER = auto()
    NOTHING = auto()
    """The next word is its own, or everything was said."""


type Silenced = Callable[[int, Awaited], int]
"""How long a silence shall last that lasted so long: microseconds, both."""


def with_silences(new: Silenced) -> Bend:
    """Every time in which nothing crosses in an exchange lasts as long as ``new`` says."""

    def bend(recording: Recording) -> Recording:
        exchanges = (_with_silences(each, new) for each in recording.exchanges)
        return replace(recording, exchanges=tuple(exchanges))

    return bend


def _with_silences(exchange: WholeExchange, new: Silenced) -> WholeExchange:
    times = sorted({fact.at_us for fact in exchange.facts()})
    # Of what comes together, the first ends the silence.
    awaited = dict(reversed(list(_awaited(exchange))))
    lengths = (
        new(after - before, awaited.get(after, Awaited.NOTHING))
        for before, after in pairwise(times)
    )
    moved = dict(zip(times, accumulate(lengths, initial=times[0]), strict=True))

    def at_its_time(fact: Fact) -> Fact:
        at_us = moved[fact.at_us]
        if isinstance(fact, Gap):
            return replace(fact, at_us=at_us, until_us=at_us + fact.until_us - fact.at_us)
        return replace(fact, at_us=at_us)

    return with_facts(exchange, at_its_time)


def _awaited(exchange: WholeExchange) -> Iterator[tuple[int, Awaited]]:
    """When the server did something that the client had waited for, and what that was."""
    head = exchange.response
    if head is not None:
        is_upgrade = exchange.request.is_upgrade
        yield head.at_us, Awaited.HANDSHAKE if is_upgrade else Awaited.HEAD
    is_owed = not exchange.is_websocket
    for piece in exchange.pieces:
        if is_request(piece):
            is_owed = True
        elif piece.sender is Sender.SERVER:
            if is_owed:
                yield piece.at_us, Awaited.ANSWER
            is_owed = is_owed and not is_last_message(piece)
    end = exchange.end
    if end is not None and end.how is not EndKind.CLIENT_CLOSED and is_owed:
        yield end.at_us, _before_the_end(exchange)


def _before_the_end(exchange: WholeExchange) -> Awaited:
    if exchange.response is not None:
        return Awaited.ANSWER
    return Awaited.HANDSHAKE if exchange.request.is_upgrade else Awaited.HEAD
