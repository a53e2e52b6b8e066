"""The frame reader, against two other writers of frames, at every split, and on bytes gone bad.

The writers are wsproto (a whole handshake and conversation) and the frame encoder of websockets.
"""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streams import every_split
from websockets.extensions.permessage_deflate import PerMessageDeflate
from websockets.frames import Close, Frame, Opcode
from wsproto import ConnectionType, WSConnection, events
from wsproto.extensions import PerMessageDeflate as WsprotoDeflate

from wiretape.facts import Headers, PieceKind, Sender
from wiretape.frames import (
    FrameReader,
    Message,
    PermessageDeflate,
    close_code_and_reason,
    negotiated,
)

TEXT, BINARY, UNDECODED = PieceKind.TEXT, PieceKind.BINARY, PieceKind.UNDECODED
CLIENT, SERVER = Sender.CLIENT, Sender.SERVER
DEFLATE = PermessageDeflate()
NO_CONTEXT = PermessageDeflate(server_no_context_takeover=True, client_no_context_takeover=True)
SMALL_WINDOWS = PermessageDeflate(server_max_window_bits=9, client_max_window_bits=9)

QUESTION = '{"type":"response.create","input":"Grüße, 世界\u2028🙂"}'
ANSWER = '{"type":"response.completed","response":{"id":"resp_1"}}'
CONVERSATION = [
    events.TextMessage(QUESTION),
    events.Ping(b"alive?"),
    events.TextMessage(ANSWER[:20], message_finished=False),
    events.Pong(b"alive"),
    events.TextMessage(ANSWER[20:30], message_finished=False),
    events.TextMessage(ANSWER[30:]),
    events.TextMessage(QUESTION),
    events.BytesMessage(bytes(range(256)) * 300),
    events.TextMessage(""),
    events.CloseConnection(1011, "gone away"),
]
HEARD = [
    Message(TEXT, QUESTION.encode()),
    Message(PieceKind.PING, b"alive?"),
    Message(PieceKind.PONG, b"alive"),
    Message(TEXT, ANSWER.encode()),
    Message(TEXT, QUESTION.encode()),
    Message(BINARY, bytes(range(256)) * 300),
    Message(TEXT, b""),
    Message(PieceKind.CLOSE, b"\x03\xf3gone away"),
]


def conversation(
    sender: Sender, accepted: PermessageDeflate | None
) -> tuple[PermessageDeflate | None, list[bytes]]:
    """What the handshake of two wsproto ends agrees on, and the frames that ``sender`` writes."""
    client, server = WSConnection(ConnectionType.CLIENT), WSConnection(ConnectionType.SERVER)
    offer = [WsprotoDeflate()] if accepted else []
    server.receive_data(client.send(events.Request("localhost", "/", extensions=offer)))
    assert isinstance(next(server.events()), events.Request)
    answer = server.send(
        events.AcceptConnection(
            extensions=[
                WsprotoDeflate(
                    client_no_context_takeover=accepted.client_no_context_takeover,
                    client_max_window_bits=accepted.client_max_window_bits,
                    server_no_context_takeover=accepted.server_no_context_takeover,
                    server_max_window_bits=accepted.server_max_window_bits,
                )
            ]
            if accepted
            else []
        )
    )
    client.receive_data(answer)
    assert isinstance(next(client.events()), events.AcceptConnection)
    lines = answer.decode("latin-1").split("\r\n")
    headers = tuple((name, value) for name, _, value in (x.partition(": ") for x in lines if x))
    end = client if sender is CLIENT else server
    return negotiated(headers), [end.send(event) for event in CONVERSATION]


def read(reader: FrameReader, pieces: Iterable[bytes]) -> list[Message]:
    """Every message of the pieces, to the end of the socket."""
    return [message for piece in pieces for message in reader.feed(piece)] + reader.close()


def frames(
    *items: Frame, deflate: PermessageDeflate | None = None, sender: Sender = SERVER
) -> bytes:
    """Frames as the encoder of websockets writes them for the sender."""
    extensions = []
    if deflate is not None:
        bits = {
            CLIENT: deflate.client_max_window_bits,
            SERVER: deflate.server_max_window_bits,
        }[sender]
        keeps = deflate.keeps_context(sender)
        extensions = [PerMessageDeflate(not keeps, not keeps, bits, bits)]
    return b"".join(item.serialize(mask=sender is CLIENT, extensions=extensions) for item in items)


