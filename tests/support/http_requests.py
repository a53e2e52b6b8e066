"""Requests as a player is told of them."""

import json
from typing import Any

from tapes import HOST, SESSION, session_headers

from replayer.http_request import HttpRequest, Origin
from wiretape.facts import Headers

ORIGIN = Origin("https", HOST, 443)


def post(
    body: Any,
    *,
    session: str | None = SESSION,
    path: str = "/v1/responses",
    headers: Headers = (("content-type", "application/json"),),
    origin: Origin | None = ORIGIN,
    connection: int = 1,
) -> HttpRequest:
    """A POST; ``body`` is JSON, or bytes as they are."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return HttpRequest("POST", path, session_headers(session) + headers, data, connection, origin)


def get(path: str, *, origin: Origin | None = ORIGIN, connection: int = 1) -> HttpRequest:
    """A GET without a body."""
    return HttpRequest("GET", path, (), b"", connection, origin)


def upgrade(
    *,
    session: str | None = SESSION,
    path: str = "/v1/responses",
    headers: Headers = (),
    origin: Origin | None = ORIGIN,
    connection: int = 1,
) -> HttpRequest:
    """The handshake of a WebSocket."""
    handshake: Headers = (
        ("connection", "Upgrade"),
        ("upgrade", "websocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
    )
    return HttpRequest(
        "GET", path, handshake + session_headers(session) + headers, b"", connection, origin
    )
