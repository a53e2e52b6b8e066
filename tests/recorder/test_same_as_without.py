"""What the client sees through the recorder is what it sees without, and the tape says which end.

Each upstream behaviour is seen twice by the same bare client: directly, and through a recorder.
"""

import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from raw_sockets import RawServer, Seen, connect, read_request, reset, see
from recorded import Recorded, recorded, recording

from wiretape.facts import EndKind, PieceKind, Sender

SERVER = Sender.SERVER
COMPLETE = (EndKind.COMPLETE, None)
CUT = (EndKind.SERVER_CLOSED, SERVER)
RESET = (EndKind.RESET, SERVER)
CLOSED = (EndKind.WEBSOCKET_CLOSED, SERVER)


def head(status: str, *headers: str) -> bytes:
    return "\r\n".join((f"HTTP/1.1 {status}", *headers, "", "")).encode("latin-1")


SSE = head("200 OK", "Content-Type: text/event-stream", "X-Odd: \xe9\xff", "x-odd: again",
           "Transfer-Encoding: chunked", "connection: close")  # fmt: skip
FIRST = b"9\r\ndata: 1\n\n\r\n"
SECOND = b"9\r\ndata: 2\n\n\r\n"
LAST = b"0\r\n\r\n"
SIZED = head("200 OK", "content-length: 9", "connection: close")
UNSIZED = head("200 OK")
UPGRADED = head("101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade")
HELLO = b"\x81\x05hello"
CLOSE_1011 = b"\x88\x06\x03\xf3oops"


def answer(status: str, *headers: str, body: str = "") -> bytes:
    """A whole answer, after which the connection is closed."""
    return head(status, *headers, f"content-length: {len(body)}", "Connection: close") + (
        body.encode()
    )


@dataclass(frozen=True)
class Case:
    """What an upstream sends in answer to one request, and how it ends the connection.

    ``fin`` or ``rst`` come once the client has all the bytes, so that a reset overtakes nothing.
    ``end`` is what the tape is to say.
    """

    name: str
    sent: tuple[bytes, ...]
    ends_by: str
    end: tuple[EndKind, Sender | None]
    is_upgrade: bool = False


CASES = [
    Case("sse complete", (SSE, FIRST, SECOND, LAST), "fin", COMPLETE),
    Case("sse cut by fin", (SSE, FIRST, SECOND), "fin", CUT),
    Case("sse cut by reset", (SSE, FIRST, SECOND), "rst", RESET),
    Case("cut inside a chunk", (SSE, FIRST, b"9\r\ndata"), "fin", CUT),
    Case("head only, then fin", (SSE,), "fin", CUT),
    Case("head only, then reset", (SSE,), "rst", RESET),
    Case("nothing, then fin", (), "fin", CUT),
    Case("nothing, then reset", (), "rst", RESET),
    Case("length kept", (SIZED, b"1234", b"56789"), "fin", COMPLETE),
    Case("length cut by fin", (SIZED, b"1234"), "fin", CUT),
    Case("length cut by reset", (SIZED, b"1234"), "rst", RESET),
    Case("until the end, by fin", (UNSIZED, b"12", b"345"), "fin", COMPLETE),
    Case("until the end, by reset", (UNSIZED, b"12", b"345"), "rst", RESET),
    Case("http 1.0", (b"HTTP/1.0 200 Fine\r\nServer: old\r\n\r\n", b"body"), "fin", COMPLETE),
    Case("429", (answer("429 Slow Down", "retry-after: 7", body="{}"),), "fin", COMPLETE),
    Case("a status of their own", (answer("599 Mod\xe8le fatigu\xe9"),), "fin", COMPLETE),
    Case("204", (head("204 No Content", "connection: close"),), "fin", COMPLETE),
    Case("upgrade refused with 426", (answer("426 No", body="no"),), "fin", COMPLETE, True),
    Case("upgrade refused with 500", (answer("500 Oh", body="oh"),), "fin", COMPLETE, True),
    Case("upgrade answered by nothing", (), "fin", CUT, True),
    Case("upgrade answered by a reset", (), "rst", RESET, True),
    Case("socket dropped by fin", (UPGRADED, HELLO), "fin", CUT, True),
    Case("socket reset", (UPGRADED, HELLO), "rst", RESET, True),
    Case("socket closed with 1011", (UPGRADED, HELLO, CLOSE_1011), "fin", CLOSED, True),
    Case("socket closed, then reset", (UPGRADED, HELLO, CLOSE_1011), "rst", CLOSED, True),
    Case("101 and a frame at once", (UPGRADED + HELLO,), "fin", CUT, True),
]


