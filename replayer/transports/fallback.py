"""Which tries belong to one transport alone, and are nothing to the other.

A client that gets nowhere over WebSocket falls back to HTTP, and asks there again. Over HTTP there
is nothing to fall back from, and over a WebSocket that answers there is no reason to: the tries
before the fallback, and upgrades that were refused, are left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final

from replayer.transports.tries import Try
from wiretape.attempt import Transport

_OF_A_SOCKET: Final = frozenset(
    {"previous_response_not_found", "websocket_connection_limit_reached"}
)
"""Errors that only a WebSocket has; the client asks again on another one."""


class LeftOut(StrEnum):
    """Why a try is left out."""

    REFUSED = "refused"
    GIVEN_UP = "given up"
    OF_A_SOCKET = "of a socket"


_WORDS: Final[Mapping[LeftOut, str]] = {
    LeftOut.REFUSED: "WebSockets were refused, which over the other transport has no counterpart",
    LeftOut.GIVEN_UP: "the client gave WebSocket up, and asked again over HTTP",
    LeftOut.OF_A_SOCKET: "only WebSockets fail like that",
}


def left_out(tries: Sequence[Try]) -> dict[Try, LeftOut]:
    """The tries of one session that the other transport would not have had, and why."""
    found: dict[Try, LeftOut] = {}
    fell_back = False
    for each in reversed(tries):
        if each.transport is Transport.HTTP:
            fell_back = True
        elif each.asked is None:
            found[each] = LeftOut.REFUSED
        elif each.is_completed:
            fell_back = False
        elif fell_back:
            found[each] = LeftOut.GIVEN_UP
        elif each.refusal is not None and any(
            code.encode() in each.refusal.body for code in _OF_A_SOCKET
        ):
            found[each] = LeftOut.OF_A_SOCKET
    return found


def sentences(found: Mapping[Try, LeftOut]) -> Iterator[str]:
    """What was left out, for a person."""
    for why in LeftOut:
        # What another bend put in is nobody's business.
        told = (each for each, reason in found.items() if reason is why and each.origin)
        places = [each.place for each in told]
        if places:
            yield f"left out, because {_WORDS[why]}: {'; '.join(reversed(places))}"
