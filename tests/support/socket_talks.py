"""Sockets to be replayed, and what a test says and hears on them."""

import json
from contextlib import AbstractContextManager
from typing import Any

from raw_websocket import RawSocket, raw_socket
from replaying import Replaying
from tapes import LEFT, SESSION, Ending, Recording, asks, wants

from wiretape.facts import Piece, PieceKind, Sender
from wiretape.frames import Message

SESSION_LINE = f"session_id: {SESSION}"
EVENTS = ({"type": "one", "text": "\u2028 ✓ \x00"}, {"type": "two"}, {"type": "x" * 70_000})
HEARD = [Message(PieceKind.TEXT, json.dumps(event).encode()) for event in EVENTS]


def talk(*steps: Any, ending: Ending = LEFT, **more: Any) -> Recording:
    """A socket on which one request is asked, then these things cross."""
    recording = Recording()
    recording.socket(wants(asks("a")), *steps, ending=ending, **more)
    return recording


def opened(server: Replaying, *lines: str) -> AbstractContextManager[RawSocket]:
    """A socket of the recorded session, opened with these headers too."""
    return raw_socket(server.host, server.port, SESSION_LINE, *lines)


def pieces(server: Replaying) -> list[tuple[Sender, PieceKind, bytes]]:
    """What crossed, on the replay's own tape."""
    return [(x.sender, x.kind, x.data) for x in server.facts if isinstance(x, Piece)]
