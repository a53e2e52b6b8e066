"""WebSockets through the recorder: relayed byte for byte, and told message by message."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from mitmproxy import ctx
from provider import Provider
from provider_script import Accept, Close, Fin, Plain, Reply, Reset, Say, Script
from raw_sockets import RawServer, connect, read_request, reset, see, tunnelled
from recorded import Recorder, recorded, recording, wait_for
from websockets.exceptions import ConnectionClosedError, InvalidStatus
from websockets.extensions.permessage_deflate import (
    ClientPerMessageDeflateFactory,
    ServerPerMessageDeflateFactory,
)
from websockets.frames import Frame, Opcode
from websockets.sync.client import ClientConnection
from websockets.sync.client import connect as connect_websocket
from websockets.sync.server import ServerConnection, serve

from wiretape.facts import EndKind, Piece, PieceKind, Sender

CLIENT, SERVER = Sender.CLIENT, Sender.SERVER
UPGRADED = (
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Accept: HSmrc0sMlYUkAGmm5OPpG2HaGWk=\r\n\r\n"
)


def upgrading(port: int) -> bytes:
    return (
        f"GET http://127.0.0.1:{port}/v1/responses HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\n\r\n"
    ).encode()


@contextmanager
def serving(handler: Callable[[ServerConnection], None], **options: Any) -> Iterator[int]:
    """A WebSocket server of the library's on a free port."""
    with serve(handler, "127.0.0.1", 0, max_size=None, **options) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.socket.getsockname()[1]
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def dialled(
    recorder: Recorder, port: int, path: str = "/v1/responses", **options: Any
) -> Iterator[ClientConnection]:
    """A client's WebSocket through the recorder, tunnelled as clients do."""
    uri = f"ws://127.0.0.1:{port}{path}"
    wire = tunnelled(recorder.address, "127.0.0.1", port)
    with connect_websocket(uri, sock=wire, proxy=None, max_size=None, **options) as client:
        yield client


def answer_everything(connection: ServerConnection) -> None:
    """Sends each message back twice: as it was, and in two fragments."""
    for message in connection:
        connection.send(message)
        connection.send([message[:3], message[3:]])


def said(pieces: tuple[Piece, ...], *kinds: PieceKind) -> list[tuple[Sender, PieceKind, bytes]]:
    return [(p.sender, p.kind, p.data) for p in pieces if not kinds or p.kind in kinds]


MESSAGES = [
    '{"type":"response.create","input":"Grüße\u2028"}' * 3,
    b"\0\1\2binary",
    "",
    "x" * 200_000,
]


@pytest.mark.parametrize("takeover", [True, False], ids=["context kept", "no context kept"])
@pytest.mark.parametrize("is_compressed", [True, False], ids=["deflate", "plain"])
def test_messages_are_told_whole(tmp_path: Path, is_compressed: bool, takeover: bool) -> None:
    """Text, binary, empty and long ones, fragmented or not: the tape has what both ends had."""
    deflate: dict[str, Any] = {"compression": None}
    offer: dict[str, Any] = {"compression": None}
    if is_compressed:
        kept: dict[str, Any] = {
            "server_no_context_takeover": not takeover,
            "client_no_context_takeover": not takeover,
        }
        deflate["extensions"] = [ServerPerMessageDeflateFactory(**kept)]
        offer["extensions"] = [ClientPerMessageDeflateFactory(**kept)]
    with serving(answer_everything, **deflate) as port, recording(tmp_path) as recorder:
        with dialled(recorder, port, **offer) as client:
            received = []
            for message in MESSAGES:
                client.send(message)
                received += [client.recv(), client.recv()]
        recorder.settle()
    (found,) = recorded(recorder.tape)
    assert received == [message for message in MESSAGES for _ in range(2)]
    expected = []
    for message in MESSAGES:
        kind = PieceKind.TEXT if isinstance(message, str) else PieceKind.BINARY
        data = message.encode() if isinstance(message, str) else message
        expected += [(CLIENT, kind, data), (SERVER, kind, data), (SERVER, kind, data)]
    assert said(found.pieces, PieceKind.TEXT, PieceKind.BINARY) == expected


def test_a_message_of_twenty_megabytes(tmp_path: Path) -> None:
    """Whole, in both directions."""
    big = os.urandom(1 << 20) * 20
    with (
        serving(lambda connection: connection.send(connection.recv()), compression=None) as port,
        recording(tmp_path) as recorder,
    ):
        with dialled(recorder, port, compression=None) as client:
            client.send(big)
            assert client.recv() == big
        recorder.settle()
    (found,) = recorded(recorder.tape)
    assert said(found.pieces, PieceKind.BINARY) == [
        (CLIENT, PieceKind.BINARY, big),
        (SERVER, PieceKind.BINARY, big),
    ]