def answering(case: Case, is_seen: threading.Event) -> Callable[[socket.socket], None]:
    """An upstream that answers as the case says."""

    def serve(connection: socket.socket) -> None:
        read_request(connection)
        for data in case.sent:
            connection.sendall(data)
        assert is_seen.wait(10)
        if case.ends_by == "rst":
            reset(connection)

    return serve


def ask(case: Case, port: int, proxy: tuple[str, int] | None, is_seen: threading.Event) -> Seen:
    """Asks once, directly or through a proxy, and reads to the end."""
    authority = f"127.0.0.1:{port}"
    target = "/v1/responses" if proxy is None else f"http://{authority}/v1/responses"
    lines = [f"GET {target} HTTP/1.1", f"Host: {authority}", "Upgrade: websocket"]
    if not case.is_upgrade:
        lines = [f"POST {target} HTTP/1.1", f"Host: {authority}", "Content-Length: 2"]
    expected = plain(b"".join(case.sent))
    if not expected:
        is_seen.set()

    def look(data: bytes) -> None:
        if len(plain(data)) >= len(expected):
            is_seen.set()

    with connect(proxy or ("127.0.0.1", port)) as connection:
        connection.sendall("\r\n".join((*lines, "", "" if case.is_upgrade else "{}")).encode())
        return see(connection, look)


def plain(data: bytes) -> bytes:
    """A response without the framing of its chunks, which is the proxy's own."""
    first, mark, rest = data.partition(b"\r\n\r\n")
    if b"chunked" not in first:
        return data
    body = b""
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        body += rest[: int(size, 16)] if int(size, 16) else b"<last chunk>"
        rest = rest[int(size, 16) + 2 :]
    return first + mark + body


def through_a_recorder(case: Case, folder: Path) -> tuple[Seen, list[Recorded]]:
    is_seen = threading.Event()
    with RawServer(answering(case, is_seen)) as server, recording(folder) as recorder:
        seen = ask(case, server.port, recorder.address, is_seen)
        recorder.settle()
    return seen, recorded(recorder.tape)


def directly(case: Case) -> Seen:
    is_seen = threading.Event()
    with RawServer(answering(case, is_seen)) as server:
        return ask(case, server.port, None, is_seen)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_client_sees_the_same(case: Case, tmp_path: Path) -> None:
    """Bytes, head and body, and FIN or RST are those of a direct connection; so is the tape's."""
    without = directly(case)
    seen, (found,) = through_a_recorder(case, tmp_path)
    assert (plain(seen.data), seen.end) == (plain(without.data), without.end)
    assert (found.end.how, found.end.side) == case.end
    first, _, body = plain(without.data).partition(b"\r\n\r\n")
    if case.is_upgrade and found.status == 101:
        sent = [piece.data for piece in found.pieces if piece.kind is PieceKind.TEXT]
        assert sent == [b"hello"]
    else:
        assert found.data == body.removesuffix(b"<last chunk>")
    if first:
        response = found.exchange.response
        assert response is not None
        lines = [f"{name}: {value}" for name, value in response.headers]
        status = f"{response.http_version} {response.status} {response.reason}"
        assert first.decode("latin-1").split("\r\n") == [status, *lines]
    else:
        assert found.exchange.response is None
