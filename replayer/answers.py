"""What a recorded server did, as actions to do it again. Pure: facts in, actions out."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from replayer.actions import (
    Action,
    Drop,
    Ending,
    Finish,
    Hold,
    Reset,
    SendBytes,
    SendFrame,
    SendHead,
)
from wiretape.content import ContentDecoder
from wiretape.events import event_type
from wiretape.facts import EndKind, Headers, Piece, PieceKind, Sender, all_headers, header
from wiretape.redact import is_secret_header
from wiretape.sse import SseDecoder
from wiretape.store_reader import Exchange

_MESSAGES: Final = (PieceKind.TEXT, PieceKind.BINARY)
_HOP_BY_HOP: Final = frozenset(
    {"connection", "keep-alive", "proxy-connection", "transfer-encoding", "te", "trailer"}
)
_LAST_EVENT: Final = "response.completed"
_ENDINGS: Final[dict[EndKind, type[Finish] | type[Drop] | type[Reset] | None]] = {
    EndKind.COMPLETE: Finish,
    EndKind.WEBSOCKET_CLOSED: Drop,
    EndKind.CLIENT_CLOSED: None,
    EndKind.SERVER_CLOSED: Drop,
    EndKind.RESET: Reset,
    EndKind.REFUSED: Drop,
    EndKind.TLS_FAILURE: Drop,
    EndKind.PROTOCOL_ERROR: Drop,
    EndKind.RECORDER_STOPPED: None,
}
"""How to end what did not end by the client; ``None`` is to hold on."""


def response_head(exchange: Exchange) -> SendHead | None:
    """The recorded head, without what belongs to a connection and without what was removed from
    the tape. A stream states no length: its replay may be cut where the recording was."""
    head = exchange.response
    if head is None:
        return None
    left_out = _HOP_BY_HOP | ({"content-length"} if _is_stream(head.headers) else set())
    headers = tuple(
        (name, value)
        for name, value in head.headers
        if name.lower() not in left_out and not is_secret_header(name)
    )
    return SendHead(head.at_us - _asked_at(exchange), head.status, head.reason, headers)


def http_answer(exchange: Exchange, pieces: Callable[[], Iterator[Piece]]) -> Iterator[Action]:
    """What was answered over HTTP. ``pieces`` reads what crossed after the heads."""
    base_us = _asked_at(exchange)
    body_us: int | None = None
    if (head := response_head(exchange)) is not None:
        yield head
        if exchange.is_upgrade:
            # Clients that asked for a socket look no further than what comes with the head.
            body_us = head.at_us
    for piece in pieces():
        yield SendBytes(piece.at_us - base_us if body_us is None else body_us, piece.data)
    ending = _ending(exchange, base_us)
    if isinstance(ending, Hold) and _said_all(exchange, pieces()):
        # The client had heard enough and hung up before the body's end came. A client that
        # listens on would wait for that end for ever.
        ending = Finish(0 if exchange.end is None else exchange.end.at_us - base_us)
    yield ending


class RecordedSocket:
    """What the server did on a socket, request by request.

    ``pieces`` reads what crossed, anew each time. Answers are read from the tape as they are
    performed, so one must be used up before the next is begun.
    """

    def __init__(self, exchange: Exchange, pieces: Callable[[], Iterator[Piece]]) -> None:
        self._exchange = exchange
        self._read = pieces
        self._rewind()

    def _rewind(self) -> None:
        self._pieces = self._read()
        self._requests = 0
        self._pings: Counter[bytes] = Counter()
        head = self._exchange.response
        self._base_us = self._exchange.request.at_us if head is None else head.at_us

    def opening(self) -> Iterator[Action]:
        """What the server did before the client's first message."""
        self._rewind()
        return self._until_next_request()

    def answer(self, number: int) -> Iterator[Action]:
        """What it did from the client's ``number``-th message, from 0, to the next one; after the
        last, how the socket ended."""
        if self._requests > number + 1:
            self._rewind()
        while self._requests <= number and (piece := next(self._pieces, None)) is not None:
            self._note(piece)
        yield from self._until_next_request()

    def _until_next_request(self) -> Iterator[Action]:
        for piece in self._pieces:
            self._note(piece)
            match piece.sender, piece.kind:
                case Sender.CLIENT, PieceKind.TEXT | PieceKind.BINARY:
                    return
                case Sender.CLIENT, PieceKind.CLOSE:
                    # What the server answers to that is the protocol's business.
                    break
                case Sender.CLIENT, _:
                    pass
                case Sender.SERVER, PieceKind.PONG if self._pings[piece.data]:
                    self._pings[piece.data] -= 1
                case Sender.SERVER, PieceKind.CLOSE:
                    yield self._frame(piece)
                    yield Drop(self._end_us(piece.at_us))
                    return
                case Sender.SERVER, _:
                    yield self._frame(piece)
        yield _ending(self._exchange, self._base_us)

    def _note(self, piece: Piece) -> None:
        if is_request(piece):
            self._base_us = piece.at_us
            self._requests += 1
        elif piece.sender is Sender.CLIENT and piece.kind is PieceKind.PING:
            self._pings[piece.data] += 1

    def _frame(self, piece: Piece) -> SendFrame:
        return SendFrame(piece.at_us - self._base_us, piece.kind, piece.data)

    def _end_us(self, default_us: int) -> int:
        end = self._exchange.end
        return (default_us if end is None else end.at_us) - self._base_us


def is_request(piece: Piece) -> bool:
    """Whether a piece of a WebSocket is a request of the client."""
    return piece.sender is Sender.CLIENT and piece.kind in _MESSAGES


def _asked_at(exchange: Exchange) -> int:
    """When the request had arrived whole: the zero of its answer's times."""
    at_us = exchange.request_at_us
    return exchange.request.at_us if at_us is None else at_us


def _is_stream(headers: Headers) -> bool:
    return (header(headers, "content-type") or "").lower().startswith("text/event-stream")


def _said_all(exchange: Exchange, pieces: Iterator[Piece]) -> bool:
    """Whether the body is a stream of events that came to the last one."""
    head = exchange.response
    if head is None or not _is_stream(head.headers):
        return False
    content = ContentDecoder(", ".join(all_headers(head.headers, "content-encoding")) or None)
    decoder = SseDecoder()
    last = ""
    for piece in pieces:
        for event in decoder.feed(content.feed(piece.data)):
            last = event.data
    return last == "[DONE]" or event_type(last) == _LAST_EVENT


def _ending(exchange: Exchange, base_us: int) -> Ending:
    end = exchange.end
    if end is None or end.side is Sender.CLIENT:
        return Hold()
    ending = _ENDINGS[end.how]
    return Hold() if ending is None else ending(end.at_us - base_us)
