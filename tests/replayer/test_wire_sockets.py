"""WebSockets on the wire: messages, control frames, closes and drops come as recorded."""

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from socket import create_connection
from typing import Any

import pytest
from raw_client import TIMEOUT_S, Over, raw_client
from raw_websocket import (
    BINARY,
    CLOSE,
    PING,
    PONG,
    TEXT,
    RawSocket,
    frame,
    handshake_bytes,
    raw_socket,
)
from replaying import Replaying
from tapes import (
    CUT,
    LEFT,
    RESET,
    SESSION,
    UPGRADED,
    Ending,
    Recording,
    answer,
    asks,
    close_frame,
    control,
    says,
    server_closed,
    wants,
)
from websockets.asyncio.client import connect as connect_async
from websockets.exceptions import ConnectionClosed, ConnectionClosedOK, InvalidStatus
from websockets.sync.client import connect

from replayer.report import Verdict
from wiretape.facts import End, EndKind, Piece, PieceKind, ResponseHead, Sender
from wiretape.frames import Message, PermessageDeflate

type Serve = Callable[..., AbstractContextManager[Replaying]]

SESSION_LINE = f"session_id: {SESSION}"
EVENTS = ({"type": "one", "text": "\u2028 ✓ \x00"}, {"type": "two"}, {"type": "x" * 70_000})
HEARD = [Message(PieceKind.TEXT, json.dumps(event).encode()) for event in EVENTS]
COMPRESSED = (*UPGRADED, ("sec-websocket-extensions", "permessage-deflate"))
OFFER = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"


def talk(*steps: Any, ending: Ending = LEFT, **more: Any) -> Recording:
    """A socket on which one request is asked, then these things cross."""
    recording = Recording()
    recording.socket(wants(asks("a")), *steps, ending=ending, **more)
    return recording


def opened(server: Replaying, *lines: str) -> AbstractContextManager[RawSocket]:
    return raw_socket(server.host, server.port, SESSION_LINE, *lines)


def pieces(server: Replaying) -> list[tuple[Sender, PieceKind, bytes]]:
    """What crossed, on the replay's own tape."""
    return [(x.sender, x.kind, x.data) for x in server.facts if isinstance(x, Piece)]


@pytest.mark.parametrize("factor", [None, 1.0])
def test_messages_come_as_they_were(serve: Serve, factor: float | None) -> None:
    """Each message whole, in order, at full speed and at the recorded pace."""
    with serve(talk(says(*EVENTS)), factor=factor) as server, opened(server) as socket:
        socket.ask(asks("a"))
        assert [socket.hear() for _ in EVENTS] == HEARD
    assert [each.verdict for each in server.report.requests] == [Verdict.EXACT, Verdict.EXACT]
    assert pieces(server) == [
        (Sender.CLIENT, PieceKind.TEXT, json.dumps(asks("a")).encode()),
        *((Sender.SERVER, message.kind, message.data) for message in HEARD),
    ]


def test_many_requests_on_one_socket(serve: Serve) -> None:
    """One answer after the other, and each event of an answer before the next request."""
    recording = Recording()
    recording.socket(*((*wants(asks(str(n))), *says(*answer(str(n)))) for n in range(20)))
    with serve(recording) as server, connect(f"ws://127.0.0.1:{server.port}/v1/responses") as mine:
        for number in range(20):
            mine.send(json.dumps(asks(str(number))))
            assert [json.loads(mine.recv()) for _ in range(3)] == list(answer(str(number)))
    assert len(server.report.requests) == 21


