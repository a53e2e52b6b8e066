"""Facts with everything written out that a test does not care about, and a place to put them."""

from collections.abc import Iterable
from pathlib import Path

from wiretape.facts import (
    End,
    EndKind,
    Fact,
    Headers,
    Piece,
    PieceKind,
    RequestBody,
    RequestHead,
    ResponseHead,
    Sender,
)
from wiretape.store_reader import TapeReader
from wiretape.store_writer import TapeLabel, TapeWriter

LABEL = TapeLabel("record", 1_767_225_600_000_000, "monotonic", '["codex"]', None, "0.1.0")
"""Of a tape begun with the year 2026."""


def head(exchange: int = 1, at_us: int = 0, headers: Headers = ()) -> RequestHead:
    return RequestHead(
        exchange,
        at_us,
        1,
        "POST",
        "https",
        "api.openai.com",
        443,
        "/v1/responses",
        "HTTP/1.1",
        headers,
    )


def asked(exchange: int, data: bytes, at_us: int = 1) -> RequestBody:
    return RequestBody(exchange, at_us, data)


def answer(exchange: int = 1, at_us: int = 2) -> ResponseHead:
    headers = (("content-type", "text/event-stream"),)
    return ResponseHead(exchange, at_us, 200, "OK", "HTTP/1.1", headers)


def upgraded(exchange: int = 1, at_us: int = 2, headers: Headers = ()) -> ResponseHead:
    upgrade = ("upgrade", "websocket")
    return ResponseHead(
        exchange, at_us, 101, "Switching Protocols", "HTTP/1.1", (upgrade, *headers)
    )


def chunk(exchange: int, at_us: int, data: bytes) -> Piece:
    return Piece(exchange, at_us, Sender.SERVER, PieceKind.CHUNK, data)


def message(exchange: int, at_us: int, data: bytes, sender: Sender = Sender.CLIENT) -> Piece:
    return Piece(exchange, at_us, sender, PieceKind.TEXT, data)


def socket_bytes(exchange: int, at_us: int, sender: Sender, data: bytes) -> Piece:
    return Piece(exchange, at_us, sender, PieceKind.UNDECODED, data)


def complete(exchange: int = 1, at_us: int = 9) -> End:
    return End(exchange, at_us, EndKind.COMPLETE)


def tape_of(path: Path, facts: Iterable[Fact]) -> Path:
    """A finished tape at ``path`` that holds these facts."""
    troubles: list[str] = []
    with TapeWriter(path, LABEL, on_trouble=troubles.append) as writer:
        for fact in facts:
            writer.put(fact)
    assert troubles == []
    return path


def pieces_of(path: Path, exchange: int = 1) -> list[Piece]:
    """The pieces of one exchange, as they come back from the tape."""
    with TapeReader(path) as reader:
        return list(reader.pieces(exchange))
