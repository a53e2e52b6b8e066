"""What crossed the wire, event by event, in the order in which it did.

Pieces become what they carry: SSE events where the body is a stream of them, WebSocket messages,
and for everything else the body's bytes. Nothing is left out: what is no event is told by its
size.
"""

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Final

from wiretape.content import ContentDecoder, is_accepted
from wiretape.events import event_type
from wiretape.facts import Piece, PieceKind, Sender, all_headers, header
from wiretape.frames import close_code_and_reason
from wiretape.jsontext import Unparsable, parse_object
from wiretape.sse import DEFAULT_TYPE, SseDecoder, SseEvent
from wiretape.store_reader import Exchange, TapeReader

HTTP_REQUEST: Final = "http.request"
HTTP_RESPONSE: Final = "http.response"
HTTP_BODY: Final = "http.body"
COMMENT: Final = "sse.comment"
"""A sign of life between events: a chunk that holds nothing but comments."""
PING: Final = f"websocket.{PieceKind.PING}"
PONG: Final = f"websocket.{PieceKind.PONG}"
CLOSE: Final = f"websocket.{PieceKind.CLOSE}"
END: Final = "end"
UNTYPED: Final = "unknown"
"""The type of an event that names none."""
CHAT_CHUNK: Final = "chat.completion.chunk"
"""What a chunk of a chat is called, which names no type: as its ``object``, where it has one."""
NAMELESS: Final = frozenset({UNTYPED, DEFAULT_TYPE, CHAT_CHUNK})
"""The types of events whose text names none, as a chat's; the second is the event streams' own."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """One thing that crossed.

    ``type`` is a Responses event's own, the name of an event in its stream,
    ``chat.completion.chunk``, ``[DONE]``, or one of ours: ``http.request``, ``http.response``,
    ``http.body``, ``sse.comment``, ``websocket.binary`` (``ping``, ``pong``, ``close``,
    ``undecoded``), ``end``. ``text`` is what crossed as text, its content coding removed;
    ``size_bytes`` is what it took on the wire, but for events of a coded stream; ``summary`` is
    for a person.
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
    yield from heads_of(exchange, len(reader.request_body(exchange.id)))
    yield from crossings_in(exchange, reader.pieces(exchange.id))
    yield from end_of(exchange)


