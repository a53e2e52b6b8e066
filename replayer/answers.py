"""What a recorded server did, as actions to do it again. Pure: facts in, actions out."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from replayer.actions import Action, Drop, SendBytes, SendFrame, SendHead
from replayer.endings import ending_of, ends_unknown, gaps_of
from wiretape.content import ContentDecoder
from wiretape.events import event_type
from wiretape.facts import EndKind, Gap, Headers, Piece, PieceKind, Sender, all_headers, header
from wiretape.frames import close_payload
from wiretape.redact import is_secret_header
from wiretape.sse import SseDecoder
from wiretape.store_reader import Exchange

_MESSAGES: Final = (PieceKind.TEXT, PieceKind.BINARY)
_HOP_BY_HOP: Final = frozenset(
    {"connection", "keep-alive", "proxy-connection", "transfer-encoding", "te", "trailer"}
)
_LAST_EVENT: Final = "response.completed"
_LAST_MESSAGES: Final = frozenset(
    {_LAST_EVENT, "response.done", "response.failed", "response.incomplete", "error"}
)


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


def http_answer(
    exchange: Exchange, pieces: Callable[[], Iterator[Piece]], gaps: Iterable[Gap] = ()
) -> Iterator[Action]:
    """What was answered over HTTP. ``pieces`` reads what crossed after the heads; ``gaps`` are
    the recording's."""
    base_us = last_us = _asked_at(exchange)
    body_us: int | None = None
    if (head := response_head(exchange)) is not None:
        yield head
        last_us = base_us + head.at_us
        if exchange.is_upgrade:
            # Clients that asked for a socket look no further than what comes with the head.
            body_us = head.at_us
    for piece in pieces():
        last_us = piece.at_us
        yield SendBytes(last_us - base_us if body_us is None else body_us, piece.data)
    yield ending_of(
        exchange,
        base_us,
        last_us,
        is_whole=lambda: _said_all(exchange, pieces()),
        has_gap=bool(gaps_of(exchange, gaps)),
    )


