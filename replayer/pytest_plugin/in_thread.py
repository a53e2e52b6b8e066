"""A server that goes on in a thread of this process, for clients that block."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from typing import Any


@contextmanager
def in_thread[Server](
    opened: Callable[[], AbstractAsyncContextManager[Server]],
) -> Iterator[Server]:
    """What ``opened`` gives, entered and left in an event loop of a thread of its own.

    What goes wrong there is raised here, at the begin or at the end.
    """
    up: Future[tuple[Server, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def run() -> None:
        is_over = asyncio.Event()
        async with opened() as server:
            up.set_result((server, asyncio.get_running_loop(), is_over))
            await is_over.wait()

    with ThreadPoolExecutor(1, "wiretape-server") as threads:
        running = threads.submit(asyncio.run, run())
        first: tuple[Future[Any], ...] = (up, running)
        wait(first, return_when=FIRST_COMPLETED)
        if not up.done():
            running.result()
        server, loop, is_over = up.result()
        try:
            yield server
        finally:
            # A server that failed has closed its loop already; result() says why.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(is_over.set)
            running.result()
