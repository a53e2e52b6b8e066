"""The wire that is real: HTTP by httpx, WebSocket by websockets.

SSE is decoded by ``wiretape.sse``, bodies by ``wiretape.content``; what the libraries would do by
themselves (redirects, keep-alive, pings of our own, headers of theirs) is left out. The client
drops a socket as the real one does, without a close frame.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import httpx
import zstandard
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from replayer.reference.breakages import post_failure, socket_end, upgrade_failure
from replayer.reference.wires import Wire
from wiretape.client.wire import (
    Breakage,
    Broken,
    Ended,
    Input,
    Opened,
    Refused,
    Said,
    SaidBytes,
    TimedOut,
)
from wiretape.content import ContentDecoder, decode
from wiretape.facts import Headers, header
from wiretape.jsontext import JsonObject
from wiretape.sse import SseDecoder

_SLICES: Final = 10
_CLOSE_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Timing:
    """How long things take. ``delay_factor`` scales the pauses that the client makes itself, 0
    skips them; ``connect_s`` and ``idle_s`` are how long it waits for a server, ``None`` for
    ever; ``tools_s`` is how long its tools run."""

    delay_factor: float = 1.0
    connect_s: float | None = None
    idle_s: float | None = None
    tools_s: float = 0.05


@dataclass(frozen=True, slots=True)
class Address:
    """Where responses are asked for, and whether the environment's proxy leads there."""

    post_url: str
    socket_url: str
    heeds_proxies: bool = True


class _Socket(ClientConnection):
    """A WebSocket that remembers how its connection was lost."""

    was_reset = False

    def connection_lost(self, exc: Exception | None) -> None:
        self.was_reset = isinstance(exc, ConnectionResetError)
        super().connection_lost(exc)


class SocketWire(Wire):
    """Talks to ``address``.

    ``tools_s`` says how long the tools run this time, where that is not always the same.
    """

    def __init__(
        self, address: Address, timing: Timing, tools_s: Callable[[], float] | None = None
    ) -> None:
        self._address = address
        self._timing = timing
        self._tools_s = tools_s or (lambda: timing.tools_s)
        self._http: httpx.AsyncClient | None = None
        self._socket: _Socket | None = None
        self._response: httpx.Response | None = None
        self._body: AsyncIterator[Input] | None = None

    async def upgrade(self, headers: Headers, delay_ms: int) -> Input:
        await self._drop()
        await self._pause(delay_ms)
        made: list[_Socket] = []

        class Noted(_Socket):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                made.append(self)
                super().connection_made(transport)

        try:
            socket = await connect(
                self._address.socket_url,
                additional_headers=headers,
                user_agent_header=None,
                proxy=True if self._address.heeds_proxies else None,
                open_timeout=self._timing.connect_s,
                ping_interval=None,
                close_timeout=_CLOSE_S,
                max_size=None,
                max_queue=None,
                create_connection=Noted,
            )
        except TimeoutError:
            return TimedOut()
        except (OSError, WebSocketException) as error:
            return upgrade_failure(error, was_reset=any(each.was_reset for each in made))
        assert isinstance(socket, _Socket)
        assert socket.response is not None
        self._socket = socket
        return Opened(tuple(socket.response.headers.raw_items()))

    async def post(self, headers: Headers, body: JsonObject, delay_ms: int) -> Input:
        await self._drop()
        await self._pause(delay_ms)
        if self._http is None:
            self._http = httpx.AsyncClient(
                timeout=None,
                # Loading the authorities takes long, and plain HTTP has no use for them.
                verify=self._address.post_url.startswith("https:"),
                trust_env=self._address.heeds_proxies,
                limits=httpx.Limits(max_keepalive_connections=0),
            )
        # Made by hand: the client would add headers of its own.
        request = httpx.Request(
            "POST",
            self._address.post_url,
            headers=list(headers),
            content=encoded(body, header(headers, "content-encoding")),
        )
        try:
            self._response = await self._http.send(request, stream=True)
        except httpx.TransportError as error:
            return post_failure(error)
        return await self._answered(self._response)

    async def send(self, message: JsonObject) -> None:
        assert self._socket is not None
        self._body = None
        # That the socket is gone shows when its answer is waited for.
        with suppress(ConnectionClosed):
            await self._socket.send(json.dumps(message, ensure_ascii=False))

    async def receive(self) -> Input:
        source = self._read_socket() if self._body is None else self._read_body(self._body)
        return await _unless_silent(source, self._timing.idle_s) or TimedOut()

    async def rest(self) -> Input | None:
        if self._socket is None:
            return None
        while heard := await _unless_silent(self._read_socket(), self._tools_s()):
            # What is said while nothing is asked means nothing.
            if not isinstance(heard, Said | SaidBytes):
                return heard
        return None

    async def close(self) -> None:
        await self._drop()
        if self._http is not None:
            await self._http.aclose()
            self._http = None

    async def _pause(self, delay_ms: int) -> None:
        await asyncio.sleep(delay_ms / 1000 * self._timing.delay_factor)

    async def _drop(self) -> None:
        if self._socket is not None:
            self._socket.transport.abort()
            await self._socket.wait_closed()
            self._socket = None
        if self._response is not None:
            await self._response.aclose()
            self._response = self._body = None

    async def _answered(self, response: httpx.Response) -> Input:
        headers = tuple(
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, value in response.headers.raw
        )
        if response.is_success:
            self._body = _events(response, header(headers, "content-encoding"))
            return Opened(headers)
        data = bytearray()
        with suppress(httpx.TransportError):
            async for chunk in response.aiter_raw():
                data += chunk
        text, _ = decode(bytes(data), header(headers, "content-encoding"))
        return Refused(response.status_code, headers, text.decode("utf-8", "replace"))

    async def _read_socket(self) -> Input:
        assert self._socket is not None
        try:
            message = await self._socket.recv()
        except ConnectionClosed as error:
            return socket_end(error, was_reset=self._socket.was_reset)
        return Said(message) if isinstance(message, str) else SaidBytes(message)

    async def _read_body(self, body: AsyncIterator[Input]) -> Input:
        return await anext(body)


def encoded(body: JsonObject, coding: str | None) -> bytes:
    """A body as it is sent; zstd is the only content coding that the client knows."""
    data = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return zstandard.ZstdCompressor().compress(data) if coding == "zstd" else data


async def _events(response: httpx.Response, coding: str | None) -> AsyncIterator[Input]:
    """What a streamed body says, and how it ends."""
    content, decoder = ContentDecoder(coding), SseDecoder()
    try:
        async for chunk in response.aiter_raw():
            for event in decoder.feed(content.feed(chunk)):
                yield Said(event.data)
    except httpx.TransportError:
        yield Broken(Breakage.BODY_CUT)
        return
    last, _ = decoder.close()
    for event in last:
        yield Said(event.data)
    yield Ended()


async def _unless_silent(source: Awaitable[Input], patience_s: float | None) -> Input | None:
    """What comes from ``source``; ``None`` where nothing does for ``patience_s``.

    The time is waited out in slices, so that a machine that stood still for a while is not taken
    for a server that did.
    """
    waiting = asyncio.ensure_future(source)
    try:
        for _ in range(_SLICES):
            slice_s = None if patience_s is None else patience_s / _SLICES
            done, _ = await asyncio.wait({waiting}, timeout=slice_s)
            if done:
                return waiting.result()
    finally:
        if not waiting.done():
            waiting.cancel()
            await asyncio.wait({waiting})
    return None
