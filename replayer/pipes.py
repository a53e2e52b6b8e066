"""Byte pipes to a client: a plain TCP connection, or TLS that we end ourselves.

TLS runs through memory buffers, because a proxy learns only from the first byte after CONNECT
whether the client speaks TLS at all, and because a reset must reach the socket underneath.
"""

import asyncio
import asyncio.trsock
import fcntl
import socket
import ssl
import struct
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol

_READ_BYTES: Final = 64 * 1024
_ACKNOWLEDGED_S: Final = 0.005
_ACKNOWLEDGED_TRIES: Final = 200
_LEAVING_S: Final = 1.0
TLS_HANDSHAKE: Final = 0x16
"""The first byte of a TLS connection."""


class ClientLeft(Exception):
    """Nobody takes what we send any longer. Stays inside this room."""


class Pipe(Protocol):
    """Bytes both ways. Whatever becomes of the connection, reading tells it as its end."""

    async def receive(self) -> bytes:
        """What has arrived; empty when the client has left."""

    async def send(self, data: bytes) -> None:
        """Sends ``data`` and waits while the client cannot take it.

        Raises:
            ClientLeft: it never will.
        """

    async def close(self) -> None:
        """Closes the connection in an orderly way."""

    async def drop(self) -> None:
        """Closes the TCP connection without a word of the protocols above it."""

    async def reset(self) -> None:
        """Resets the TCP connection, once the client has what was sent before."""


class SocketPipe:
    """A plain TCP connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def receive(self) -> bytes:
        try:
            return await self._reader.read(_READ_BYTES)
        except OSError:
            return b""

    async def send(self, data: bytes) -> None:
        if not data:
            return
        if self._writer.is_closing():
            raise ClientLeft
        try:
            self._writer.write(data)
            await self._writer.drain()
        except OSError as error:
            raise ClientLeft from error

    async def close(self) -> None:
        await self.drop()

    async def drop(self) -> None:
        with suppress(OSError, TimeoutError):
            self._writer.write_eof()
            # Closing while something of the client's is unread would send a reset instead.
            async with asyncio.timeout(_LEAVING_S):
                while await self._reader.read(_READ_BYTES):
                    pass

    async def reset(self) -> None:
        connection = self._writer.get_extra_info("socket")
        await self._acknowledged(connection)
        with suppress(OSError):
            # Closing with a linger time of zero sends a reset.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    async def _acknowledged(self, connection: asyncio.trsock.TransportSocket) -> None:
        """Returns when everything sent has been acknowledged; a reset would overtake it."""
        self._writer.transport.set_write_buffer_limits(high=0)
        with suppress(OSError):
            await self._writer.drain()
            for _ in range(_ACKNOWLEDGED_TRIES):
                unsent = fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, bytes(4))
                if int.from_bytes(unsent, sys.byteorder) == 0:
                    return
                await asyncio.sleep(_ACKNOWLEDGED_S)


class TlsPipe:
    """TLS on top of another pipe, as the server.

    ``first`` has arrived already. ``context_for`` gives the context for the name that the client
    asks for, ``None`` where it names none.
    """

    def __init__(
        self, inner: Pipe, first: bytes, context_for: Callable[[str | None], ssl.SSLContext]
    ) -> None:
        self._inner = inner
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._incoming.write(first)
        # Only to begin with: contexts are shared, so the callback must not be hung on one.
        begin = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        begin.sni_callback = _chooser(context_for)
        self._tls = begin.wrap_bio(self._incoming, self._outgoing, server_side=True)

    async def handshake(self) -> bool:
        """Establishes TLS; ``False`` when the client left or did not accept our certificate."""
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                await self._flush()
                data = await self._inner.receive()
                if not data:
                    return False
                self._incoming.write(data)
            except ssl.SSLError:
                await self._flush()
                return False
            else:
                await self._flush()
                return True

    async def receive(self) -> bytes:
        while True:
            try:
                return self._tls.read(_READ_BYTES)
            except ssl.SSLWantReadError:
                data = await self._inner.receive()
                if not data:
                    return b""
                self._incoming.write(data)
            except ssl.SSLError:
                return b""

    async def send(self, data: bytes) -> None:
        with suppress(ssl.SSLError):
            view = memoryview(data)
            while view:
                view = view[self._tls.write(view) :]
        await self._flush()

    async def close(self) -> None:
        with suppress(ssl.SSLError):
            self._tls.unwrap()
        with suppress(ClientLeft):
            await self._flush()
        await self._inner.close()

    async def drop(self) -> None:
        await self._inner.drop()

    async def reset(self) -> None:
        await self._inner.reset()

    async def _flush(self) -> None:
        await self._inner.send(self._outgoing.read())


def _chooser(
    context_for: Callable[[str | None], ssl.SSLContext],
) -> Callable[[ssl.SSLObject, str | None, ssl.SSLContext], None]:
    def choose(tls: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
        tls.context = context_for(name)

    return choose
