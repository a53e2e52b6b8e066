"""Notices which side ended an exchange, and whether by a reset, and passes resets on.

mitmproxy tells that something is over, but not by whom nor how. Its layers know the side, and the
stream readers below them know a reset, so this module listens to both. Where they cannot be
listened to, the side is judged by what is left of the connections.
"""

import socket
import struct
from collections.abc import Callable
from typing import Any, Final
from weakref import WeakSet

from mitmproxy import ctx
from mitmproxy.connection import Client, Connection, ConnectionState
from mitmproxy.flow import Flow
from mitmproxy.proxy.events import ConnectionClosed
from mitmproxy.proxy.layers import TCPLayer
from mitmproxy.proxy.layers.http import HttpStream
from mitmproxy.proxy.layers.http._events import RequestProtocolError

from recorder.inside import replace_method
from wiretape.facts import Sender

_ENDED_BY: Final = "wiretape ended by"
"""The key of a flow's metadata that holds the side which ended it."""

_NO_LINGER: Final = struct.pack("ii", 1, 0)


class Closings:
    """Remembers how connections and flows were ended."""

    def __init__(self) -> None:
        self._resets: WeakSet[Connection] = WeakSet()

    def listen(self) -> Callable[[], None]:
        """Begins to listen to the layers of all connections; gives what ends it."""
        restores = (
            replace_method(HttpStream, "handle_protocol_error", _hearing(self._protocol_error)),
            replace_method(TCPLayer, "relay_messages", _hearing(self._relayed)),
        )

        def cease() -> None:
            for restore in restores:
                restore()

        return cease

    def watch(self, client: Client, connection: Connection) -> None:
        """Listens to ``connection``, which belongs to the handler of ``client``."""
        reader: Any = getattr(_io(client, connection), "reader", None)
        if not hasattr(reader, "feed_eof") or not hasattr(reader, "set_exception"):
            return

        def broken(error: BaseException) -> None:
            if isinstance(error, ConnectionResetError):
                self._resets.add(connection)
            # Not the exception: it would overtake what was read before it and is not taken yet.
            reader.feed_eof()

        reader.set_exception = broken

    def was_reset(self, connection: Connection) -> bool:
        """Whether the peer has reset ``connection``."""
        return connection in self._resets

    def side(self, flow: Flow) -> Sender:
        """The side that ended ``flow``."""
        noticed = flow.metadata.get(_ENDED_BY)
        if isinstance(noticed, Sender):
            return noticed
        # The proxy closes the client's connection itself, but only once it has told us.
        is_there = flow.client_conn.state & ConnectionState.CAN_READ
        return Sender.SERVER if is_there else Sender.CLIENT

    def pass_on(self, client: Client, connection: Connection) -> None:
        """Makes the coming close of ``connection`` a reset, as the other side saw one."""
        writer: Any = getattr(_io(client, connection), "writer", None)
        wire = writer.get_extra_info("socket") if hasattr(writer, "get_extra_info") else None
        if wire is not None:
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)

    def _protocol_error(self, stream: Any, event: Any) -> None:
        flow = getattr(stream, "flow", None)
        if isinstance(flow, Flow):
            is_client = isinstance(event, RequestProtocolError)
            flow.metadata.setdefault(_ENDED_BY, Sender.CLIENT if is_client else Sender.SERVER)

    def _relayed(self, layer: Any, event: Any) -> None:
        if not isinstance(event, ConnectionClosed):
            return
        client, server = layer.context.client, layer.context.server
        is_client = event.connection == client
        if isinstance(layer.flow, Flow):
            layer.flow.metadata.setdefault(_ENDED_BY, Sender.CLIENT if is_client else Sender.SERVER)
        if self.was_reset(event.connection):
            self.pass_on(client, server if is_client else client)


def _hearing(
    hear: Callable[[Any, Any], None],
) -> Callable[[Callable[[Any, Any], Any]], Callable[[Any, Any], Any]]:
    def around(original: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def method(layer: Any, event: Any) -> Any:
            hear(layer, event)
            return original(layer, event)

        return method

    return around


def _io(client: Client, connection: Connection) -> Any:
    server = ctx.master.addons.get("proxyserver")
    handler = getattr(server, "connections", {}).get(client.id)
    return getattr(handler, "transports", {}).get(connection)
