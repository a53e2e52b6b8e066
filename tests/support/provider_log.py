"""What the provider was asked, and how its clients left: the entries of its log."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from provider_script import Headers


class Ask(StrEnum):
    """What kind of thing was asked."""

    SSE = "sse"
    """POST …/responses."""
    UPGRADE = "upgrade"
    """GET …/responses with an upgrade."""
    WEBSOCKET = "websocket"
    """A request in a WebSocket message."""
    WARM_UP = "warm-up"
    """The same with ``generate: false``."""
    MODELS = "models"
    """GET …/models."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing that the provider was asked, and the status it answered (``None``: no head).

    ``body`` is the JSON of the body or message, ``None`` where there is none. ``connection``
    numbers TCP connections from 0. ``at_s`` is on the event loop's clock.
    """

    kind: Ask
    connection: int
    at_s: float
    method: str
    target: str
    headers: Headers
    body: Any
    raw: bytes
    status: int | None

    def __str__(self) -> str:
        """``sse``, ``websocket``, ``upgrade 426``: the status is said where it is not the usual."""
        usual = 101 if self.kind is Ask.UPGRADE else 200
        if self.kind in (Ask.WEBSOCKET, Ask.WARM_UP) or self.status == usual:
            return self.kind.value
        return f"{self.kind} {self.status or 'unanswered'}"


class Exit(StrEnum):
    """How a client left."""

    FIN = "fin"
    RESET = "reset"
    CLOSE_FRAME = "close frame"


@dataclass(frozen=True, slots=True)
class Left:
    """A client left. ``code`` and ``reason`` are those of its close frame, which may answer ours.

    A client that hangs up while bytes are under way is seen as ``FIN`` or as ``RESET``, by chance.
    """

    connection: int
    at_s: float
    how: Exit
    code: int | None = None
    reason: str | None = None
