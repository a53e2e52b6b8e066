"""The bend that puts a recording on the other transport."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from replayer.bends.telling import TellingBend
from replayer.transports.fallback import without_fallback
from replayer.transports.reading import is_for_a_response, tries_of
from replayer.transports.sockets import sockets
from replayer.transports.streams import post
from replayer.transports.tries import Try
from wiretape.attempts import Transport
from wiretape.recording import Recording, WholeExchange, numbered
from wiretape.scripts.defaults import is_upgrade


def over(transport: Transport) -> TellingBend:
    """The bend by which everything is asked and answered over ``transport``.

    A session that used no other is left as it was recorded.

    Raises, when it is done:
        CannotExpress: something has no counterpart there.
    """
    return TellingBend(
        lambda recording: _laid_out(recording, transport).recording,
        lambda recording: _laid_out(recording, transport).left_out,
    )


@dataclass(frozen=True, slots=True)
class _LaidOut:
    recording: Recording
    left_out: tuple[str, ...]


def _laid_out(recording: Recording, transport: Transport) -> _LaidOut:
    asked = [each for each in recording.exchanges if is_for_a_response(each)]
    if all(is_upgrade(each.request) is (transport is Transport.WEBSOCKET) for each in asked):
        return _LaidOut(recording, ())
    sessions: dict[str | None, list[Try]] = defaultdict(list)
    for each in tries_of(recording):
        sessions[each.session].append(each)
    moved: list[WholeExchange] = []
    told: list[str] = []
    used = set()
    for tries in sessions.values():
        if all(each.transport is transport for each in tries):
            continue
        used |= {each.exchange.id for each in tries}
        kept, left_out = without_fallback(tries)
        moved += sockets(kept) if transport is Transport.WEBSOCKET else map(post, kept)
        told += left_out
    stays = (
        each
        for each in recording.exchanges
        if each.id not in used and not _is_idle(each, transport)
    )
    return _LaidOut(replace(recording, exchanges=_in_order([*stays, *moved])), tuple(told))


def _is_idle(exchange: WholeExchange, transport: Transport) -> bool:
    """Whether it is a WebSocket on which nothing was asked, where there are to be none."""
    is_asked = any(True for _ in exchange.pieces)
    is_socket = is_for_a_response(exchange) and exchange.is_websocket
    return is_socket and not is_asked and transport is Transport.HTTP


def _in_order(exchanges: Iterable[WholeExchange]) -> tuple[WholeExchange, ...]:
    """By time. Numbers are kept where they may: reports name exchanges by them."""
    ordered = sorted(exchanges, key=lambda each: (each.request.at_us, each.id))
    numbers = [each.id for each in ordered]
    if numbers == sorted(set(numbers)):
        return tuple(ordered)
    return numbered(ordered)