@pytest.mark.parametrize("sender", [CLIENT, SERVER])
@pytest.mark.parametrize("deflate", [None, DEFLATE, NO_CONTEXT, SMALL_WINDOWS])
def test_a_conversation_is_heard_as_it_was_said(
    sender: Sender, deflate: PermessageDeflate | None
) -> None:
    """Masked or not, fragmented, compressed in every way: the messages, in the wire's order."""
    agreed, written = conversation(sender, deflate)
    reader = FrameReader(sender, agreed)
    assert read(reader, [b"".join(written)]) == HEARD
    assert reader.fault is None


@pytest.mark.parametrize("sender", [CLIENT, SERVER])
@pytest.mark.parametrize("deflate", [None, DEFLATE, NO_CONTEXT])
def test_byte_by_byte_gives_the_same(sender: Sender, deflate: PermessageDeflate | None) -> None:
    """A conversation fed one byte at a time gives the same messages."""
    agreed, written = conversation(sender, deflate)
    pieces = (bytes([byte]) for byte in b"".join(written))
    assert read(FrameReader(sender, agreed), pieces) == HEARD


SHORT = [
    Frame(Opcode.TEXT, QUESTION.encode()),
    Frame(Opcode.TEXT, ANSWER[:10].encode(), fin=False),
    Frame(Opcode.PING, b""),
    Frame(Opcode.CONT, ANSWER[10:].encode()),
    Frame(Opcode.BINARY, bytes(200)),
    Frame(Opcode.CLOSE, Close(1000, "").serialize()),
]
SHORT_HEARD = [
    Message(TEXT, QUESTION.encode()),
    Message(PieceKind.PING, b""),
    Message(TEXT, ANSWER.encode()),
    Message(BINARY, bytes(200)),
    Message(PieceKind.CLOSE, b"\x03\xe8"),
]


@pytest.mark.parametrize("sender", [CLIENT, SERVER])
@pytest.mark.parametrize("deflate", [None, DEFLATE, NO_CONTEXT, SMALL_WINDOWS])
def test_every_split_in_two_gives_the_same(
    sender: Sender, deflate: PermessageDeflate | None
) -> None:
    """Frames of another encoder, cut in two anywhere, give the same messages."""
    for split in every_split(frames(*SHORT, deflate=deflate, sender=sender)):
        assert read(FrameReader(sender, deflate), split) == SHORT_HEARD


@given(st.lists(st.tuples(st.booleans(), st.binary(max_size=300)), max_size=8), st.data())
def test_any_messages_at_any_split_come_back(
    messages: list[tuple[bool, bytes]], data: st.DataObject
) -> None:
    """Whatever the messages and wherever their frames are cut, they come back as they were."""
    sender = data.draw(st.sampled_from([CLIENT, SERVER]))
    deflate = data.draw(st.sampled_from([None, DEFLATE, NO_CONTEXT, SMALL_WINDOWS]))
    written = frames(
        *(Frame(Opcode.TEXT if is_text else Opcode.BINARY, body) for is_text, body in messages),
        deflate=deflate,
        sender=sender,
    )
    cut = data.draw(st.integers(0, len(written)))
    heard = read(FrameReader(sender, deflate), [written[:cut], written[cut:]])
    assert heard == [Message(TEXT if is_text else BINARY, body) for is_text, body in messages]


