"""Decodes the raw bytes of WebSocket connections into messages, in the writer's thread.

The proxy relays upgraded connections byte for byte, so what the client sees is what the server
sent, frame by frame; the recorder only looks on. What cannot be decoded stays on the tape as
undecoded bytes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from wiretape.facts import (
    End,
    EndKind,
    Fact,
    Gap,
    Piece,
    PieceKind,
    ResponseHead,
    Sender,
    header,
)
from wiretape.frames import FrameReader, close_code_and_reason, negotiated


@dataclass(slots=True)
class _Socket:
    """One WebSocket connection: a reader for each direction, and its first close frame."""

    readers: dict[Sender, FrameReader]
    closed: Piece | None = None


class SocketInterpreter:
    """Replaces the undecoded bytes of WebSockets by the messages they hold, fact by fact."""

    def __init__(self) -> None:
        self._sockets: dict[int, _Socket] = {}

    def __call__(self, fact: Fact) -> Iterable[Fact]:
        match fact:
            case Piece(kind=PieceKind.UNDECODED) if socket := self._sockets.get(fact.exchange):
                return _messages(socket, fact)
            case Piece():
                return (fact,)
            case ResponseHead(status=101) if _is_websocket(fact):
                deflate = negotiated(fact.headers)
                self._sockets[fact.exchange] = _Socket(
                    {sender: FrameReader(sender, deflate) for sender in Sender}
                )
                return (fact,)
            case Gap(exchange=int(exchange), lost_bytes=lost) if lost and (
                socket := self._sockets.pop(exchange, None)
            ):
                # Where bytes are missing, nobody can tell where the next frame begins.
                return (*_leftovers(socket, exchange, fact.at_us), fact)
            case End() if socket := self._sockets.pop(fact.exchange, None):
                end = _told_by_close_frame(fact, socket.closed)
                return (*_leftovers(socket, fact.exchange, fact.at_us), end)
            case _:
                return (fact,)


def _messages(socket: _Socket, piece: Piece) -> Iterator[Piece]:
    for message in socket.readers[piece.sender].feed(piece.data):
        decoded = Piece(piece.exchange, piece.at_us, piece.sender, message.kind, message.data)
        if decoded.kind is PieceKind.CLOSE and socket.closed is None:
            socket.closed = decoded
        yield decoded


def _leftovers(socket: _Socket, exchange: int, at_us: int) -> Iterator[Piece]:
    for sender, reader in socket.readers.items():
        for rest in reader.close():
            yield Piece(exchange, at_us, sender, rest.kind, rest.data)


def _is_websocket(head: ResponseHead) -> bool:
    return (header(head.headers, "upgrade") or "").lower() == "websocket"


def _told_by_close_frame(end: End, closed: Piece | None) -> End:
    """A close frame says more about the end than the TCP connection's end after it."""
    if closed is None:
        return end
    code, reason = close_code_and_reason(closed.data)
    return replace(end, how=EndKind.WEBSOCKET_CLOSED, side=closed.sender, code=code, reason=reason)
