"""Leads tunnels past mitmproxy's guessing where a guess would wait for ever.

mitmproxy tells a tunnel's protocol by what the client sends first. Where the server speaks first,
nothing comes.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from mitmproxy.proxy.layers import TCPLayer
from mitmproxy.proxy.layers.http import HttpStream

from recorder.inside import replace_method

SERVER_SPEAKS_FIRST: Final = frozenset({21, 22, 25, 110, 143, 587, 3306, 5900})
"""Ports of protocols in which the server greets."""


def lead_past() -> Callable[[], None]:
    """Begins to do so; gives what ends it."""
    return replace_method(HttpStream, "handle_connect_regular", _leading)


def _leading(original: Callable[[Any], Iterator[Any]]) -> Callable[[Any], Iterator[Any]]:
    def handle_connect_regular(stream: Any) -> Iterator[Any]:
        if stream.flow.request.port not in SERVER_SPEAKS_FIRST:
            return original(stream)
        stream.child_layer = TCPLayer(stream.context, ignore=True)
        finished: Iterator[Any] = stream.handle_connect_finish()
        return finished

    return handle_connect_regular
