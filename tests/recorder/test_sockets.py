"""The interpreter of upgraded connections: frames to messages, and what is left of holes."""

from collections.abc import Iterable

import pytest
from tape_facts import answer, chunk, complete, head, socket_bytes, upgraded
from websockets.frames import Close, Frame, Opcode

from recorder.sockets import SocketInterpreter
from wiretape.facts import End, EndKind, Fact, Gap, Piece, PieceKind, ResponseHead, Sender

CLIENT, SERVER = Sender.CLIENT, Sender.SERVER


def interpreted(facts: Iterable[Fact]) -> list[Fact]:
    interpret = SocketInterpreter()
    return [told for fact in facts for told in interpret(fact)]


def text(data: bytes) -> bytes:
    return Frame(Opcode.TEXT, data).serialize(mask=False)


def close(code: int, reason: str) -> bytes:
    return Frame(Opcode.CLOSE, Close(code, reason).serialize()).serialize(mask=False)


def told(at_us: int, sender: Sender, kind: PieceKind, data: bytes) -> Piece:
    return Piece(1, at_us, sender, kind, data)


def test_everything_else_passes_through() -> None:
    """Heads, bodies, chunks and ends of HTTP are not its business."""
    facts = [head(), answer(), chunk(1, 3, b"data"), complete(), Gap(1, 2, None, 3, 4, "why")]
    assert interpreted(facts) == facts


def test_bytes_become_messages_when_they_are_whole() -> None:
    """Each direction on its own; a message has the time of its last byte."""
    up, down = text(b"request"), text(b"event")
    facts = [
        upgraded(),
        socket_bytes(1, 10, CLIENT, up[:4]),
        socket_bytes(1, 11, SERVER, down + down[:2]),
        socket_bytes(1, 12, CLIENT, up[4:]),
        socket_bytes(1, 13, SERVER, down[2:]),
    ]
    assert interpreted(facts)[1:] == [
        told(11, SERVER, PieceKind.TEXT, b"event"),
        told(12, CLIENT, PieceKind.TEXT, b"request"),
        told(13, SERVER, PieceKind.TEXT, b"event"),
    ]


def test_a_close_frame_says_how_it_ended() -> None:
    """The first one: code, reason and side win over what TCP did afterwards."""
    facts = [
        upgraded(),
        socket_bytes(1, 10, SERVER, close(1011, "oops")),
        socket_bytes(1, 11, CLIENT, close(1000, "")),
        End(1, 12, EndKind.RESET, CLIENT, detail="kept"),
    ]
    assert interpreted(facts)[-1] == End(
        1, 12, EndKind.WEBSOCKET_CLOSED, SERVER, 1011, "oops", "kept"
    )


def test_an_end_inside_a_message_keeps_its_beginning() -> None:
    """What is left of a frame is told as it came, before the end."""
    facts = [upgraded(), socket_bytes(1, 10, SERVER, text(b"event")[:4]), complete(1, 12)]
    assert interpreted(facts)[1:] == [
        told(12, SERVER, PieceKind.UNDECODED, text(b"event")[:4]),
        complete(1, 12),
    ]


def test_after_a_hole_nothing_is_guessed() -> None:
    """Bytes are missing: what stood open before and all that comes after is kept undecoded."""
    gap = Gap(11, 12, 1, 2, 300, "why")
    facts = [
        upgraded(),
        socket_bytes(1, 10, SERVER, text(b"event") + b"\x81\x05ev"),
        gap,
        socket_bytes(1, 13, SERVER, text(b"event")),
        complete(1, 14),
    ]
    assert interpreted(facts)[1:] == [
        told(10, SERVER, PieceKind.TEXT, b"event"),
        told(11, SERVER, PieceKind.UNDECODED, b"\x81\x05ev"),
        gap,
        socket_bytes(1, 13, SERVER, text(b"event")),
        complete(1, 14),
    ]


@pytest.mark.parametrize("gap", [Gap(11, 12, 2, 2, 300, "other"), Gap(11, 12, 1, 1, 0, "no bytes")])
def test_other_gaps_are_no_holes(gap: Gap) -> None:
    """Of another exchange, or of no bytes: decoding goes on."""
    facts = [
        upgraded(),
        socket_bytes(1, 10, SERVER, text(b"event")[:4]),
        gap,
        socket_bytes(1, 13, SERVER, text(b"event")[4:]),
    ]
    assert interpreted(facts)[2:] == [told(13, SERVER, PieceKind.TEXT, b"event")]


def test_sockets_are_told_apart() -> None:
    """Two at once, each with its own reader; a 101 to something else is left alone."""
    other = upgraded(2)
    foreign = ResponseHead(3, 2, 101, "OK", "HTTP/1.1", (("upgrade", "h2c"),))
    data = text(b"event")
    facts = [
        upgraded(1),
        other,
        foreign,
        socket_bytes(1, 10, SERVER, data[:3]),
        socket_bytes(2, 11, SERVER, data),
        socket_bytes(3, 12, SERVER, data),
        socket_bytes(1, 13, SERVER, data[3:]),
    ]
    assert interpreted(facts)[3:] == [
        Piece(2, 11, SERVER, PieceKind.TEXT, b"event"),
        socket_bytes(3, 12, SERVER, data),
        told(13, SERVER, PieceKind.TEXT, b"event"),
    ]
