"""WebSockets on the wire: handshakes, messages and control frames come as recorded."""

import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import pytest
from raw_client import Over, raw_client
from raw_websocket import (
    BINARY,
    PING,
    PONG,
    TEXT,
    frame,
    handshake_bytes,
    raw_socket,
)
from replaying import Replaying
from socket_talks import EVENTS, HEARD, SESSION_LINE, opened, pieces, talk
from tapes import (
    CUT,
    UPGRADED,
    Recording,
    answer,
    asks,
    control,
    says,
    wants,
)
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from replayer.report import Verdict
from wiretape.facts import EndKind, PieceKind, ResponseHead, Sender
from wiretape.frames import Message, PermessageDeflate

type Serve = Callable[..., AbstractContextManager[Replaying]]

COMPRESSED = (*UPGRADED, ("sec-websocket-extensions", "permessage-deflate"))
OFFER = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"


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
        "wiretape: this request is not as it was recorded (exchange 1, message 0): "
        'input[0].content[0].text was "a" and is "b"'
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
