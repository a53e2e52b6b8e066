"""Which tries belong to one transport alone, and are nothing to the other.

A client that gets nowhere over WebSocket falls back to HTTP, and asks there again. Over HTTP there
is nothing to fall back from, and over a WebSocket that answers there is no reason to: the tries
before the fallback, and upgrades that were refused, are left out.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from replayer.transports.tries import Try
from wiretape.attempts import Transport

_OF_A_SOCKET: Final = frozenset(
    {"previous_response_not_found", "websocket_connection_limit_reached"}
)
"""Errors that only a WebSocket has; the client asks again on another one."""


def without_fallback(tries: Sequence[Try]) -> tuple[list[Try], list[str]]:
    """The tries of one session that any transport could have had, and what was left out, in
    words."""
    left_out = {id(each): why for each, why in _left_out(tries)}
    kept = [each for each in tries if id(each) not in left_out]
    return kept, [
        f"{each.place} is left out: {left_out[id(each)]}" for each in tries if id(each) in left_out
    ]


def _left_out(tries: Sequence[Try]) -> Iterator[tuple[Try, str]]:
    fell_back = False
    for each in reversed(tries):
        if each.transport is Transport.HTTP:
            fell_back = True
        elif each.asked is None:
            yield each, "a WebSocket that is refused has no counterpart over the other transport"
        elif each.is_completed:
            fell_back = False
        elif fell_back:
            yield each, "the client gave WebSocket up, and asked again over HTTP"
        elif each.refusal is not None and any(
            code.encode() in each.refusal.body for code in _OF_A_SOCKET
        ):
            yield each, "only a WebSocket fails in this way"
