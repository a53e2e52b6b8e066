"""One client connection to the replay server: proxy talk, TLS, HTTP and WebSocket on one port.

Performs what the player says, and knows nothing of recordings itself.
"""

import asyncio
import ssl
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import h11

from replayer.actions import Action, Drop, Finish, Hold, Reset, SendBytes, SendFrame, SendHead
from replayer.pacing import Pace
from replayer.pipes import TLS_HANDSHAKE, Pipe, SocketPipe, TlsPipe
from replayer.player import Accept, HttpRequest, Player
from replayer.socket_server import serve_socket
from replayer.tape import ReplayExchange, ReplayTape
from wiretape.facts import EndKind, Headers, PieceKind, Sender

_JOINED_BYTES: Final = 64 * 1024
_HEAD_BYTES: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Service:
    """What every connection of a server needs."""

    player: Player
    tape: ReplayTape
    pace: Pace
    address: tuple[str, int]
    context_for: Callable[[str], ssl.SSLContext]


class Connection:
    """Serves one client connection until it is over."""

    def __init__(self, number: int, pipe: SocketPipe, service: Service) -> None:
        self._number = number
        self._socket = pipe
        self._pipe: Pipe = pipe
        self._service = service
        self._host: str | None = None
        self._port: int | None = None
        self._http = _new_http()

    async def serve(self) -> None:
        """Answers requests until the client, or the recording, ends the connection."""
        while (request := await self._next_request()) is not None:
            if request.method == "CONNECT":
                goes_on = await self._connect(request.target)
            elif request.is_upgrade:
                goes_on = await self._upgrade(request)
            else:
                goes_on = await self._answer(request, self._player.http(request))
            if not goes_on:
                break
        await self._pipe.close()

    @property
    def _player(self) -> Player:
        return self._service.player

    async def _next_request(self) -> HttpRequest | None:
        head: h11.Request | None = None
        body = bytearray()
        while True:
            try:
                event = self._http.next_event()
            except h11.RemoteProtocolError:
                return None
            match event:
                case h11.NEED_DATA:
                    if self._http.they_are_waiting_for_100_continue:
                        await self._pipe.send(
                            self._http.send(h11.InformationalResponse(status_code=100, headers=[]))
                            or b""
                        )
                    self._http.receive_data(await self._pipe.receive())
                case h11.Request():
                    head = event
                case h11.Data():
                    body += event.data
                case h11.EndOfMessage():
                    assert head is not None
                    return self._request(head, bytes(body))
                case _:
                    # The client has left, or speaks something else by now.
                    return None

    def _request(self, head: h11.Request, body: bytes) -> HttpRequest:
        target = head.target.decode("latin-1")
        host, port = self._host, self._port
        if target.startswith(("http://", "https://")):
            url = urlsplit(target)
            host, port = url.hostname, url.port or (443 if url.scheme == "https" else 80)
            target = (url.path or "/") + (f"?{url.query}" if url.query else "")
        headers: Headers = tuple(
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, value in head.headers.raw_items()
        )
        return HttpRequest(
            head.method.decode("latin-1"), target, headers, body, self._number, host, port
        )

    async def _connect(self, target: str) -> bool:
        host, _, port = target.rpartition(":")
        self._host, self._port = host.strip("[]"), int(port) if port.isdigit() else 443
        if not self._player.knows(self._host, self._port):
            await self._refuse(target)
            return False
        await self._pipe.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        early, _ = self._http.trailing_data
        first = early or await self._pipe.receive()
        self._socket.unread(first)
        self._http = _new_http()
        if first[:1] == bytes((TLS_HANDSHAKE,)):
            own_name = self._host
            tls = TlsPipe(self._pipe, lambda name: self._service.context_for(name or own_name))
            if not await tls.handshake():
                return False
            self._pipe = tls
        return bool(first)

    async def _refuse(self, what: str) -> None:
        self._player.block(what)
        reason = f"wiretape: {what} was not recorded, and nothing leaves this machine\n".encode()
        await self._pipe.send(
            b"HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\nconnection: close\r\n"
            b"content-length: %d\r\n\r\n%s" % (len(reason), reason)
        )

    async def _upgrade(self, request: HttpRequest) -> bool:
        if self._is_foreign(request):
            await self._refuse(f"{request.host}:{request.port}")
            return False
        answer = self._player.upgrade(request)
        if not isinstance(answer, Accept):
            return await self._answer(request, answer)
        early, _ = self._http.trailing_data
        await serve_socket(
            self._pipe, request, answer, early, self._service.pace, self._begin(request)
        )
        return False

    def _is_foreign(self, request: HttpRequest) -> bool:
        """Whether a proxied request means a host that nothing was recorded from."""
        return request.host is not None and not self._player.knows(request.host, request.port or 80)

    def _begin(self, request: HttpRequest) -> ReplayExchange:
        is_tls = isinstance(self._pipe, TlsPipe)
        return self._service.tape.begin(request, is_tls=is_tls, address=self._service.address)

    async def _answer(self, request: HttpRequest, actions: Iterable[Action]) -> bool:
        """Performs an answer; says whether the connection can carry another request."""
        if self._is_foreign(request):
            await self._refuse(f"{request.host}:{request.port}")
            return False
        exchange = self._begin(request)
        performing = asyncio.create_task(self._perform(actions, exchange))
        while not performing.done():
            leaving = asyncio.create_task(self._pipe.receive())
            await asyncio.wait({performing, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not leaving.done():
                leaving.cancel()
                await asyncio.wait({leaving})
            elif data := leaving.result():
                self._http.receive_data(data)
                await performing
            else:
                performing.cancel()
                await asyncio.wait({performing})
                exchange.end(EndKind.CLIENT_CLOSED, Sender.CLIENT)
                return False
        return performing.result()

    async def _perform(self, actions: Iterable[Action], exchange: ReplayExchange) -> bool:
        pace = self._service.pace
        began_s = asyncio.get_running_loop().time()
        waiting = bytearray()

        async def flush() -> None:
            if waiting:
                data = bytes(waiting)
                waiting.clear()
                await self._pipe.send(data)

        for action in actions:
            if not isinstance(action, Hold) and pace.waits:
                await flush()
                await pace.until(action.at_us, began_s)
            match action:
                case SendHead():
                    exchange.head(action)
                    waiting += self._send(_response(action))
                case SendBytes():
                    exchange.piece(Sender.SERVER, PieceKind.CHUNK, action.data)
                    waiting += self._send(h11.Data(data=action.data))
                    if len(waiting) >= _JOINED_BYTES:
                        await flush()
                case Finish():
                    waiting += self._send(h11.EndOfMessage())
                    await flush()
                    exchange.end(EndKind.COMPLETE)
                    return self._starts_next_cycle()
                case Drop():
                    await flush()
                    exchange.end(EndKind.SERVER_CLOSED, Sender.SERVER)
                    self._pipe.drop()
                    return False
                case Reset():
                    await flush()
                    exchange.end(EndKind.RESET, Sender.SERVER)
                    await self._pipe.reset()
                    return False
                case Hold():
                    await flush()
                    await asyncio.Event().wait()
                case SendFrame():
                    raise AssertionError("a frame has no place in an HTTP response")
        return False

    def _send(self, event: h11.Response | h11.Data | h11.EndOfMessage) -> bytes:
        try:
            return self._http.send(event) or b""
        except h11.LocalProtocolError:
            # The recorded body is not what its head says; what stands is sent, then we close.
            return b""

    def _starts_next_cycle(self) -> bool:
        try:
            self._http.start_next_cycle()
        except h11.LocalProtocolError:
            return False
        return True


def _new_http() -> h11.Connection:
    return h11.Connection(h11.SERVER, max_incomplete_event_size=_HEAD_BYTES)


def _response(head: SendHead) -> h11.Response:
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in head.headers]
    if head.is_chunked:
        headers.append((b"transfer-encoding", b"chunked"))
    return h11.Response(
        status_code=head.status, headers=headers, reason=head.reason.encode("latin-1")
    )
