"""When an attempt was over, and what its end made of it.

What the server said counts first (see ``said``); where it said no end, the status does, and then
how the exchange ended.
"""

from dataclasses import dataclass, replace

from wiretape.asked import RequestKind
from wiretape.attempt import Attempt
from wiretape.crossings import CLOSE
from wiretape.facts import EndKind, Sender
from wiretape.said import Outcome, Said
from wiretape.store_reader import Exchange
from wiretape.unreached import why_unreached


@dataclass(frozen=True, slots=True)
class Ending:
    """When an exchange had ended for the client, and the event that it was told by, if any."""

    at_us: int
    by: str | None = None


def ending_of(exchange: Exchange, closed_us: int | None, asked_us: int) -> Ending | None:
    """The end of an exchange, for what was asked in it last.

    A close frame is the end of a socket. How long TCP takes to go after it is nobody's wait.
    """
    if exchange.end is None:
        return None
    if closed_us is None or exchange.end.how is not EndKind.WEBSOCKET_CLOSED:
        return Ending(exchange.end.at_us)
    return Ending(max(closed_us, asked_us), CLOSE)


def left(attempt: Attempt) -> Attempt:
    """An attempt on a socket that went on: it lasts until its end was said, or as long as the
    server said something."""
    return replace(attempt, until_us=attempt.ended_at_us or attempt.last_event_us)


def ended(attempt: Attempt, exchange: Exchange, ending: Ending | None, said: Said) -> Attempt:
    """The last attempt of an exchange, judged by how the exchange ended too."""
    end = exchange.end
    is_idle_socket = exchange.is_websocket and attempt.message is None
    if is_idle_socket:
        until_us = None if ending is None else ending.at_us
        return replace(attempt, outcome=Outcome.CONNECTED, until_us=until_us)
    if end is None or ending is None:
        return attempt
    if attempt.outcome is not Outcome.OPEN:
        return (
            left(attempt) if attempt.message is not None else replace(attempt, until_us=end.at_us)
        )
    attempt = replace(
        attempt,
        until_us=ending.at_us,
        ended_by=ending.by,
        ended_at_us=None if ending.by is None else ending.at_us,
    )
    if attempt.status is not None and attempt.status >= 400:
        reason = exchange.response.reason if exchange.response else ""
        status = f"{attempt.status} {reason}".rstrip()
        detail = f"{status}: {said.detail}" if said.detail else status
        return replace(attempt, outcome=Outcome.HTTP_ERROR, detail=detail)
    detail = end.how.value
    if end.code is not None:
        detail = f"{detail} {end.code} {end.reason or ''}".rstrip()
    match end.how:
        case EndKind.COMPLETE if attempt.kind is RequestKind.COMPACT or said.is_finished:
            return replace(attempt, outcome=Outcome.COMPLETED, detail="")
        case EndKind.REFUSED | EndKind.TLS_FAILURE:
            detail = why_unreached(end.detail or detail)
            return replace(attempt, outcome=Outcome.UNREACHED, detail=detail)
        case EndKind.RECORDER_STOPPED:
            return replace(attempt, detail=detail)
        case EndKind.CLIENT_CLOSED:
            return replace(attempt, outcome=Outcome.ABANDONED, detail=detail)
        case EndKind.RESET | EndKind.WEBSOCKET_CLOSED if end.side is Sender.CLIENT:
            return replace(attempt, outcome=Outcome.ABANDONED, detail=detail)
        case _:
            return replace(attempt, outcome=Outcome.CUT, detail=detail)
