"""One client connection to the replay server: proxy talk, TLS, HTTP and WebSocket on one port.

Performs what the player says, and knows nothing of recordings itself.
"""

import asyncio
import ssl
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace

from replayer.actions import Action, Drop, Ending, Finish, Hold, Reset, SendBytes, SendHead, Sending
from replayer.http_request import HttpRequest, Origin, origin_of_tunnel
from replayer.http_wire import NotHttp, RequestReader, ResponseWriter, head_bytes
from replayer.pacing import Pace
from replayer.passing import pass_on
from replayer.performing import first_of, perform
from replayer.pipes import TLS_HANDSHAKE, ClientLeft, Pipe, TlsPipe
from replayer.player import Accept, PassOn, Player
from replayer.report import Blocked
from replayer.socket_server import serve_socket
from replayer.tape import ReplayExchange, ReplayTape
from wiretape.facts import EndKind, PieceKind, Sender

_ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Service:
    """What every connection of a server needs. ``context_for`` gives a host's TLS context."""

    player: Player
    tape: ReplayTape
    pace: Pace
    context_for: Callable[[str], ssl.SSLContext]


class Connection:
    """Serves one client connection until it is over. ``own`` is the address it came in on."""

    def __init__(self, number: int, pipe: Pipe, own: Origin, service: Service) -> None:
        self._number = number
        self._pipe = pipe
        self._own = own
        self._service = service
        self._reader = RequestReader(number)

    async def serve(self) -> None:
        """Answers requests until the client, or the recording, ends the connection."""
        try:
            while await self._serve_next():
                pass
        except NotHttp as error:
            with suppress(ClientLeft):
                await self._say(400, "Bad Request", f"this is no HTTP request: {error}")
            await self._pipe.close()
        except ClientLeft:
            await self._pipe.close()

    async def _serve_next(self) -> bool:
        """Serves one request; says whether the connection can carry another."""
        request = await self._next_request()
        if request is None:
            await self._pipe.close()
            return False
        if request.method == "CONNECT":
            return await self._open_tunnel(request)
        # Finding the answer takes a while; the recorded times count from the request.
        began_s = asyncio.get_running_loop().time()
        player = self._service.player
        answer = player.upgrade(request) if request.is_upgrade else player.http(request)
        match answer:
            case Blocked():
                return await self._refuse(answer)
            case PassOn():
                player.pass_on(answer)
                await pass_on(self._pipe, request, answer.origin, self._reader.rest())
                return False
            case Accept():
                exchange = self._service.tape.begin(request, self._own)
                early, pace = self._reader.rest(), self._service.pace
                await serve_socket(self._pipe, request, answer, early, pace, began_s, exchange)
                return False
            case actions:
                return await self._answer(request, actions, began_s)

    async def _next_request(self) -> HttpRequest | None:
        while (request := self._reader.next_request()) is None:
            await self._pipe.send(self._reader.interim())
            data = await self._pipe.receive()
            if not data:
                return None
            self._reader.feed(data)
        # A client may have us for its base URL and for its proxy too.
        return replace(request, origin=None) if request.origin == self._own else request

    async def _open_tunnel(self, request: HttpRequest) -> bool:
        origin = origin_of_tunnel(request.target)
        if origin is None:
            raise NotHttp(f"{request.target} is no address")
        if not self._service.player.opens(origin):
            return await self._refuse(Blocked(str(origin), str(origin)))
        await self._pipe.send(_ESTABLISHED)
        first = self._reader.rest() or await self._pipe.receive()
        if first[:1] == bytes((TLS_HANDSHAKE,)):
            origin = replace(origin, scheme="https")
            host, context_for = origin.host, self._service.context_for
            tls = TlsPipe(self._pipe, first, lambda name: context_for(name or host))
            self._pipe, first = tls, b""
            if not await tls.handshake():
                self._service.player.distrusted(origin)
                await self._pipe.drop()
                return False
        self._reader = RequestReader(self._number, origin)
        if first:
            self._reader.feed(first)
        return True

    async def _refuse(self, blocked: Blocked) -> bool:
        self._service.player.block(blocked)
        await self._say(
            403, "Forbidden", f"{blocked.what} was not recorded, and nothing leaves this machine"
        )
        await self._pipe.close()
        return False

    async def _say(self, status: int, reason: str, sentence: str) -> None:
        body = f"wiretape: {sentence}\n".encode()
        headers = (
            ("content-type", "text/plain; charset=utf-8"),
            ("content-length", str(len(body))),
            ("connection", "close"),
        )
        await self._pipe.send(head_bytes(status, reason, headers) + body)

    async def _answer(
        self, request: HttpRequest, actions: Iterable[Action], began_s: float
    ) -> bool:
        exchange = self._service.tape.begin(request, self._own)
        writer = ResponseWriter(request)
        ending: Ending | None = None

        def render(action: Sending | Finish) -> bytes:
            return _rendered(action, writer, exchange)

        async def play() -> None:
            nonlocal ending
            with suppress(ClientLeft):
                ending = await perform(actions, self._pipe, self._service.pace, began_s, render)
                exchange.ended(ending)
                if isinstance(ending, Hold):
                    await asyncio.Event().wait()

        try:
            await first_of(play(), self._until_client_leaves())
            exchange.end(EndKind.CLIENT_CLOSED, Sender.CLIENT)
        finally:
            exchange.end(EndKind.RECORDER_STOPPED)
        match ending:
            case Finish() if writer.is_reusable:
                return True
            case Drop():
                await self._pipe.drop()
            case Reset():
                await self._pipe.reset()
            case _:
                await self._pipe.close()
        return False

    async def _until_client_leaves(self) -> None:
        while data := await self._pipe.receive():
            self._reader.feed(data)


def _rendered(action: Sending | Finish, writer: ResponseWriter, exchange: ReplayExchange) -> bytes:
    match action:
        case SendBytes():
            exchange.piece(Sender.SERVER, PieceKind.CHUNK, action.data)
            return writer.data(action.data)
        case SendHead():
            exchange.head(action)
            return writer.head(action)
        case Finish():
            return writer.end()
        case _:
            raise AssertionError("a frame has no place in an HTTP response")
