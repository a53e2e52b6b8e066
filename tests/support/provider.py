"""The scripted provider: a model API on loopback that answers as a script says, to the byte.

It stands in for the upstream in tests of the recorder and in demonstrations. It serves
``POST …/responses`` (SSE), ``GET …/responses`` (WebSocket) and ``GET …/models`` on one port, and
keeps a log of what it was asked. It shares no code with the player: what one gets wrong, the
other must not repeat.

Run by hand, ``python tests/support/provider.py --situation tool-round`` prints its address and
serves until its standard input ends, SIGTERM comes, or its lifetime is over.
"""

import argparse
import asyncio
import os
import select
import signal
import ssl
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import FrameType, TracebackType
from typing import Self

from provider_connection import serve
from provider_course import Course
from provider_http import HEAD_LIMIT_BYTES
from provider_log import Ask, Asked, Left
from provider_script import Script
from provider_wire import Wire

HOST = "127.0.0.1"
LIFETIME_S = 600.0
PATIENCE_S = 30.0


class Provider:
    """A scripted provider in a thread of its own, listening inside ``with``.

    ``port`` 0 takes a free one; ``tls`` is a certificate file and its key file. Leaving ``with``
    cuts whatever is still open, and raises what went wrong inside (a script that makes no sense).
    """

    def __init__(
        self, script: Script, *, port: int = 0, tls: tuple[Path, Path] | None = None
    ) -> None:
        self._course = Course(script)
        self._wanted_port = port
        self._tls = tls
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="provider")
        self._listening: Future[tuple[int, asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self._served: Future[None]

    @property
    def port(self) -> int:
        """The port listened on."""
        return self._listening.result()[0]

    @property
    def base_url(self) -> str:
        """What a client's ``base_url`` is to be."""
        scheme = "https" if self._tls else "http"
        return f"{scheme}://{HOST}:{self.port}/v1"

    @property
    def requests(self) -> list[Asked]:
        """What was asked so far, in order."""
        return [entry for entry in list(self._course.log) if isinstance(entry, Asked)]

    @property
    def departures(self) -> list[Left]:
        """How clients left so far, in order."""
        return [entry for entry in list(self._course.log) if isinstance(entry, Left)]

    def wait_for_departures(self, count: int) -> list[Left]:
        """How clients left, once ``count`` have: their leaving is seen a little after it happens.

        ``TimeoutError`` when they stay.
        """
        deadline_s = time.monotonic() + PATIENCE_S
        while len(self.departures) < count:
            if time.monotonic() > deadline_s:
                raise TimeoutError(f"{count} departures awaited, seen: {self.departures}")
            time.sleep(0.01)
        return self.departures

    @property
    def summary(self) -> str:
        """The requests to the model as words: ``"upgrade warm-up websocket"``."""
        side = (Ask.MODELS, Ask.OTHER)
        return " ".join(str(asked) for asked in self.requests if asked.kind not in side)

    def __enter__(self) -> Self:
        self._served = self._threads.submit(asyncio.run, self._serve())
        self._listening.result()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _, loop, stop = self._listening.result()
        # A provider that failed has closed its loop already; result() says why.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(stop.set)
        self._served.result()
        self._threads.shutdown()

    async def _serve(self) -> None:
        stop = asyncio.Event()
        connections: list[asyncio.Task[None]] = []

        def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            serving = serve(len(connections), self._course, Wire(reader, writer))
            connections.append(group.create_task(serving))

        async with asyncio.TaskGroup() as group:
            try:
                server = await asyncio.start_server(
                    connect, HOST, self._wanted_port, ssl=self._context(), limit=HEAD_LIMIT_BYTES
                )
            except OSError as error:
                self._listening.set_exception(error)
                return
            port = server.sockets[0].getsockname()[1]
            self._listening.set_result((port, asyncio.get_running_loop(), stop))
            try:
                await stop.wait()
            finally:
                server.close()
            for connection in connections:
                connection.cancel()

    def _context(self) -> ssl.SSLContext | None:
        if self._tls is None:
            return None
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(*self._tls)
        return context


def main() -> None:
    """Serves one situation until told to stop."""
    from situations import SITUATIONS, Transport

    parser = argparse.ArgumentParser(description="A scripted model API on loopback.")
    parser.add_argument("--situation", choices=sorted(SITUATIONS), default="tool-round")
    parser.add_argument("--transport", choices=list(Transport), default=Transport.SSE)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--lifetime", type=float, default=LIFETIME_S, metavar="SECONDS")
    parser.add_argument("--tls", nargs=2, type=Path, metavar=("CERTIFICATE", "KEY"))
    given = parser.parse_args()
    script = SITUATIONS[given.situation].scripts.get(given.transport)
    if script is None:
        parser.error(f"{given.situation} makes no sense over {given.transport}")
    with Provider(script, port=given.port, tls=given.tls and tuple(given.tls)) as provider:
        signal.signal(signal.SIGTERM, _stop)
        signal.signal(signal.SIGINT, _stop)
        print(provider.base_url, flush=True)
        _wait_for_end(time.monotonic() + given.lifetime)


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


def _wait_for_end(deadline_s: float) -> None:
    stdin = sys.stdin.fileno()
    while (left_s := deadline_s - time.monotonic()) > 0:
        readable, _, _ = select.select([stdin], [], [], left_s)
        if readable and not os.read(stdin, 4096):
            return


if __name__ == "__main__":
    main()
