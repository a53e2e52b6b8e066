"""The bytes of one event, exactly as they crossed, for downloading.

Of an event stream that was compressed, these are the bytes before compression: an event has no
others of its own.
"""

from itertools import islice

from wiretape.content import ContentDecoder
from wiretape.crossings import crossings_of
from wiretape.facts import all_headers, header
from wiretape.store_reader import Exchange, TapeReader


def raw_event(reader: TapeReader, exchange: Exchange, position: int) -> bytes | None:
    """The bytes of the event at that position, a request's body for its head.

    ``None`` where nothing crossed that has bytes: a response's head, or no event at all.
    """
    if position == 0:
        return reader.request_body(exchange.id)
    heads = 1 if exchange.response is None else 2
    if position < heads:
        return None
    if exchange.is_websocket:
        piece = next(islice(reader.pieces(exchange.id), position - heads, None), None)
        return None if piece is None else piece.data
    sizes = [each.size_bytes for each in islice(crossings_of(reader, exchange), position + 1)]
    if len(sizes) <= position:
        return None
    # The events of a body tile it, so that the sizes of those before tell where one begins.
    start = sum(sizes[heads:position])
    return _body(reader, exchange, start + sizes[position])[start:]


def raw_response(reader: TapeReader, exchange: Exchange) -> bytes:
    """The body of an HTTP response, as it crossed."""
    return b"".join(piece.data for piece in reader.pieces(exchange.id))


def _body(reader: TapeReader, exchange: Exchange, size_bytes: int) -> bytes:
    """The first bytes of a response's body, decoded if it is a stream of events."""
    assert exchange.response is not None
    headers = exchange.response.headers
    is_stream = (header(headers, "content-type") or "").lower().startswith("text/event-stream")
    encoding = ", ".join(all_headers(headers, "content-encoding")) if is_stream else ""
    decoder = ContentDecoder(encoding or None)
    body = bytearray()
    for piece in reader.pieces(exchange.id):
        body += decoder.feed(piece.data)
        if len(body) >= size_bytes:
            break
    return bytes(body[:size_bytes])