def test_the_handshake_is_answered_as_recorded(serve: Serve) -> None:
    """Recorded headers in their order, with what belongs to this handshake in its place."""
    headers = (
        ("Date", "then"),
        ("Upgrade", "websocket"),
        ("x-codex-turn-state", "state"),
        ("Connection", "Upgrade"),
        ("Sec-WebSocket-Accept", "another"),
        ("set-cookie", "[removed: set-cookie]"),
    )
    with serve(talk(headers=headers)) as server, opened(server) as socket:
        assert socket.head == (
            ("Date", "then"),
            ("Upgrade", "websocket"),
            ("x-codex-turn-state", "state"),
            ("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
            ("connection", "Upgrade"),
        )


def test_what_follows_the_handshake_at_once_is_heard(serve: Serve) -> None:
    """A client may send its first message without waiting for the answer."""
    with serve(talk(says(*EVENTS))) as server, raw_client(server.host, server.port) as client:
        message = frame(TEXT, json.dumps(asks("a")).encode())
        client.send(handshake_bytes(SESSION_LINE) + message[:10])
        client.read_head()
        client.send(message[10:])
        assert client.read_exactly(2)[0] == 0x81


def test_without_compression_in_the_recording_there_is_none(serve: Serve) -> None:
    """A client's offer is not taken up."""
    with serve(talk(says(*EVENTS))) as server, opened(server, OFFER) as socket:
        socket.ask(asks("a"))
        assert [socket.hear() for _ in EVENTS] == HEARD


@pytest.mark.parametrize("keeps_context", [True, False])
def test_compression_is_the_recorded_one(serve: Serve, keeps_context: bool) -> None:
    """With and without context from message to message; what is said is the same."""
    parameters = "" if keeps_context else "; server_no_context_takeover"
    headers = (*UPGRADED, ("sec-websocket-extensions", f"permessage-deflate{parameters}"))
    deflate = PermessageDeflate(server_no_context_takeover=not keeps_context)
    recording = Recording()
    recording.socket(
        wants(asks("a")), says(*EVENTS), wants(asks("b")), says(*EVENTS), headers=headers
    )
    with (
        serve(recording) as server,
        raw_socket(server.host, server.port, SESSION_LINE, OFFER, deflate=deflate) as socket,
    ):
        assert ("sec-websocket-extensions", f"permessage-deflate{parameters}") in socket.head
        for text in ("a", "b"):
            socket.ask(asks(text))
            assert [socket.hear() for _ in EVENTS] == HEARD
        assert socket.reader.fault is None


def test_what_is_compressed_is_marked_and_small(serve: Serve) -> None:
    """A message of 70 kB crosses in a frame of a few hundred bytes."""
    recording = talk(says(EVENTS[2]), headers=COMPRESSED, ending=CUT)
    with serve(recording) as server, opened(server, OFFER) as socket:
        socket.ask(asks("a"))
        data, _ = socket.client.read_to_end()
    assert data[0] == 0xC1
    assert len(data) < 500


def test_a_client_without_compression_is_sent_none(serve: Serve) -> None:
    """Whatever was agreed on in the recording."""
    with serve(talk(says(*EVENTS), headers=COMPRESSED)) as server, opened(server) as socket:
        socket.ask(asks("a"))
        assert [socket.hear() for _ in EVENTS] == HEARD


def test_a_compressed_request_is_understood(serve: Serve) -> None:
    """Clients compress what they ask, with context from message to message."""
    recording = Recording()
    recording.socket(
        wants(asks("a")), says(*answer("a")), wants(asks("b")), says(*answer("b")),
        headers=COMPRESSED,
    )  # fmt: skip
    url = "/v1/responses"
    with serve(recording) as server, connect(f"ws://127.0.0.1:{server.port}{url}") as mine:
        assert mine.response is not None
        assert mine.response.headers["Sec-WebSocket-Extensions"] == "permessage-deflate"
        for text in ("a", "b"):
            mine.send(json.dumps(asks(text)))
            assert [json.loads(mine.recv()) for _ in range(3)] == list(answer(text))


@pytest.mark.parametrize("headers", [UPGRADED, COMPRESSED])
def test_twenty_megabytes_either_way(serve: Serve, headers: Any) -> None:
    """There is no limit to the size of a message, asked or answered."""
    text = "x" * 20_000_000
    recording = Recording()
    recording.socket(wants(asks(text)), says({"type": text}), headers=headers)
    url = "/v1/responses"
    with (
        serve(recording) as server,
        connect(f"ws://127.0.0.1:{server.port}{url}", max_size=None) as mine,
    ):
        mine.send(json.dumps(asks(text)))
        assert json.loads(mine.recv()) == {"type": text}
    assert server.report.requests[1].verdict is Verdict.EXACT


def test_fragments_are_one_request(serve: Serve) -> None:
    """A message may come in fragments, with a ping in between."""
    data = json.dumps(asks("a")).encode()
    with serve(talk(says(*EVENTS))) as server, opened(server) as socket:
        socket.client.send(frame(TEXT, data[:9], is_final=False) + frame(PING, b"p"))
        socket.client.send(frame(0, data[9:20], is_final=False) + frame(0, data[20:]))
        assert [socket.hear() for _ in range(4)] == [Message(PieceKind.PONG, b"p"), *HEARD]


def test_pings_are_answered_both_ways_and_noted(serve: Serve) -> None:
    """The server's recorded ping comes again; the client's is answered when it comes."""
    steps = (*control(Sender.SERVER, PieceKind.PING, b"s"), *says(EVENTS[1]))
    with serve(talk(steps)) as server:
        with opened(server) as socket:
            socket.ask(asks("a"))
            assert socket.hear() == Message(PieceKind.PING, b"s")
            socket.client.send(frame(PONG, b"s") + frame(PING, b"c"))
            assert [socket.hear(), socket.hear()] == [HEARD[1], Message(PieceKind.PONG, b"c")]
        server.ends()
    assert pieces(server)[1:] == [
        (Sender.SERVER, PieceKind.PING, b"s"),
        (Sender.SERVER, PieceKind.TEXT, HEARD[1].data),
        (Sender.CLIENT, PieceKind.PONG, b"s"),
        (Sender.CLIENT, PieceKind.PING, b"c"),
        (Sender.SERVER, PieceKind.PONG, b"c"),
    ]


def test_binary_messages_and_undecoded_bytes_come_again(serve: Serve) -> None:
    """Even what is no valid frame, byte for byte."""
    steps = (
        *control(Sender.SERVER, PieceKind.BINARY, b"\x00\x01"),
        *control(Sender.SERVER, PieceKind.UNDECODED, b"\xf3\x00 not a frame"),
    )
    with serve(talk(steps, ending=CUT)) as server, opened(server) as socket:
        socket.ask(asks("a"))
        heard, over = socket.hear_to_end()
    assert heard == [
        Message(PieceKind.BINARY, b"\x00\x01"),
        Message(PieceKind.UNDECODED, b"\xf3\x00 not a frame"),
    ]
    assert over is Over.FIN


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


def test_a_message_need_not_be_json_nor_even_text(serve: Serve) -> None:
    """Whatever the client sends is looked for in the recording."""
    asked = control(Sender.CLIENT, PieceKind.BINARY, b"\x00")
    recording = Recording()
    recording.socket(wants(asks("a")), says(EVENTS[0]), asked, says(EVENTS[1]))
    with serve(recording) as server, opened(server) as socket:
        socket.ask(asks("a"))
        socket.client.send(frame(BINARY, b"\x00") + frame(TEXT, b"\xff\xfe"))
        assert [socket.hear(), socket.hear()] == HEARD[:2]
        assert json.loads(socket.hear().data)["type"] == "response.failed"
    assert [each.verdict for each in server.report.requests] == [
        Verdict.EXACT,
        Verdict.EXACT,
        Verdict.EXACT,
        Verdict.UNEXPECTED,
    ]
    asked_with = [(kind, data) for sender, kind, data in pieces(server) if sender is Sender.CLIENT]
    assert asked_with[1:] == [(PieceKind.BINARY, b"\x00"), (PieceKind.TEXT, b"\xff\xfe")]


def test_a_message_beyond_the_recorded_ones_is_refused(serve: Serve) -> None:
    """With an event that the client gives up on; the socket stays open."""
    with serve(talk(says(*EVENTS))) as server, opened(server) as socket:
        socket.ask(asks("a"))
        assert [socket.hear() for _ in EVENTS] == HEARD
        for _ in range(2):
            socket.ask(asks("b"))
            event = json.loads(socket.hear().data)
            assert event["type"] == "response.failed"
            assert event["response"]["error"]["code"] == "invalid_prompt"
    assert [each.verdict for each in server.report.requests][2:] == [Verdict.UNEXPECTED] * 2


def test_strict_refuses_a_changed_message(serve: Serve) -> None:
    """It is answered with what differs, and with nothing of the recording."""
    with serve(talk(says(*EVENTS)), is_strict=True) as server, opened(server) as socket:
        socket.ask(asks("b"))
        event = json.loads(socket.hear().data)
    assert event["response"]["error"]["message"] == (
        "wiretape: this request is not as it was recorded: "
        "input[0].content[0].text was 'a' and is 'b'"
    )


def test_a_refused_upgrade_is_refused_with_its_body(serve: Serve) -> None:
    """Status, reason, headers and body; the connection can be used again."""
    recording = Recording()
    upgrade = (("upgrade", "h2c"),)
    for body in (b"no sockets here", b"nor here"):
        recording.refused_upgrade(426, body, reason="Upgrade Required", headers=upgrade)
    with serve(recording) as server, raw_client(server.host, server.port) as client:
        for body in (b"no sockets here", b"nor here"):
            client.send(handshake_bytes(SESSION_LINE))
            assert client.read_head() == (
                "HTTP/1.1 426 Upgrade Required",
                [*upgrade, ("content-length", str(len(body)))],
            )
            assert client.read_exactly(len(body)) == body


def test_a_library_is_told_why_its_upgrade_was_refused(serve: Serve) -> None:
    """An upgrade that was not recorded is answered as a request that was not."""
    with serve(Recording()) as server:
        with pytest.raises(InvalidStatus) as refused:
            connect(f"ws://127.0.0.1:{server.port}/v1/responses").__enter__()
        assert refused.value.response.status_code == 400


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        ("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", "", 400),
        ("Version: 13", "Version: 8", 400),
        ("Connection: Upgrade", "Connection: close", 426),
    ],
)
def test_a_handshake_that_makes_no_sense_is_refused(
    serve: Serve, old: str, new: str, status: int
) -> None:
    """With a sentence, and without a traceback; a library would not ask like that."""
    with serve(talk(says(*EVENTS))) as server, raw_client(server.host, server.port) as client:
        client.send(handshake_bytes(SESSION_LINE).replace(old.encode(), new.encode()))
        line, _ = client.read_head()
        assert line.startswith(f"HTTP/1.1 {status} ")
        said, over = client.read_to_end()
        assert said.startswith(b"Failed to open a WebSocket connection: ")
        assert over is Over.FIN
    assert server.ends() == [(EndKind.COMPLETE, None)]


def test_a_handshake_keeps_its_pace(serve: Serve) -> None:
    """At the recorded pace the answer to a handshake comes no sooner than it did."""
    recording = Recording()
    recording.open_socket()
    head = recording.facts[-1]
    assert isinstance(head, ResponseHead)
    recording.facts[-1] = replace(head, at_us=head.at_us + 100_000)
    with serve(recording, factor=1.0) as server:
        began_s = time.monotonic()
        with opened(server):
            assert time.monotonic() - began_s >= 0.1


def test_the_end_of_the_server_is_noted(serve: Serve) -> None:
    """A socket that is still open is cut off, and the tape says why."""
    with serve(talk(says(*EVENTS))) as server:
        client = create_connection((server.host, server.port))
        client.sendall(handshake_bytes(SESSION_LINE))
        assert client.recv(12) == b"HTTP/1.1 101"
    client.close()
    assert server.ends() == [(EndKind.RECORDER_STOPPED, None)]
