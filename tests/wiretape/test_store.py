"""The tape: every fact comes back, while it is written, after it, and after a kill."""

import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import tape_facts
from hypothesis import given, settings
from hypothesis import strategies as st
from tape_facts import (
    LABEL,
    answer,
    asked,
    chunk,
    complete,
    head,
    message,
    pieces_of,
    tape_of,
    upgraded,
)

from wiretape.facts import (
    End,
    EndKind,
    Fact,
    Gap,
    Headers,
    Piece,
    PieceKind,
    RequestBody,
    RequestHead,
    ResponseHead,
    Sender,
)
from wiretape.store_reader import Exchange, TapeReader
from wiretape.store_rows import TapeRows
from wiretape.store_writer import TapeWriter

LATIN = st.text(st.characters(max_codepoint=255), max_size=30)
HEADERS: st.SearchStrategy[Headers] = st.lists(st.tuples(LATIN, LATIN), max_size=4).map(tuple)
TIMES = st.integers(0, 1 << 45)
KINDS = [
    (Sender.SERVER, PieceKind.CHUNK),
    *((sender, kind) for kind in PieceKind if kind is not PieceKind.CHUNK for sender in Sender),
]


@st.composite
def exchanges(draw: st.DrawFn, number: int) -> list[Fact]:
    """The facts of one exchange, which may stop at any of them."""
    facts: list[Fact] = [
        RequestHead(
            number,
            draw(TIMES),
            draw(st.integers(1, 99)),
            draw(LATIN),
            "https",
            draw(LATIN),
            draw(st.integers(0, 65535)),
            draw(LATIN),
            "HTTP/1.1",
            draw(HEADERS),
            draw(st.none() | LATIN),
        ),
        RequestBody(number, draw(TIMES), draw(st.binary(max_size=900)), draw(st.booleans())),
        ResponseHead(
            number,
            draw(TIMES),
            draw(st.integers(100, 999)),
            draw(LATIN),
            "HTTP/1.1",
            draw(HEADERS),
        ),
    ]
    kinds = draw(st.lists(st.sampled_from(KINDS), max_size=8))
    facts += [
        Piece(number, at_us, *kind, draw(st.binary(max_size=700)))
        for at_us, kind in enumerate(kinds, start=draw(TIMES))
    ]
    facts.append(
        End(
            number,
            draw(TIMES),
            draw(st.sampled_from(EndKind)),
            draw(st.none() | st.sampled_from(Sender)),
            draw(st.none() | st.integers(0, 65535)),
            draw(st.none() | st.text(max_size=20)),
            draw(st.none() | st.text(max_size=20)),
        )
    )
    return facts[: draw(st.integers(1, len(facts)))]


@st.composite
def tapes(draw: st.DrawFn) -> list[Fact]:
    """The facts of a few exchanges, one among the other, and gaps."""
    streams = [draw(exchanges(number)) for number in range(1, draw(st.integers(1, 4)))]
    order = draw(st.permutations([n for n, stream in enumerate(streams) for _ in stream]))
    iterators = [iter(stream) for stream in streams]
    facts = [next(iterators[n]) for n in order]
    gaps = st.builds(Gap, TIMES, TIMES, st.none(), st.integers(0, 9), st.integers(0, 9), LATIN)
    return facts + draw(st.lists(gaps, max_size=2))


def told(reader: TapeReader) -> Iterator[Fact]:
    """Every fact that a reader gives, exchange by exchange."""
    for exchange in reader.exchanges():
        yield exchange.request
        if exchange.request_at_us is not None:
            yield RequestBody(
                exchange.id,
                exchange.request_at_us,
                reader.request_body(exchange.id),
                exchange.request_is_whole,
            )
        if exchange.response is not None:
            yield exchange.response
        pieces = list(reader.pieces(exchange.id))
        assert exchange.pieces == len(pieces)
        assert exchange.size_bytes == sum(len(piece.data) for piece in pieces)
        yield from pieces
        if exchange.end is not None:
            yield exchange.end
    yield from reader.gaps()


