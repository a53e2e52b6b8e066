"""WebSockets that are refused in the way that sends clients to HTTP at once."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from wiretape.facts import End, EndKind, ResponseHead
from wiretape.recording import Recording, WholeExchange, with_number
from wiretape.scripts.defaults import UPGRADE

_TRIES: Final = 2
"""So often the known clients ask, before they believe that there is none."""


def refused_upgrades(exchange: WholeExchange) -> Iterator[WholeExchange]:
    """What answers a client that asks for a WebSocket where this exchange was: whoever it is, and
    it need not ask. They have the number of the exchange."""
    request, at_us = exchange.request, exchange.request.at_us
    for _ in range(_TRIES):
        yield WholeExchange(
            replace(request, method="GET", headers=UPGRADE),
            None,
            ResponseHead(exchange.id, at_us, 426, "Upgrade Required", "HTTP/1.1", ()),
            (),
            End(exchange.id, at_us, EndKind.COMPLETE),
        )


def without_sockets(recording: Recording) -> Recording:
    """The bend that refuses WebSockets to whoever asks for one that was not recorded. The refusals
    stand behind all else, so that what was recorded keeps its numbers."""
    if not recording.exchanges:
        return recording
    last = recording.exchanges[-1]
    offers = enumerate(refused_upgrades(last), last.id + 1)
    behind = tuple(with_number(each, number) for number, each in offers)
    return replace(recording, exchanges=recording.exchanges + behind)
