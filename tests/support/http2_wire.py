"""One end of an HTTP/2 connection in our hand, over any socket."""

import socket
from collections.abc import Iterator
from typing import Any

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import DataReceived, Event, RequestReceived, ResponseReceived


class Http2Wire:
    """Sends when told to, and gives the other side's events one by one."""

    def __init__(self, wire: socket.socket, *, is_client: bool) -> None:
        self._wire = wire
        self._h2 = H2Connection(H2Configuration(client_side=is_client, header_encoding="utf-8"))
        self._h2.initiate_connection()
        self._flush()
        self._events = self._received()

    def headers(self, stream: int, end: bool = False, **fields: str) -> None:
        """Sends a head; ``_method`` stands for ``:method``."""
        named = [(name.replace("_", ":"), value) for name, value in fields.items()]
        self._h2.send_headers(stream, named, end_stream=end)
        self._flush()

    def data(self, stream: int, data: bytes, end: bool = False) -> None:
        self._h2.send_data(stream, data, end_stream=end)
        self._flush()

    def reset(self, stream: int, code: ErrorCodes = ErrorCodes.CANCEL) -> None:
        """Ends one stream by RST_STREAM."""
        self._h2.reset_stream(stream, code)
        self._flush()

    def go_away(self) -> None:
        """Says that the connection ends."""
        self._h2.close_connection()
        self._flush()

    def next[E: Event](self, kind: type[E]) -> E:
        """The next event of this kind; others are passed over."""
        for event in self._events:
            if isinstance(event, kind):
                return event
        raise ConnectionError(f"the connection ended before a {kind.__name__}")

    def ask(self, stream: int, body: bytes = b"{}") -> None:
        """Sends a request for a response of the model."""
        self.headers(
            stream,
            _method="POST",
            _scheme="https",
            _authority="127.0.0.1",
            _path="/v1/responses",
        )
        self.data(stream, body, end=True)

    def answer(self, data: bytes, end: bool = False) -> int:
        """Waits for a request, and answers with a head and some data; gives its stream."""
        stream: int = self.next(RequestReceived).stream_id
        self.headers(stream, _status="200")
        self.data(stream, data, end=end)
        return stream

    def first_data(self) -> bytes:
        """Waits for the head of a response and some of its body."""
        self.next(ResponseReceived)
        data: bytes = self.next(DataReceived).data
        return data

    def _received(self) -> Iterator[Any]:
        while data := self._wire.recv(65536):
            events = self._h2.receive_data(data)
            self._flush()
            yield from events

    def _flush(self) -> None:
        self._wire.sendall(self._h2.data_to_send())
