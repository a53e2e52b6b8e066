"""What happens to the client on the wire: the inputs of its machines.

The shell that owns the sockets says these; the machines decide. Times are no part of them: the
shell says ``TimedOut`` when the time that the configuration allows has gone by.
"""

from dataclasses import dataclass
from enum import StrEnum

from wiretape.facts import Headers


@dataclass(frozen=True, slots=True)
class Opened:
    """The answer's head has come, and it is good: a 2xx to the POST, a 101 to the upgrade."""

    headers: Headers = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """The POST or the upgrade was answered with another status; ``body`` is its whole body."""

    status: int
    headers: Headers = ()
    body: str = ""


@dataclass(frozen=True, slots=True)
class Unreachable:
    """No connection could be made. ``reason`` is the system's: ``"Connection refused …"``."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The connection ended before the head of an answer. ``how`` is said of an upgrade."""

    how: str


@dataclass(frozen=True, slots=True)
class Said:
    """The ``data`` of a server-sent event, or a WebSocket text message."""

    text: str


@dataclass(frozen=True, slots=True)
class SaidBytes:
    """A WebSocket binary message."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Pinged:
    """A WebSocket ping has come; ``was_answered`` is false if the pong could not be sent."""

    was_answered: bool = True


@dataclass(frozen=True, slots=True)
class Ended:
    """The stream came to its proper end."""


@dataclass(frozen=True, slots=True)
class Closed:
    """The server sent a WebSocket close frame."""

    code: int | None = None
    reason: str = ""


class Breakage(StrEnum):
    """How a connection broke, in the client's words (Linux)."""

    BODY_CUT = "Transport error: network error: error decoding response body"
    """An HTTP body was cut off, by either kind of TCP end."""
    SOCKET_DROPPED = "WebSocket protocol error: Connection reset without closing handshake"
    """The server hung up without a close frame."""
    SOCKET_RESET = "IO error: Connection reset by peer (os error 104)"
    UPGRADE_DROPPED = "WebSocket protocol error: Handshake not finished"
    """The server hung up instead of answering the upgrade."""
    UPGRADE_RESET = "Connection reset by peer (os error 104)"


@dataclass(frozen=True, slots=True)
class Broken:
    """The connection broke. ``how`` is said to the user: a ``Breakage``, or other words."""

    how: str


@dataclass(frozen=True, slots=True)
class TimedOut:
    """Nothing came for as long as the client waits."""


type Input = (
    Opened
    | Refused
    | Unreachable
    | Unanswered
    | Said
    | SaidBytes
    | Pinged
    | Ended
    | Closed
    | Broken
    | TimedOut
)