class RecordedSocket:
    """What the server did on a socket, request by request.

    ``pieces`` reads what crossed, anew each time; ``gaps`` are the recording's. Answers are read
    from the tape as they are performed, so one must be used up before the next is begun.
    """

    def __init__(
        self,
        exchange: Exchange,
        pieces: Callable[[], Iterator[Piece]],
        gaps: Iterable[Gap] = (),
    ) -> None:
        self._exchange = exchange
        self._read = pieces
        self._gaps = gaps_of(exchange, gaps)
        self._rewind()

    def _rewind(self) -> None:
        self._pieces = self._read()
        self._requests = 0
        self._pings: Counter[bytes] = Counter()
        # Before anything is asked, no answer is owed.
        self._is_whole = True
        head = self._exchange.response
        self._base_us = self._exchange.request.at_us if head is None else head.at_us
        self._last_us = self._base_us

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

    def closed(self) -> list[Action] | None:
        """What it did when the client closed the socket; ``None`` where it answered as the
        protocol wants it, or where the tape does not tell."""
        closed_at_us: int | None = None
        for piece in self._read():
            if piece.kind is PieceKind.CLOSE:
                if piece.sender is Sender.SERVER:
                    return None
                closed_at_us = piece.at_us
        end = self._exchange.end
        if closed_at_us is None or end is None or self._may_miss(closed_at_us):
            return None
        if ends_unknown(self._exchange):
            return None
        # A client that waits for the answer had to do without: it is not to wait any longer here.
        return [Drop(end.at_us - closed_at_us)]

    def answers_pings(self, number: int) -> bool:
        """Whether it answered the client's pings after the ``number``-th message, -1 before the
        first; it did where the tape does not tell."""
        if ends_unknown(self._exchange) or self._gaps:
            return True
        asked, unanswered = -1, Counter[bytes]()
        for piece in self._read():
            match piece.sender, piece.kind:
                case Sender.CLIENT, PieceKind.TEXT | PieceKind.BINARY:
                    asked += 1
                case Sender.CLIENT, PieceKind.PING if asked == number:
                    unanswered[piece.data] += 1
                case Sender.SERVER, PieceKind.PONG if asked >= number:
                    unanswered[piece.data] -= 1
        return all(count <= 0 for count in unanswered.values())

    def _until_next_request(self) -> Iterator[Action]:
        for piece in self._pieces:
            if is_request(piece) and not self._is_whole and self._may_miss(self._base_us):
                # The end of this answer is what is missing.
                yield Drop(self._last_us - self._base_us, is_recorded=False)
                self._note(piece)
                return
            self._note(piece)
            match piece.sender, piece.kind:
                case Sender.CLIENT, PieceKind.TEXT | PieceKind.BINARY:
                    return
                case Sender.CLIENT, PieceKind.CLOSE:
                    # What the server answers to that comes when the client closes again.
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
        else:
            yield from self._closing_unsaid()
        yield ending_of(
            self._exchange,
            self._base_us,
            self._last_us,
            is_whole=lambda: self._is_whole,
            has_gap=self._may_miss(self._base_us),
        )

    def _closing_unsaid(self) -> Iterator[Action]:
        """The close frame of an end that is said to come with one, where that is not among the
        pieces: a script may say no more."""
        end = self._exchange.end
        if end is None or end.how is not EndKind.WEBSOCKET_CLOSED or end.side is Sender.CLIENT:
            return
        payload = close_payload(end.code, end.reason or "")
        yield SendFrame(end.at_us - self._base_us, PieceKind.CLOSE, payload)

    def _note(self, piece: Piece) -> None:
        if is_request(piece):
            self._base_us = piece.at_us
            self._requests += 1
            self._is_whole = False
        elif piece.sender is Sender.CLIENT and piece.kind is PieceKind.PING:
            self._pings[piece.data] += 1
        elif piece.sender is Sender.SERVER and is_last_message(piece):
            self._is_whole = True
        self._last_us = piece.at_us

    def _may_miss(self, from_us: int) -> bool:
        """Whether something that crossed after that may not be on the tape."""
        return any(gap.until_us >= from_us for gap in self._gaps)

    def _frame(self, piece: Piece) -> SendFrame:
        return SendFrame(piece.at_us - self._base_us, piece.kind, piece.data)

    def _end_us(self, default_us: int) -> int:
        end = self._exchange.end
        return (default_us if end is None else end.at_us) - self._base_us


def is_request(piece: Piece) -> bool:
    """Whether a piece of a WebSocket is a request of the client."""
    return piece.sender is Sender.CLIENT and piece.kind in _MESSAGES


def is_last_message(piece: Piece) -> bool:
    """Whether a message of the server is the last word of an answer."""
    if piece.kind is not PieceKind.TEXT or not any(
        word.encode() in piece.data for word in _LAST_MESSAGES
    ):
        return False
    return event_type(piece.data.decode("utf-8", "replace")) in _LAST_MESSAGES


def _asked_at(exchange: Exchange) -> int:
    """When the request had arrived whole: the zero of its answer's times."""
    at_us = exchange.request_at_us
    return exchange.request.at_us if at_us is None else at_us


def _is_stream(headers: Headers) -> bool:
    return (header(headers, "content-type") or "").lower().startswith("text/event-stream")


def _said_all(exchange: Exchange, pieces: Iterator[Piece]) -> bool:
    """Whether the body is a stream of events that came to the last one, or as long as it was
    to be."""
    head = exchange.response
    if head is None:
        return False
    if not _is_stream(head.headers):
        return header(head.headers, "content-length") == str(exchange.size_bytes)
    content = ContentDecoder(", ".join(all_headers(head.headers, "content-encoding")) or None)
    decoder = SseDecoder()
    last = ""
    for piece in pieces:
        for event in decoder.feed(content.feed(piece.data)):
            last = event.data
    return last == "[DONE]" or event_type(last) == _LAST_EVENT
