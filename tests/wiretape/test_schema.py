"""The migrations of a tape, and which tapes a reader of today takes."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database
from tape_facts import chunk, head, pieces_of, tape_of

from wiretape.errors import NotATape, TapeError
from wiretape.schema import APPLICATION_ID, check_is_tape, migrations


def test_the_migrations_are_named() -> None:
    """A tape says which it has; their names are part of the format."""
    assert repr(migrations) == "<Migrations 'wiretape': [m001_facts, m002_is_closed, m003_faults]>"


def test_a_tape_names_itself_in_its_header(tmp_path: Path) -> None:
    """``file`` and other tools can tell a tape: WTAP is SQLite's application id."""
    assert APPLICATION_ID.to_bytes(4) == b"WTAP"
    assert tape_of(tmp_path / "t.db", []).read_bytes()[68:72] == b"WTAP"


def test_applying_twice_changes_nothing() -> None:
    """A tape that has all migrations is left as it is."""
    with closing(Database(memory=True)) as database:
        migrations.apply(database)
        before = database.schema
        migrations.apply(database)
        assert database.schema == before


def test_a_tape_without_later_additions_is_read(tmp_path: Path) -> None:
    """A view that is missing is no reason to refuse what crossed."""
    tape = tape_of(tmp_path / "t.db", [head(), chunk(1, 3, b"x")])
    with closing(sqlite3.connect(tape)) as database:
        database.execute("DROP VIEW headers")
    assert pieces_of(tape) == [chunk(1, 3, b"x")]


def test_a_database_of_another_program_is_named_as_one() -> None:
    """With tables, but without our mark."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE flows (id)")
        with pytest.raises(NotATape, match=r"x\.db is an SQLite file of another program"):
            check_is_tape(database, "x.db")


def test_a_file_that_cannot_be_looked_into_is_not_called_foreign(tmp_path: Path) -> None:
    """Locked or unreadable is another sentence than no tape."""
    tape = tape_of(tmp_path / "t.db", [])
    with (
        closing(sqlite3.connect(tape, isolation_level=None)) as owner,
        closing(sqlite3.connect(tape, timeout=0)) as other,
    ):
        owner.execute("BEGIN EXCLUSIVE")
        with pytest.raises(TapeError, match=r"cannot be opened \(database is locked\)") as refusal:
            check_is_tape(other, "x.db")
        assert not isinstance(refusal.value, NotATape)
