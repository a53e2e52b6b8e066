"""What the client talks over: sockets, or a recording that stands for them."""

from typing import Protocol

from wiretape.client.wire import Input
from wiretape.facts import Headers
from wiretape.jsontext import JsonObject


class Wire(Protocol):
    """One connection at a time: an open socket, or the answer to a POST."""

    async def upgrade(self, headers: Headers, delay_ms: int) -> Input:
        """Drops the socket if there is one, waits, asks for another; gives how that ended."""

    async def post(self, headers: Headers, body: JsonObject, delay_ms: int) -> Input:
        """Drops the socket, waits, asks over HTTP; gives what came of it, up to the head."""

    async def send(self, message: JsonObject) -> None:
        """Asks on the socket."""

    async def receive(self) -> Input:
        """What comes next in answer to what was asked last."""

    async def rest(self) -> Input | None:
        """Lets the time go by in which tools run; the end of the socket, if it ends meanwhile."""

    async def close(self) -> None:
        """Drops whatever is open."""
