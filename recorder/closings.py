"""Notices which side of a proxied connection closed first, and whether by a reset.

mitmproxy tells that a connection is over, but not who ended it nor how. The stream readers below
it know: this module listens to them. That reaches into mitmproxy's inside, so where the inside
has changed nothing is noticed, and ends are told without their side.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mitmproxy import ctx
from mitmproxy.connection import Client, Connection


@dataclass(frozen=True, slots=True)
class Closing:
    """A peer closed its side at ``at_us``, cleanly or by a reset."""

    at_us: int
    is_reset: bool


class Closings:
    """Remembers how each connection was closed by its peer, until it is forgotten."""

    def __init__(self, now_us: Callable[[], int]) -> None:
        self._now_us = now_us
        self._closings: dict[str, Closing] = {}

    def of(self, connection: Connection) -> Closing | None:
        """How the peer closed ``connection``, or ``None`` while it has not."""
        return self._closings.get(connection.id)

    def forget(self, connection: Connection) -> None:
        self._closings.pop(connection.id, None)

    def watch(self, client: Client, connection: Connection) -> None:
        """Listens to ``connection``, which belongs to the handler of ``client``."""
        reader = _reader(client, connection)
        if not hasattr(reader, "feed_eof") or not hasattr(reader, "set_exception"):
            return
        feed_eof, set_exception = reader.feed_eof, reader.set_exception

        def closed() -> None:
            self._note(connection, is_reset=False)
            feed_eof()

        def broken(error: BaseException) -> None:
            self._note(connection, is_reset=isinstance(error, ConnectionResetError))
            set_exception(error)

        reader.feed_eof, reader.set_exception = closed, broken

    def _note(self, connection: Connection, *, is_reset: bool) -> None:
        self._closings.setdefault(connection.id, Closing(self._now_us(), is_reset))


def _reader(client: Client, connection: Connection) -> Any:
    server = ctx.master.addons.get("proxyserver")
    for handler in getattr(server, "connections", {}).values():
        if getattr(handler, "client", None) is client:
            return getattr(handler.transports.get(connection), "reader", None)
    return None
