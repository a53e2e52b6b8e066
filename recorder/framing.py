"""Says where a body ends when a request goes from HTTP/2 to an upstream that speaks HTTP/1.1.

HTTP/2 needs no header for that, and mitmproxy adds none to a body that is streamed: the upstream
would take the body for the next request.
"""

from collections.abc import Callable, Iterator
from typing import Any

from mitmproxy.proxy.layers.http._events import RequestHeaders
from mitmproxy.proxy.layers.http._http1 import Http1Client

from recorder.inside import replace_method


def frame_bodies() -> Callable[[], None]:
    """Begins to do so; gives what ends it."""
    return replace_method(Http1Client, "send", _framing)


def _framing(original: Callable[[Any, Any], Iterator[Any]]) -> Callable[[Any, Any], Iterator[Any]]:
    def send(client: Any, event: Any) -> Iterator[Any]:
        if isinstance(event, RequestHeaders) and not event.end_stream:
            request = event.request
            if request.is_http2 and "content-length" not in request.headers:
                request.headers["transfer-encoding"] = "chunked"
        return original(client, event)

    return send
