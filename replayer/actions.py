"""What a player tells its server to do. Frozen, and without any I/O.

``at_us`` counts from what set the actions off: the end of the request, or the client's last
message. A server that keeps the recorded pace waits until then; one in a hurry does not look.
"""

from dataclasses import dataclass

from wiretape.facts import Headers, PieceKind


@dataclass(frozen=True, slots=True)
class SendHead:
    """Send the head of an HTTP response. Its headers say nothing of how the body is framed,
    unless they state its length."""

    at_us: int
    status: int
    reason: str
    headers: Headers


@dataclass(frozen=True, slots=True)
class SendBytes:
    """Send some of the response's body."""

    at_us: int
    data: bytes


@dataclass(frozen=True, slots=True)
class SendFrame:
    """Send a WebSocket message, ping, pong or close frame; undecoded bytes go as they are."""

    at_us: int
    kind: PieceKind
    data: bytes


@dataclass(frozen=True, slots=True)
class Finish:
    """End the response properly; the connection may carry another request."""

    at_us: int


@dataclass(frozen=True, slots=True)
class Drop:
    """Close the TCP connection, whatever is unfinished.

    Not ``is_recorded``: the recording does not tell how it ended.
    """

    at_us: int
    is_recorded: bool = True


@dataclass(frozen=True, slots=True)
class Reset:
    """Reset the TCP connection."""

    at_us: int


@dataclass(frozen=True, slots=True)
class Hold:
    """Do nothing until the client leaves: in the recording it was the client who did."""


type Sending = SendHead | SendBytes | SendFrame
type Ending = Finish | Drop | Reset | Hold
type Action = Sending | Ending
