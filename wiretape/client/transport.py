"""Which transport a request takes, and the switch that takes WebSocket away for good.

Source: document 002 §1.
"""

from enum import StrEnum


class Transport(StrEnum):
    """The two ways to stream a response."""

    SSE = "sse"
    WEBSOCKET = "websocket"


class FallbackSwitch:
    """Whether this session has fallen back to HTTP (§1.2). It goes on once and never off."""

    def __init__(self) -> None:
        self._is_on = False

    @property
    def is_on(self) -> bool:
        """WebSocket is disabled for the rest of the session."""
        return self._is_on

    def activate(self) -> bool:
        """Disables WebSocket (§1.2); whether this call is the one that did it."""
        is_first = not self._is_on
        self._is_on = True
        return is_first


def choose(*, is_websocket_configured: bool, switch: FallbackSwitch) -> Transport:
    """The transport of the next request (§1.1)."""
    if is_websocket_configured and not switch.is_on:
        return Transport.WEBSOCKET
    return Transport.SSE