def heads_of(exchange: Exchange, body_bytes: int) -> Iterator[Crossing]:
    """The head of the request, which had a body of that size, and that of the response."""
    request, response = exchange.request, exchange.response
    yield Crossing(
        request.at_us,
        exchange.id,
        Sender.CLIENT,
        HTTP_REQUEST,
        body_bytes,
        summary=f"{request.method} {request.url}",
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


def crossings_in(
    exchange: Exchange, pieces: Iterable[Piece], *, goes_on: bool = False
) -> Iterator[Crossing]:
    """What crossed in these pieces of an exchange: all of them, or those from a place on.

    Such a place is where an event ended (see :func:`is_tiled`). ``goes_on``: that was within the
    first piece, which is given without what came before.
    """
    if exchange.is_websocket:
        return map(_message, pieces)
    if _is_event_stream(exchange):
        return _sse_events(exchange, pieces, goes_on)
    return _body_bytes(exchange, pieces)


def is_tiled(exchange: Exchange) -> bool:
    """Whether reading can begin in the middle: what crossed lies on the tape side by side.

    It does on a socket, a message a piece, and in a stream of events that is not compressed,
    where each event but a comment takes up its ``size_bytes``.
    """
    if exchange.is_websocket:
        return True
    headers = () if exchange.response is None else exchange.response.headers
    return _is_event_stream(exchange) and header(headers, "content-encoding") is None


def end_of(exchange: Exchange) -> Iterator[Crossing]:
    """The end of the exchange, if it has one."""
    if (end := exchange.end) is not None:
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
            kind = event_type(text) or _chunk_type(text) or UNTYPED
        case PieceKind.CLOSE:
            code, reason = close_code_and_reason(piece.data)
            summary = f"{code or 'no code'} {reason}".rstrip()
    return Crossing(
        piece.at_us, piece.exchange, piece.sender, kind, len(piece.data), text, summary or ""
    )


def _is_event_stream(exchange: Exchange) -> bool:
    """Whether the body is read as events: it says so, or says nothing where they were asked for."""
    if exchange.response is None:
        return False
    content_type = header(exchange.response.headers, "content-type")
    if content_type is None:
        accepts = header(exchange.request.headers, "accept") or ""
        return _EVENTS in accepts and exchange.response.status < 300
    return content_type.partition(";")[0].strip().lower() == _EVENTS


_EVENTS: Final = "text/event-stream"


def unasked_coding(exchange: Exchange) -> str | None:
    """The content coding of an answer whose client had not said that it knows it, and did not
    decode it: what is read here was noise to it."""
    if exchange.response is None:
        return None
    coding = ", ".join(all_headers(exchange.response.headers, "content-encoding"))
    accepted = ", ".join(all_headers(exchange.request.headers, "accept-encoding"))
    return None if is_accepted(coding, accepted) else coding


def _content_of(exchange: Exchange) -> ContentDecoder:
    headers = () if exchange.response is None else exchange.response.headers
    return ContentDecoder(", ".join(all_headers(headers, "content-encoding")) or None)


def _sse_events(exchange: Exchange, pieces: Iterable[Piece], goes_on: bool) -> Iterator[Crossing]:
    content = _content_of(exchange)
    decoder = SseDecoder()
    at_us = exchange.request.at_us if exchange.response is None else exchange.response.at_us

    def crossing(kind: str, size_bytes: int, text: str | None, summary: str = "") -> Crossing:
        return Crossing(at_us, exchange.id, Sender.SERVER, kind, size_bytes, text, summary)

    def event_crossing(event: SseEvent) -> Crossing:
        kind = event_type(event.data) or _own_name(event)
        return crossing(kind, event.end - event.start, event.data)

    is_line_start = True
    for piece in pieces:
        at_us = piece.at_us
        decoded = content.feed(piece.data)
        events = decoder.feed(decoded)
        yield from map(event_crossing, events)
        if decoded:
            if is_line_start and not events and not goes_on and _is_comment(decoded):
                yield crossing(COMMENT, len(piece.data), decoded.decode("utf-8", "replace"))
            goes_on = False
            is_line_start = decoded.endswith((b"\n", b"\r"))
    rest = decoder.feed(content.finish())
    more, leftover = decoder.close()
    yield from map(event_crossing, (*rest, *more))
    if content.fault is not None:
        yield crossing(HTTP_BODY, 0, None, content.fault.detail)
    if not _is_comment(leftover):
        text = leftover.decode("utf-8", "replace")
        yield crossing(HTTP_BODY, len(leftover), text, "no whole event")


def _is_comment(lines: bytes) -> bool:
    """Whether there is nothing but comments and blank lines in it."""
    return all(line.startswith(b":") or not line for line in lines.splitlines())


def _own_name(event: SseEvent) -> str:
    if event.data.strip() in ("[DONE]", "DONE"):
        return "[DONE]"
    named = event.event if event.event != DEFAULT_TYPE else None
    return named or _chunk_type(event.data) or event.event or UNTYPED


def _chunk_type(text: str) -> str | None:
    """The type of a chunk of a chat, if it is one: not every server names its ``object``."""
    # What holds no such word need not be parsed.
    if '"choices"' not in text:
        return None
    raw = parse_object(text)
    is_chunk = not isinstance(raw, Unparsable) and isinstance(raw.get("choices"), list)
    return CHAT_CHUNK if is_chunk else None


def _body_bytes(exchange: Exchange, pieces: Iterable[Piece]) -> Iterator[Crossing]:
    content = _content_of(exchange)
    # A character may be cut in two by the end of a piece.
    text = codecs.getincrementaldecoder("utf-8")("replace")
    for piece in pieces:
        yield Crossing(
            piece.at_us,
            piece.exchange,
            piece.sender,
            HTTP_BODY,
            len(piece.data),
            text.decode(content.feed(piece.data)),
            "" if content.fault is None else content.fault.detail,
        )
