"""Judges how an exchange ended that came to no proper end. Pure.

The proxy tells in words what went wrong, and on which side; from these and the little that is
known of the connections follows the :class:`~wiretape.facts.EndKind`.
"""

import os
import re
from dataclasses import dataclass
from typing import Final

from wiretape.facts import EndKind, Sender

_HUNG_UP: Final = re.compile(
    "closed connection|closed the connection|connection closed|disconnected|stream reset"
    "|unexpected server response"
)
"""The proxy's words for a peer that is gone; all others are for one that breaks the protocol."""

_QUOTED: Final = re.compile(r"""\s*:?\s*b(['"]).*""", re.DOTALL)

_NUMBERED: Final = re.compile(r"\[Errno (-?\d+)\] *")


@dataclass(frozen=True, slots=True)
class Trouble:
    """What the proxy knows of it.

    ``side`` is where it came from, ``words`` how the proxy says it. ``is_reset`` holds when that
    side's TCP connection was reset, ``is_unreached`` when there never was a connection to the
    upstream, ``is_tls`` when there was one, but TLS could not be established on it.
    """

    side: Sender
    words: str
    is_reset: bool = False
    is_unreached: bool = False
    is_tls: bool = False


def ending_of(trouble: Trouble) -> tuple[EndKind, Sender | None]:
    """How the exchange ended, and by which side."""
    match trouble:
        case Trouble(is_tls=True):
            return EndKind.TLS_FAILURE, Sender.SERVER
        case Trouble(is_unreached=True):
            return EndKind.REFUSED, None
        case Trouble(is_reset=True, side=side):
            return EndKind.RESET, side
        case Trouble(side=Sender.CLIENT, words=words) if _HUNG_UP.search(words):
            return EndKind.CLIENT_CLOSED, Sender.CLIENT
        case Trouble(side=Sender.SERVER, words=words) if _HUNG_UP.search(words):
            return EndKind.SERVER_CLOSED, Sender.SERVER
        case Trouble(side=side):
            return EndKind.PROTOCOL_ERROR, side


def told(words: str) -> str:
    """The proxy's words without the bytes of the wire that it quotes, which may hold secrets."""
    return _QUOTED.sub("", words)


def in_short(words: str) -> str:
    """The same for a person: the system's words for an error that the proxy gives by number."""
    number = _NUMBERED.search(words)
    # A resolver's numbers are below zero, and its words stand behind them.
    if number is None or int(number[1]) < 0:
        return _NUMBERED.sub("", told(words))
    return os.strerror(int(number[1]))
