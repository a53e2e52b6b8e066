"""HTTP/1.1 as a replay speaks it: requests out of bytes, recorded responses into bytes. No I/O.

Reading is h11's. Writing is ours, because a replayed head is what was recorded, header by header
in the recorded order, and each recorded chunk of a body is one chunk again.
"""

from typing import Final

import h11

from replayer.actions import SendHead
from replayer.http_request import HttpRequest, Origin, split_target
from wiretape.facts import Headers, header

_HEAD_BYTES: Final = 1024 * 1024
_WITHOUT_BODY: Final = frozenset({204, 304})


class NotHttp(Exception):
    """What the client sent is no HTTP request. Stays inside this room."""


class RequestReader:
    """Reads the requests of one connection. ``origin`` is where a tunnel leads, if it is one.

    Each request has a reader of h11's to itself, which is never told of the response: what a
    response may look like is for the recording to say.
    """

    def __init__(self, connection: int, origin: Origin | None = None) -> None:
        self._connection = connection
        self._origin = origin
        self._http = _new_http()
        self._head: h11.Request | None = None
        self._body = bytearray()

    def feed(self, data: bytes) -> None:
        """Some bytes have arrived."""
        self._http.receive_data(data)

    def next_request(self) -> HttpRequest | None:
        """The next request that has arrived whole, ``None`` while there is none.

        Raises:
            NotHttp: what has arrived is no HTTP.
        """
        try:
            while (event := self._http.next_event()) is not h11.NEED_DATA:
                match event:
                    case h11.Request():
                        self._head = event
                    case h11.Data():
                        self._body += event.data
                    case _:
                        return self._finished()
        except h11.RemoteProtocolError as error:
            # The library's words, without the bytes that it quotes.
            raise NotHttp(str(error).partition(": bytearray(")[0]) from error
        return None

    def interim(self) -> bytes:
        """What a client that asks before it sends its body is waiting for; once."""
        if not self._http.they_are_waiting_for_100_continue:
            return b""
        go_on = h11.InformationalResponse(status_code=100, headers=[], reason=b"Continue")
        return self._http.send(go_on) or b""

    def rest(self) -> bytes:
        """What has arrived behind the last request, in whatever protocol; taken away."""
        data, _ = self._http.trailing_data
        self._http = _new_http()
        return data

    def _finished(self) -> HttpRequest:
        head, body = self._head, bytes(self._body)
        assert head is not None
        self._head = None
        self._body.clear()
        if behind := self.rest():
            self._http.receive_data(behind)
        split = split_target(head.target.decode("latin-1"))
        if split is None:
            raise NotHttp(f"{head.target.decode('latin-1')} is no address")
        origin, target = split
        return HttpRequest(
            head.method.decode("latin-1"),
            target,
            tuple(
                (name.decode("latin-1"), value.decode("latin-1"))
                for name, value in head.headers.raw_items()
            ),
            body,
            self._connection,
            origin or self._origin,
            f"HTTP/{head.http_version.decode('latin-1')}",
        )


class ResponseWriter:
    """Writes the response to one request.

    A body whose length the head states is sent as it is; any other in chunks, or until the
    connection closes where the client knows no chunks. ``is_reusable`` says, once the end is
    written, whether the connection can carry another request.
    """

    def __init__(self, request: HttpRequest) -> None:
        self.is_reusable = request.keeps_alive
        self._has_body = request.method != "HEAD"
        self._knows_chunks = request.http_version == "HTTP/1.1"
        self._left_bytes: int | None = None

    def head(self, action: SendHead) -> bytes:
        """The head, with a word on how the body is framed where the recording has none."""
        self._has_body = self._has_body and action.status not in _WITHOUT_BODY
        self._left_bytes = _stated_length(action.headers)
        framing: Headers = ()
        if self._has_body and self._left_bytes is None:
            if self._knows_chunks:
                framing += (("transfer-encoding", "chunked"),)
            self.is_reusable = self.is_reusable and self._knows_chunks
        if not self.is_reusable:
            framing += (("connection", "close"),)
        return head_bytes(action.status, action.reason, action.headers + framing)

    def data(self, data: bytes) -> bytes:
        """Some of the body."""
        if not self._has_body or not data:
            return b""
        if self._left_bytes is not None:
            data = data[: self._left_bytes]
            self._left_bytes -= len(data)
            return data
        return b"%x\r\n%b\r\n" % (len(data), data) if self._knows_chunks else data

    def end(self) -> bytes:
        """The end of the body."""
        if not self._has_body:
            return b""
        if self._left_bytes is None:
            return b"0\r\n\r\n" if self._knows_chunks else b""
        # Less was recorded than the head states: only closing tells the client that no more comes.
        self.is_reusable = self.is_reusable and self._left_bytes == 0
        return b""


def head_bytes(status: int, reason: str, headers: Headers) -> bytes:
    """A response's head as it crosses the wire."""
    lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in headers)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _stated_length(headers: Headers) -> int | None:
    length = header(headers, "content-length")
    return int(length) if length is not None and length.isdecimal() else None


def _new_http() -> h11.Connection:
    return h11.Connection(h11.SERVER, max_incomplete_event_size=_HEAD_BYTES)
