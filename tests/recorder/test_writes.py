"""What came in one go goes on in one write, and nothing waits for what comes later."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from mitmproxy.connection import Server
from mitmproxy.proxy.commands import CloseConnection, Command, Log, SendData
from raw_sockets import RawServer, connect, read_request, see
from recorded import recorded, recording

from recorder.writes import joined

HEAD = b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n"
BODY = b'{"error":{"message":"no"}}'
SIZED = HEAD + b"content-length: 26\r\nconnection: close\r\n\r\n"
UNSIZED = HEAD + b"\r\n"


@pytest.fixture
def writes(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Every write of the proxy, on either side."""
    written: list[bytes] = []
    write = asyncio.StreamWriter.write

    def note(writer: asyncio.StreamWriter, data: bytes) -> None:
        written.append(data)
        write(writer, data)

    monkeypatch.setattr(asyncio.StreamWriter, "write", note)
    return written


def upgrading(port: int) -> bytes:
    return (
        f"GET http://127.0.0.1:{port}/v1/responses HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
    ).encode()


@pytest.mark.parametrize("head", [SIZED, UNSIZED], ids=["sized", "until the end"])
def test_a_refused_upgrade(tmp_path: Path, writes: list[bytes], head: bytes) -> None:
    """Sent in one piece, head and body reach the client in one."""

    def refuse(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(head + BODY)

    with RawServer(refuse) as server, recording(tmp_path) as recorder:
        with connect(recorder.address) as client:
            client.sendall(upgrading(server.port))
            seen = see(client)
        recorder.settle()
    assert (seen.data, seen.end) == (head + BODY, "FIN")
    assert head + BODY in writes
    (found,) = recorded(recorder.tape)
    assert (found.status, found.data) == (400, BODY)


def test_a_body_that_comes_later(tmp_path: Path, writes: list[bytes]) -> None:
    """The head is with the client before the upstream sends anything of the body, and so on."""
    seen = threading.Semaphore(0)

    def trickle(connection: socket.socket) -> None:
        read_request(connection)
        for part in (SIZED, BODY[:5], BODY[5:]):
            connection.sendall(part)
            assert seen.acquire(timeout=10)

    with RawServer(trickle) as server, recording(tmp_path) as recorder:
        with connect(recorder.address) as client:
            client.sendall(upgrading(server.port))
            for expected in (SIZED, BODY[:5], BODY[5:]):
                assert client.recv(len(expected), socket.MSG_WAITALL) == expected
                seen.release()
            assert client.recv(1) == b""
        recorder.settle()
    assert writes[-3:] == [SIZED, BODY[:5], BODY[5:]]


A, B = Server(address=("a.example", 80)), Server(address=("b.example", 80))


def told(commands: Iterator[Command]) -> list[tuple[str, bytes] | str]:
    """Where each piece goes, and what else there is."""
    return [
        (command.connection.address[0], command.data)
        if isinstance(command, SendData) and command.connection.address
        else type(command).__name__
        for command in commands
    ]


def test_order_is_kept() -> None:
    """Across connections, and around everything that is no log."""
    commands: list[Command] = [
        SendData(A, b"1"),
        Log("between"),
        SendData(A, b"2"),
        SendData(B, b"3"),
        SendData(A, b"4"),
        CloseConnection(A),
        SendData(B, b"5"),
        SendData(B, b"6"),
    ]
    assert told(joined(iter(commands))) == [
        "Log",
        ("a.example", b"12"),
        ("b.example", b"3"),
        ("a.example", b"4"),
        "CloseConnection",
        ("b.example", b"56"),
    ]


def test_what_was_ready_before_a_failure_is_sent() -> None:
    """A proxy that breaks in the middle has sent what came before."""

    def broken() -> Iterator[Command]:
        yield SendData(A, b"1")
        raise ZeroDivisionError

    sent = joined(broken())
    assert told(iter([next(sent)])) == [("a.example", b"1")]
    with pytest.raises(ZeroDivisionError):
        next(sent)
