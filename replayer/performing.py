"""Performs a player's actions on a pipe: at their times, or joined into few writes."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Final

from replayer.actions import (
    Action,
    Ending,
    Finish,
    Hold,
    SendBytes,
    SendFrame,
    SendHead,
    Sending,
)
from replayer.pacing import Pace
from replayer.pipes import Pipe

_JOINED_BYTES: Final = 64 * 1024


async def perform(
    actions: Iterable[Action],
    pipe: Pipe,
    pace: Pace,
    began_s: float,
    render: Callable[[Sending | Finish], bytes],
) -> Ending | None:
    """Sends what ``actions`` say, and gives the one that ends them, which is left to be done.

    ``None``: they do not end, there is more to come. ``began_s`` is the loop's time at what set
    them off; ``render`` puts what is sent, and the end, into bytes.
    """
    waiting = bytearray()

    async def flush() -> None:
        data = bytes(waiting)
        waiting.clear()
        await pipe.send(data)

    waits, due_us = pace.waits, None
    for action in actions:
        # What is due at the same time is one write, as it may have been when it was recorded.
        if waits and not isinstance(action, Hold) and action.at_us != due_us:
            due_us = action.at_us
            await flush()
            await pace.until(due_us, began_s)
        match action:
            case SendBytes() | SendFrame() | SendHead():
                waiting += render(action)
                if len(waiting) >= _JOINED_BYTES:
                    await flush()
            case Finish():
                waiting += render(action)
                await flush()
                return action
            case _:
                await flush()
                return action
    await flush()
    return None


async def first_of(*runners: Coroutine[Any, Any, None]) -> None:
    """Runs all until the first ends; the others are cancelled and have ended on return."""
    tasks = [asyncio.create_task(runner) for runner in runners]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in tasks:
        if not task.cancelled():
            task.result()
