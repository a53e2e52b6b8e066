"""The replay server: one loopback port that is a base URL and a proxy at once."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from gateway.authority import Authority
from replayer.connection import Connection, Service
from replayer.pacing import Pace
from replayer.pipes import SocketPipe
from replayer.player import Player
from replayer.tape import ReplayTape
from wiretape.errors import ListenError


@asynccontextmanager
async def running_server(
    player: Player,
    tape: ReplayTape,
    pace: Pace,
    authority: Authority,
    host: str,
    port: int,
    on_trouble: Callable[[str], None],
) -> AsyncIterator[str]:
    """Serves ``player`` while the context lasts; gives the server's URL.

    Raises:
        ListenError: the address cannot be listened on.
    """
    connections: set[asyncio.Task[None]] = set()
    count = 0
    service: Service | None = None

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        count += 1
        assert service is not None
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        try:
            await Connection(count, SocketPipe(reader, writer), service).serve()
        except asyncio.CancelledError:
            pass
        except Exception as error:
            on_trouble(f"the replay of connection {count} failed: {error!r}.")
        finally:
            connections.discard(task)
            with suppress(OSError):
                writer.close()

    try:
        server = await asyncio.start_server(serve, host, port)
    except OSError as error:
        raise ListenError(
            f"{host}:{port} cannot be listened on ({error.strerror}): "
            "choose another address with --listen, or port 0 for a free one."
        ) from error
    async with server:
        address = server.sockets[0].getsockname()[:2]
        service = Service(player, tape, pace, address, authority.server_context)
        yield (
            f"http://[{address[0]}]:{address[1]}"
            if ":" in address[0]
            else (f"http://{address[0]}:{address[1]}")
        )
        server.close()
        for task in list(connections):
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