def test_pings_and_pongs_are_told(tmp_path: Path) -> None:
    """Of both sides, with what they carry."""

    def ping(connection: ServerConnection) -> None:
        assert connection.ping("from the server").wait(10)
        connection.send("answered")
        connection.recv()

    with serving(ping) as port, recording(tmp_path) as recorder:
        with dialled(recorder, port) as client:
            assert client.ping("from the client").wait(10)
            assert client.recv() == "answered"
            client.send("done")
        recorder.settle()
    (found,) = recorded(recorder.tape)
    assert sorted(said(found.pieces, PieceKind.PING, PieceKind.PONG)) == [
        (CLIENT, PieceKind.PING, b"from the client"),
        (CLIENT, PieceKind.PONG, b"from the server"),
        (SERVER, PieceKind.PING, b"from the server"),
        (SERVER, PieceKind.PONG, b"from the client"),
    ]


def test_frames_are_relayed_byte_for_byte(tmp_path: Path) -> None:
    """Fragments, pings among them and odd lengths arrive as they were written, at any split."""
    frames = [
        Frame(Opcode.TEXT, b"frag", fin=False),
        Frame(Opcode.PING, b"between"),
        Frame(Opcode.CONT, b"ment", fin=False),
        Frame(Opcode.CONT, b"ed"),
        Frame(Opcode.BINARY, bytes(70_000)),
        Frame(Opcode.TEXT, b""),
    ]
    up = b"".join(frame.serialize(mask=True) for frame in frames)
    down = b"".join(frame.serialize(mask=False) for frame in frames)
    heard: list[bytes] = []

    def serve_raw(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(UPGRADED)
        received = b""
        while len(received) < len(up):
            received += connection.recv(65536)
        heard.append(received)
        for start in range(0, 60, 7):
            connection.sendall(down[start : start + 7])
        connection.sendall(down[63:])

    with RawServer(serve_raw) as server, recording(tmp_path) as recorder:
        with connect(recorder.address) as client:
            client.sendall(upgrading(server.port))
            wait_for(lambda: client.recv(len(UPGRADED)) == UPGRADED)
            client.sendall(up[:11])
            client.sendall(up[11:])
            assert see(client).data == down
        recorder.settle()
    (found,) = recorded(recorder.tape)
    assert heard == [up]
    for sender in Sender:
        assert [(p.kind, p.data) for p in found.pieces if p.sender is sender] == [
            (PieceKind.PING, b"between"),
            (PieceKind.TEXT, b"fragmented"),
            (PieceKind.BINARY, bytes(70_000)),
            (PieceKind.TEXT, b""),
        ]


def test_bytes_that_are_no_frames_are_kept_as_they_came(tmp_path: Path) -> None:
    """An upgraded connection may speak anything: it passes, and is told as undecoded."""

    def serve_raw(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(UPGRADED + b"\x81\x02ok" + b"\xff\xffnot a frame")
        connection.recv(100)

    with RawServer(serve_raw) as server, recording(tmp_path) as recorder:
        with connect(recorder.address) as client:
            client.sendall(upgrading(server.port))
            received = b""
            while not received.endswith(b"not a frame"):
                received += client.recv(65536)
        recorder.settle()
    (found,) = recorded(recorder.tape)
    assert said(found.pieces) == [
        (SERVER, PieceKind.TEXT, b"ok"),
        (SERVER, PieceKind.UNDECODED, b"\xff\xffnot a frame"),
    ]


CREATE = '{"type":"response.create","input":[],"tools":[]}'


@pytest.mark.parametrize(
    ("end", "sees", "tape"),
    [
        (Close(1011, "no more"), 1011, (EndKind.WEBSOCKET_CLOSED, SERVER, 1011, "no more")),
        (Close(1000), 1000, (EndKind.WEBSOCKET_CLOSED, SERVER, 1000, "")),
        (Close(4000, "ours"), 4000, (EndKind.WEBSOCKET_CLOSED, SERVER, 4000, "ours")),
        (Fin(), 1006, (EndKind.SERVER_CLOSED, SERVER, None, None)),
        (Reset(), 1006, (EndKind.RESET, SERVER, None, None)),
    ],
    ids=["1011", "1000", "4000", "fin", "reset"],
)
def test_how_the_server_ends_a_socket(
    tmp_path: Path,
    end: Close | Fin | Reset,
    sees: int,
    tape: tuple[EndKind, Sender, int | None, str | None],
) -> None:
    """The client gets code and reason as they were sent, or none; the tape says which side."""
    script = Script(upgrades=(Accept(),), messages=(Reply(Say("hello"), end=end),))
    with Provider(script) as provider, recording(tmp_path) as recorder:
        with dialled(recorder, provider.port, close_timeout=1) as client:
            client.send(CREATE)
            list_messages(client)
        recorder.settle()
    (found,) = recorded(recorder.tape)
    ended = found.end
    assert client.close_code == sees
    assert (ended.how, ended.side, ended.code, ended.reason) == tape
    assert any(b"response.completed" in data for _, _, data in said(found.pieces))


def list_messages(client: ClientConnection) -> list[str | bytes]:
    """Everything up to the end of the socket, whichever it is."""
    messages: list[str | bytes] = []
    with suppress(ConnectionClosedError):
        messages.extend(client)
    return messages


@pytest.mark.parametrize(
    ("leave", "tape"),
    [
        (lambda c: c.close(1001, "bye"), (EndKind.WEBSOCKET_CLOSED, CLIENT, 1001)),
        (lambda c: c.socket.shutdown(socket.SHUT_RDWR), (EndKind.CLIENT_CLOSED, CLIENT, None)),
        (lambda c: reset(c.socket), (EndKind.RESET, CLIENT, None)),
    ],
    ids=["close frame", "fin", "reset"],
)
def test_how_the_client_ends_a_socket(
    tmp_path: Path,
    leave: Callable[[ClientConnection], None],
    tape: tuple[EndKind, Sender, int | None],
) -> None:
    """With a close frame, by dropping the connection, by a reset: each is told apart."""
    script = Script(upgrades=(Accept(),), messages=(Reply(Say("hello")),))
    with (
        Provider(script) as provider,
        recording(tmp_path) as recorder,
        dialled(recorder, provider.port, close_timeout=0.1) as client,
    ):
        client.send(CREATE)
        while "response.completed" not in str(client.recv()):
            pass
        leave(client)
        recorder.settle()
    (found,) = recorded(recorder.tape)
    assert (found.end.how, found.end.side, found.end.code) == tape


def test_many_requests_share_a_socket(tmp_path: Path) -> None:
    """One exchange on the tape, with every request and its events in order."""
    script = Script(upgrades=(Accept(),), messages=(Reply(Say("one")), Reply(Say("two"))))
    with Provider(script) as provider, recording(tmp_path) as recorder:
        with dialled(recorder, provider.port) as client:
            for _ in range(2):
                client.send(CREATE)
                while "response.completed" not in str(client.recv()):
                    pass
        recorder.settle()
    (found,) = recorded(recorder.tape)
    marks = [
        "asked" if sender is CLIENT else "completed"
        for sender, _, data in said(found.pieces, PieceKind.TEXT)
        if sender is CLIENT or b'"type":"response.completed"' in data
    ]
    assert marks == ["asked", "completed", "asked", "completed"]
    times = [piece.at_us for piece in found.pieces]
    assert times == sorted(times)


@pytest.mark.parametrize("status", [401, 426, 500])
def test_a_refused_upgrade(tmp_path: Path, status: int) -> None:
    """The client gets the status and its body, and the tape too."""
    script = Script(upgrades=(Plain(status, '{"error":"no"}'),))
    with Provider(script) as provider, recording(tmp_path) as recorder:
        with pytest.raises(InvalidStatus) as refusal, dialled(recorder, provider.port):
            pass
        recorder.settle()
    (found,) = recorded(recorder.tape)
    assert refusal.value.response.status_code == status
    assert refusal.value.response.body == b'{"error":"no"}'
    assert (found.status, found.data) == (status, b'{"error":"no"}')
    assert found.exchange.is_upgrade
    assert not found.exchange.is_websocket
    assert found.end.how is EndKind.COMPLETE


def test_other_sockets_pass_unrecorded(tmp_path: Path) -> None:
    """A WebSocket that is not for responses works, and leaves nothing on the tape."""
    with serving(answer_everything) as port, recording(tmp_path) as recorder:
        with dialled(recorder, port, "/v1/realtime") as client:
            client.send("hello")
            assert client.recv() == "hello"
        recorder.settle()
    assert recorded(recorder.tape) == []


def test_a_socket_may_rest_for_hours(tmp_path: Path) -> None:
    """The proxy would cut a silent connection after ten minutes: its limit is out of reach."""
    with recording(tmp_path), serving(answer_everything):
        assert ctx.options.tcp_timeout > 365 * 24 * 3600
