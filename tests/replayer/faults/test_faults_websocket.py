"""Each fault on the wire, over WebSocket: the frames that a client gets, and how they end."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from faulty import faulty
from raw_client import Over, raw_client
from raw_websocket import PING, frame, handshake_bytes
from replaying import Replaying
from silence import assert_silent
from socket_talks import SESSION_LINE, opened
from tapes import Recording, answer, asks, says, wants

from wiretape.facts import PieceKind
from wiretape.frames import Message

type Serve = Callable[..., AbstractContextManager[Replaying]]

HOUR = 3600
CREATED, DELTA, COMPLETED = EVENTS = [
    Message(PieceKind.TEXT, json.dumps(event).encode()) for event in answer("hi")
]


def one_socket() -> Recording:
    """Two requests on one socket."""
    recording = Recording()
    recording.socket(wants(asks("a")), says(*answer("hi")), wants(asks("b")), says(*answer("ho")))
    return recording


@pytest.mark.parametrize(
    ("fault", "heard", "over"),
    [
        ("1:cut", [CREATED, DELTA], Over.FIN),
        ("1.1:cut", [], Over.FIN),
        ("1:reset", [CREATED, DELTA], Over.RESET),
        ("1.2:reset", [CREATED], Over.RESET),
    ],
)
def test_a_socket_breaks_off(serve: Serve, fault: str, heard: list[Message], over: Over) -> None:
    """After all that comes before the event, and without a close frame."""
    with serve(faulty(one_socket(), fault)) as server, opened(server) as socket:
        socket.ask(asks("a"))
        assert socket.hear_to_end() == (heard, over)


@pytest.mark.parametrize(
    ("fault", "payload"),
    [
        ("1.2:close=1011,busy ✓", b"\x03\xf3busy \xe2\x9c\x93"),
        ("1.2:close=1000", b"\x03\xe8"),
        ("1.2:close=4999", b"\x13\x87"),
        ("1.2:close=0", b"\x00\x00"),
    ],
)
def test_a_close_frame_is_sent(serve: Serve, fault: str, payload: bytes) -> None:
    """With any code, allowed or not, before the event."""
    with serve(faulty(one_socket(), fault)) as server, opened(server) as socket:
        socket.ask(asks("a"))
        assert [socket.hear(), socket.hear()] == [CREATED, Message(PieceKind.CLOSE, payload)]


UNKNOWN = Message(PieceKind.TEXT, b'{"type": "response.wiretape.unknown"}')
HALF = Message(PieceKind.TEXT, DELTA.data[: len(DELTA.data) // 2])


@pytest.mark.parametrize(
    ("fault", "heard"),
    [
        ("1:drop", [CREATED, DELTA]),
        ("1.2:duplicate", [CREATED, DELTA, DELTA, COMPLETED]),
        ("1.2:reorder", [DELTA, CREATED, COMPLETED]),
        ("1.2:corrupt", [CREATED, HALF, COMPLETED]),
        ("1.3:unknown", [CREATED, DELTA, UNKNOWN, COMPLETED]),
        ("1.1:binary", [Message(PieceKind.BINARY, b"\x00wiretape\xff"), *EVENTS]),
    ],
)
def test_messages_are_changed(serve: Serve, fault: str, heard: list[Message]) -> None:
    """Left out, doubled, moved, broken, put in: and the socket goes on with the next request."""
    with serve(faulty(one_socket(), fault)) as server, opened(server) as socket:
        socket.ask(asks("a"))
        assert [socket.hear() for _ in heard] == heard
        socket.ask(asks("b"))
        assert socket.hear() == CREATED


@pytest.mark.parametrize("offers", [(), ("Sec-WebSocket-Extensions: permessage-deflate",)])
def test_a_frame_is_too_big(serve: Serve, offers: tuple[str, ...]) -> None:
    """More than 16 MiB in one frame, compressed or not: its length stands in its head."""
    recording = Recording()
    upgraded = (
        ("upgrade", "websocket"),
        ("connection", "Upgrade"),
        ("sec-websocket-extensions", "permessage-deflate"),
    )
    recording.socket(wants(asks("a")), says(*answer("hi")), headers=upgraded)
    with (
        serve(faulty(recording, "1.1:oversize")) as server,
        raw_client(server.host, server.port) as client,
    ):
        client.send(handshake_bytes(SESSION_LINE, *offers))
        assert client.read_head()[0] == "HTTP/1.1 101 Switching Protocols"
        client.send(frame(0x1, json.dumps(asks("a")).encode()))
        first, length = client.read_exactly(2)
        assert (first & 0x8F, length) == (0x81, 127)
        assert bool(first & 0x40) is bool(offers)
        assert int.from_bytes(client.read_exactly(8)) > 16 * 1024 * 1024


@pytest.mark.parametrize("fault", ["1.2:stall", f"1.2:stall={HOUR}"])
def test_a_socket_falls_silent(serve: Serve, fault: str) -> None:
    """Before the event; but the server is still there, and answers a ping."""
    with serve(faulty(one_socket(), fault), factor=1.0) as server, opened(server) as socket:
        socket.ask(asks("a"))
        assert socket.hear() == CREATED
        socket.client.send(frame(PING, b"there?"))
        assert socket.hear() == Message(PieceKind.PONG, b"there?")


def test_a_server_is_gone(serve: Serve) -> None:
    """Half open: nothing more comes, not even the answer to a ping, and the connection stays."""
    with serve(faulty(one_socket(), "1.2:half-open")) as server, opened(server) as socket:
        socket.ask(asks("a"))
        assert socket.hear() == CREATED
        socket.client.send(frame(PING, b"there?"))
        assert_silent(socket.client)


def test_a_slow_first_byte(serve: Serve) -> None:
    """The handshake is answered, the request is not."""
    late = faulty(one_socket(), f"1:slow={HOUR}")
    with serve(late, factor=1.0) as server, opened(server) as socket:
        socket.ask(asks("a"))
        assert_silent(socket.client)


@pytest.mark.parametrize(
    ("fault", "status", "headers"),
    [
        ("1:refuse", "HTTP/1.1 426 Upgrade Required", []),
        ("1:refuse=503,retry-after=1", "HTTP/1.1 503 Service Unavailable", [("retry-after", "1")]),
    ],
)
def test_an_upgrade_is_refused(
    serve: Serve, fault: str, status: str, headers: list[tuple[str, str]]
) -> None:
    """The next one is accepted, as it was recorded."""
    with serve(faulty(one_socket(), fault)) as server:
        with raw_client(server.host, server.port) as client:
            client.send(handshake_bytes(SESSION_LINE))
            said, found = client.read_head()
            assert (said, found[2:]) == (status, headers)
        with opened(server) as socket:
            socket.ask(asks("a"))
            assert [socket.hear() for _ in EVENTS] == EVENTS


@pytest.mark.parametrize(("fault", "over"), [("1.0:cut", Over.FIN), ("1.0:reset", Over.RESET)])
def test_a_handshake_gets_no_answer(serve: Serve, fault: str, over: Over) -> None:
    """Event 0 of the first request on a socket is the answer to its handshake."""
    with (
        serve(faulty(one_socket(), fault)) as server,
        raw_client(server.host, server.port) as client,
    ):
        client.send(handshake_bytes(SESSION_LINE))
        assert client.read_to_end() == (b"", over)


def test_the_next_try_on_a_new_socket(serve: Serve) -> None:
    """It is answered as recorded, and so is what comes after it."""
    with serve(faulty(one_socket(), "2x2.2:cut")) as server:
        with opened(server) as socket:
            socket.ask(asks("a"))
            assert [socket.hear() for _ in EVENTS] == EVENTS
            socket.ask(asks("b"))
            assert socket.hear_to_end() == ([CREATED], Over.FIN)
        with opened(server) as socket:
            socket.ask(asks("b"))
            assert socket.hear_to_end() == ([CREATED], Over.FIN)
        with opened(server) as socket:
            socket.ask(asks("b"))
            heard = [socket.hear() for _ in EVENTS]
            assert json.loads(heard[1].data)["delta"] == "ho"
