"""Recorded facts become what happened to the client."""

from typing import Any

import pytest
import zstandard
from codex_tapes import asks, completed, created
from tapes import (
    COMPLETE,
    CUT,
    LEFT,
    REFUSED,
    RESET,
    STREAM_HEADERS,
    Ending,
    Recording,
    close_frame,
    control,
    says,
    server_closed,
    sse,
)

from replayer.reference.happenings import (
    Happening,
    Left,
    post_happenings,
    socket_answers,
    upgrade_happening,
)
from wiretape.client.wire import (
    Breakage,
    Broken,
    Closed,
    Ended,
    Input,
    Opened,
    Pinged,
    Refused,
    Said,
    SaidBytes,
    Unanswered,
)
from wiretape.facts import (
    End,
    EndKind,
    Piece,
    PieceKind,
    RequestBody,
    RequestHead,
    ResponseHead,
    Sender,
)
from wiretape.store_reader import Exchange

CREATED = '{"type": "response.created", "response": {"id": "r1"}}'
COMPLETED = '{"type": "response.completed", "response": {"id": "r1"}}'
STOPPED = Ending(EndKind.RECORDER_STOPPED)
OPEN = Ending(None)
CLIENT_RESET = Ending(EndKind.RESET, Sender.CLIENT)


def exchange_of(recording: Recording) -> tuple[Exchange, list[Piece]]:
    """The only exchange of a recording, and what crossed in it."""
    facts: dict[type, Any] = {type(fact): fact for fact in recording.facts}
    pieces = [fact for fact in recording.facts if isinstance(fact, Piece)]
    exchange = Exchange(
        request=facts[RequestHead],
        request_at_us=facts[RequestBody].at_us,
        request_is_whole=True,
        response=facts.get(ResponseHead),
        end=facts.get(End),
        pieces=len(pieces),
        size_bytes=sum(len(piece.data) for piece in pieces),
    )
    return exchange, pieces


def posted(recording: Recording) -> list[Happening]:
    """What came of the only POST."""
    return list(post_happenings(*exchange_of(recording)))


def on_socket(recording: Recording) -> list[list[Happening]]:
    """What happened on the only socket."""
    return socket_answers(*exchange_of(recording))


def test_a_stream_is_its_head_its_events_and_its_end() -> None:
    """Each event has its number and the time of the chunk that completed it."""
    recording = Recording()
    first, second = sse(created(), completed())
    recording.post({}, (first[:9], first[9:] + second))
    assert posted(recording) == [
        Happening(30_000, 0, Opened(STREAM_HEADERS)),
        Happening(50_000, 1, Said(CREATED)),
        Happening(50_000, 2, Said(COMPLETED)),
        Happening(60_000, 2, Ended()),
    ]


def test_a_coded_stream_is_decoded() -> None:
    """What the server said stands behind its content coding."""
    recording = Recording()
    packed = zstandard.ZstdCompressor().compress(b"".join(sse(created())))
    recording.post({}, (packed,), headers=(*STREAM_HEADERS, ("content-encoding", "zstd")))
    assert posted(recording)[1].what == Said(CREATED)


@pytest.mark.parametrize(
    ("ending", "what"),
    [
        (COMPLETE, Ended()),
        (CUT, Broken(Breakage.BODY_CUT)),
        (RESET, Broken(Breakage.BODY_CUT)),
        (LEFT, Left(by_client=True)),
        (CLIENT_RESET, Left(by_client=True)),
        (STOPPED, Left(by_client=False)),
        (OPEN, Left(by_client=False)),
    ],
)
def test_each_end_of_a_stream_has_its_name(ending: Ending, what: Input | Left) -> None:
    """A cut body is the server's doing; who hung up by himself has left."""
    recording = Recording()
    recording.post({}, sse(created()), ending)
    assert posted(recording)[-1].what == what


@pytest.mark.parametrize(
    ("ending", "what"),
    [
        (CUT, Unanswered(Breakage.UPGRADE_DROPPED)),
        (RESET, Unanswered(Breakage.UPGRADE_RESET)),
        (REFUSED, Unanswered(Breakage.UPGRADE_DROPPED)),
        (LEFT, Left(by_client=True)),
        (OPEN, Left(by_client=False)),
    ],
)
def test_each_way_to_give_no_answer_has_its_name(ending: Ending, what: Input | Left) -> None:
    """Behind a recorder an upstream that is not there looks like one that hangs up."""
    recording = Recording()
    recording.post({}, (), ending, status=None)
    assert [each.what for each in posted(recording)] == [what]


def test_a_refusal_has_its_whole_body() -> None:
    """Status, headers and body, once the body is over."""
    recording = Recording()
    recording.post({}, (b"{", b"}"), status=429, headers=(("retry-after", "1"),))
    assert posted(recording) == [Happening(60_000, 0, Refused(429, (("retry-after", "1"),), "{}"))]


def test_a_refused_upgrade_has_its_body_too() -> None:
    """A handshake that is answered by anything but 101 is refused."""
    recording = Recording()
    recording.refused_upgrade(426, b"no")
    happening = upgrade_happening(*exchange_of(recording))
    assert happening.what == Refused(426, (("content-length", "2"),), "no")


def test_a_socket_is_told_message_by_message() -> None:
    """What came before the first message is read with its answer; events count from 1 in each."""
    recording = Recording()
    recording.socket(
        says(created()),
        asks(),
        says(completed()),
        control(Sender.SERVER, PieceKind.PING),
        asks(),
        control(Sender.SERVER, PieceKind.BINARY, b"\x00"),
        ending=CUT,
    )
    assert [[(each.event, each.what) for each in some] for some in on_socket(recording)] == [
        [(1, Said(CREATED)), (2, Said(COMPLETED)), (3, Pinged())],
        [(1, SaidBytes(b"\x00")), (1, Broken(Breakage.SOCKET_DROPPED))],
    ]


@pytest.mark.parametrize(
    ("ending", "what"),
    [
        (CUT, Broken(Breakage.SOCKET_DROPPED)),
        (RESET, Broken(Breakage.SOCKET_RESET)),
        (server_closed(1011, "why"), Closed(1011, "why")),
        (LEFT, Left(by_client=True)),
        (Ending(EndKind.WEBSOCKET_CLOSED, Sender.CLIENT, 1000), Left(by_client=True)),
        (STOPPED, Left(by_client=False)),
        (OPEN, Left(by_client=False)),
    ],
)
def test_each_end_of_a_socket_has_its_name(ending: Ending, what: Input | Left) -> None:
    """The words of a break are the client's."""
    recording = Recording()
    recording.socket(asks(), ending=ending)
    assert on_socket(recording)[-1][-1].what == what


def test_nothing_follows_a_close_frame() -> None:
    """The frame is the end; how the connection went after it means nothing."""
    recording = Recording()
    recording.socket(asks(), [close_frame(1000)], says(created()), ending=server_closed(1000))
    assert [each.what for each in on_socket(recording)[0]] == [Closed(1000, "")]


def test_bytes_that_are_no_frames_break_a_socket() -> None:
    """A client cannot read on after them."""
    recording = Recording()
    recording.socket(
        asks(), control(Sender.SERVER, PieceKind.UNDECODED, b"HTTP/1.1"), says(created())
    )
    happened = [each.what for each in on_socket(recording)[0]]
    assert happened == [Broken("WebSocket protocol error")]