def by_exchange(facts: list[Fact]) -> list[Fact]:
    """Facts in a reader's order: by exchange, gaps last by time; otherwise as they were put."""
    return sorted(
        facts,
        key=lambda fact: (1, fact.at_us) if isinstance(fact, Gap) else (0, fact.exchange),
    )


@settings(max_examples=60, deadline=None)
@given(tapes())
def test_every_fact_comes_back(facts: list[Fact]) -> None:
    """Whatever crossed, in whatever order: equal facts, in the order of each exchange."""
    with (
        tempfile.TemporaryDirectory() as folder,
        TapeReader(tape_of(Path(folder) / "t.db", facts)) as reader,
    ):
        assert list(told(reader)) == by_exchange(facts)


def test_the_label_comes_back(tmp_path: Path) -> None:
    """What a tape says of itself: who made it, when, by which clock, around which command."""
    with TapeReader(tape_of(tmp_path / "t.db", [])) as reader:
        assert reader.label() == LABEL


def test_an_exchange_that_stops_early_says_so(tmp_path: Path) -> None:
    """A head alone: no body, no response, no end, and a request that is not whole."""
    with TapeReader(tape_of(tmp_path / "t.db", [head()])) as reader:
        assert list(reader.exchanges()) == [Exchange(head(), None, False, None, None, 0, 0)]
        assert reader.exchange(1) == Exchange(head(), None, False, None, None, 0, 0)
        assert reader.exchange(2) is None
        assert reader.request_body(1) == b""


def test_what_no_row_can_hold_becomes_a_gap(tmp_path: Path) -> None:
    """A text that is no Unicode is counted, and keeps nothing else off the tape."""
    facts = [head(), replace(answer(), reason="\udcff"), chunk(1, 3, b"kept"), complete()]
    with TapeReader(tape_of(tmp_path / "t.db", facts)) as reader:
        assert list(told(reader)) == [
            head(),
            chunk(1, 3, b"kept"),
            complete(),
            Gap(2, 2, 1, 1, 0, "it does not fit onto a tape (UnicodeEncodeError)"),
        ]


def test_a_piece_after_the_end_is_kept_in_its_place(tmp_path: Path) -> None:
    """Handed over late, it comes after the others, and takes the place of none."""
    facts = [head(), chunk(1, 3, b"a"), complete(), chunk(1, 10, b"late"), chunk(1, 11, b"later")]
    tape = tape_of(tmp_path / "t.db", facts)
    assert [piece.data for piece in pieces_of(tape)] == [b"a", b"late", b"later"]


def test_the_tape_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Mode 0600, the write-ahead log beside it included, while it is written and after."""
    tape = tmp_path / "t.db"
    with TapeWriter(tape, LABEL, on_trouble=print):
        modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
        assert modes == {"t.db": 0o600, "t.db-wal": 0o600, "t.db-shm": 0o600}
    assert tape.stat().st_mode & 0o777 == 0o600


def test_a_closed_tape_is_one_file(tmp_path: Path) -> None:
    """Nothing is left beside it, and it needs no writing to be read."""
    tape = tape_of(tmp_path / "t.db", [head(), answer(), chunk(1, 3, b"data"), complete()])
    assert list(tmp_path.iterdir()) == [tape]
    with closing(sqlite3.connect(f"file:{tape}?immutable=1", uri=True)) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.fixture
def rows(tmp_path: Path) -> Iterator[tuple[sqlite3.Connection, TapeRows, Path]]:
    """The rows of a tape whose transactions are the test's."""
    with TapeWriter(tmp_path / "t.db", LABEL, on_trouble=print):
        pass
    with closing(sqlite3.connect(tmp_path / "t.db", isolation_level=None)) as connection:
        yield connection, TapeRows(connection), tmp_path / "t.db"


def segments(connection: sqlite3.Connection) -> int:
    (number,) = connection.execute("SELECT count(*) FROM segments").fetchone()
    assert isinstance(number, int)
    return number


