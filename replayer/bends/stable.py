"""A recording without what differs from run to run, so that two runs alike give the same one.

Left out, or put in one form: times, ports and connections, the recorder's own words, headers of a
connection, headers and texts that the core knows as volatile, and how a stream was cut into
chunks. Ids are numbered by their first appearance, so which is which still counts. Side requests,
which a client repeats as it likes, come first and once.

What is left is what a replay plays and compares; a stable recording can be replayed.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from wiretape.asked import SESSION_HEADERS
from wiretape.choosing import is_asked
from wiretape.events import event_type
from wiretape.facts import (
    End,
    EndKind,
    Headers,
    Piece,
    PieceKind,
    RequestBody,
    RequestHead,
    ResponseHead,
    Sender,
    header,
)
from wiretape.jsontext import Unparsable, parse_object
from wiretape.recording import Recording, WholeExchange, numbered
from wiretape.redact import is_secret_header
from wiretape.scripts import defaults
from wiretape.sse import SseDecoder
from wiretape.store_writer import TapeLabel
from wiretape.volatile import TEXT_RULES, VOLATILE_HEADERS, VOLATILE_KEYS, VOLATILE_PATHS

_UUID: Final = re.compile(
    rb"(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f])",
    re.IGNORECASE,
)
_GOES_WITHOUT_SAYING: Final = re.compile(r";\s*(?:client|server)_max_window_bits=15")
"""Of a WebSocket's compression: some servers say it, others do not."""

_NAMING: Final = frozenset({*SESSION_HEADERS, "user-agent"})
"""Volatile headers that are kept: whose session it is, and which client's."""

_OF_A_CONNECTION: Final = frozenset(
    {
        "connection",
        "content-length",
        "keep-alive",
        "sec-websocket-accept",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})
_LAST_EVENTS: Final = frozenset({"response.completed", "[DONE]"})


def stable(recording: Recording) -> Recording:
    """The recording, stable."""
    ids: dict[bytes, bytes] = {}

    def steady(data: bytes) -> bytes:
        return _UUID.sub(lambda match: ids.setdefault(match[0].lower(), _id(len(ids) + 1)), data)

    # First what was asked, so that ids have the same numbers however often a client repeats itself.
    asked = [_exchange(each, steady) for each in recording.exchanges if is_asked(each)]
    side: dict[Any, WholeExchange] = {}
    for exchange in recording.exchanges:
        if not is_asked(exchange):
            told = _exchange(_without_headers(exchange), steady)
            side.setdefault(_sameness(told), told)
    first = sorted(side.values(), key=lambda each: (each.request.host, each.request.target))
    return Recording(
        TapeLabel(defaults.MADE_BY, 0, defaults.MADE_BY),
        tuple(
            replace(each, request=replace(each.request, connection=each.id))
            for each in numbered([*first, *asked])
        ),
        tuple(replace(gap, at_us=0, until_us=0) for gap in recording.gaps),
        recording.is_closed,
    )


def _id(number: int) -> bytes:
    return b"00000000-0000-4000-8000-%012d" % number


def _without_headers(exchange: WholeExchange) -> WholeExchange:
    """A side request is answered whatever its headers are, and clients change them as they go."""
    return replace(exchange, request=replace(exchange.request, headers=()))


def _sameness(exchange: WholeExchange) -> Any:
    """What two side requests that are the same have in common."""
    response = exchange.response and (exchange.response.status, exchange.response.headers)
    body = b"".join(piece.data for piece in exchange.pieces)
    request = exchange.request
    return request.method, request.host, request.target, response, body


def _exchange(exchange: WholeExchange, steady: Callable[[bytes], bytes]) -> WholeExchange:
    request = _request(exchange.request, steady)
    body = exchange.body and _body(exchange.body, steady)
    response = exchange.response and _response(exchange.response)
    pieces = tuple(
        replace(piece, at_us=0, data=_sent(piece, steady)) for piece in _pieces(exchange)
    )
    end = exchange.end and _end(exchange.end, exchange, pieces)
    gaps = tuple(replace(gap, at_us=0, until_us=0) for gap in exchange.gaps)
    return WholeExchange(request, body, response, pieces, end, gaps)


def _request(request: RequestHead, steady: Callable[[bytes], bytes]) -> RequestHead:
    return replace(
        request,
        at_us=0,
        port=_port(request),
        http_version=defaults.HTTP_VERSION,
        upstream=None,
        headers=tuple(
            (name, steady(value.encode("latin-1")).decode("latin-1"))
            for name, value in request.headers
            if (name.lower() in _NAMING or name.lower() not in VOLATILE_HEADERS)
            and not is_secret_header(name)
        ),
    )


