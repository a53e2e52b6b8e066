"""The replay server: one loopback port that is a base URL and a proxy at once."""

import asyncio
import errno
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from socket import gaierror

from replayer.connection import Connection, Service
from replayer.http_request import Origin
from replayer.pipes import SocketPipe
from wiretape.errors import ListenError, WiretapeError


@asynccontextmanager
async def running_server(
    service: Service, host: str, port: int, on_trouble: Callable[[str], None]
) -> AsyncIterator[str]:
    """Serves while the context lasts; gives the server's URL. Whoever is connected at its end
    is cut off.

    Raises:
        ListenError: the address cannot be listened on.
    """
    connections: set[asyncio.Task[None]] = set()
    count = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        number = count = count + 1
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        own = Origin("http", *writer.get_extra_info("sockname")[:2])
        try:
            await Connection(number, SocketPipe(reader, writer), own, service).serve()
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()
        except asyncio.CancelledError:
            pass
        except Exception as error:
            what = str(error) if isinstance(error, WiretapeError) else repr(error)
            on_trouble(f"the replay on connection {number} failed: {what}")
        finally:
            writer.transport.abort()
            connections.discard(task)

    try:
        server = await asyncio.start_server(serve, host, port)
    except OSError as error:
        raise ListenError(
            f"{host}:{port} cannot be listened on ({_said(error)}): "
            "choose another address with --listen, or port 0 for a free one."
        ) from error
    try:
        yield f"http://{Origin('http', *server.sockets[0].getsockname()[:2])}"
    finally:
        server.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)


def _said(error: OSError) -> str:
    """The system's words for it; asyncio's are longer, and quote the address again."""
    if isinstance(error, gaierror):
        return str(error.strerror)
    # Where no address that the name stands for is this machine's, asyncio gives no number.
    return os.strerror(error.errno or errno.EADDRNOTAVAIL)
