"""What can be downloaded as it crossed: the bytes of one event, and the body of a response.

Of an event stream that was compressed, these are the bytes before compression: an event has no
others of its own.
"""

from collections.abc import Iterator
from itertools import islice

from inspector_web.index.places import Start
from inspector_web.index.reader import IndexReader
from wiretape.content import ContentDecoder
from wiretape.crossings import COMMENT, END, HTTP_REQUEST, HTTP_RESPONSE
from wiretape.facts import all_headers, header
from wiretape.store_reader import Exchange, TapeReader


def raw_event(
    reader: TapeReader, index: IndexReader, exchange: Exchange, position: int
) -> bytes | None:
    """The bytes of the event at that position, a request's body for its head.

    ``None`` where nothing crossed that has bytes: a response's head, or no event at all.
    """
    if position == 0:
        return reader.request_body(exchange.id)
    heads = 1 if exchange.response is None else 2
    if position < heads:
        return None
    if exchange.is_websocket:
        piece = next(reader.pieces(exchange.id, position - heads), None)
        return None if piece is None else piece.data
    stretch = index.stretch_with(exchange.id, position)
    begin = own = comments = 0
    crossing = None
    # What crossed in a body tiles it; comments are part of the event that comes after them.
    for crossing in islice(index.crossings(stretch), position + 1 - stretch.start.position):
        begin += own
        own = 0
        if crossing.type == COMMENT:
            comments += crossing.size_bytes
        elif crossing.type not in (HTTP_REQUEST, HTTP_RESPONSE):
            own, comments = crossing.size_bytes, 0
    if crossing is None or crossing.type == END:
        return None
    if crossing.type == COMMENT:
        begin, own = begin + comments - crossing.size_bytes, crossing.size_bytes
    return _body(reader, exchange, stretch.start, begin + own)[begin:]


def raw_response(reader: TapeReader, exchange: Exchange) -> bytes:
    """The body of an HTTP response, as it crossed."""
    return b"".join(piece.data for piece in reader.pieces(exchange.id))


def _body(reader: TapeReader, exchange: Exchange, start: Start, size_bytes: int) -> bytes:
    """So many bytes of a response's body from a place on, decoded if it is a stream of events."""
    body = bytearray()
    for data in _decoded(reader, exchange, start):
        body += data
        if len(body) >= start.skip_bytes + size_bytes:
            break
    return bytes(body[start.skip_bytes : start.skip_bytes + size_bytes])


def _decoded(reader: TapeReader, exchange: Exchange, start: Start) -> Iterator[bytes]:
    assert exchange.response is not None
    headers = exchange.response.headers
    is_stream = (header(headers, "content-type") or "").lower().startswith("text/event-stream")
    encoding = ", ".join(all_headers(headers, "content-encoding")) if is_stream else ""
    decoder = ContentDecoder(encoding or None)
    return (decoder.feed(piece.data) for piece in reader.pieces(exchange.id, start.piece))