@pytest.mark.parametrize("size_bytes", [0, 1, 125, 126, 65_535, 65_536, 17 << 20])
@pytest.mark.parametrize("sender", [CLIENT, SERVER])
def test_every_width_of_length_is_read(size_bytes: int, sender: Sender) -> None:
    """Lengths of 7, 16 and 64 bits, above 16 MiB too, masked or not."""
    body = (bytes(range(251)) * (size_bytes // 251 + 1))[:size_bytes]
    written = frames(Frame(Opcode.BINARY, body), sender=sender)
    pieces = (written[at : at + 65_536] for at in range(0, len(written), 65_536))
    assert read(FrameReader(sender, None), pieces) == [Message(BINARY, body)]


def test_a_message_is_given_with_its_last_byte() -> None:
    """A message comes out of the feed that brings its last byte, not later."""
    reader = FrameReader(SERVER, None)
    assert reader.feed(b"\x81\x02h") == []
    assert reader.feed(b"i\x89\x00\x81") == [Message(TEXT, b"hi"), Message(PieceKind.PING, b"")]


def test_what_endpoints_refuse_an_observer_reads() -> None:
    """A server that masks, a client that does not, a wide length and broken UTF-8 are read."""
    assert read(FrameReader(CLIENT, None), [b"\x81\x02hi"]) == [Message(TEXT, b"hi")]
    assert read(FrameReader(SERVER, None), [b"\x81\x82\x01\x02\x03\x04ik"]) == [
        Message(TEXT, b"hi")
    ]
    assert read(FrameReader(SERVER, None), [b"\x81\x7e\x00\x02hi"]) == [Message(TEXT, b"hi")]
    assert read(FrameReader(SERVER, None), [b"\x81\x02\xff\xfe"]) == [Message(TEXT, b"\xff\xfe")]


def test_an_uncompressed_message_may_stand_among_compressed_ones() -> None:
    """Compression is chosen for each message, and keeps its context over those without."""
    extension = PerMessageDeflate(False, False, 15, 15)
    compressed = Frame(Opcode.TEXT, QUESTION.encode())
    written = compressed.serialize(mask=False, extensions=[extension])
    written += frames(Frame(Opcode.TEXT, ANSWER.encode()))
    written += compressed.serialize(mask=False, extensions=[extension])
    heard = [Message(TEXT, text.encode()) for text in (QUESTION, ANSWER, QUESTION)]
    assert read(FrameReader(SERVER, DEFLATE), [written]) == heard


def test_a_message_of_a_final_block_is_read() -> None:
    """The example of RFC 7692 7.2.3.4, twice: a final block ends no more than its message."""
    hello = bytes.fromhex("c1 08 f3 48 cd c9 c9 07 00 00")
    for deflate in (DEFLATE, NO_CONTEXT):
        heard = read(FrameReader(SERVER, deflate), [hello * 2])
        assert heard == [Message(TEXT, b"Hello")] * 2


def test_only_the_senders_own_setting_counts() -> None:
    """Without context takeover on one side, the other side's messages keep their context."""
    deflate = PermessageDeflate(server_no_context_takeover=True)
    items = [Frame(Opcode.TEXT, QUESTION.encode())] * 2
    for sender in (CLIENT, SERVER):
        written = frames(*items, deflate=deflate, sender=sender)
        assert (
            read(FrameReader(sender, deflate), [written]) == [Message(TEXT, QUESTION.encode())] * 2
        )
    assert not deflate.keeps_context(SERVER)
    assert deflate.keeps_context(CLIENT)


def test_a_message_must_keep_to_itself_where_that_was_agreed() -> None:
    """Without context takeover, data that refers back to the message before is damaged."""
    items = [Frame(Opcode.TEXT, QUESTION.encode())] * 2
    first, second = frames(items[0], deflate=DEFLATE), frames(*items, deflate=DEFLATE)
    reader = FrameReader(SERVER, NO_CONTEXT)
    assert read(reader, [second]) == [
        Message(TEXT, QUESTION.encode()),
        Message(UNDECODED, second.removeprefix(first)),
    ]
    assert reader.fault == "a compressed message that is damaged"


HI = b"\x81\x02hi"


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (b"\x83\x00", "unknown opcode 3"),
        (b"\x8b\x00", "unknown opcode 11"),
        (b"\xa1\x02hi", "a reserved bit is set"),
        (b"\x91\x02hi", "a reserved bit is set"),
        (b"\xc9\x00", "marked as compressed where compression was not agreed on"),
        (b"\x09\x00", "a control frame that is fragmented or too long"),
        (b"\x89\x7e\x00\x7e" + bytes(126), "a control frame that is fragmented or too long"),
        (b"\x80\x02hi", "a continuation of nothing"),
        (b"\x81\x7f" + b"\xff" * 8, "a length of more than 63 bits"),
        (
            b"HTTP/1.1 502 Bad Gateway\r\n\r\n",
            "marked as compressed where compression was not agreed on",
        ),
        (
            b"\xc1\x03\xff\xff\xff",
            "a compressed message that is damaged",
        ),
        (b"\xc1\x09\x03\x00garbage", "a compressed message that goes on after its end"),
    ],
)
def test_what_cannot_be_read_is_kept_as_it_came(bad: bytes, fault: str) -> None:
    """From the bad frame on, every byte comes out undecoded, at every split, with the reason."""
    written = HI + bad + HI
    for split in every_split(written):
        reader = FrameReader(SERVER, DEFLATE)
        heard = read(reader, split)
        assert heard[0] == Message(TEXT, b"hi")
        assert {message.kind for message in heard[1:]} == {UNDECODED}
        assert b"".join(message.data for message in heard[1:]) == bad + HI
        assert reader.fault == fault


def test_compression_that_was_not_agreed_on_is_a_fault() -> None:
    """A compressed frame without an agreement is kept raw, not taken for text."""
    written = frames(Frame(Opcode.TEXT, b"hi"), deflate=DEFLATE)
    reader = FrameReader(SERVER, None)
    assert read(reader, [written]) == [Message(UNDECODED, written)]
    assert reader.fault == "marked as compressed where compression was not agreed on"


