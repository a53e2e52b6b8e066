"""Files that are no tape, or not any more: the right refusal, in one sentence, every time."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tape_facts import LABEL, answer, asked, chunk, complete, head, message, tape_of

from wiretape.errors import (
    NotATape,
    TapeError,
    TapeMissing,
    TapeTooNew,
    UsageError,
    WouldOverwrite,
)
from wiretape.store_reader import TapeReader
from wiretape.store_writer import TapeWriter


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    """A tape with something in every table, large enough to be cut into."""
    words = [b"%x" % (number * 2654435761 % 2**32) for number in range(4000)]
    facts = [
        head(headers=(("originator", "codex"),)),
        asked(1, b" ".join(words)),
        answer(),
        *(chunk(1, 3 + number, b" ".join(words[number : number + 40])) for number in range(200)),
        message(1, 400, b" ".join(words[:3000])),
        complete(at_us=500),
    ]
    return tape_of(tmp_path / "t.db", facts)


def read_all(path: Path) -> list[object]:
    """Everything that a tape can give."""
    with TapeReader(path) as reader:
        read: list[object] = [reader.label(), reader.gaps()]
        for exchange in reader.exchanges():
            read += [exchange, reader.request_body(exchange.id), list(reader.pieces(exchange.id))]
        return read


def altered(tape: Path, *statements: str) -> None:
    with closing(sqlite3.connect(tape)) as database, database:
        for statement in statements:
            database.execute(statement)


def test_a_missing_tape(tmp_path: Path) -> None:
    """There is no such file: the sentence says how to find one."""
    with pytest.raises(TapeMissing) as refusal:
        read_all(tmp_path / "t.db")
    assert str(refusal.value) == (
        f"there is no tape at {tmp_path}/t.db: `wiretape ls` lists the tapes there are."
    )


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda path: path.mkdir(), "is not a file"),
        (lambda path: path.touch(), "is empty"),
        (lambda path: path.write_text("some notes\n" * 99), "is not a tape (file is not a data"),
        (
            lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(2000)),
            "is not a tape (file is not a database)",
        ),
        (
            lambda path: altered(path, "CREATE TABLE notes (id)"),
            "is an SQLite file of another program",
        ),
    ],
    ids=["folder", "empty", "text", "only the magic", "another database"],
)
def test_a_foreign_file(tmp_path: Path, make: Callable[[Path], None], sentence: str) -> None:
    """What never was a tape is no tape, and the sentence says what to give instead."""
    make(tmp_path / "t.db")
    with pytest.raises(NotATape) as refusal:
        read_all(tmp_path / "t.db")
    assert str(refusal.value).startswith(f"{tmp_path}/t.db {sentence}")
    assert str(refusal.value).endswith(": give a file that `wiretape record` wrote.")


def test_a_newer_tape(tape: Path) -> None:
    """A migration that we do not know is a newer wiretape's."""
    altered(
        tape,
        "INSERT INTO _sqlite_migrations (migration_set, name, applied_at)"
        " VALUES ('wiretape', 'm999_dreams', '')",
    )
    with pytest.raises(TapeTooNew) as refusal:
        read_all(tape)
    assert str(refusal.value) == (
        f"{tape} was written by a newer wiretape (it has m999_dreams): upgrade wiretape to read it."
    )


def test_an_unfinished_tape(tape: Path) -> None:
    """A file that the writer had only begun to lay out."""
    altered(tape, "DELETE FROM _sqlite_migrations")
    with pytest.raises(NotATape, match="is an unfinished tape, its tables were never made"):
        read_all(tape)


def test_an_existing_file_is_not_overwritten(tape: Path) -> None:
    """Whatever it is, it stays as it was."""
    before = tape.read_bytes()
    with pytest.raises(WouldOverwrite) as refusal:
        TapeWriter(tape, LABEL, on_trouble=print)
    assert str(refusal.value) == f"{tape} exists already: choose another name or remove it first."
    assert tape.read_bytes() == before


@pytest.mark.parametrize("place", ["file/t.db", "file/deeper/t.db"])
def test_a_place_where_no_tape_can_be_made(tmp_path: Path, place: str) -> None:
    """A file where a folder should be: one sentence, and nothing left behind."""
    (tmp_path / "file").touch()
    with pytest.raises(
        UsageError, match=r"no tape can be made at .*: choose another place with -o"
    ):
        TapeWriter(tmp_path / place, LABEL, on_trouble=print)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("percent", [5, 25, 50, 75, 99])
def test_a_truncated_tape(tape: Path, percent: int) -> None:
    """Cut anywhere, it is still ours: refused as damaged."""
    data = tape.read_bytes()
    tape.write_bytes(data[: len(data) * percent // 100])
    with pytest.raises(TapeError, match=rf"{tape} is damaged \(.*\): take another copy of it\.$"):
        read_all(tape)


def test_a_copy_without_the_journal(tmp_path: Path) -> None:
    """Of a tape that is being written, nearly everything lies in the file beside it."""
    tape, copy = tmp_path / "t.db", tmp_path / "copy.db"
    with TapeWriter(tape, LABEL, on_trouble=pytest.fail):
        copy.write_bytes(tape.read_bytes())
    with pytest.raises(NotATape) as refusal:
        read_all(copy)
    assert str(refusal.value) == (
        f"{copy} holds nothing: if it is a copy of a tape that was not closed, copy it again with "
        "the files beside it."
    )


def test_a_damaged_tape(tape: Path) -> None:
    """Bytes overwritten anywhere: all is read as it was, or it is refused; nothing is altered."""
    whole, contents = tape.read_bytes(), read_all(tape)
    chance = random.Random(1)
    refusals = 0
    for _ in range(200):
        data = bytearray(whole)
        at = chance.randrange(len(data) - 40)
        data[at : at + 40] = chance.randbytes(40)
        tape.write_bytes(data)
        try:
            assert read_all(tape) == contents
        except TapeError as refusal:
            assert str(tape) in str(refusal)
            assert refusal.exit_code == 3
            refusals += 1
    assert refusals > 100


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("UPDATE exchanges SET end = 'vanished'", "'vanished' is not a valid EndKind"),
        ("UPDATE exchanges SET request_headers = '[[1'", "Expecting"),
        ("UPDATE exchanges SET response_headers = '7'", "'int' object is not iterable"),
        ("UPDATE segments SET codec = 'lzma'", "'lzma' is not a valid Codec"),
        ("UPDATE segments SET data = substr(data, 1, 50)", "a compressed segment is damaged"),
        ("UPDATE segments SET data = 7", "not 'int'"),
        ("UPDATE tape SET started_at_us = 9223372036854775807", "is no time of a recording"),
        ("UPDATE exchanges SET end_at_us = 9000000000000000000", "is no time of a recording"),
        ("UPDATE segments SET at_us = -9000000000000000000", "is no time of a recording"),
        ("DELETE FROM bodies", "the request body 1 is missing"),
        ("UPDATE bodies SET base = id", "the request body 1 builds on a later one"),
        ("UPDATE bodies SET data = x'28b52ffd00'", "a stored request body is damaged"),
    ],
)
def test_damage_that_sqlite_does_not_see(tape: Path, statement: str, sentence: str) -> None:
    """A well-formed database with impossible contents is a damaged tape."""
    altered(tape, statement)
    with pytest.raises(TapeError) as refusal:
        read_all(tape)
    assert str(refusal.value).startswith(f"{tape} is damaged (")
    assert sentence in str(refusal.value)
    assert str(refusal.value).endswith("): take another copy of it.")
