"""A TCP connection in our hand: every write, FIN and RST when we say so."""

import asyncio
import json
import socket
import struct
from typing import NoReturn

READ_BYTES = 65536


class WireOver(Exception):
    """The provider has ended the connection; there is nobody left to talk to."""


class Wire:
    """The server's end of a connection.

    Reading raises ``asyncio.IncompleteReadError`` when the client has sent FIN, and
    ``ConnectionError`` when it has reset.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self._writer = writer
        # drain() must mean "handed to the system": a reset drops what still waits in here. Under
        # TLS a limit of 0 counts as exceeded by nothing at all, and drain() would never return.
        is_tls = writer.get_extra_info("ssl_object") is not None
        writer.transport.set_write_buffer_limits(high=1 if is_tls else 0)

    async def send(self, data: bytes) -> None:
        """One write, handed to the system when this returns."""
        self._writer.write(data)
        await self._writer.drain()

    async def receive(self) -> bytes:
        """Some bytes, at least one."""
        if data := await self.reader.read(READ_BYTES):
            return data
        raise asyncio.IncompleteReadError(b"", None)

    async def hang(self) -> NoReturn:
        """Silence, until the client leaves."""
        while True:
            await self.receive()

    async def fin(self) -> NoReturn:
        """FIN, then waits for the client's: closing with bytes unread would send RST instead."""
        if self._writer.can_write_eof():
            self._writer.write_eof()
        else:
            self._writer.close()
        await self.hang()

    def reset(self) -> NoReturn:
        """RST."""
        sock = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()
        raise WireOver

    async def close(self) -> None:
        """Lets go of the connection, however it stands."""
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except ConnectionError:
            pass
        except asyncio.CancelledError:
            self._writer.transport.abort()
            raise


def compact(event: dict[str, object]) -> str:
    """An event as JSON without spaces, non-ASCII as it is: U+2028 must stand raw on the wire."""
    return json.dumps(event, ensure_ascii=False, separators=(",", ":"))