@pytest.mark.parametrize(
    ("broken_off", "fault"),
    [
        (HI, "a new message inside one that is not finished"),
        (b"\x83\x00", "unknown opcode 3"),
    ],
)
def test_fragments_of_a_message_that_breaks_off_are_kept(broken_off: bytes, fault: str) -> None:
    """The raw fragments come out with the frame that broke the message off."""
    reader = FrameReader(SERVER, None)
    heard = read(reader, [b"\x01\x01a", b"\x89\x00", b"\x00\x01b", broken_off])
    assert heard == [
        Message(PieceKind.PING, b""),
        Message(UNDECODED, b"\x01\x01a\x00\x01b" + broken_off),
    ]
    assert reader.fault == fault


@pytest.mark.parametrize(
    "left", [b"\x81", b"\x81\x7e\x01", b"\x81\x85abcd", b"\x01\x01a", b"\x01\x01a\x80"]
)
def test_a_socket_that_ends_inside_a_message_keeps_its_bytes(left: bytes) -> None:
    """Bytes of a frame or of a message that is not whole come out at the end."""
    reader = FrameReader(SERVER, None)
    assert reader.feed(HI + left) == [Message(TEXT, b"hi")]
    assert reader.close() == [Message(UNDECODED, left)]
    assert reader.fault == "the socket ended inside a message"


def test_a_socket_that_ends_between_messages_has_no_fault() -> None:
    """Nothing is left over after whole messages."""
    reader = FrameReader(SERVER, None)
    assert read(reader, [HI]) == [Message(TEXT, b"hi")]
    assert reader.fault is None


@given(st.binary(max_size=200), st.integers(0, 200), st.sampled_from([None, DEFLATE]))
def test_any_bytes_at_any_split_give_the_same(
    data: bytes, cut: int, deflate: PermessageDeflate | None
) -> None:
    """Whatever the bytes, a cut changes neither the messages nor the undecoded bytes."""

    def heard(pieces: list[bytes]) -> tuple[list[Message], bytes]:
        messages = read(FrameReader(SERVER, deflate), pieces)
        undecoded = b"".join(m.data for m in messages if m.kind is UNDECODED)
        return [m for m in messages if m.kind is not UNDECODED], undecoded

    assert heard([data[:cut], data[cut:]]) == heard([data])


@pytest.mark.parametrize(
    ("value", "agreed"),
    [
        ("permessage-deflate", PermessageDeflate()),
        (
            "permessage-deflate; server_no_context_takeover; client_max_window_bits=12",
            PermessageDeflate(server_no_context_takeover=True, client_max_window_bits=12),
        ),
        (
            "x-other; a=1, Permessage-Deflate; CLIENT_no_context_takeover;"
            'server_max_window_bits="8"',
            PermessageDeflate(client_no_context_takeover=True, server_max_window_bits=8),
        ),
        (
            "permessage-deflate; server_max_window_bits=99; client_max_window_bits; unknown=1",
            PermessageDeflate(),
        ),
        ("x-webkit-deflate-frame", None),
        ("permessage-deflate; =", None),
        ("", None),
    ],
)
def test_the_agreement_is_read_from_the_answer(
    value: str, agreed: PermessageDeflate | None
) -> None:
    """The extension header's parameters, in any case; impossible ones count as absent."""
    assert negotiated((("sec-websocket-extensions", value),)) == agreed


def test_the_agreement_may_stand_in_any_of_several_headers() -> None:
    """Extension headers that are repeated, or broken, do not hide the one that counts."""
    name = "Sec-WebSocket-Extensions"
    headers: Headers = ((name, "\xff"), (name, "x-other"), (name, "permessage-deflate"))
    assert negotiated(headers) == PermessageDeflate()
    assert negotiated((("Upgrade", "websocket"),)) is None


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (b"", (None, "")),
        (b"\x03", (None, "")),
        (b"\x03\xe8", (1000, "")),
        (b"\x03\xf3try later", (1011, "try later")),
        (b"\x0f\xa0\xff\xe4\xb8\x96", (4000, "\ufffd世")),
    ],
)
def test_a_close_payload_is_code_and_reason(
    payload: bytes, expected: tuple[int | None, str]
) -> None:
    """Two bytes of code, then a reason; neither has to be there, or to be UTF-8."""
    assert close_code_and_reason(payload) == expected


def test_a_message_that_decompresses_to_much_is_read() -> None:
    """A message of 20 MB, compressed to little, comes out whole."""
    body = bytes(20_000_000)
    written = frames(Frame(Opcode.BINARY, body), deflate=DEFLATE)
    assert len(written) < 100_000
    assert read(FrameReader(SERVER, DEFLATE), [written]) == [Message(BINARY, body)]
