"""Serves one WebSocket of a replay, after its handshake was matched."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Final

from websockets.frames import Frame, Opcode
from websockets.protocol import SEND_EOF
from websockets.server import ServerProtocol

from replayer.actions import Action, Drop, Ending, Finish, Hold, Reset, SendFrame, Sending
from replayer.handshake import shake_hands
from replayer.http_request import HttpRequest
from replayer.http_wire import head_bytes
from replayer.pacing import Pace
from replayer.performing import first_of, perform
from replayer.pipes import ClientLeft, Pipe
from replayer.player import Accept
from replayer.socket_player import SocketPlayer
from replayer.tape import ReplayExchange
from wiretape.facts import EndKind, PieceKind, Sender
from wiretape.frames import close_code_and_reason

_CLOSE_ANSWER_S: Final = 2.0
_OPCODES: Final = {
    PieceKind.TEXT: Opcode.TEXT,
    PieceKind.BINARY: Opcode.BINARY,
    PieceKind.PING: Opcode.PING,
    PieceKind.PONG: Opcode.PONG,
    PieceKind.CLOSE: Opcode.CLOSE,
}
_KINDS: Final = {opcode: kind for kind, opcode in _OPCODES.items()}
_CONTROL: Final = frozenset({Opcode.PING, Opcode.PONG, Opcode.CLOSE})


async def serve_socket(
    pipe: Pipe,
    request: HttpRequest,
    answer: Accept,
    early: bytes,
    pace: Pace,
    began_s: float,
    exchange: ReplayExchange,
) -> None:
    """Accepts the upgrade and plays the socket to its end. ``early`` followed the request, which
    had arrived at ``began_s`` (loop time)."""
    protocol, head, why_not = shake_hands(request, answer.head)
    try:
        await pace.until(head.at_us, began_s)
        exchange.head(head)
        await pipe.send(head_bytes(head.status, head.reason, head.headers) + why_not)
        if head.status == 101:
            await _SocketServer(pipe, protocol, answer.socket, pace, exchange).serve(early)
        else:
            exchange.piece(Sender.SERVER, PieceKind.CHUNK, why_not)
            exchange.end(EndKind.COMPLETE)
            await pipe.close()
    except ClientLeft:
        exchange.end(EndKind.CLIENT_CLOSED, Sender.CLIENT)
        raise
    finally:
        exchange.end(EndKind.RECORDER_STOPPED)


class _SocketServer:
    def __init__(
        self,
        pipe: Pipe,
        protocol: ServerProtocol,
        socket: SocketPlayer,
        pace: Pace,
        exchange: ReplayExchange,
    ) -> None:
        self._pipe = pipe
        self._protocol = protocol
        self._socket = socket
        self._pace = pace
        self._exchange = exchange
        self._waiting: asyncio.Queue[tuple[float, Iterable[Action]]] = asyncio.Queue()
        self._client_is_done = asyncio.Event()
        self._has_closed = False
        self._is_silent = False
        self._ending: Ending | None = None

    async def serve(self, early: bytes) -> None:
        """Plays until the client, or the recording, ends the socket."""
        self._enqueue(self._socket.opened)
        await first_of(self._play(), self._listen(early))
        self._exchange.end(EndKind.CLIENT_CLOSED, Sender.CLIENT)
        match self._ending:
            case Reset():
                await self._pipe.reset()
            case Drop():
                await self._pipe.drop()
            case _:
                await self._pipe.close()

    def _enqueue(self, answer: Callable[[], Iterable[Action]]) -> None:
        # Finding the answer takes a while; the recorded times count from what it answers.
        began_s = asyncio.get_running_loop().time()
        self._waiting.put_nowait((began_s, answer()))

    async def _play(self) -> None:
        while self._ending is None:
            began_s, actions = await self._waiting.get()
            try:
                ending = await perform(actions, self._pipe, self._pace, began_s, self._rendered)
            except ClientLeft:
                return
            self._exchange.ended(ending)
            # Held, a socket waits for the client: to leave, or to ask for something else.
            self._ending = None if isinstance(ending, Hold) else ending
        if self._has_closed:
            await self._close_answered()

    async def _close_answered(self) -> None:
        """A close frame is answered before the connection goes, as servers wait for it."""
        try:
            await asyncio.wait_for(self._client_is_done.wait(), _CLOSE_ANSWER_S)
        except TimeoutError:
            return

    async def _listen(self, early: bytes) -> None:
        with suppress(ClientLeft):
            async for opcode, data in self._messages(early):
                self._exchange.piece(Sender.CLIENT, _KINDS[opcode], data)
                self._enqueue(partial(self._socket.received, data))
        self._client_is_done.set()
        if self._has_closed:
            # It was we who closed: what is left is to end as the recording says.
            await asyncio.Event().wait()
        if self._is_silent:
            while await self._pipe.receive():
                pass

    async def _messages(self, early: bytes) -> AsyncIterator[tuple[Opcode, bytes]]:
        opcode, parts = Opcode.TEXT, bytearray()
        data = early or await self._pipe.receive()
        while data:
            self._protocol.receive_data(data)
            for frame in self._protocol.events_received():
                assert isinstance(frame, Frame)
                if frame.opcode in _CONTROL:
                    self._note_control(frame)
                    continue
                opcode = opcode if frame.opcode is Opcode.CONT else frame.opcode
                parts += frame.data
                if frame.fin:
                    message = bytes(parts)
                    parts.clear()
                    yield opcode, message
            if await self._answer_control():
                return
            data = await self._pipe.receive()

    async def _answer_control(self) -> bool:
        """Sends what the protocol itself answers; says whether the socket is over by it."""
        answers = self._protocol.data_to_send()
        if not self._has_closed and not self._is_silent:
            if self._protocol.parser_exc is not None and (close := self._protocol.close_sent):
                # What the client sends is no WebSocket any longer.
                self._note_close(Sender.SERVER, close.serialize())
            await self._pipe.send(b"".join(answers))
        return SEND_EOF in answers

    def _note_control(self, frame: Frame) -> None:
        """Notes a control frame of the client, and what the protocol answers it with."""
        data = bytes(frame.data)
        if frame.opcode is Opcode.CLOSE:
            self._note_close(Sender.CLIENT, data)
            if not self._has_closed and (actions := self._socket.closed()) is not None:
                self._is_silent = True
                self._enqueue(lambda: actions)
        else:
            self._exchange.piece(Sender.CLIENT, _KINDS[frame.opcode], data)
            if frame.opcode is Opcode.PING and not self._socket.answers_pings():
                self._is_silent = True
        if frame.opcode is not Opcode.PONG and not self._has_closed and not self._is_silent:
            answer = PieceKind.PONG if frame.opcode is Opcode.PING else PieceKind.CLOSE
            self._exchange.piece(Sender.SERVER, answer, data)

    def _note_close(self, side: Sender, data: bytes) -> None:
        self._exchange.piece(side, PieceKind.CLOSE, data)
        code, reason = close_code_and_reason(data)
        self._exchange.end(EndKind.WEBSOCKET_CLOSED, side, code, reason)

    def _rendered(self, action: Sending | Finish) -> bytes:
        match action:
            case SendFrame(kind=PieceKind.CLOSE):
                self._has_closed = True
                self._note_close(Sender.SERVER, action.data)
            case SendFrame():
                self._exchange.piece(Sender.SERVER, action.kind, action.data)
            case Finish():
                return b""
            case _:
                raise AssertionError(f"{action} has no place on a socket")
        if action.kind is PieceKind.UNDECODED:
            return action.data
        frame = Frame(_OPCODES[action.kind], action.data)
        return frame.serialize(mask=False, extensions=self._protocol.extensions)
