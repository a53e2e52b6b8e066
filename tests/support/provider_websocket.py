"""A WebSocket conversation of the scripted provider: messages in, events out, one frame each."""

import asyncio
import base64
import hashlib
import json

import provider_http
from provider_course import Course
from provider_http import Request
from provider_log import Ask, Exit
from provider_script import Accept, Close, Complete, Fin, Hang, Headers, Ping, Reply, Reset
from provider_script import Event as Step
from provider_wire import Wire, WireOver, compact
from wsproto.connection import Connection, ConnectionState, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Event, Pong, TextMessage
from wsproto.events import Ping as PingFrame
from wsproto.extensions import Extension, PerMessageDeflate

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


async def converse(
    number: int, request: Request, accept: Accept, course: Course, wire: Wire
) -> None:
    """Accepts the upgrade and answers each message, until one side leaves (see ``Wire``)."""
    token = base64.b64encode(
        hashlib.sha1((request.header("sec-websocket-key") + GUID).encode()).digest()
    )
    extensions, terms = _deflate(request.header("sec-websocket-extensions"))
    headers = (
        ("upgrade", "websocket"),
        ("connection", "Upgrade"),
        ("sec-websocket-accept", token.decode()),
        *terms,
        *accept.headers,
    )
    await wire.send(provider_http.head(101, headers))
    conversation = _Conversation(number, request.target, extensions, course, wire)
    while True:
        await conversation.take(await wire.receive())


def _deflate(offers: str) -> tuple[list[Extension], Headers]:
    """The compression agreed on, if the client offers it, and the header that says so."""
    for offer in offers.split(","):
        if offer.partition(";")[0].strip() == PerMessageDeflate.name:
            deflate = PerMessageDeflate()
            terms = deflate.accept(offer)
            answer = "; ".join(filter(None, (deflate.name, str(terms or ""))))
            return [deflate], (("sec-websocket-extensions", answer),)
    return [], ()


class _Conversation:
    def __init__(
        self, number: int, target: str, extensions: list[Extension], course: Course, wire: Wire
    ) -> None:
        self._number = number
        self._target = target
        self._course = course
        self._wire = wire
        self._socket = Connection(ConnectionType.SERVER, extensions)
        self._text = ""
        self._resets_on_pong = False

    async def take(self, data: bytes) -> None:
        self._socket.receive_data(data)
        for event in self._socket.events():
            match event:
                case TextMessage(data=text, message_finished=is_whole):
                    self._text += text
                    if is_whole:
                        message, self._text = self._text, ""
                        await self._answer(message)
                case PingFrame():
                    await self._send(event.response())
                case Pong() if self._resets_on_pong:
                    self._wire.reset()
                case CloseConnection(code=code, reason=reason):
                    self._course.leave(self._number, _now_s(), Exit.CLOSE_FRAME, code, reason)
                    if self._socket.state is not ConnectionState.CLOSED:
                        await self._send(event.response())
                    raise WireOver

    async def _answer(self, message: str) -> None:
        raw = message.encode()
        kind = Ask.WARM_UP if json.loads(raw).get("generate") is False else Ask.WEBSOCKET
        request = Request("", self._target, (), raw)
        reply = self._course.ask(kind, self._number, _now_s(), request, raw)
        if not isinstance(reply, Reply):
            raise ValueError(f"the script accepts an upgrade but has no reply to a {kind}")
        for step in self._course.steps(reply):
            await asyncio.sleep(reply.pause_s)
            await self._send(_frame(step))
        match reply.end:
            case Complete() | Hang():
                pass
            case Close(code, reason):
                await self._send(CloseConnection(code=code, reason=reason))
            case Fin():
                await self._wire.fin()
            case Reset():
                # A reset can overtake what the client has not read; its pong says that it has.
                await self._send(PingFrame())
                self._resets_on_pong = True

    async def _send(self, event: Event) -> None:
        await self._wire.send(self._socket.send(event))


def _frame(step: Step) -> Event:
    match step:
        case dict():
            return TextMessage(data=compact(step))
        case str():
            return TextMessage(data=step)
        case bytes():
            return BytesMessage(data=step)
        case Ping(payload):
            return PingFrame(payload=payload)


def _now_s() -> float:
    return asyncio.get_running_loop().time()
