"""The sample tapes of real runs: whoever asks what was recorded is given what was recorded."""

from pathlib import Path

import pytest
from declared import REPOSITORY
from raw_client import Over, RawClient, raw_client
from raw_websocket import frame
from replaying import Replaying, replaying

from gateway.authority import Authority
from wiretape.facts import EndKind, PieceKind, Sender
from wiretape.frames import FrameReader, negotiated
from wiretape.store_reader import Exchange, TapeReader

TAPES = sorted((REPOSITORY / "recordings" / "samples").glob("*/tape.db"))
OPCODES = {PieceKind.TEXT: 0x1, PieceKind.BINARY: 0x2, PieceKind.CLOSE: 0x8}


def test_there_are_samples() -> None:
    """Without any, the tests below would prove nothing."""
    assert TAPES


@pytest.mark.parametrize("tape", TAPES, ids=lambda tape: tape.parent.name)
@pytest.mark.parametrize("factor", [None, 5.0])
def test_what_was_recorded_is_given_again(
    tape: Path, factor: float | None, authority: Authority
) -> None:
    """Every status, body, message and end, to a client that sends the recorded bytes."""
    with (
        TapeReader(tape) as reader,
        replaying(tape, authority, factor=factor) as server,
    ):
        for exchange in reader.exchanges():
            ask_again(reader, exchange, server)
    counts = server.report.counts()
    assert counts["requests"] == counts["exact"] > 0
    assert (counts["not_asked"], counts["blocked"]) == (0, 0)


def ask_again(reader: TapeReader, exchange: Exchange, server: Replaying) -> None:
    request = exchange.request
    with raw_client(server.host, server.port) as client:
        lines = [f"{request.method} {request.target} HTTP/1.1", "Host: replay"]
        lines += [f"{name}: {value}" for name, value in request.headers if name.lower() != "host"]
        head = "\r\n".join([*lines, "", ""]).encode("latin-1")
        client.send(head + reader.request_body(exchange.id))
        if exchange.response is None:
            assert client.read_to_end()[0] == b""
            return
        line, headers = client.read_head()
        assert line == f"HTTP/1.1 {exchange.response.status} {exchange.response.reason}"
        if exchange.is_websocket:
            converse(
                reader, exchange, client, FrameReader(Sender.SERVER, negotiated(tuple(headers)))
            )
        else:
            listen(reader, exchange, client, "chunked" in dict(headers).values())


def listen(reader: TapeReader, exchange: Exchange, client: RawClient, is_chunked: bool) -> None:
    """The recorded body, chunk by chunk where it is chunked, and its end."""
    chunks = [piece.data for piece in reader.pieces(exchange.id)]
    assert exchange.end is not None
    if not is_chunked:
        assert client.read_exactly(sum(map(len, chunks))) == b"".join(chunks)
    elif exchange.end.how is EndKind.COMPLETE:
        assert client.read_chunks() == chunks
    else:
        assert [client.read_chunk() for _ in chunks] == chunks
        if exchange.end.side is Sender.SERVER:
            assert client.read_to_end() == (b"", Over.FIN)


def converse(
    reader: TapeReader, exchange: Exchange, client: RawClient, frames: FrameReader
) -> None:
    """The recorded messages, in turns."""
    heard: list[tuple[PieceKind, bytes]] = []
    for piece in reader.pieces(exchange.id):
        if piece.sender is Sender.CLIENT:
            client.send(frame(OPCODES[piece.kind], piece.data))
            continue
        while not heard:
            data = client.read_some()
            assert data, "the connection ended"
            heard += [(message.kind, message.data) for message in frames.feed(data)]
        assert heard.pop(0) == (piece.kind, piece.data)
    assert heard == []
