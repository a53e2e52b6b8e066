"""A tape, laid out for playing: what was asked, and what was answered, exchange by exchange.

The script keeps the requests' order and sizes in memory and reads everything bulky from the tape
when it is needed.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from replayer.actions import (
    Action,
    Drop,
    Finish,
    Hold,
    Reset,
    SendBytes,
    SendFrame,
    SendHead,
)
from wiretape.asked import Asked, asked_by_message, asked_by_upgrade, asked_over_http
from wiretape.errors import NoSuchSession
from wiretape.facts import EndKind, Headers, Piece, PieceKind, ResponseHead, Sender, header
from wiretape.redact import is_secret_header
from wiretape.scope import Purpose, purpose_of
from wiretape.store_reader import Exchange, TapeReader

_MESSAGES: Final = (PieceKind.TEXT, PieceKind.BINARY)
_HOP_BY_HOP: Final = frozenset(
    {"connection", "keep-alive", "proxy-connection", "transfer-encoding", "te", "trailer"}
)


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """An exchange that can be played: what it was for, and where it went."""

    exchange: Exchange
    purpose: Purpose | None

    @property
    def id(self) -> int:
        return self.exchange.id

    @property
    def origin(self) -> tuple[str, str, int]:
        request = self.exchange.request
        return request.scheme, request.host, request.port


@dataclass(frozen=True, slots=True)
class RecordedMessage:
    """A request on a socket: the ``number``-th message of the client, from 0."""

    exchange: int
    number: int
    asked: Asked


class Script:
    """What the tape behind ``reader`` says, for a player. ``reader`` must outlive it.

    ``sessions`` are starts of the ids of the sessions to play; none means all.

    Raises:
        NoSuchSession: the tape has no session whose id starts so.
    """

    def __init__(self, reader: TapeReader, sessions: Collection[str] = ()) -> None:
        self._reader = reader
        self.exchanges = tuple(
            RecordedExchange(exchange, _purpose(exchange)) for exchange in reader.exchanges()
        )
        self.gaps = tuple(reader.gaps())
        self._by_id = {recorded.id: recorded for recorded in self.exchanges}
        # Matching looks at the same few requests again and again.
        self._asked_by = lru_cache(maxsize=64)(self._read_asked)
        self._messages_by = lru_cache(maxsize=64)(self._read_messages)
        if sessions:
            self.exchanges = tuple(self._of_sessions(sessions))

    def origins(self) -> frozenset[tuple[str, int]]:
        """The host and port of every recorded exchange."""
        return frozenset(
            (recorded.exchange.request.host, recorded.exchange.request.port)
            for recorded in self.exchanges
        )

    def asked(self, recorded: RecordedExchange) -> Asked:
        """What was asked by an exchange's request; for a WebSocket, by its handshake."""
        return self._asked_by(recorded.id)

    def messages(self, recorded: RecordedExchange) -> tuple[RecordedMessage, ...]:
        """What was asked on a WebSocket, message by message."""
        return self._messages_by(recorded.id)

    def answer(self, recorded: RecordedExchange) -> Iterator[Action]:
        """What was answered over HTTP, from the end of the request on."""
        exchange = recorded.exchange
        base_us = exchange.request_at_us
        if base_us is None:
            base_us = exchange.request.at_us
        if exchange.response is not None:
            yield _send_head(exchange.response, base_us)
        for piece in self._reader.pieces(exchange.id):
            yield SendBytes(piece.at_us - base_us, piece.data)
        yield _ending(exchange, base_us)

    def socket(self, recorded: RecordedExchange) -> "RecordedSocket":
        """What crossed on a WebSocket, to be played from its start."""
        return RecordedSocket(recorded.exchange, self._reader.pieces(recorded.id))

    def _of_sessions(self, starts: Collection[str]) -> Iterator[RecordedExchange]:
        """The exchanges of the sessions whose ids start so, and those of no session."""
        found = set()
        for recorded in self.exchanges:
            session = self.asked(recorded).session
            if session is None and recorded.purpose in (None, Purpose.MODELS):
                yield recorded
            for start in starts:
                if session is not None and session.startswith(start):
                    found.add(start)
                    yield recorded
                    break
        if missing := sorted(set(starts) - found):
            raise NoSuchSession(
                f"{self._reader.path} has no session {missing[0]!r}: "
                f"`wiretape ls {self._reader.path}` lists its sessions."
            )

    def _read_asked(self, exchange: int) -> Asked:
        recorded = self._by_id[exchange]
        headers = recorded.exchange.request.headers
        if recorded.exchange.is_upgrade:
            return asked_by_upgrade(headers)
        return asked_over_http(recorded.purpose, headers, self._reader.request_body(exchange))

    def _read_messages(self, exchange: int) -> tuple[RecordedMessage, ...]:
        headers = self._by_id[exchange].exchange.request.headers
        requests = (piece for piece in self._reader.pieces(exchange) if _is_request(piece))
        return tuple(
            RecordedMessage(exchange, number, asked_by_message(headers, piece.data))
            for number, piece in enumerate(requests)
        )


class RecordedSocket:
    """What the server did on a socket, handed out request by request."""

    def __init__(self, exchange: Exchange, pieces: Iterator[Piece]) -> None:
        self._exchange = exchange
        self._pieces = pieces
        self._base_us = _opened_at(exchange)

    def until_next_request(self) -> Iterator[Action]:
        """What the server did until the client's next message; after its last, how it ended."""
        for piece in self._pieces:
            if _is_request(piece):
                self._base_us = piece.at_us
                return
            if piece.sender is Sender.SERVER:
                yield SendFrame(piece.at_us - self._base_us, piece.kind, piece.data)
        yield _ending(self._exchange, self._base_us)


def sent_headers(headers: Headers) -> Headers:
    """Recorded response headers without what belongs to a connection, or was removed."""
    return tuple(
        (name, value)
        for name, value in headers
        if name.lower() not in _HOP_BY_HOP and not is_secret_header(name)
    )


def _purpose(exchange: Exchange) -> Purpose | None:
    request = exchange.request
    return purpose_of(request.method, request.target, is_upgrade=exchange.is_upgrade)


def _opened_at(exchange: Exchange) -> int:
    return exchange.request.at_us if exchange.response is None else exchange.response.at_us


def _is_request(piece: Piece) -> bool:
    return piece.sender is Sender.CLIENT and piece.kind in _MESSAGES


def _send_head(head: ResponseHead, base_us: int) -> SendHead:
    headers = sent_headers(head.headers)
    is_stream = (header(headers, "content-type") or "").startswith("text/event-stream")
    is_sized = header(headers, "content-length") is not None and not is_stream
    if not is_sized:
        headers = tuple(pair for pair in headers if pair[0].lower() != "content-length")
    has_body = head.status not in (204, 304)
    return SendHead(
        head.at_us - base_us, head.status, head.reason, headers, has_body and not is_sized
    )


def _ending(exchange: Exchange, base_us: int) -> Action:
    end = exchange.end
    if end is None:
        return Hold()
    at_us = end.at_us - base_us
    match end.how:
        case EndKind.COMPLETE:
            return Finish(at_us)
        case EndKind.SERVER_CLOSED | EndKind.REFUSED | EndKind.TLS_FAILURE:
            return Drop(at_us)
        case EndKind.PROTOCOL_ERROR:
            return Drop(at_us)
        case EndKind.RESET if end.side is Sender.SERVER:
            return Reset(at_us)
        case EndKind.WEBSOCKET_CLOSED if end.side is Sender.SERVER:
            return Drop(at_us)
        case _:
            return Hold()
