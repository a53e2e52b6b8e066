"""Frozen records of what crossed the wire, and when.

A tape is a sequence of these facts; everything else (sessions, requests, attempts, verdicts)
is worked out from them when reading. They hold bytes as they were, in the order they came.

Units: every ``at_us`` is an integer count of microseconds since the tape began, on a clock that
never jumps. Header names and values are ``str`` decoded as Latin-1, which keeps every byte;
their order, case and repetitions are the wire's.

This module refuses to know meaning: it has no idea what a session or a Responses event is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

type Headers = tuple[tuple[str, str], ...]


class Sender(StrEnum):
    """Which end of the exchange sent something."""

    CLIENT = "client"
    SERVER = "server"


class PieceKind(StrEnum):
    """What a piece of a stream is."""

    CHUNK = "chunk"
    """Response body bytes as they arrived; boundaries mean nothing."""
    TEXT = "text"
    """One WebSocket text message, whole, uncompressed."""
    BINARY = "binary"
    """One WebSocket binary message, whole, uncompressed."""
    PING = "ping"
    PONG = "pong"
    CLOSE = "close"
    """A WebSocket close frame; the data is its raw payload (two bytes of code, then the reason)."""
    UNDECODED = "undecoded"
    """Socket bytes that are not valid WebSocket frames, kept as they came."""


class EndKind(StrEnum):
    """How an exchange ended."""

    COMPLETE = "complete"
    """The HTTP response came to its proper end."""
    WEBSOCKET_CLOSED = "websocket_closed"
    """A close frame was seen; ``code``, ``reason`` and ``side`` say which."""
    CLIENT_CLOSED = "client_closed"
    """The client hung up: after the last event it wanted, in the middle, or, where there is no
    response head, because it would not wait for one any longer."""
    SERVER_CLOSED = "server_closed"
    """The server hung up before the end: a cut stream, or a socket without a close frame."""
    RESET = "reset"
    """A TCP reset, by ``side`` where it is known."""
    REFUSED = "refused"
    """No connection to the upstream could be made (refused, unreachable, name unknown)."""
    TLS_FAILURE = "tls_failure"
    """TLS could not be established, on ``side``."""
    PROTOCOL_ERROR = "protocol_error"
    """One side sent something that is not valid HTTP; ``detail`` says what."""
    RECORDER_STOPPED = "recorder_stopped"
    """The recorder stopped while the exchange was still open."""


@dataclass(frozen=True, slots=True)
class RequestHead:
    """An exchange begins: the head of a request has arrived.

    ``scheme``, ``host``, ``port`` and ``target`` are the address that the client asked for;
    ``upstream`` is where the request was sent, when that was somewhere else
    (``"http://127.0.0.1:8080"``). ``connection`` numbers the client's TCP connection, so that
    requests that shared one can be told.
    """

    exchange: int
    at_us: int
    connection: int
    method: str
    scheme: str
    host: str
    port: int
    target: str
    http_version: str
    headers: Headers
    upstream: str | None = None

    @property
    def url(self) -> str:
        """That address as one writes it; a target that is no path, as a tunnel's, is left out."""
        path = self.target if self.target.startswith("/") else ""
        return f"{self.scheme}://{host_in_url(self.host)}:{self.port}{path}"

    @property
    def is_upgrade(self) -> bool:
        """Whether it asks for a WebSocket (RFC 6455, section 4.2.1: in any case)."""
        return (header(self.headers, "upgrade") or "").lower() == "websocket"


@dataclass(frozen=True, slots=True)
class RequestBody:
    """The body of an HTTP request, as sent (content-encoding untouched), whole unless said."""

    exchange: int
    at_us: int
    data: bytes
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """The head of the response has arrived (for a WebSocket: the handshake's answer)."""

    exchange: int
    at_us: int
    status: int
    reason: str
    http_version: str
    headers: Headers


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing that crossed after the heads: body bytes, or a WebSocket message or frame."""

    exchange: int
    at_us: int
    sender: Sender
    kind: PieceKind
    data: bytes


@dataclass(frozen=True, slots=True)
class End:
    """An exchange is over. ``code`` and ``reason`` are a WebSocket close's."""

    exchange: int
    at_us: int
    how: EndKind
    side: Sender | None = None
    code: int | None = None
    reason: str | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """Something crossed that is not on the tape, between ``at_us`` and ``until_us``.

    ``exchange`` is ``None`` when several exchanges, or none in particular, are concerned.
    """

    at_us: int
    until_us: int
    exchange: int | None
    lost_facts: int
    lost_bytes: int
    reason: str


type Fact = RequestHead | RequestBody | ResponseHead | Piece | End | Gap


def host_in_url(host: str) -> str:
    """A host as it stands in a URL: an address of IPv6 in brackets (RFC 3986, 3.2.2)."""
    return f"[{host}]" if ":" in host else host


def header(headers: Headers, name: str) -> str | None:
    """The first value of the header ``name`` (any case), or ``None``."""
    return next(all_headers(headers, name), None)


def all_headers(headers: Headers, name: str) -> Iterator[str]:
    """Every value of the header ``name`` (any case), in order."""
    wanted = name.lower()
    return (value for key, value in headers if key.lower() == wanted)
