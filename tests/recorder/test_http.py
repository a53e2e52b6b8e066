"""HTTP through the recorder: what reaches the client and when, and what the tape says of it."""

import gzip
import json
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import brotli
import httpx
import openai
import pytest
import zstandard
from provider import Provider
from provider_script import Fin, Hang, Plain, Reply, Say, Script
from raw_sockets import (
    RawServer,
    answered,
    asking,
    connect,
    full_server,
    read_request,
    reset,
    see,
)
from recorded import Recorded, gaps, recorded, recording, wait_for

from recorder.capture import Capture
from wiretape.facts import EndKind, Fact, Piece, PieceKind, Sender
from wiretape.store_writer import TapeWriter

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def chunked(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def test_an_event_reaches_the_client_before_the_next_is_sent(tmp_path: Path) -> None:
    """Nothing is held back: the upstream sends each event only once the last one is seen."""
    events = [b"data: %d\n\n" % number for number in range(5)]
    seen = threading.Semaphore(0)

    def serve(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(HEAD)
        for event in events:
            connection.sendall(chunked(event))
            assert seen.acquire(timeout=10)
        connection.sendall(b"0\r\n\r\n")

    with RawServer(serve) as server, recording(tmp_path) as recorder:
        with (
            httpx.Client(proxy=recorder.url) as client,
            client.stream("POST", f"http://127.0.0.1:{server.port}/v1/responses") as response,
        ):
            received = []
            for data in response.iter_raw():
                received.append(data)
                seen.release()
        recorder.settle()
    (found,) = recorded(recorder.tape)
    assert received == events
    assert [piece.data for piece in found.pieces] == events
    times = [piece.at_us for piece in found.pieces]
    assert times == sorted(set(times))
    assert found.exchange.response is not None
    assert found.exchange.response.at_us <= times[0]
    assert times[-1] <= found.end.at_us


@pytest.mark.parametrize(
    ("coding", "compress"),
    [
        ("gzip", gzip.compress),
        ("br", brotli.compress),
        ("zstd", zstandard.ZstdCompressor().compress),
    ],
)
def test_a_coded_response_is_kept_as_sent(
    tmp_path: Path, coding: str, compress: Callable[[bytes], bytes]
) -> None:
    """The tape holds the compressed bytes, and the client gets them."""
    body = compress(b"data: hello\n\n" * 50)
    head = f"HTTP/1.1 200 OK\r\ncontent-encoding: {coding}\r\ncontent-length: {len(body)}\r\n\r\n"
    with (
        RawServer(answered(head.encode(), body)) as server,
        recording(tmp_path) as recorder,
        httpx.Client(proxy=recorder.url) as client,
    ):
        with client.stream("POST", f"http://127.0.0.1:{server.port}/v1/responses") as response:
            received = b"".join(response.iter_raw())
        recorder.settle()
    (found,) = recorded(recorder.tape)
    assert received == body
    assert found.data == body


def test_several_exchanges_share_a_connection(tmp_path: Path) -> None:
    """Keep-alive on both sides; the tape numbers exchanges and the connections they were on."""
    answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
    with RawServer(answered(answer)) as server, recording(tmp_path) as recorder:
        for count in (3, 2):
            with connect(recorder.address) as client:
                for number in range(count):
                    client.sendall(asking(server.port, b'{"input":%d}' % number))
                    wait_for(lambda: client.recv(65536).endswith(b"{}"))
        recorder.settle()
    found = recorded(recorder.tape)
    assert [(each.exchange.request.connection, each.body) for each in found] == [
        (1, b'{"input":0}'),
        (1, b'{"input":1}'),
        (1, b'{"input":2}'),
        (2, b'{"input":0}'),
        (2, b'{"input":1}'),
    ]
    assert server.connections == 2


@pytest.mark.parametrize("leaves", ["fin", "reset"])
def test_a_client_that_leaves_before_the_head(tmp_path: Path, leaves: str) -> None:
    """It would not wait: the tape says so, and the upstream's connection is let go."""
    with (
        Provider(Script(posts=(Reply(Say("x"), only=0, end=Hang()),))) as provider,
        RawServer(lambda connection: see(connection)) as silent,
        recording(tmp_path) as recorder,
    ):
        for port in (silent.port, provider.port):
            client = connect(recorder.address)
            client.sendall(asking(port))
            if port == provider.port:
                assert client.recv(65536).startswith(b"HTTP/1.1 200 OK")
            else:
                wait_for(lambda: silent.connections == 1)
            if leaves == "reset":
                reset(client)
            client.close()
            recorder.settle()
    how = EndKind.RESET if leaves == "reset" else EndKind.CLIENT_CLOSED
    ends = [(each.status, each.end.how, each.end.side) for each in recorded(recorder.tape)]
    assert ends == [(None, how, Sender.CLIENT), (200, how, Sender.CLIENT)]


@pytest.mark.parametrize("leaves", ["fin", "reset"])
def test_a_client_that_leaves_before_there_is_an_upstream(tmp_path: Path, leaves: str) -> None:
    """The recorder is still connecting: how the client left is on the tape all the same."""
    with full_server() as port, recording(tmp_path) as recorder:
        client = connect(recorder.address)
        client.sendall(asking(port))
        wait_for(lambda: bool(recorded(recorder.tape)))
        if leaves == "reset":
            reset(client)
        client.close()
        recorder.settle()
    how = EndKind.RESET if leaves == "reset" else EndKind.CLIENT_CLOSED
    ends = [(each.status, each.end.how, each.end.side) for each in recorded(recorder.tape)]
    assert ends == [(None, how, Sender.CLIENT)]


def test_a_client_that_leaves_after_the_last_event(tmp_path: Path) -> None:
    """As Codex does: everything up to there is on the tape, and the end is the client's."""
    script = Script(posts=(Reply(Say("hello"), end=Hang()),))
    with Provider(script) as provider, recording(tmp_path) as recorder:
        client = connect(recorder.address)
        client.sendall(asking(provider.port, b'{"tools":[]}'))
        received = b""
        while b"response.completed" not in received:
            received += client.recv(65536)
        client.close()
        recorder.settle()
    (found,) = recorded(recorder.tape)
    assert b'"type":"response.completed"' in found.data
    assert (found.end.how, found.end.side) == (EndKind.CLIENT_CLOSED, Sender.CLIENT)


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (b"220 mail.example ESMTP\r\n\r\n", "Cannot parse HTTP response"),
        (HEAD + b"not a size\r\n", "illegal chunk header"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n", "Cannot parse HTTP response"),
    ],
)
def test_an_upstream_that_breaks_the_protocol(tmp_path: Path, sent: bytes, words: str) -> None:
    """The client's connection fails, and the tape says what was wrong, without quoting it."""
    with RawServer(answered(sent)) as server, recording(tmp_path) as recorder:
        with connect(recorder.address) as client:
            client.sendall(asking(server.port))
            see(client)
        recorder.settle()
    (found,) = recorded(recorder.tape)
    assert (found.end.how, found.end.side) == (EndKind.PROTOCOL_ERROR, Sender.SERVER)
    assert words in (found.end.detail or "")
    assert "mail.example" not in (found.end.detail or "")


def test_a_failing_recorder_does_not_harm_the_traffic(tmp_path: Path) -> None:
    """Whatever breaks in capturing: the client gets every byte, and the tape a gap for each."""

    def clumsy(writer: TapeWriter) -> Capture:
        def put(fact: Fact) -> None:
            if isinstance(fact, Piece):
                raise ZeroDivisionError("with a s3cret in it")
            writer.put(fact)

        return Capture(put)

    body = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n12345"
    with (
        RawServer(answered(body)) as server,
        recording(tmp_path, capture_with=clumsy) as recorder,
        httpx.Client(proxy=recorder.url) as client,
    ):
        answer = client.post(f"http://127.0.0.1:{server.port}/v1/responses", content=b"{}")
        recorder.settle()
    (found,) = recorded(recorder.tape)
    assert answer.content == b"12345"
    assert found.end.how is EndKind.COMPLETE
    assert [(gap.lost_bytes, gap.reason) for gap in gaps(recorder.tape)] == [
        (5, "the recorder failed (ZeroDivisionError)")
    ]


def test_the_openai_client_is_recorded(tmp_path: Path) -> None:
    """The SDK's stream through the proxy: its events, and the same ones on the tape."""
    script = Script(
        posts=(
            Plain(500, '{"error":{"message":"try again"}}', (("retry-after-ms", "1"),)),
            Reply(Say("hello"), only=3, end=Fin()),
            Reply(Say("hello")),
        )
    )
    with Provider(script) as provider, recording(tmp_path) as recorder:
        with (
            httpx.Client(proxy=recorder.url) as http,
            openai.OpenAI(api_key="sk-x", base_url=provider.base_url, http_client=http) as client,
        ):

            def types() -> list[str]:
                stream = client.responses.create(model="m", input=[], stream=True)
                return [event.type for event in stream]

            with pytest.raises(openai.APIConnectionError):
                types()
            seen = types()
        recorder.settle()
    found = recorded(recorder.tape)
    ends = [(each.status, each.end.how) for each in found]
    assert ends == [
        (500, EndKind.COMPLETE),
        (200, EndKind.SERVER_CLOSED),
        (200, EndKind.COMPLETE),
    ]
    assert seen[-1] == "response.completed"
    assert types_in(found[-1]) == seen


def types_in(found: Recorded) -> list[str]:
    """The types of the events in a recorded body."""
    fields = [line for line in found.data.decode().split("\n") if line.startswith("data: ")]
    return [json.loads(field.removeprefix("data: "))["type"] for field in fields]


def test_pieces_are_chunks_of_the_server(tmp_path: Path) -> None:
    """A response body is nothing but chunks, whatever its size."""
    body = bytes(range(256)) * 4000
    head = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body)
    with (
        RawServer(answered(head, body)) as server,
        recording(tmp_path) as recorder,
        httpx.Client(proxy=recorder.url) as client,
    ):
        assert client.post(f"http://127.0.0.1:{server.port}/v1/responses").content == body
        recorder.settle()
    (found,) = recorded(recorder.tape)
    assert found.data == body
    assert {(piece.sender, piece.kind) for piece in found.pieces} == {
        (Sender.SERVER, PieceKind.CHUNK)
    }
