"""Sends in one write what came in one reading.

mitmproxy writes the head of a message and each piece of its body apart. A client that gives up
after one reading, as they do with the body of a refused upgrade, would see less than it does
alone. What is joined was ready at the same moment, so nothing waits for anything.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from mitmproxy.proxy.commands import Command, Log, SendData
from mitmproxy.proxy.layers.http import HttpLayer

from recorder.inside import replace_method


def join_writes() -> Callable[[], None]:
    """Begins to do so; gives what ends it."""
    return replace_method(HttpLayer, "_handle_event", _joining)


def _joining(original: Callable[[Any, Any], Iterable[Any]]) -> Callable[[Any, Any], Iterator[Any]]:
    return lambda layer, event: joined(original(layer, event))


def joined(commands: Iterable[Command]) -> Iterator[Command]:
    """The commands, with what is sent to one connection in a row as one; only logs may stand in
    between."""
    waiting: list[SendData] = []
    try:
        for command in commands:
            if isinstance(command, SendData):
                if waiting and waiting[0].connection is not command.connection:
                    yield from _as_one(waiting)
                waiting.append(command)
            else:
                if not isinstance(command, Log):
                    yield from _as_one(waiting)
                yield command
    except Exception:
        # What was sent before something broke is sent all the same.
        yield from _as_one(waiting)
        raise
    yield from _as_one(waiting)


def _as_one(waiting: list[SendData]) -> Iterator[SendData]:
    if waiting:
        yield SendData(waiting[0].connection, b"".join(sent.data for sent in waiting))
        waiting.clear()
