"""Turns what a proxy sees into facts, with secrets removed. Knows no mitmproxy, no clock.

Invariant: each exchange that began gets exactly one end, and nothing after it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from wiretape.facts import (
    End,
    EndKind,
    Fact,
    Gap,
    Headers,
    Piece,
    PieceKind,
    RequestBody,
    RequestHead,
    ResponseHead,
    Sender,
)
from wiretape.redact import redact_headers, redact_text

BODY_LIMIT_BYTES: Final = 64 * 1024 * 1024
"""A request body is gathered whole; what is larger is an upload, not a conversation."""

_TOO_LARGE: Final = "the request's body is too large to keep"


class OpenExchange:
    """One exchange that is under way. Once it has ended, what comes is not heard."""

    def __init__(
        self,
        number: int,
        connection: str,
        put: Callable[[Fact], None],
        over: Callable[[int], None],
    ) -> None:
        self.number = number
        self.connection = connection
        self._put = put
        self._over = over
        self._has_ended = False
        self._body: list[bytes] = []
        self._body_bytes = 0
        self._is_asking = True
        self._is_answered = False
        self._hole: Gap | None = None

    def request_data(self, at_us: int, data: bytes) -> None:
        """Some of the request's body has arrived."""
        if not self._is_asking:
            return
        # What is kept is a beginning: nothing that would fit again comes after a hole.
        if self._hole or self._body_bytes + len(data) > BODY_LIMIT_BYTES:
            hole = self._hole or Gap(at_us, at_us, self.number, 0, 0, _TOO_LARGE)
            self._hole = replace(
                hole,
                until_us=at_us,
                lost_facts=hole.lost_facts + 1,
                lost_bytes=hole.lost_bytes + len(data),
            )
        else:
            self._body.append(data)
            self._body_bytes += len(data)

    def request_end(self, at_us: int) -> None:
        """The request's body is over."""
        self._tell_body(at_us, is_whole=self._hole is None)
        if self._is_answered:
            self.end(at_us, EndKind.COMPLETE)

    def response_head(
        self, at_us: int, status: int, reason: str, http_version: str, headers: Headers
    ) -> None:
        """The head of the response has arrived."""
        if not self._has_ended:
            kept = redact_headers(headers)
            self._put(ResponseHead(self.number, at_us, status, reason, http_version, kept))

    def chunk(self, at_us: int, data: bytes) -> None:
        """Some of the response's body has arrived."""
        if not self._has_ended:
            self._put(Piece(self.number, at_us, Sender.SERVER, PieceKind.CHUNK, data))

    def response_end(self, at_us: int) -> None:
        """The response has come to its proper end; the exchange has once the request has too."""
        self._is_answered = True
        if not self._is_asking:
            self.end(at_us, EndKind.COMPLETE)

    def socket_bytes(self, sender: Sender, at_us: int, data: bytes) -> None:
        """Bytes of an upgraded connection have arrived; they are decoded off the hot path."""
        if not self._has_ended:
            self._put(Piece(self.number, at_us, sender, PieceKind.UNDECODED, data))

    def lost(self, at_us: int, size_bytes: int, reason: str) -> None:
        """Something crossed that could not be captured."""
        self._put(Gap(at_us, at_us, self.number, 1, size_bytes, reason))

    def end(
        self, at_us: int, how: EndKind, side: Sender | None = None, detail: str | None = None
    ) -> None:
        """The exchange is over; a second end is not heard."""
        if self._has_ended:
            return
        self._has_ended = True
        if self._body or self._hole:
            self._tell_body(at_us, is_whole=False)
        # A body that goes on after the end has no exchange to stand in.
        self._is_asking = False
        if self._is_answered:
            # Whoever leaves then has got, or has given, the whole of it.
            how, side, detail = EndKind.COMPLETE, None, None
        detail = None if detail is None else redact_text(detail)
        self._put(End(self.number, at_us, how, side, detail=detail))
        self._over(self.number)

    def _tell_body(self, at_us: int, *, is_whole: bool) -> None:
        if not self._is_asking:
            return
        self._is_asking = False
        body, self._body = b"".join(self._body), []
        self._put(RequestBody(self.number, at_us, body, is_whole))
        if self._hole:
            self._put(self._hole)


class Capture:
    """Numbers exchanges and connections, and hands facts to ``put``."""

    def __init__(self, put: Callable[[Fact], None]) -> None:
        self._put = put
        self._open: dict[int, OpenExchange] = {}
        self._exchanges = 0
        self._connections: dict[str, int] = {}
        self._connection_count = 0

    def begin(
        self,
        at_us: int,
        *,
        connection: str,
        method: str,
        scheme: str,
        host: str,
        port: int,
        target: str,
        http_version: str,
        headers: Headers,
        upstream: str | None = None,
    ) -> OpenExchange:
        """A request's head has arrived on the client connection named ``connection``."""
        self._exchanges += 1
        exchange = OpenExchange(self._exchanges, connection, self._put, self._forget)
        self._open[exchange.number] = exchange
        self._put(
            RequestHead(
                exchange.number,
                at_us,
                self._connection_number(connection),
                method,
                scheme,
                host,
                port,
                redact_text(target),
                http_version,
                redact_headers(headers),
                upstream,
            )
        )
        return exchange

    def connection_closed(self, at_us: int, connection: str, how: EndKind) -> None:
        """The client left the connection of that name: so ended what was still open on it."""
        self._connections.pop(connection, None)
        for exchange in list(self._open.values()):
            if exchange.connection == connection:
                exchange.end(at_us, how, Sender.CLIENT)

    @property
    def under_way(self) -> int:
        """How many exchanges have begun and not ended."""
        return len(self._open)

    @property
    def is_idle(self) -> bool:
        """Whether no exchange is under way."""
        return not self._open

    def finish(self, at_us: int) -> None:
        """Ends what is still open, because the recorder stops."""
        for exchange in list(self._open.values()):
            exchange.end(at_us, EndKind.RECORDER_STOPPED)

    def _forget(self, number: int) -> None:
        del self._open[number]

    def _connection_number(self, connection: str) -> int:
        if connection not in self._connections:
            self._connection_count += 1
            self._connections[connection] = self._connection_count
        return self._connections[connection]
