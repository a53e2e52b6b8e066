"""A tape that cannot be written for a while, or at all: nothing vanishes without being counted."""

import os
import sqlite3
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from small_disk import small_disk
from tape_facts import LABEL, answer, asked, chunk, complete, head

from wiretape.facts import Fact, Gap, Piece, RequestBody
from wiretape.store_reader import TapeReader
from wiretape.store_rows import TapeRows
from wiretape.store_writer import TapeWriter

NOT_FAST_ENOUGH = "the tape could not be written fast enough"
NOT_WRITTEN = "the tape could not be written"


@contextmanager
def locked(tape: Path) -> Iterator[None]:
    """Somebody else holds the tape's write lock."""
    with closing(sqlite3.connect(tape, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            other.execute("ROLLBACK")


def limit_pages(writer: TapeWriter, pages: int) -> None:
    """The disk is full for a tape of more than ``pages``. Holds for the writer's connection only,
    so it has to be that one."""
    writer._connection.execute(f"PRAGMA max_page_count = {pages}")


def wait_for(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def read(tape: Path) -> tuple[list[Piece], list[Gap]]:
    with TapeReader(tape) as reader:
        return [piece for e in reader.exchanges() for piece in reader.pieces(e.id)], reader.gaps()


def assert_adds_up(put: Iterable[Fact], kept: list[Piece], gaps: list[Gap]) -> None:
    """Every body and message is kept or in a gap, by number and by bytes."""
    bulky = [fact for fact in put if isinstance(fact, Piece | RequestBody)]
    assert len(kept) + sum(gap.lost_facts for gap in gaps) == len(bulky)
    kept_bytes = sum(len(piece.data) for piece in kept)
    assert kept_bytes + sum(gap.lost_bytes for gap in gaps) == sum(len(f.data) for f in bulky)


def test_a_lock_that_passes_costs_nothing(tmp_path: Path) -> None:
    """Everything put during it is on the tape, in order; both its ends are told."""
    told: list[str] = []
    chunks = [chunk(1, 3 + number, b"event %d" % number) for number in range(50)]
    with TapeWriter(tmp_path / "t.db", LABEL, on_trouble=told.append) as writer:
        writer.put(head())
        with locked(writer.path):
            for each in chunks:
                writer.put(each)
            wait_for(lambda: told != [])
        wait_for(lambda: len(told) == 2)
    assert told == [
        f"the tape {tmp_path}/t.db cannot be written (database is locked); the traffic goes on "
        "and wiretape keeps trying.",
        f"the tape {tmp_path}/t.db can be written again.",
    ]
    assert read(tmp_path / "t.db") == (chunks, [])


def test_a_full_disk_that_is_emptied_costs_nothing(tmp_path: Path) -> None:
    """The same with no room for another page."""
    told: list[str] = []
    chunks = [chunk(1, 3 + number, os.urandom(4000)) for number in range(20)]
    with TapeWriter(tmp_path / "t.db", LABEL, on_trouble=told.append) as writer:
        limit_pages(writer, 1)
        writer.put(head())
        for each in chunks:
            writer.put(each)
        wait_for(lambda: told != [])
        limit_pages(writer, 1 << 30)
    assert [sentence.partition("(")[2][:24] for sentence in told] == [
        "database or disk is full",
        "",
    ]
    assert read(tmp_path / "t.db") == (chunks, [])


def test_beyond_the_limit_is_counted_where_it_would_have_stood(tmp_path: Path) -> None:
    """While locked, 20 kB are held; the rest is a gap between what came before and after."""
    told: list[str] = []
    put: list[Fact] = [chunk(1, 100 + number, b"%03d" % number * 300) for number in range(100)]
    tape = tmp_path / "t.db"
    with TapeWriter(tape, LABEL, on_trouble=told.append, limit_bytes=20_000) as writer:
        writer.put(head())
        wait_for(lambda: list_exchanges(tape) == [1])
        with locked(tape):
            writer.put(put[0])
            wait_for(lambda: told != [])
            for each in put[1:]:
                writer.put(each)
        wait_for(lambda: len(told) == 3)
        put += [after := chunk(1, 500, b"after"), complete(1, 600)]
        writer.put(after)
        writer.put(complete(1, 600))
    kept, gaps = read(tape)
    assert kept == [*put[:18], after]
    assert gaps == [Gap(118, 199, 1, 82, 82 * 900, NOT_FAST_ENOUGH)]
    assert_adds_up(put, kept, gaps)
    assert told[2] == f"73800 bytes of exchange 1 are lost: {NOT_FAST_ENOUGH}."


def list_exchanges(tape: Path) -> list[int]:
    with TapeReader(tape) as reader:
        return [exchange.id for exchange in reader.exchanges()]


def test_heads_and_ends_are_never_dropped(tmp_path: Path) -> None:
    """Beyond the limit too: a gap without them could not be placed."""
    tape = tmp_path / "t.db"
    put: list[Fact] = []
    with TapeWriter(tape, LABEL, on_trouble=lambda _: None, limit_bytes=1) as writer, locked(tape):
        for number in range(1, 6):
            put += [head(number), asked(number, b"body"), answer(number), chunk(number, 3, b"x")]
            put.append(complete(number))
        for fact in put:
            writer.put(fact)
    with TapeReader(tape) as reader:
        found = list(reader.exchanges())
        gaps = reader.gaps()
    assert [(e.id, e.response is not None, e.end is not None) for e in found] == [
        (number, True, True) for number in range(1, 6)
    ]
    assert gaps == [Gap(1, 3, number, 2, 5, NOT_FAST_ENOUGH) for number in range(1, 6)]
    assert_adds_up(put, [], gaps)


def test_the_queue_stays_within_its_limit(tmp_path: Path) -> None:
    """50 MB put while the tape is locked, with a limit of 1 MB: memory grows by less than 4."""
    tape = tmp_path / "t.db"
    with (
        TapeWriter(tape, LABEL, on_trouble=lambda _: None, limit_bytes=1_000_000) as writer,
        locked(tape),
    ):
        writer.put(head())
        tracemalloc.start()
        for number in range(5000):
            writer.put(chunk(1, number, bytes(10_000)))
        _, peak_bytes = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    kept, gaps = read(tape)
    assert peak_bytes < 4_000_000
    assert len(kept) + sum(gap.lost_facts for gap in gaps) == 5000
    assert 80 < len(kept) < 110


def test_a_lock_to_the_end_is_told(tmp_path: Path) -> None:
    """Closing waits for its patience, then says how much is lost; what was written stays."""
    told: list[str] = []
    tape = tmp_path / "t.db"
    with TapeWriter(tape, LABEL, on_trouble=told.append, patience_s=0.1) as writer:
        writer.put(head())
        writer.put(chunk(1, 3, b"before"))
        wait_for(lambda: list_exchanges(tape) == [1])
        lock = locked(tape)
        lock.__enter__()
        writer.put(chunk(1, 4, b"during"))
        writer.put(complete())
    lock.__exit__(None, None, None)
    assert told[1:] == [
        f"3 facts (6 bytes) are lost: the tape {tape} could not be written to the end."
    ]
    assert read(tape) == ([chunk(1, 3, b"before")], [])
    assert writer.unwritten_gaps == 1


def test_a_full_disk_leaves_the_gap_on_the_tape(tmp_path: Path) -> None:
    """On a file system of 2 MB: what fits is kept, and the room held back takes the gap."""
    with small_disk(tmp_path / "disk", 2_000_000) as disk:
        told: list[str] = []
        asked_body = os.urandom(10_000)
        put: list[Fact] = [head(), asked(1, asked_body)]
        put += [chunk(1, 3 + number, os.urandom(50_000)) for number in range(60)]
        put.append(complete(1, 100))
        tape = disk / "t.db"
        with TapeWriter(tape, LABEL, on_trouble=told.append, patience_s=0.1) as writer:
            for fact in put:
                writer.put(fact)
                if isinstance(fact, Piece):
                    time.sleep(0.02)
        with TapeReader(tape) as reader:
            (exchange,) = reader.exchanges()
            kept = [*reader.pieces(1)]
            body = reader.request_body(1)
            gaps = reader.gaps()
        assert exchange.end == complete(1, 100)
        assert len(kept) >= 5
        assert kept == put[2 : 2 + len(kept)]
        assert sum(gap.lost_facts for gap in gaps) == 60 - len(kept)
        assert sum(gap.lost_bytes for gap in gaps) == 50_000 * (60 - len(kept))
        assert {gap.reason for gap in gaps} == {NOT_WRITTEN}
        assert body == asked_body
        assert "database or disk is full" in told[0] or "disk I/O error" in told[0]
        assert f"({50_000 * (60 - len(kept))} bytes) are lost" in told[-1]


def test_a_deaf_listener_does_not_end_the_tape(tmp_path: Path) -> None:
    """A closed stderr raises when it is told something; the tape goes on."""

    def closed(sentence: str) -> None:
        raise BrokenPipeError(sentence)

    tape = tmp_path / "t.db"
    with TapeWriter(tape, LABEL, on_trouble=closed) as writer:
        writer.put(head())
        limit_pages(writer, 1)
        writer.put(chunk(1, 3, os.urandom(9000)))
        wait_for(lambda: writer._in_trouble)
        limit_pages(writer, 1 << 30)
    kept, gaps = read(tape)
    assert [len(piece.data) for piece in kept] == [9000]
    assert gaps == []


def test_a_bug_of_ours_does_not_end_the_tape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever fails in writing is tried again; nothing comes twice."""
    whole = TapeRows.write
    failures = iter([RuntimeError("a bug"), KeyError("another")])

    def fails_twice(rows: TapeRows, facts: Iterable[Fact]) -> None:
        whole(rows, facts)
        if error := next(failures, None):
            raise error

    monkeypatch.setattr(TapeRows, "write", fails_twice)
    told: list[str] = []
    with TapeWriter(tmp_path / "t.db", LABEL, on_trouble=told.append) as writer:
        writer.put(head())
        writer.put(chunk(1, 3, b"once"))
    assert [sentence.removeprefix(f"the tape {tmp_path}/t.db ") for sentence in told] == [
        "cannot be written (a bug); the traffic goes on and wiretape keeps trying.",
        "can be written again.",
    ]
    assert read(tmp_path / "t.db") == ([chunk(1, 3, b"once")], [])


def test_what_cannot_be_interpreted_is_kept_as_it_came(tmp_path: Path) -> None:
    """A failure of the interpreter loses nothing, and is told once."""

    def clumsy(fact: Fact) -> Iterator[Fact]:
        if isinstance(fact, Piece):
            raise ZeroDivisionError("by nought")
        yield fact

    told: list[str] = []
    chunks = [chunk(1, 3, b"one"), chunk(1, 4, b"two")]
    with TapeWriter(tmp_path / "t.db", LABEL, on_trouble=told.append, interpret=clumsy) as writer:
        for fact in (head(), *chunks, complete()):
            writer.put(fact)
    assert told == [
        "what crossed could not be understood (ZeroDivisionError('by nought')); it is kept as it "
        "came."
    ]
    assert read(tmp_path / "t.db") == (chunks, [])
