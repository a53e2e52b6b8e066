"""Reads a request to its end where its upstream cannot be reached.

mitmproxy reaches the upstream before it reads a body that is streamed, and reads none where that
fails. Here the failure waits until the request is over, so that the tape holds what was asked. The
client waits no longer than it takes to send; a body beyond the tape's limit is not waited for.
"""

from collections.abc import Callable, Iterator
from typing import Any

from mitmproxy.proxy.layers.http import HttpStream
from mitmproxy.proxy.layers.http._events import RequestData, RequestEndOfMessage
from mitmproxy.proxy.layers.http._hooks import HttpRequestHook

from recorder.capture import BODY_LIMIT_BYTES
from recorder.inside import replace_method


def read_on() -> Callable[[], None]:
    """Begins to do so; gives what ends it."""
    return replace_method(HttpStream, "start_request_stream", _reading_on)


def _reading_on(original: Callable[[Any], Iterator[Any]]) -> Callable[[Any], Iterator[Any]]:
    def start_request_stream(stream: Any) -> Iterator[Any]:
        # What is not recorded need not be read.
        if not callable(stream.flow.request.stream):
            yield from original(stream)
            return
        reading = _Reading(stream)
        stream.handle_protocol_error = reading.failed
        yield from original(stream)
        if reading.failure is None:
            del stream.handle_protocol_error
        else:
            stream.client_state = reading.arrived

    return start_request_stream


class _Reading:
    """A stream that has failed, or not yet, and what is still to come of its request."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._size_bytes = 0
        self.failure: Any = None

    def failed(self, event: Any) -> Iterator[Any]:
        """Takes the place of the stream's own; what comes second is the client, leaving."""
        if self.failure is None:
            self.failure = event
        else:
            yield from self._fail()

    def arrived(self, event: Any) -> Iterator[Any]:
        """Takes the place of the stream's state on the client's side."""
        request = self._stream.flow.request
        if isinstance(event, RequestData):
            request.stream(event.data)
            self._size_bytes += len(event.data)
            if self._size_bytes > BODY_LIMIT_BYTES:
                yield from self._fail()
        elif isinstance(event, RequestEndOfMessage):
            yield HttpRequestHook(self._stream.flow)
            yield from self._fail()

    def _fail(self) -> Iterator[Any]:
        stream = self._stream
        del stream.handle_protocol_error
        stream.client_state = stream.state_done
        yield from stream.handle_protocol_error(self.failure)
        stream.client_state = stream.state_errored
