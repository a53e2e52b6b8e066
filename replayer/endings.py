"""How a replayed exchange ends: as the recorded one did. Pure.

Where the tape does not tell (the recorder stopped in the middle, or something is missing), what
was said decides: an answer that is whole ends well, any other as a connection that was lost,
because a client that waits for what nobody recorded would wait for ever.
"""

from collections.abc import Callable, Iterable
from typing import Final

from replayer.actions import Drop, Ending, Finish, Hold, Reset
from wiretape.facts import EndKind, Gap, Sender
from wiretape.store_reader import Exchange

_BY_THE_SERVER: Final[dict[EndKind, type[Finish] | type[Drop] | type[Reset]]] = {
    EndKind.COMPLETE: Finish,
    EndKind.WEBSOCKET_CLOSED: Drop,
    EndKind.SERVER_CLOSED: Drop,
    EndKind.RESET: Reset,
    EndKind.REFUSED: Drop,
    EndKind.TLS_FAILURE: Drop,
    EndKind.PROTOCOL_ERROR: Drop,
}
"""What is left is the client's doing (``CLIENT_CLOSED``), or unknown (``RECORDER_STOPPED``)."""


def ending_of(
    exchange: Exchange,
    base_us: int,
    last_us: int,
    *,
    is_whole: Callable[[], bool],
    has_gap: bool,
) -> Ending:
    """How the exchange ends. Times count from ``base_us``; ``last_us`` is when something of it
    last crossed. ``is_whole`` tells whether the answer was, ``has_gap`` whether some of it is not
    on the tape."""
    end = exchange.end
    if end is not None and end.side is not Sender.CLIENT and end.how in _BY_THE_SERVER:
        return _BY_THE_SERVER[end.how](end.at_us - base_us)
    if is_whole():
        # Over HTTP the client had heard enough, and hung up before the body's end came. A client
        # that listens on would wait for that end for ever.
        is_over = not exchange.is_websocket
        return Finish(0 if end is None else end.at_us - base_us) if is_over else Hold()
    if ends_unknown(exchange) or has_gap:
        return Drop(last_us - base_us, is_recorded=False)
    return Hold()


def ends_unknown(exchange: Exchange) -> bool:
    """Whether the tape does not tell how the exchange ended."""
    return exchange.end is None or exchange.end.how is EndKind.RECORDER_STOPPED


def gaps_of(exchange: Exchange, gaps: Iterable[Gap]) -> tuple[Gap, ...]:
    """The gaps in which something of the exchange may be missing."""
    until_us = None if exchange.end is None else exchange.end.at_us
    return tuple(
        gap
        for gap in gaps
        if gap.exchange == exchange.id
        or (
            gap.exchange is None
            and gap.until_us >= exchange.request.at_us
            and (until_us is None or gap.at_us <= until_us)
        )
    )
