"""Requests through the recorder: as they were asked, whole or marked as a part."""

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import zstandard
from provider import Provider
from provider_script import Reply, Say, Script
from raw_sockets import RawServer, answered, asking, connect, read_request, see
from recorded import gaps, recorded, recording

import recorder.capture
from recorder.routing import Upstream
from wiretape.facts import EndKind, Sender


@pytest.mark.parametrize("framing", ["length", "chunks"])
def test_a_compressed_request_is_kept_and_sent_as_it_is(tmp_path: Path, framing: str) -> None:
    """A zstd body reaches the upstream untouched, and the tape holds the same bytes."""
    compressor = zstandard.ZstdCompressor(level=3, write_content_size=False).compressobj()
    body = compressor.compress(json.dumps({"text": "x" * 5000}).encode()) + compressor.flush()

    def parts() -> Iterator[bytes]:
        yield from (body[:10], body[10:])

    with (
        Provider(Script(posts=(Reply(Say("hello")),))) as provider,
        recording(tmp_path) as recorder,
        httpx.Client(proxy=recorder.url) as client,
    ):
        client.post(
            f"{provider.base_url}/responses",
            content=body if framing == "length" else parts(),
            headers={"content-encoding": "zstd"},
        )
        recorder.settle()
    (found,) = recorded(recorder.tape)
    assert found.body == body
    assert found.exchange.request_is_whole
    assert provider.requests[0].body == {"text": "x" * 5000}


def test_the_request_is_told_as_it_was_asked(tmp_path: Path) -> None:
    """Target and headers, with their case, order, repetitions and bytes that are no UTF-8."""
    target = "/a%20b/\xe9/v1/responses?x=\xff&y"
    headers = (("host", "mine"), ("content-length", "0"), ("X-Odd", "\xe9"), ("x-odd", "2"))
    lines = [f"POST {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
    asked: list[bytes] = []

    def serve(connection: socket.socket) -> None:
        asked.append(read_request(connection))
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")

    with RawServer(serve) as server:
        with recording(tmp_path, reverse=Upstream("http", "127.0.0.1", server.port)) as recorder:
            with connect(recorder.address) as client:
                client.sendall("\r\n".join((*lines, "", "")).encode("latin-1"))
                see(client)
            recorder.settle()
        upstream = ("host", f"127.0.0.1:{server.port}")
    (found,) = recorded(recorder.tape)
    request = found.exchange.request
    assert (request.method, request.scheme, request.host, request.target) == (
        "POST",
        "http",
        "127.0.0.1",
        target,
    )
    assert request.headers == (upstream, *headers[1:])
    assert asked[0].split(b"\r\n")[0] == lines[0].encode("latin-1")
    assert asked[0].split(b"\r\n")[3:5] == [b"X-Odd: \xe9", b"x-odd: 2"]


def test_a_client_that_leaves_inside_its_request(tmp_path: Path) -> None:
    """The part of the body that came is kept, and marked as a part."""
    arrived = threading.Event()

    def serve(connection: socket.socket) -> None:
        see(connection, lambda data: arrived.set() if data.endswith(b"012345") else None)

    with RawServer(serve) as server, recording(tmp_path) as recorder:
        client = connect(recorder.address)
        whole = asking(server.port, b"0123456789")
        client.sendall(whole[:-4])
        assert arrived.wait(30)
        client.close()
        recorder.settle()
    (found,) = recorded(recorder.tape)
    assert found.body == b"012345"
    assert not found.exchange.request_is_whole
    assert (found.end.how, found.end.side) == (EndKind.CLIENT_CLOSED, Sender.CLIENT)


def test_an_upload_beyond_the_limit_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A body that is too large reaches the upstream, and is a part and a gap on the tape."""
    monkeypatch.setattr(recorder.capture, "BODY_LIMIT_BYTES", 100_000)
    with (
        RawServer(answered(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")) as server,
        recording(tmp_path) as recorder_,
        connect(recorder_.address) as client,
    ):
        client.sendall(asking(server.port, bytes(300_000)))
        assert client.recv(65536).startswith(b"HTTP/1.1 200")
        recorder_.settle()
    (found,) = recorded(recorder_.tape)
    (lost,) = gaps(recorder_.tape)
    assert 30_000 < len(found.body) <= 100_000
    assert len(found.body) + lost.lost_bytes == 300_000
    assert not found.exchange.request_is_whole
    assert lost.reason == "the request's body is too large to keep"
