"""Events and requests of an exchange, read and changed whatever carried them."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace

import zstandard

from replayer.answers import is_request
from replayer.faults.answer import cut_into_events, is_stream, text_of, with_text
from wiretape.content import ContentDecoder, decode
from wiretape.facts import Piece, PieceKind, RequestBody, all_headers, header
from wiretape.jsontext import JsonObject, Unparsable, parse_object
from wiretape.recording import WholeExchange

_CODING = "content-encoding"


def told_events(exchange: WholeExchange) -> Iterator[str]:
    """The events that the server sent; none where it sent no stream."""
    return (text for piece in readable(exchange).pieces if (text := text_of(piece)) is not None)


def with_events(exchange: WholeExchange, change: Callable[[str], str | None]) -> WholeExchange:
    """The exchange with every event replaced by what ``change`` makes of it; ``None`` leaves it
    out. Where nothing changes, the exchange is as it was, to the byte."""
    plain = readable(exchange)
    pieces: list[Piece] = []
    is_changed = False
    for piece in plain.pieces:
        text = text_of(piece)
        new = text if text is None else change(text)
        is_changed |= new != text
        if text is None or new == text:
            pieces.append(piece)
        elif new is not None:
            pieces.append(with_text(piece, new))
    return replace(plain, pieces=tuple(pieces)) if is_changed else exchange


def readable(exchange: WholeExchange) -> WholeExchange:
    """The exchange with its stream, if it is one, as it reads: without a coding, an event in each
    piece."""
    head = exchange.response
    if head is None or exchange.is_websocket:
        return exchange
    plain = tuple(pair for pair in head.headers if pair[0].lower() != _CODING)
    if not is_stream(plain):
        return replace(exchange, pieces=())
    content = ContentDecoder(", ".join(all_headers(head.headers, _CODING)) or None)
    decoded = tuple(replace(piece, data=content.feed(piece.data)) for piece in exchange.pieces)
    pieces = tuple(cut_into_events(decoded))
    return replace(exchange, response=replace(head, headers=plain), pieces=pieces)


def request_bodies(exchange: WholeExchange) -> Iterator[JsonObject]:
    """The JSON of what the client asked."""
    found: list[JsonObject] = []

    def note(body: JsonObject) -> JsonObject:
        found.append(body)
        return body

    with_requests(exchange, note)
    return iter(found)


def with_requests(
    exchange: WholeExchange, change: Callable[[JsonObject], JsonObject]
) -> WholeExchange:
    """The exchange with the JSON of every request replaced; what is no JSON object stays."""
    body = exchange.body
    coding = header(exchange.request.headers, _CODING)

    def changed(data: bytes) -> bytes:
        asked = parse_object(data.decode("utf-8", "surrogateescape"))
        if isinstance(asked, Unparsable):
            return data
        new = change(asked)
        return (
            data
            if new == asked
            else json.dumps(new, ensure_ascii=False).encode("utf-8", "backslashreplace")
        )

    def sent(body: RequestBody) -> RequestBody:
        plain, fault = decode(body.data, coding)
        new = body.data if fault is not None else changed(plain)
        if new in (plain, body.data):
            return body
        return replace(body, data=zstandard.compress(new) if coding == "zstd" else new)

    return replace(
        exchange,
        body=None if body is None else sent(body),
        pieces=tuple(
            replace(piece, data=changed(piece.data))
            if is_request(piece) and piece.kind is PieceKind.TEXT
            else piece
            for piece in exchange.pieces
        ),
    )