def test_loose_segments_are_joined_at_rest(
    rows: tuple[sqlite3.Connection, TapeRows, Path],
) -> None:
    """Each flush adds a segment; 256 of them become one, and so does what is left at the end."""
    connection, tape, path = rows
    tape.write([head()])
    for number in range(255):
        tape.write([chunk(1, number, b"event %d" % number)])
    assert segments(connection) == 255
    tape.write([chunk(1, 255, b"event 255")])
    assert segments(connection) == 1
    tape.write([chunk(1, 256, b"event 256")])
    tape.write([chunk(1, 257, b"event 257"), complete(1, 258)])
    assert segments(connection) == 2
    assert [piece.data for piece in pieces_of(path)] == [b"event %d" % n for n in range(258)]


def test_a_big_stream_is_joined_by_size(rows: tuple[sqlite3.Connection, TapeRows, Path]) -> None:
    """A quarter of a megabyte is enough to be compressed, in few segments or in one."""
    connection, tape, path = rows
    sizes = [100_000, 100_000, 100_000, 1, 300_000, 2, 3, 300_000, 300_000, 4]
    tape.write([head()])
    for number, size in enumerate(sizes):
        tape.write([chunk(1, number, b"%x" % number * size)])
    codecs = connection.execute("SELECT codec, pieces FROM segments ORDER BY first_piece")
    assert codecs.fetchall() == [
        ("zstd", 3),
        ("raw", 1),
        ("zstd", 1),
        ("raw", 2),
        ("zstd", 1),
        ("zstd", 1),
        ("raw", 1),
    ]
    assert [len(piece.data) for piece in pieces_of(path)] == sizes
    assert [piece.at_us for piece in pieces_of(path)] == list(range(10))


def test_a_reader_overtaken_by_joining_misses_nothing(
    rows: tuple[sqlite3.Connection, TapeRows, Path],
) -> None:
    """Segments joined behind a reader's place, at it and before it: each piece comes once."""
    _, tape, path = rows
    tape.write([head()])
    for number in range(10):
        tape.write([chunk(1, 2 * number, b"%d" % (2 * number)), chunk(1, 0, b"odd")])
    with TapeReader(path) as reader:
        pieces = reader.pieces(1)
        read = [next(pieces).data for _ in range(5)]
        tape.rest_all()
        tape.write([chunk(1, 30, b"new")])
        read += [piece.data for piece in pieces]
    assert read == [x for n in range(10) for x in (b"%d" % (2 * n), b"odd")] + [b"new"]


def test_what_is_rolled_back_and_tried_again_is_there_once(
    rows: tuple[sqlite3.Connection, TapeRows, Path],
) -> None:
    """Pieces, bodies and joined segments after a transaction that failed at its end."""
    connection, tape, path = rows
    before = [head(), asked(1, b"{" + b"body" * 400), *(chunk(1, n, b"old") for n in range(3))]
    batch = [
        message(1, 5, b"{" + b"body" * 500),
        chunk(1, 6, b"x" * 300_000),
        head(2),
        asked(2, b"{" + b"body" * 450),
        complete(),
    ]
    tape.write(before)
    for attempt in ("ROLLBACK", "COMMIT"):
        mark = tape.mark()
        connection.execute("BEGIN IMMEDIATE")
        tape.write(batch)
        connection.execute(attempt)
        if attempt == "ROLLBACK":
            tape.back_to(mark)
    with TapeReader(path) as reader:
        assert list(told(reader)) == by_exchange([*before, *batch])


def test_long_client_messages_are_stored_as_bodies(tmp_path: Path) -> None:
    """A WebSocket request repeats the conversation too: twenty take little more than one."""
    words = b" ".join(b"%x" % (n * 7919) for n in range(6000))
    messages = [message(1, n, b'{"input":"%b %d"}' % (words, n)) for n in range(20)]
    tape = tape_of(tmp_path / "t.db", [head(), upgraded(), *messages])
    assert pieces_of(tape) == messages
    with closing(sqlite3.connect(tape)) as database:
        sizes = [size for (size,) in database.execute("SELECT length(data) FROM bodies")]
    assert len(sizes) == 20
    assert sum(sizes[1:]) < 2_000


