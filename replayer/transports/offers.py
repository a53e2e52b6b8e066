"""WebSockets that are refused in the way that sends clients to HTTP at once."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Final

from wiretape.facts import End, EndKind, ResponseHead
from wiretape.recording import Recording, WholeExchange, with_number
from wiretape.scripts.defaults import UPGRADE

_TRIES: Final = 2
"""So often the known clients ask, before they believe that there is none."""


def refused_upgrades(exchange: WholeExchange, at_us: int | None = None) -> Iterator[WholeExchange]:
    """What answers a client that asks for a WebSocket where this exchange was, or then: whoever it
    is, and it need not ask. They have the number of the exchange."""
    at_us = exchange.request.at_us if at_us is None else at_us
    for _ in range(_TRIES):
        yield WholeExchange(
            replace(exchange.request, at_us=at_us, method="GET", headers=UPGRADE),
            None,
            ResponseHead(exchange.id, at_us, 426, "Upgrade Required", "HTTP/1.1", ()),
            (),
            End(exchange.id, at_us, EndKind.COMPLETE),
            origins=(None,),
        )


def without_sockets(recording: Recording) -> Recording:
    """The bend that refuses WebSockets to whoever asks for one that was not recorded."""
    return without_sockets_for(recording, recording.exchanges[-1:])


def without_sockets_for(recording: Recording, asked: Iterable[WholeExchange]) -> Recording:
    """The same, as often as clients ask where these exchanges were. The refusals stand behind all
    else, so that what was recorded keeps its numbers."""
    last_us = max((each.request.at_us for each in recording.exchanges), default=0)
    refused = chain.from_iterable(refused_upgrades(each, last_us) for each in asked)
    first = max((each.id for each in recording.exchanges), default=0) + 1
    behind = tuple(with_number(each, number) for number, each in enumerate(refused, first))
    return replace(recording, exchanges=recording.exchanges + behind)
