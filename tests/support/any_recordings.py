"""Any recording, for property tests: likely ones, odd ones, and parts that are missing."""

import json

from hypothesis import strategies as st

from wiretape.facts import (
    End,
    EndKind,
    Gap,
    Headers,
    Piece,
    PieceKind,
    RequestBody,
    RequestHead,
    ResponseHead,
    Sender,
)
from wiretape.recording import Recording, WholeExchange
from wiretape.store_writer import TapeLabel

_TIMES = st.integers(0, 1 << 45)
_LATIN = st.text(st.characters(max_codepoint=255), max_size=20)
_HEADERS: st.SearchStrategy[Headers] = st.lists(st.tuples(_LATIN, _LATIN), max_size=3).map(tuple)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@st.composite
def _json_texts(draw: st.DrawFn) -> bytes:
    """A JSON object in one of the spellings that are seen on the wire."""
    members = draw(st.dictionaries(st.sampled_from(["type", "delta", "\u2028 x", "n"]), _JSON))
    spelled = json.dumps(
        members,
        ensure_ascii=draw(st.booleans()),
        separators=draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,", ":\n")])),
    )
    return spelled.encode("utf-8", "replace")


@st.composite
def _streams(draw: st.DrawFn) -> bytes:
    """Server-sent events, in the plain form and near it."""
    texts = draw(st.lists(_json_texts(), max_size=3))
    form = draw(
        st.sampled_from(
            [b"event: x\ndata: %s\n\n", b"data: %s\n\n", b": c\n\ndata:%s\r\n\r\n", b"data: %s\n"]
        )
    )
    return b"".join(form % text for text in texts)


_DATA = st.binary(max_size=60) | st.text(max_size=20).map(str.encode) | _json_texts() | _streams()
_ON_A_SOCKET = [
    (sender, kind) for kind in PieceKind if kind is not PieceKind.CHUNK for sender in Sender
]


@st.composite
def whole_exchanges(draw: st.DrawFn, number: int) -> WholeExchange:
    """One exchange, of which anything but the request's head may be missing."""
    is_upgrade = draw(st.booleans())
    usual_method = "GET" if is_upgrade else "POST"
    method, scheme, version = (
        draw(st.just(usual) | _LATIN) for usual in (usual_method, "https", "HTTP/1.1")
    )
    headers: Headers = (("upgrade", "websocket"),) if is_upgrade else ()
    request = RequestHead(
        number,
        draw(_TIMES),
        draw(st.integers(1, 9)),
        method,
        scheme,
        draw(st.just("api.openai.com") | _LATIN),
        draw(st.integers(0, 65535)),
        draw(st.just("/v1/responses") | _LATIN),
        version,
        (*headers, *draw(_HEADERS)),
        draw(st.none() | _LATIN),
    )
    response = ResponseHead(
        number,
        draw(_TIMES),
        101 if is_upgrade else draw(st.integers(100, 999)),
        draw(st.just("OK") | _LATIN),
        version,
        draw(st.just((("content-type", "text/event-stream"),)) | _HEADERS),
    )
    is_answered = draw(st.booleans())
    is_socket = is_answered and response.status == 101
    kinds = _ON_A_SOCKET if is_socket else [(Sender.SERVER, PieceKind.CHUNK)]
    pieces = tuple(
        _piece(number, at_us, *draw(st.sampled_from(kinds)), draw(_DATA))
        for at_us in draw(st.lists(_TIMES, max_size=5))
    )
    body = RequestBody(number, draw(_TIMES), draw(_DATA), draw(st.booleans()))
    end = End(
        number,
        draw(_TIMES),
        draw(st.sampled_from(EndKind)),
        draw(st.none() | st.sampled_from(Sender)),
        draw(st.none() | st.integers(0, 65535)),
        draw(st.none() | st.text(max_size=10)),
        draw(st.none() | st.text(max_size=10)),
    )
    return WholeExchange(
        request,
        draw(st.none() | st.just(body)),
        response if is_answered else None,
        pieces,
        draw(st.none() | st.just(end)),
        tuple(sorted(draw(st.lists(_gaps(number), max_size=1)), key=lambda gap: gap.at_us)),
    )


def _piece(number: int, at_us: int, sender: Sender, kind: PieceKind, data: bytes) -> Piece:
    """A control frame is never longer than it may be: nobody could have read it."""
    is_control = kind in (PieceKind.CLOSE, PieceKind.PING, PieceKind.PONG)
    return Piece(number, at_us, sender, kind, data[:125] if is_control else data)


def _gaps(exchange: int | None) -> st.SearchStrategy[Gap]:
    return st.builds(
        Gap,
        _TIMES,
        _TIMES,
        st.just(exchange),
        st.integers(0, 9),
        st.integers(0, 9),
        st.text(max_size=10),
    )


@st.composite
def recordings(draw: st.DrawFn) -> Recording:
    """A few exchanges, and gaps between them."""
    numbers = sorted(draw(st.sets(st.integers(1, 9), max_size=3)))
    label = TapeLabel(
        draw(st.just("record") | st.text(max_size=8)),
        draw(st.just(1_767_225_600_000_000) | _TIMES),
        draw(st.text(max_size=8)),
        draw(st.none() | st.just('["codex","exec"]') | st.text(max_size=8)),
        draw(st.none() | st.text(max_size=8)),
        draw(st.text(max_size=8)),
        draw(st.none() | st.just('["2.5:cut"]') | st.text(max_size=8)),
    )
    return Recording(
        label,
        tuple(draw(whole_exchanges(number)) for number in numbers),
        tuple(sorted(draw(st.lists(_gaps(None), max_size=2)), key=lambda gap: gap.at_us)),
        draw(st.booleans()),
    )