def _port(request: RequestHead) -> int:
    """A server of this machine has another port each time."""
    is_any = request.host in _LOOPBACK
    return defaults.PORTS.get(request.scheme, request.port) if is_any else request.port


def _body(body: RequestBody, steady: Callable[[bytes], bytes]) -> RequestBody:
    return replace(body, at_us=0, data=steady(_without_volatile(body.data)))


def _response(response: ResponseHead) -> ResponseHead:
    headers: Headers = tuple(
        (name, _GOES_WITHOUT_SAYING.sub("", value))
        for name, value in response.headers
        if name.lower() not in _OF_A_CONNECTION and not is_secret_header(name)
    )
    return replace(response, at_us=0, http_version=defaults.HTTP_VERSION, headers=headers)


def _sent(piece: Piece, steady: Callable[[bytes], bytes]) -> bytes:
    is_message = piece.sender is Sender.CLIENT and piece.kind is PieceKind.TEXT
    return steady(_without_volatile(piece.data) if is_message else piece.data)


def _without_volatile(data: bytes) -> bytes:
    """What was asked, without what names the turn and the machine, or tells a time; as it is
    written where there is nothing of the kind. The name of the session stays: ids are numbered."""
    try:
        asked = parse_object(data.decode())
    except UnicodeDecodeError:
        return data
    if isinstance(asked, Unparsable):
        return data
    left_out = VOLATILE_PATHS - {"prompt_cache_key"}
    kept = _pruned({name: value for name, value in asked.items() if name not in left_out})
    if kept == asked:
        return data
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "backslashreplace"
    )


def _pruned(value: Any) -> Any:
    match value:
        case str():
            for rule in TEXT_RULES:
                value = rule.pattern.sub(rule.stand_in, value)
            return value
        case dict():
            return {
                name: _pruned(each) for name, each in value.items() if name not in VOLATILE_KEYS
            }
        case list():
            return [_pruned(each) for each in value]
    return value


def _pieces(exchange: WholeExchange) -> Iterator[Piece]:
    """The pieces; those of a stream are cut where its events end."""
    if exchange.is_websocket:
        yield from _said(exchange.pieces)
    elif exchange.pieces:
        body = b"".join(piece.data for piece in exchange.pieces)
        for part in _events(body) if _is_stream(exchange) else (body,):
            yield replace(exchange.pieces[0], data=part)


def _said(pieces: tuple[Piece, ...]) -> Iterator[Piece]:
    """What was said on a socket, without what the protocol answers by itself."""
    for piece in pieces:
        match piece.sender, piece.kind:
            case Sender.CLIENT, PieceKind.CLOSE:
                return
            case (Sender.CLIENT, PieceKind.PING) | (_, PieceKind.PONG):
                pass
            case _:
                yield piece


def _events(body: bytes) -> Iterator[bytes]:
    decoder = SseDecoder()
    decoded = decoder.feed(body)
    last, _ = decoder.close()
    start = 0
    for event in (*decoded, *last):
        yield body[start : event.end]
        start = event.end
    if start < len(body):
        yield body[start:]


def _is_stream(exchange: WholeExchange) -> bool:
    headers = exchange.response.headers if exchange.response else ()
    kind = (header(headers, "content-type") or "").lower()
    return kind.startswith("text/event-stream") and header(headers, "content-encoding") is None


def _end(end: End, exchange: WholeExchange, pieces: tuple[Piece, ...]) -> End:
    """The end, without the recorder's words. After the last word it is chance which side is seen
    to leave first, and whether the recorder sees it at all."""
    is_left = end.side is Sender.CLIENT
    if (is_left or end.how is EndKind.RECORDER_STOPPED) and _says_the_last_word(exchange, pieces):
        how = EndKind.CLIENT_CLOSED if exchange.is_websocket else EndKind.COMPLETE
    elif is_left:
        how = EndKind.CLIENT_CLOSED
    else:
        return replace(end, at_us=0, detail=None)
    return End(end.exchange, 0, how, defaults.SIDES[how])


def _says_the_last_word(exchange: WholeExchange, pieces: tuple[Piece, ...]) -> bool:
    """Whether the last thing that the server said is that an answer is complete."""
    if not pieces or pieces[-1].sender is Sender.CLIENT:
        return False
    said = [pieces[-1].data.decode("utf-8", "replace")]
    if not exchange.is_websocket:
        events = SseDecoder().feed(pieces[-1].data) if _is_stream(exchange) else []
        said = [event.data for event in events]
    return any(each in _LAST_EVENTS or event_type(each) in _LAST_EVENTS for each in said)
