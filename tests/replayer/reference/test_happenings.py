"""Recorded facts become what happened to the client."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
from wiretape.facts import EndKind, Piece, PieceKind, Sender
from wiretape.store_reader import Exchange, TapeReader

CREATED = '{"type": "response.created", "response": {"id": "r1"}}'
COMPLETED = '{"type": "response.completed", "response": {"id": "r1"}}'
STOPPED = Ending(EndKind.RECORDER_STOPPED)
OPEN = Ending(None)
CLIENT_RESET = Ending(EndKind.RESET, Sender.CLIENT)


@contextmanager
def exchange_of(recording: Recording, path: Path) -> Iterator[tuple[Exchange, Iterator[Piece]]]:
    """The only exchange of a recording, and what crossed in it."""
    with TapeReader(recording.write(path / "tape.db")) as reader:
        exchange = reader.exchange(1)
        assert exchange is not None
        yield exchange, reader.pieces(1)


def posted(recording: Recording, path: Path) -> list[Happening]:
    """What came of the only POST."""
    with exchange_of(recording, path) as (exchange, pieces):
        return list(post_happenings(exchange, pieces))


def on_socket(recording: Recording, path: Path) -> list[list[Happening]]:
    """What happened on the only socket."""
    with exchange_of(recording, path) as (exchange, pieces):
        return socket_answers(exchange, pieces)


def test_a_stream_is_its_head_its_events_and_its_end(tmp_path: Path) -> None:
    """Each event has its number and the time of the chunk that completed it."""
    recording = Recording()
    first, second = sse(created(), completed())
    recording.post({}, (first[:9], first[9:] + second))
    assert posted(recording, tmp_path) == [
        Happening(30_000, 0, Opened(STREAM_HEADERS)),
        Happening(50_000, 1, Said(CREATED)),
        Happening(50_000, 2, Said(COMPLETED)),
        Happening(60_000, 2, Ended()),
    ]


def test_a_coded_stream_is_decoded(tmp_path: Path) -> None:
    """What the server said stands behind its content coding."""
    recording = Recording()
    packed = zstandard.ZstdCompressor().compress(b"".join(sse(created())))
    recording.post({}, (packed,), headers=(*STREAM_HEADERS, ("content-encoding", "zstd")))
    assert posted(recording, tmp_path)[1].what == Said(CREATED)


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
def test_each_end_of_a_stream_has_its_name(
    ending: Ending, what: Input | Left, tmp_path: Path
) -> None:
    """A cut body is the server's doing; who hung up by himself has left."""
    recording = Recording()
    recording.post({}, sse(created()), ending)
    assert posted(recording, tmp_path)[-1].what == what


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
def test_each_way_to_give_no_answer_has_its_name(
    ending: Ending, what: Input | Left, tmp_path: Path
) -> None:
    """Behind a recorder an upstream that is not there looks like one that hangs up."""
    recording = Recording()
    recording.post({}, (), ending, status=None)
    assert [each.what for each in posted(recording, tmp_path)] == [what]


def test_a_refusal_has_its_whole_body(tmp_path: Path) -> None:
    """Status, headers and body, once the body is over."""
    recording = Recording()
    recording.post({}, (b"{", b"}"), status=429, headers=(("retry-after", "1"),))
    assert posted(recording, tmp_path) == [
        Happening(60_000, 0, Refused(429, (("retry-after", "1"),), "{}"))
    ]


def test_a_refused_upgrade_has_its_body_too(tmp_path: Path) -> None:
    """A handshake that is answered by anything but 101 is refused."""
    recording = Recording()
    recording.refused_upgrade(426, b"no")
    with exchange_of(recording, tmp_path) as (exchange, pieces):
        happening = upgrade_happening(exchange, pieces)
    assert happening.what == Refused(426, (("content-length", "2"),), "no")


def test_a_socket_is_told_message_by_message(tmp_path: Path) -> None:
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
    assert [
        [(each.event, each.what) for each in some] for some in on_socket(recording, tmp_path)
    ] == [
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
def test_each_end_of_a_socket_has_its_name(
    ending: Ending, what: Input | Left, tmp_path: Path
) -> None:
    """The words of a break are the client's."""
    recording = Recording()
    recording.socket(asks(), ending=ending)
    assert on_socket(recording, tmp_path)[-1][-1].what == what


def test_nothing_follows_a_close_frame(tmp_path: Path) -> None:
    """The frame is the end; how the connection went after it means nothing."""
    recording = Recording()
    recording.socket(asks(), [close_frame(1000)], says(created()), ending=server_closed(1000))
    assert [each.what for each in on_socket(recording, tmp_path)[0]] == [Closed(1000, "")]


def test_bytes_that_are_no_frames_break_a_socket(tmp_path: Path) -> None:
    """A client cannot read on after them."""
    recording = Recording()
    recording.socket(
        asks(), control(Sender.SERVER, PieceKind.UNDECODED, b"HTTP/1.1"), says(created())
    )
    happened = [each.what for each in on_socket(recording, tmp_path)[0]]
    assert happened == [Broken("WebSocket protocol error")]
