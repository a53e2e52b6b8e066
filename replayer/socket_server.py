"""Serves one WebSocket of a replay, after its handshake was matched."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Final

from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

from replayer.actions import Action, Drop, Finish, Hold, Reset, SendFrame, SendHead
from replayer.pacing import Pace
from replayer.pipes import Pipe
from replayer.player import Accept, HttpRequest
from replayer.tape import ReplayExchange
from wiretape.facts import EndKind, PieceKind, Sender, header
from wiretape.frames import close_code_and_reason

_JOINED_BYTES: Final = 64 * 1024
_CLOSE_ANSWER_S: Final = 2.0
_HANDSHAKE_HEADERS: Final = frozenset(
    {"upgrade", "connection", "sec-websocket-accept", "sec-websocket-extensions", "content-length"}
)
_OPCODES: Final = {
    PieceKind.TEXT: Opcode.TEXT,
    PieceKind.BINARY: Opcode.BINARY,
    PieceKind.PING: Opcode.PING,
    PieceKind.PONG: Opcode.PONG,
    PieceKind.CLOSE: Opcode.CLOSE,
}


async def serve_socket(
    pipe: Pipe,
    request: HttpRequest,
    answer: Accept,
    early: bytes,
    pace: Pace,
    exchange: ReplayExchange,
) -> None:
    """Accepts the upgrade and plays the socket to its end. ``early`` followed the request."""
    server = _SocketServer(pipe, answer, pace, exchange)
    await server.accept(request)
    await server.serve(early)


class _SocketServer:
    def __init__(self, pipe: Pipe, answer: Accept, pace: Pace, exchange: ReplayExchange) -> None:
        self._pipe = pipe
        self._socket = answer.socket
        self._headers = answer.headers
        self._pace = pace
        self._exchange = exchange
        self._protocol = ServerProtocol(extensions=_extensions(answer), max_size=None)
        self._replies: asyncio.Queue[tuple[float, Iterable[Action]]] = asyncio.Queue()
        self._client_closed = asyncio.Event()
        self._close_sent = False

    async def accept(self, request: HttpRequest) -> None:
        """Answers the handshake as the recording did."""
        self._protocol.receive_data(_handshake(request))
        (handshake,) = self._protocol.events_received()
        assert isinstance(handshake, Request)
        response = self._protocol.accept(handshake)
        for name, value in self._headers:
            if name.lower() not in _HANDSHAKE_HEADERS:
                response.headers[name] = value
        self._protocol.send_response(response)
        self._exchange.head(
            SendHead(
                0,
                response.status_code,
                response.reason_phrase,
                tuple(response.headers.raw_items()),
                False,
            )
        )
        await self._pipe.send(b"".join(self._protocol.data_to_send()))

    async def serve(self, early: bytes) -> None:
        """Plays until the client, or the recording, ends the socket."""
        performing = asyncio.create_task(self._perform_all())
        listening = asyncio.create_task(self._listen(early))
        await self._enqueue(self._socket.opened())
        await asyncio.wait({performing, listening}, return_when=asyncio.FIRST_COMPLETED)
        for task in (performing, listening):
            task.cancel()
        await asyncio.gather(performing, listening, return_exceptions=True)
        for task in (performing, listening):
            if not task.cancelled() and (error := task.exception()):
                raise error
        self._exchange.end(EndKind.CLIENT_CLOSED, Sender.CLIENT)
        await self._pipe.close()

    async def _enqueue(self, actions: Iterable[Action]) -> None:
        await self._replies.put((asyncio.get_running_loop().time(), actions))

    async def _listen(self, early: bytes) -> None:
        async for opcode, data in self._messages(early):
            kind = PieceKind.TEXT if opcode is Opcode.TEXT else PieceKind.BINARY
            self._exchange.piece(Sender.CLIENT, kind, data)
            await self._enqueue(self._socket.received(data))

    async def _messages(self, early: bytes) -> AsyncIterator[tuple[Opcode, bytes]]:
        opcode, parts = Opcode.TEXT, bytearray()
        data = early or await self._pipe.receive()
        while data:
            self._protocol.receive_data(data)
            for frame in self._protocol.events_received():
                assert isinstance(frame, Frame)
                if frame.opcode is Opcode.CLOSE:
                    self._note_close(Sender.CLIENT, bytes(frame.data))
                    self._client_closed.set()
                elif frame.opcode in (Opcode.PING, Opcode.PONG):
                    kind = PieceKind.PING if frame.opcode is Opcode.PING else PieceKind.PONG
                    self._exchange.piece(Sender.CLIENT, kind, bytes(frame.data))
                else:
                    opcode = opcode if frame.opcode is Opcode.CONT else frame.opcode
                    parts += frame.data
                    if frame.fin:
                        message = bytes(parts)
                        parts.clear()
                        yield opcode, message
            if not self._close_sent and (answers := b"".join(self._protocol.data_to_send())):
                await self._pipe.send(answers)
            data = await self._pipe.receive()
        self._client_closed.set()

    async def _perform_all(self) -> None:
        while True:
            began_s, actions = await self._replies.get()
            if not await self._perform(began_s, actions):
                return

    async def _perform(self, began_s: float, actions: Iterable[Action]) -> bool:
        waiting = bytearray()

        async def flush() -> None:
            if waiting:
                data = bytes(waiting)
                waiting.clear()
                await self._pipe.send(data)

        for action in actions:
            if not isinstance(action, Hold) and self._pace.waits:
                await flush()
                await self._pace.until(action.at_us, began_s)
            match action:
                case SendFrame():
                    waiting += self._frame(action)
                    if len(waiting) >= _JOINED_BYTES:
                        await flush()
                case Drop() | Finish():
                    await flush()
                    await self._close_answered()
                    self._exchange.end(EndKind.SERVER_CLOSED, Sender.SERVER)
                    self._pipe.drop()
                    return False
                case Reset():
                    await flush()
                    self._exchange.end(EndKind.RESET, Sender.SERVER)
                    await self._pipe.reset()
                    return False
                case Hold():
                    # The client's next message, if there is one, was not recorded.
                    break
                case _:
                    raise AssertionError(f"{action} has no place on a socket")
        await flush()
        return True

    def _frame(self, action: SendFrame) -> bytes:
        self._exchange.piece(Sender.SERVER, action.kind, action.data)
        if action.kind is PieceKind.UNDECODED:
            return action.data
        if action.kind is PieceKind.CLOSE:
            self._close_sent = True
            self._note_close(Sender.SERVER, action.data)
        return Frame(_OPCODES[action.kind], action.data).serialize(
            mask=False, extensions=self._protocol.extensions
        )

    async def _close_answered(self) -> None:
        """A close frame is answered before the connection goes, as servers do."""
        if self._close_sent:
            try:
                await asyncio.wait_for(self._client_closed.wait(), _CLOSE_ANSWER_S)
            except TimeoutError:
                return

    def _note_close(self, side: Sender, data: bytes) -> None:
        if side is Sender.CLIENT:
            self._exchange.piece(side, PieceKind.CLOSE, data)
        code, reason = close_code_and_reason(data)
        self._exchange.end(EndKind.WEBSOCKET_CLOSED, side, code, reason)


def _extensions(answer: Accept) -> list[ServerPerMessageDeflateFactory] | None:
    recorded = header(answer.headers, "sec-websocket-extensions") or ""
    return [ServerPerMessageDeflateFactory()] if "permessage-deflate" in recorded else None


def _handshake(request: HttpRequest) -> bytes:
    lines = [f"GET {request.target} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in request.headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
