"""Planted secrets: none of them reaches the tape, in no table, body or message, not even a part."""

import socket
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from raw_sockets import RawServer, connect, read_request, see, tunnelled
from record_command import record
from recorded import recorded, recording, wait_for

from recorder.routing import Routing
from wiretape.store_reader import TapeReader

PREFIX_LENGTH = 6
OPENED = Routing(hosts=("127.0.0.1",))


def secret(number: int) -> str:
    """A value whose parts stand nowhere else."""
    return f"Zq{number:02}vX-{number * 7919:06}-kWjYhT"


def everything_on(tape: Path) -> bytes:
    """All that a tape holds, in whatever form it holds it."""
    parts = [tape.read_bytes()]
    with closing(sqlite3.connect(tape)) as database:
        names = database.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        for (name,) in names.fetchall():
            parts += [repr(row).encode() for row in database.execute(f"SELECT * FROM {name}")]
    with TapeReader(tape) as reader:
        for exchange in reader.exchanges():
            parts += [repr(exchange).encode(), reader.request_body(exchange.id)]
            parts += [piece.data for piece in reader.pieces(exchange.id)]
    return b"\n".join(parts)


def assert_clean(tape: Path, count: int) -> bytes:
    """None of the first ``count`` secrets is there, nor six letters of their beginning."""
    contents = everything_on(tape)
    found = [
        secret(number)
        for number in range(count)
        if secret(number)[:PREFIX_LENGTH].encode() in contents
    ]
    assert found == []
    return contents


REQUEST_HEADERS = (
    ("Authorization", f"Bearer {secret(0)}"),
    ("Proxy-Authorization", f"Basic {secret(1)}"),
    ("api-key", secret(2)),
    ("X-Api-Key", secret(3)),
    ("Cookie", f"session={secret(4)}; other={secret(4)}"),
    ("OpenAI-Organization", secret(5)),
    ("OpenAI-Project", secret(6)),
    ("ChatGPT-Account-ID", secret(7)),
    ("X-Auth-Token", secret(8)),
    ("Ocp-Apim-Subscription-Key", secret(9)),
    ("Referer", f"https://me:{secret(10)}@a.example/?access_token={secret(10)}"),
    ("Sec-WebSocket-Protocol", f"realtime, openai-insecure-api-key.{secret(11)}"),
    ("X-Custom", f"Bearer {secret(12)}"),
)
TARGET = (
    f"/v1/responses?api-version=1&api-key={secret(13)}&sig={secret(14)}&access%5Ftoken={secret(15)}"
)
RESPONSE_HEADERS = (
    ("Set-Cookie", f"__cf_bm={secret(16)}; path=/"),
    ("Set-Cookie", f"sid={secret(17)}"),
    ("openai-organization", secret(18)),
    ("x-refresh-token", secret(19)),
    ("location", f"https://a.example/cb?code={secret(20)}&x=1"),
)


def head(first: str, headers: tuple[tuple[str, str], ...], *more: str) -> bytes:
    lines = [first, *(f"{name}: {value}" for name, value in headers), *more]
    return "\r\n".join((*lines, "", "")).encode()


@pytest.mark.parametrize("is_upgrade", [False, True], ids=["http", "websocket"])
def test_secrets_in_heads_and_targets(tmp_path: Path, is_upgrade: bool) -> None:
    """Removed from the tape; the upstream and the client get them unchanged."""
    status = "101 Switching Protocols" if is_upgrade else "200 OK"
    more = ("upgrade: websocket",) if is_upgrade else ("content-length: 0", "connection: close")
    answer = head(f"HTTP/1.1 {status}", RESPONSE_HEADERS, *more)
    asked: list[bytes] = []

    def serve(connection: socket.socket) -> None:
        asked.append(read_request(connection))
        connection.sendall(answer)

    with RawServer(serve) as server, recording(tmp_path) as recorder:
        with connect(recorder.address) as client:
            method, upgrade = ("GET", more) if is_upgrade else ("POST", ("content-length: 0",))
            first = f"{method} http://127.0.0.1:{server.port}{TARGET} HTTP/1.1"
            client.sendall(head(first, REQUEST_HEADERS, "host: x", *upgrade))
            seen = see(client).data
        recorder.settle()
    assert all(f"{name}: {value}".encode() in asked[0] for name, value in REQUEST_HEADERS[2:])
    assert all(f"{name}: {value}".encode() in seen for name, value in RESPONSE_HEADERS)
    contents = assert_clean(recorder.tape, 21)
    assert b"[removed: authorization]" in contents
    assert b"[removed: set-cookie]" in contents
    assert b"api-version=1&api-key=removed" in contents


