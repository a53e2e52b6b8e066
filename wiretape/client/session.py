"""What the client keeps from turn to turn."""

from dataclasses import dataclass, field

from wiretape.client.events import ClientEvent
from wiretape.client.failures import Failure
from wiretape.client.transport import FallbackSwitch


@dataclass(slots=True)
class Session:
    """A session under way. ``is_new`` until its first turn starts: the client was just started.

    ``socket_head`` is what the head of the open WebSocket told, ``None`` where none is open;
    ``idle_end`` is how a socket ended while nothing was asked, for the next request to notice.
    """

    is_new: bool = True
    switch: FallbackSwitch = field(default_factory=FallbackSwitch)
    socket_head: tuple[ClientEvent, ...] | None = None
    idle_end: Failure | None = None
