"""Passes a request on to a service of this machine, as a forward proxy does."""

import asyncio
from contextlib import suppress
from typing import Final

from replayer.http_request import HttpRequest, Origin
from replayer.performing import first_of
from replayer.pipes import ClientLeft, Pipe, SocketPipe

_OF_THE_CONNECTION: Final = frozenset(
    {"connection", "keep-alive", "proxy-connection", "proxy-authorization", "expect"}
    | {"transfer-encoding", "content-length"}
)
"""What is said anew: this connection carries one request, whose body we have whole."""


async def pass_on(pipe: Pipe, request: HttpRequest, origin: Origin, rest: bytes) -> None:
    """Sends ``request`` to ``origin``, then all bytes both ways until one side has no more.

    ``rest`` is what the client has sent behind the request. Where nobody listens, the client
    finds its connection closed.
    """
    # A resolver may know another machine of such a name.
    host = "localhost" if origin.host.endswith(".localhost") else origin.host
    try:
        streams = await asyncio.open_connection(host, origin.port)
    except OSError:
        await pipe.drop()
        return
    service = SocketPipe(*streams)
    try:
        with suppress(ClientLeft):
            await service.send(_as_bytes(request) + rest)
            await first_of(_copy(pipe, service), _copy(service, pipe))
        await pipe.close()
    finally:
        streams[1].transport.abort()


def _as_bytes(request: HttpRequest) -> bytes:
    headers = request.headers
    if not request.is_upgrade:
        headers = tuple(each for each in headers if each[0].lower() not in _OF_THE_CONNECTION)
        headers += (("connection", "close"),)
        if request.body or request.method not in ("GET", "HEAD"):
            headers += (("content-length", str(len(request.body))),)
    lines = [f"{request.method} {request.target} HTTP/1.1", *(f"{n}: {v}" for n, v in headers)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + request.body


async def _copy(source: Pipe, target: Pipe) -> None:
    while data := await source.receive():
        await target.send(data)