@pytest.mark.parametrize(
    "sent",
    [
        head("HTTP/1.1 200 OK", RESPONSE_HEADERS)[:-4],
        head("HTTP/1.1 200 OK", (*RESPONSE_HEADERS, ("content-length", "many"))),
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + secret(16).encode() + b"\r\n",
        f"no http but {secret(16)}\r\n\r\n".encode(),
    ],
    ids=["cut head", "bad length", "bad chunk", "no http"],
)
def test_what_the_proxy_quotes_is_not_kept(tmp_path: Path, sent: bytes) -> None:
    """Its messages about a broken answer hold the bytes; the end on the tape must not."""

    def serve(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(sent)

    with RawServer(serve) as server, recording(tmp_path) as recorder:
        with httpx.Client(proxy=recorder.url) as client, pytest.raises(httpx.HTTPError):
            client.post(f"http://127.0.0.1:{server.port}/v1/responses")
        recorder.settle()
    assert len(recorded(recorder.tape)) == 1
    assert_clean(recorder.tape, 21)
    assert secret(16)[:PREFIX_LENGTH] not in "".join(recorder.told)


def test_a_tunnel_that_fails_is_told_without_its_secrets(tmp_path: Path) -> None:
    """The request for it may carry a password for the proxy."""
    with RawServer(print) as server, recording(tmp_path, OPENED) as recorder:
        with connect(recorder.address) as client:
            first = f"CONNECT 127.0.0.1:{server.port} HTTP/1.1"
            client.sendall(head(first, REQUEST_HEADERS))
            assert client.recv(1000).startswith(b"HTTP/1.1 200")
            client.sendall(b"\x16\x03\x01\x00\x05hello and no more")
            see(client)
        wait_for(lambda: len(recorded(recorder.tape)) == 1)
    assert_clean(recorder.tape, 21)


def test_secrets_on_the_command_line(tmp_path: Path) -> None:
    """Of the command that is recorded; what it is called otherwise is kept."""
    command = [sys.executable, "-c", "pass", "--model", "gpt-5.2-codex"]
    command += ["--api-key", secret(0), f"--auth-token={secret(1)}", f"OPENAI_API_KEY={secret(2)}"]
    command += ["-H", f"Authorization: Bearer {secret(3)}", f"https://me:{secret(4)}@a.example/"]
    command += ["-c", f'a.b.http_headers={{"X-Api-Key"="{secret(5)}"}}', "sk-" + secret(6)]
    command += ["sh", "-c", f"export X=1; TOKEN={secret(7)} codex exec 'do it'"]
    run = record(tmp_path, "-o", "t.db", "--", *command)
    assert run.returncode == 0
    contents = assert_clean(tmp_path / "t.db", 8)
    assert b"gpt-5.2-codex" in contents
    assert b"do it" in contents


def test_a_tunnel_past_us_leaves_nothing(tmp_path: Path) -> None:
    """What is not opened is not seen: no byte of it is on the tape."""

    def serve(connection: socket.socket) -> None:
        connection.sendall(connection.recv(1000))

    with (
        RawServer(serve) as server,
        recording(tmp_path) as recorder,
        tunnelled(recorder.address, "127.0.0.1", server.port) as client,
    ):
        client.sendall(b"\0\1 no protocol that anybody knows " + secret(0).encode())
        assert secret(0).encode() in client.recv(1000)
    assert_clean(recorder.tape, 1)
