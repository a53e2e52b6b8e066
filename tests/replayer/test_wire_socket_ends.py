"""How WebSockets end on the wire: close frames of any kind, drops, and clients that leave."""

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from socket import create_connection

import pytest
from raw_client import TIMEOUT_S, Over
from raw_websocket import (
    CLOSE,
    PING,
    TEXT,
    frame,
    handshake_bytes,
)
from replaying import Replaying
from socket_talks import EVENTS, HEARD, SESSION_LINE, opened, pieces, talk
from tapes import (
    CUT,
    RESET,
    Ending,
    Recording,
    asks,
    close_frame,
    says,
    server_closed,
    wants,
)
from websockets.asyncio.client import connect as connect_async
from websockets.exceptions import ConnectionClosed, ConnectionClosedOK
from websockets.sync.client import connect

from wiretape.facts import End, EndKind, PieceKind, Sender
from wiretape.frames import Message

type Serve = Callable[..., AbstractContextManager[Replaying]]


CLOSES = [
    (1000, ""),
    (1001, "going away"),
    (1011, "scripted failure ✓"),
    (1012, ""),
    (1005, "never on a wire"),
    (1006, ""),
    (1015, ""),
    (999, "too low"),
    (3000, "x" * 123),
    (4999, ""),
    (65535, ""),
    (None, ""),
]


@pytest.mark.parametrize(("code", "reason"), CLOSES)
def test_a_close_frame_is_sent_as_it_was(serve: Serve, code: int | None, reason: str) -> None:
    """Every code and reason, allowed or not, or none at all; then FIN, once it is answered."""
    closed = close_frame(code, reason)
    with (
        serve(talk(says(*EVENTS), (closed,), ending=server_closed(code, reason))) as server,
        opened(server) as socket,
    ):
        socket.ask(asks("a"))
        assert [socket.hear() for _ in range(4)] == [*HEARD, Message(PieceKind.CLOSE, closed.data)]
        socket.client.connection.settimeout(0.02)
        with pytest.raises(TimeoutError):
            socket.client.connection.recv(1)
        socket.client.connection.settimeout(TIMEOUT_S)
        socket.client.send(frame(CLOSE, closed.data))
        assert socket.hear_to_end() == ([], Over.FIN)
    ends = [fact for fact in server.facts if isinstance(fact, End)]
    assert ends == [
        End(1, 0, EndKind.WEBSOCKET_CLOSED, Sender.SERVER, code, reason if code else "")
    ]


def test_a_client_sees_the_recorded_close(serve: Serve) -> None:
    """As a library tells it, without waiting for anything."""
    steps = (close_frame(1011, "scripted failure"),)
    url = "/v1/responses"
    with (
        serve(talk(steps, ending=server_closed(1011))) as server,
        connect(f"ws://127.0.0.1:{server.port}{url}") as mine,
    ):
        mine.send(json.dumps(asks("a")))
        with pytest.raises(ConnectionClosed) as closed:
            mine.recv()
        assert closed.value.rcvd is not None
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1011, "scripted failure")


