"""Recorded facts as what happened to the client: the inputs of its model, each with its place.

The inverse of what ``sockets`` does. A client that hung up is ``Left``: whether it had waited for
too long, or was stopped, the wire does not say.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from replayer.answers import is_request
from replayer.reference.breakages import PROTOCOL_ERROR
from wiretape.client.wire import (
    Breakage,
    Broken,
    Closed,
    Ended,
    Input,
    Opened,
    Pinged,
    Refused,
    Said,
    SaidBytes,
    Unanswered,
)
from wiretape.content import ContentDecoder, decode
from wiretape.facts import (
    End,
    EndKind,
    Headers,
    Piece,
    PieceKind,
    ResponseHead,
    Sender,
    all_headers,
)
from wiretape.frames import close_code_and_reason
from wiretape.sse import SseDecoder
from wiretape.store_reader import Exchange


@dataclass(frozen=True, slots=True)
class Left:
    """The client hung up (``by_client``), or the recording stopped."""

    by_client: bool


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened. ``event`` counts what the server said in this answer, from 1."""

    at_us: int
    event: int
    what: Input | Left


def upgrade_happening(exchange: Exchange, pieces: Iterable[Piece]) -> Happening:
    """How the handshake of a WebSocket was answered."""
    head = exchange.response
    if head is None:
        return _unanswered(exchange)
    if exchange.is_websocket:
        return Happening(head.at_us, 0, Opened(head.headers))
    return _refused(exchange, head, pieces)


def post_happenings(exchange: Exchange, pieces: Iterable[Piece]) -> Iterator[Happening]:
    """What came of a POST, its head first."""
    head = exchange.response
    if head is None:
        yield _unanswered(exchange)
        return
    if not 200 <= head.status <= 299:
        yield _refused(exchange, head, pieces)
        return
    yield Happening(head.at_us, 0, Opened(head.headers))
    at_us, event = head.at_us, 0
    for at_us, text in _said(head, pieces):
        event += 1
        yield Happening(at_us, event, Said(text))
    is_whole = exchange.end is not None and exchange.end.how is EndKind.COMPLETE
    last: Input = Ended() if is_whole else Broken(Breakage.BODY_CUT)
    yield Happening(_end_us(exchange, at_us), event, _left(exchange.end) or last)


def socket_answers(exchange: Exchange, pieces: Iterable[Piece]) -> list[list[Happening]]:
    """What happened on a socket after each message of the client.

    What came before the first message is read with its answer. The last has the socket's end.
    """
    answers: list[list[Happening]] = []
    current: list[Happening] = []
    at_us = exchange.request.at_us
    for piece in pieces:
        at_us = piece.at_us
        if is_request(piece):
            current = current if not answers else []
            answers.append(current)
        elif piece.sender is Sender.SERVER and not _is_closed(current):
            current.append(Happening(at_us, len(current) + 1, _frame(piece)))
    if not answers:
        answers.append(current)
    if not _is_closed(current):
        current.append(Happening(_end_us(exchange, at_us), len(current), _socket_end(exchange)))
    return answers


def _unanswered(exchange: Exchange) -> Happening:
    is_reset = exchange.end is not None and exchange.end.how is EndKind.RESET
    how = Breakage.UPGRADE_RESET if is_reset else Breakage.UPGRADE_DROPPED
    at_us = _end_us(exchange, exchange.request.at_us)
    return Happening(at_us, 0, _left(exchange.end) or Unanswered(how))


def _refused(exchange: Exchange, head: ResponseHead, pieces: Iterable[Piece]) -> Happening:
    data = b"".join(piece.data for piece in pieces)
    body = decode(data, _coding(head.headers))[0].decode("utf-8", "replace")
    at_us = _end_us(exchange, head.at_us)
    return Happening(at_us, 0, Refused(head.status, head.headers, body))


def _said(head: ResponseHead, pieces: Iterable[Piece]) -> Iterator[tuple[int, str]]:
    """The events of a streamed body, each with the time of the piece that completed it."""
    content, decoder = ContentDecoder(_coding(head.headers)), SseDecoder()
    at_us = head.at_us
    for piece in pieces:
        at_us = piece.at_us
        for event in decoder.feed(content.feed(piece.data)):
            yield at_us, event.data
    last, _ = decoder.close()
    for event in last:
        yield at_us, event.data


def _coding(headers: Headers) -> str | None:
    return ", ".join(all_headers(headers, "content-encoding")) or None


def _frame(piece: Piece) -> Input:
    match piece.kind:
        case PieceKind.TEXT:
            return Said(piece.data.decode("utf-8", "replace"))
        case PieceKind.BINARY:
            return SaidBytes(piece.data)
        case PieceKind.CLOSE:
            return Closed(*close_code_and_reason(piece.data))
        case PieceKind.UNDECODED:
            return Broken(PROTOCOL_ERROR)
        case _:
            return Pinged()


def _is_closed(answer: list[Happening]) -> bool:
    return bool(answer) and isinstance(answer[-1].what, Closed | Broken)


def _socket_end(exchange: Exchange) -> Input | Left:
    end = exchange.end
    left = _left(end)
    if left is not None or end is None:
        return left or Left(by_client=False)
    match end.how:
        case EndKind.WEBSOCKET_CLOSED:
            return Closed(end.code, end.reason or "")
        case EndKind.RESET:
            return Broken(Breakage.SOCKET_RESET)
        case _:
            return Broken(Breakage.SOCKET_DROPPED)


def _left(end: End | None) -> Left | None:
    """Whether it was not the server that ended it."""
    if end is None or end.how is EndKind.RECORDER_STOPPED:
        return Left(by_client=False)
    is_left = end.how is EndKind.CLIENT_CLOSED or end.side is Sender.CLIENT
    return Left(by_client=True) if is_left else None


def _end_us(exchange: Exchange, last_us: int) -> int:
    return last_us if exchange.end is None else exchange.end.at_us
