"""What crossed the wire, event by event, in the order in which it did.

Pieces become what they carry: SSE events where the body is a stream of them, WebSocket messages,
and for everything else the body's bytes. Nothing is left out: what is no event is told by its
size.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Final

from wiretape.content import ContentDecoder
from wiretape.events import event_type
from wiretape.facts import Piece, PieceKind, Sender, all_headers, header
from wiretape.frames import close_code_and_reason
from wiretape.sse import SseDecoder
from wiretape.store_reader import Exchange, TapeReader

HTTP_REQUEST: Final = "http.request"
HTTP_RESPONSE: Final = "http.response"
HTTP_BODY: Final = "http.body"
END: Final = "end"
UNTYPED: Final = "unknown"
"""The type of an event that names none."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """One thing that crossed.

    ``type`` is a Responses event's own, or one of ours: ``http.request``, ``http.response``,
    ``http.body``, ``websocket.binary`` (``ping``, ``pong``, ``close``, ``undecoded``), ``end``.
    ``text`` is an event's text as it crossed; ``summary`` is for a person.
    """

    at_us: int
    exchange: int
    sender: Sender
    type: str
    size_bytes: int
    text: str | None = None
    summary: str = ""


def crossings_of(reader: TapeReader, exchange: Exchange) -> Iterator[Crossing]:
    """What crossed in one exchange, its heads and its end included."""
    request, response, end = exchange.request, exchange.response, exchange.end
    body = reader.request_body(exchange.id)
    yield Crossing(
        request.at_us,
        exchange.id,
        Sender.CLIENT,
        HTTP_REQUEST,
        len(body),
        summary=f"{request.method} {request.scheme}://{request.host}:{request.port}"
        f"{request.target}",
    )
    if response is not None:
        yield Crossing(
            response.at_us,
            exchange.id,
            Sender.SERVER,
            HTTP_RESPONSE,
            0,
            summary=f"{response.status} {response.reason}".rstrip(),
        )
    pieces = reader.pieces(exchange.id)
    if exchange.is_websocket:
        yield from map(_message, pieces)
    elif _is_event_stream(exchange):
        yield from _sse_events(exchange, pieces)
    else:
        yield from _body_bytes(pieces)
    if end is not None:
        said = [end.how.value, end.side, end.code and str(end.code), end.reason, end.detail]
        yield Crossing(
            end.at_us,
            exchange.id,
            end.side or Sender.SERVER,
            END,
            0,
            summary=" ".join(each for each in said if each),
        )


def all_crossings(reader: TapeReader) -> Iterator[Crossing]:
    """What crossed in every exchange, by time. Only exchanges that overlap are open at once."""
    open_now: list[tuple[int, int, int, Crossing, Iterator[Crossing]]] = []
    order = 0

    def advance(stream: Iterator[Crossing]) -> None:
        nonlocal order
        crossing = next(stream, None)
        if crossing is not None:
            order += 1
            heappush(open_now, (crossing.at_us, crossing.exchange, order, crossing, stream))

    for exchange in reader.exchanges():
        while open_now and open_now[0][0] < exchange.request.at_us:
            _, _, _, crossing, stream = heappop(open_now)
            yield crossing
            advance(stream)
        advance(crossings_of(reader, exchange))
    while open_now:
        _, _, _, crossing, stream = heappop(open_now)
        yield crossing
        advance(stream)


def _message(piece: Piece) -> Crossing:
    text = summary = None
    kind = f"websocket.{piece.kind}"
    match piece.kind:
        case PieceKind.TEXT:
            text = piece.data.decode("utf-8", "replace")
            kind = event_type(text) or UNTYPED
        case PieceKind.CLOSE:
            code, reason = close_code_and_reason(piece.data)
            summary = f"{code or 'no code'} {reason}".rstrip()
    return Crossing(
        piece.at_us, piece.exchange, piece.sender, kind, len(piece.data), text, summary or ""
    )


def _is_event_stream(exchange: Exchange) -> bool:
    if exchange.response is None:
        return False
    content_type = header(exchange.response.headers, "content-type") or ""
    return content_type.partition(";")[0].strip().lower() == "text/event-stream"


def _sse_events(exchange: Exchange, pieces: Iterable[Piece]) -> Iterator[Crossing]:
    assert exchange.response is not None
    content = ContentDecoder(
        ", ".join(all_headers(exchange.response.headers, "content-encoding")) or None
    )
    decoder = SseDecoder()
    at_us = exchange.response.at_us

    def crossing(kind: str, size_bytes: int, text: str | None, summary: str = "") -> Crossing:
        return Crossing(at_us, exchange.id, Sender.SERVER, kind, size_bytes, text, summary)

    for piece in pieces:
        at_us = piece.at_us
        for event in decoder.feed(content.feed(piece.data)):
            kind = event_type(event.data) or _own_name(event.event, event.data)
            yield crossing(kind, event.end - event.start, event.data)
    rest = decoder.feed(content.finish())
    more, leftover = decoder.close()
    for event in (*rest, *more):
        kind = event_type(event.data) or _own_name(event.event, event.data)
        yield crossing(kind, event.end - event.start, event.data)
    if content.fault is not None:
        yield crossing(HTTP_BODY, 0, None, content.fault.detail)
    if leftover:
        text = leftover.decode("utf-8", "replace")
        yield crossing(HTTP_BODY, len(leftover), text, "no whole event")


def _own_name(event: str, data: str) -> str:
    return "[DONE]" if data.strip() in ("[DONE]", "DONE") else event or UNTYPED


def _body_bytes(pieces: Iterable[Piece]) -> Iterator[Crossing]:
    for piece in pieces:
        yield Crossing(
            piece.at_us,
            piece.exchange,
            piece.sender,
            HTTP_BODY,
            len(piece.data),
            piece.data.decode("utf-8", "replace"),
        )
