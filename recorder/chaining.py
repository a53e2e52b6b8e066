"""Goes on through the proxy that the user goes through anyway.

What a client that knows only that proxy would ask of it, it is asked: a tunnel where the client
asks us for one and for whatever is TLS, the request itself (with its whole address) for plain
HTTP. mitmproxy sees connections to the upstreams themselves, so that ends and resets are told as
ever; only how they are opened is changed.
"""

import asyncio
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import mitmproxy.proxy.server
from mitmproxy import http
from mitmproxy.connection import Client

from recorder.endings import in_short
from recorder.inside import replace_method
from recorder.user_proxy import UserProxies, UserProxy

type Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

_ANSWER_S: Final = 60.0
"""How long a proxy may take to reach the upstream; clients give up sooner."""


class Chaining:
    """An addon for mitmproxy that opens connections through ``proxies``.

    It comes after the recorder, so that what it adds to a request (a password for the proxy)
    is not recorded. ``trusted_roots`` is a PEM file, for proxies that speak TLS.
    """

    def __init__(self, proxies: UserProxies, trusted_roots: Path) -> None:
        self._proxies = proxies
        self._trusted_roots = trusted_roots
        self._tunnels: dict[str, tuple[str, int]] = {}
        self._restore: Callable[[], None] = lambda: None

    def running(self) -> None:
        if self._proxies.by_scheme:
            self._restore = replace_method(
                mitmproxy.proxy.server, "asyncio", lambda original: _Asyncio(original, self._open)
            )

    def done(self) -> None:
        self._restore()

    def http_connect(self, flow: http.HTTPFlow) -> None:
        self._tunnels[flow.client_conn.id] = flow.request.host, flow.request.port

    def client_disconnected(self, client: Client) -> None:
        self._tunnels.pop(client.id, None)

    def requestheaders(self, flow: http.HTTPFlow) -> None:
        request = flow.request
        host, port = request.host, request.port
        if request.scheme != "http" or self._tunnels.get(flow.client_conn.id) == (host, port):
            return
        proxy = self._proxies.on_the_way_to("http", host, port)
        if proxy is not None:
            # Not their setters, which would change the Host header too.
            request.data.host, request.data.port = proxy.host, proxy.port
            request.data.authority = _address(host, port).encode()
            if proxy.authorization is not None:
                request.headers["Proxy-Authorization"] = proxy.authorization

    async def _open(self, host: str, port: int, **options: Any) -> Streams:
        at = self._proxies.at(host, port)
        if at is not None:
            return await self._reach(at, **options)
        proxy = self._proxies.on_the_way_to("https", host, port)
        if proxy is None:
            return await asyncio.open_connection(host, port, **options)
        reader, writer = await self._reach(proxy, **options)
        try:
            async with asyncio.timeout(_ANSWER_S):
                await _ask_for_tunnel(reader, writer, proxy, _address(host, port))
        except BaseException as error:
            writer.transport.abort()
            if isinstance(error, TimeoutError):
                raise OSError(f"the proxy {proxy} does not answer") from error
            raise
        return reader, writer

    async def _reach(self, proxy: UserProxy, **options: Any) -> Streams:
        context = None
        if proxy.is_tls:
            context = ssl.create_default_context(cafile=self._trusted_roots)
        try:
            return await asyncio.open_connection(proxy.host, proxy.port, ssl=context, **options)
        except OSError as error:
            raise OSError(f"the proxy {proxy} cannot be reached: {in_short(str(error))}") from error


class _Asyncio:
    """The module as one part of mitmproxy sees it, with another way to open connections."""

    def __init__(self, original: Any, open_connection: Callable[..., Any]) -> None:
        self._original = original
        self.open_connection = open_connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)


async def _ask_for_tunnel(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, proxy: UserProxy, address: str
) -> None:
    lines = [f"CONNECT {address} HTTP/1.1", f"Host: {address}"]
    if proxy.authorization is not None:
        lines.append(f"Proxy-Authorization: {proxy.authorization}")
    writer.write("\r\n".join((*lines, "", "")).encode())
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        raise OSError(f"the proxy {proxy} did not answer as a proxy does") from error
    status, _, reason = head.partition(b"\r\n")[0].partition(b" ")[2].partition(b" ")
    if not status.startswith(b"2"):
        said = b" ".join((status, reason)).decode("latin-1")
        raise OSError(f"the proxy {proxy} answered {said}")


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{_ascii(host)}:{port}"


def _ascii(host: str) -> str:
    return host if host.isascii() else host.encode("idna").decode()