def test_a_tape_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    """What was put becomes visible without anything being closed, and reading disturbs nothing."""
    tape = tmp_path / "t.db"
    troubles: list[str] = []
    with TapeWriter(tape, LABEL, on_trouble=troubles.append) as writer:
        writer.put(head())
        for number in range(3):
            writer.put(chunk(1, number, b"event %d" % number))
            while len(pieces_of(tape)) <= number:
                time.sleep(0.01)
        writer.put(complete())
    assert troubles == []
    assert [piece.data for piece in pieces_of(tape)] == [b"event 0", b"event 1", b"event 2"]


KILLED = """
import os, signal, sys, time
from pathlib import Path
from tape_facts import LABEL, asked, chunk, head, message, upgraded
from wiretape.store_writer import TapeWriter

writer = TapeWriter(Path(sys.argv[1]), LABEL, on_trouble=print)
writer.put(head())
writer.put(upgraded())
writer.put(message(1, 3, b"request " * 200))
for number in range(2000):
    writer.put(chunk(1, number + 4, b"event %d" % number))
time.sleep(1)
writer.put(chunk(1, 9999, b"young"))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_writer_leaves_what_is_older_than_a_second(tmp_path: Path) -> None:
    """kill -9 with facts on their way: the tape opens, and holds all but the youngest."""
    tape = tmp_path / "t.db"
    support = str(Path(tape_facts.__file__).parent)
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, tape], env={"PYTHONPATH": support}, timeout=60
    )
    assert killed.returncode == -signal.SIGKILL
    pieces = [piece.data for piece in pieces_of(tape)]
    assert pieces[:2001] == [b"request " * 200, *(b"event %d" % n for n in range(2000))]
    assert pieces[2001:] in ([], [b"young"])


def test_the_views_work(tmp_path: Path) -> None:
    """What somebody sees who opens the tape with a tool for SQLite."""
    secretless = (("accept", "text/event-stream"), ("originator", "codex_exec"))
    facts = [
        replace(head(headers=secretless), at_us=1_500_000),
        answer(at_us=1_600_000),
        chunk(1, 1_700_000, b"12345"),
        chunk(1, 1_800_000, b"678"),
        complete(at_us=2_000_000),
    ]
    with closing(sqlite3.connect(tape_of(tmp_path / "t.db", facts))) as database:
        overview = database.execute("SELECT * FROM overview")
        columns = [column for column, *_ in overview.description]
        assert dict(zip(columns, overview.fetchone(), strict=True)) == {
            "id": 1,
            "began": "2026-01-01T00:00:01.500Z",
            "method": "POST",
            "url": "https://api.openai.com:443/v1/responses",
            "status": 200,
            "end": "complete",
            "close_code": None,
            "duration_ms": 500,
            "pieces": 2,
            "size_bytes": 8,
        }
        assert database.execute("SELECT * FROM headers").fetchall() == [
            (1, "client", "accept", "text/event-stream"),
            (1, "client", "originator", "codex_exec"),
            (1, "server", "content-type", "text/event-stream"),
        ]


def test_the_tables_are_linked(tmp_path: Path) -> None:
    """Foreign keys say what belongs to what, and none of them points nowhere."""
    facts = [
        head(),
        asked(1, b"one" * 300),
        asked(1, b"one" * 301),
        chunk(1, 3, b"x"),
        Gap(4, 5, 1, 1, 1, "why"),
    ]
    with closing(sqlite3.connect(tape_of(tmp_path / "t.db", facts))) as database:
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        links = Counter(
            (table, link[3], link[2])
            for table in ("tape", "exchanges", "bodies", "segments", "gaps")
            for link in database.execute(f"PRAGMA foreign_key_list({table})")
        )
    assert links == Counter(
        [
            ("exchanges", "request_body", "bodies"),
            ("bodies", "base", "bodies"),
            ("segments", "exchange", "exchanges"),
            ("gaps", "exchange", "exchanges"),
        ]
    )