def test_a_close_frame_that_nobody_answers_is_followed_by_fin(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server waits for the answer, but not for ever."""
    monkeypatch.setattr("replayer.socket_server._CLOSE_ANSWER_S", 0.05)
    with (
        serve(talk((close_frame(1000),), ending=server_closed(1000))) as server,
        opened(server) as socket,
    ):
        socket.ask(asks("a"))
        assert socket.hear_to_end() == ([Message(PieceKind.CLOSE, b"\x03\xe8")], Over.FIN)


@pytest.mark.parametrize(("ending", "over"), [(CUT, Over.FIN), (RESET, Over.RESET)])
def test_a_socket_without_a_close_frame_is_dropped(
    serve: Serve, ending: Ending, over: Over
) -> None:
    """FIN or RST, after every message that came before it."""
    with serve(talk(says(*EVENTS), ending=ending)) as server, opened(server) as socket:
        socket.ask(asks("a"))
        assert socket.hear_to_end() == (HEARD, over)
    kind = EndKind.SERVER_CLOSED if ending is CUT else EndKind.RESET
    assert server.ends() == [(kind, Sender.SERVER)]


def test_a_client_that_closes_is_answered_at_once(serve: Serve) -> None:
    """Its close frame comes back, then FIN: a client that waits for it waits for nothing."""
    steps = (close_frame(1000, "bye", Sender.CLIENT), close_frame(1000, "bye"))
    ending = Ending(EndKind.WEBSOCKET_CLOSED, Sender.CLIENT, 1000, "bye")
    with serve(talk(says(*EVENTS), steps, ending=ending)) as server, opened(server) as socket:
        socket.ask(asks("a"))
        assert [socket.hear() for _ in EVENTS] == HEARD
        socket.client.send(frame(CLOSE, b"\x03\xe8bye"))
        assert socket.hear_to_end() == ([Message(PieceKind.CLOSE, b"\x03\xe8bye")], Over.FIN)
    assert server.ends() == [(EndKind.WEBSOCKET_CLOSED, Sender.CLIENT)]
    assert pieces(server)[-2:] == [
        (Sender.CLIENT, PieceKind.CLOSE, b"\x03\xe8bye"),
        (Sender.SERVER, PieceKind.CLOSE, b"\x03\xe8bye"),
    ]


UNANSWERED = (close_frame(1000, "bye", Sender.CLIENT),)
LEFT_UNANSWERED = Ending(EndKind.WEBSOCKET_CLOSED, Sender.CLIENT, 1000, "bye")


def test_a_close_frame_that_was_not_answered_is_not_answered(serve: Serve) -> None:
    """A client that waits for it hears the end of the connection, and waits no longer."""
    with (
        serve(talk(says(*EVENTS), UNANSWERED, ending=LEFT_UNANSWERED)) as server,
        opened(server) as socket,
    ):
        socket.ask(asks("a"))
        assert [socket.hear() for _ in EVENTS] == HEARD
        socket.client.send(frame(CLOSE, b"\x03\xe8bye"))
        assert socket.hear_to_end() == ([], Over.FIN)
    assert pieces(server)[-1] == (Sender.CLIENT, PieceKind.CLOSE, b"\x03\xe8bye")
    assert server.ends() == [(EndKind.WEBSOCKET_CLOSED, Sender.CLIENT)]


def test_a_client_that_is_not_answered_may_leave(serve: Serve) -> None:
    """As it did in the recording, an hour sooner than the server would have gone."""
    recording = Recording()
    number = recording.open_socket()
    recording.on(number, wants(asks("a")), says(*EVENTS), UNANSWERED)
    recording.pause(3600_000_000)
    recording.end(number, LEFT_UNANSWERED)
    with serve(recording, factor=1.0) as server:
        with opened(server) as socket:
            socket.ask(asks("a"))
            assert [socket.hear() for _ in EVENTS] == HEARD
            socket.client.send(frame(CLOSE, b"\x03\xe8bye"))
        assert server.ends() == [(EndKind.WEBSOCKET_CLOSED, Sender.CLIENT)]
    assert pieces(server)[-1] == (Sender.CLIENT, PieceKind.CLOSE, b"\x03\xe8bye")


def test_a_client_that_closes_in_the_middle_of_an_answer(serve: Serve) -> None:
    """It is answered whatever else there was to say, an hour later."""
    recording = Recording()
    number = recording.open_socket()
    recording.on(number, wants(asks("a")), says(EVENTS[0]))
    recording.pause(3600_000_000)
    recording.on(number, says(EVENTS[1]))
    with serve(recording, factor=1.0) as server, opened(server) as socket:
        socket.ask(asks("a"))
        assert socket.hear() == HEARD[0]
        socket.client.send(frame(CLOSE, b""))
        assert socket.hear_to_end() == ([Message(PieceKind.CLOSE, b"")], Over.FIN)


def test_a_library_closes_without_waiting(serve: Serve) -> None:
    """The closing handshake is complete, and both sides know it."""

    async def run(port: int) -> None:
        url = f"ws://127.0.0.1:{port}/v1/responses"
        async with connect_async(url, close_timeout=3600) as mine:
            await mine.send(json.dumps(asks("a")))
            assert [await mine.recv(decode=False) for _ in EVENTS] == [x.data for x in HEARD]
            await mine.close(1000, "done")
            with pytest.raises(ConnectionClosedOK):
                await mine.recv()

    with serve(talk(says(*EVENTS))) as server:
        asyncio.run(run(server.port))


def test_a_client_that_drops_is_noted(serve: Serve) -> None:
    """Codex drops a finished socket without a close frame."""
    with serve(talk(says(*EVENTS))) as server:
        with opened(server) as socket:
            socket.ask(asks("a"))
            assert [socket.hear() for _ in EVENTS] == HEARD
        assert server.ends() == [(EndKind.CLIENT_CLOSED, Sender.CLIENT)]


def test_a_client_may_leave_in_a_flood(serve: Serve) -> None:
    """In the middle of many megabytes: the server notes it, and goes on with others."""
    recording = Recording()
    recording.socket(wants(asks("a")), says(*[{"type": "x" * 1_000_000}] * 16))
    recording.socket(wants(asks("b")), says(EVENTS[1]))
    with serve(recording) as server:
        with opened(server) as socket:
            socket.ask(asks("a"))
            socket.hear()
        assert server.ends() == [(EndKind.CLIENT_CLOSED, Sender.CLIENT)]
        with opened(server) as socket:
            socket.ask(asks("b"))
            assert socket.hear() == HEARD[1]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\x81\x05hello", 1002),
        (frame(0x3, b""), 1002),
        (frame(TEXT, b"x", flags=0x40), 1002),
        (frame(0, b"x"), 1002),
        (frame(PING, b"x" * 126), 1002),
        (frame(CLOSE, b"\x03"), 1002),
        (frame(CLOSE, (999).to_bytes(2)), 1002),
    ],
)
def test_what_is_no_websocket_is_closed(serve: Serve, data: bytes, code: int) -> None:
    """Unmasked frames, unknown ones, stray fragments, broken control frames: as the standard wants
    it, and nothing fails inside."""
    with serve(talk(says(*EVENTS))) as server:
        with opened(server) as socket:
            socket.client.send(data)
            (closed,), over = socket.hear_to_end()
            assert (closed.kind, closed.data[:2], over) == (
                PieceKind.CLOSE,
                code.to_bytes(2),
                Over.FIN,
            )
        assert server.ends() == [(EndKind.WEBSOCKET_CLOSED, Sender.SERVER)]
    assert pieces(server)[-1] == (Sender.SERVER, PieceKind.CLOSE, closed.data)


def test_the_end_of_the_server_is_noted(serve: Serve) -> None:
    """A socket that is still open is cut off, and the tape says why."""
    with serve(talk(says(*EVENTS))) as server:
        client = create_connection((server.host, server.port))
        client.sendall(handshake_bytes(SESSION_LINE))
        assert client.recv(12) == b"HTTP/1.1 101"
    client.close()
    assert server.ends() == [(EndKind.RECORDER_STOPPED, None)]
