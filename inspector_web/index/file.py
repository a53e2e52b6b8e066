"""The file of an index: where it lies, its tables, and whether it is of the tape as it is now.

It lies in a folder of its own under the name that the tape's path gives it, readable by its owner
alone: the letters of prompts are in it. It is of the tape whose path and first facts it names, and
was made by the program whose source it names; else it is dropped and made anew.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

import inspector_web
import wiretape

_TABLES: Final = """
    CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE exchanges (
      id INTEGER PRIMARY KEY,
      position INTEGER NOT NULL,
      piece INTEGER NOT NULL,
      skip_bytes INTEGER NOT NULL,
      clock_us INTEGER NOT NULL,
      item TEXT NOT NULL,
      carry TEXT NOT NULL,
      is_over INTEGER NOT NULL,
      proof TEXT NOT NULL
    );
    CREATE TABLE blocks (
      id INTEGER PRIMARY KEY,
      exchange INTEGER NOT NULL,
      position INTEGER NOT NULL,
      piece INTEGER NOT NULL,
      skip_bytes INTEGER NOT NULL,
      clock_us INTEGER NOT NULL,
      events INTEGER NOT NULL,
      after_piece INTEGER NOT NULL,
      at_us INTEGER NOT NULL,
      until_us INTEGER NOT NULL,
      client_events INTEGER NOT NULL,
      said_us BLOB NOT NULL,
      said_about BLOB NOT NULL,
      control_us BLOB NOT NULL
    );
    CREATE UNIQUE INDEX blocks_of ON blocks (exchange, position);
    CREATE INDEX blocks_at ON blocks (at_us);
    CREATE INDEX blocks_until ON blocks (until_us);
    CREATE TABLE types (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, sender TEXT NOT NULL, UNIQUE (name, sender)
    );
    CREATE TABLE types_in (
      type INTEGER NOT NULL, block INTEGER NOT NULL, events INTEGER NOT NULL,
      PRIMARY KEY (type, block)
    ) WITHOUT ROWID;
    CREATE TABLE asked (
      exchange INTEGER NOT NULL, position INTEGER NOT NULL, text TEXT NOT NULL,
      PRIMARY KEY (exchange, position)
    ) WITHOUT ROWID;
    CREATE TABLE heard (digest TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE VIRTUAL TABLE letters USING fts5 (text, content = '', detail = none,
      tokenize = 'trigram');
"""
WHOLE: Final = "whole"
"""The fact that the index holds all of its tape: nothing goes on there."""
_PATIENCE_S: Final = 30.0


def index_path(folder: Path, tape: Path) -> Path:
    """Where the index of the tape lies."""
    digest = blake2b(place_of(tape), digest_size=12).hexdigest()
    return folder / f"{digest}.db"


def place_of(tape: Path) -> bytes:
    """Where the tape itself lies: in bytes, which need not be text."""
    return os.fsencode(tape.resolve())


def opened(path: Path) -> sqlite3.Connection:
    """The index at ``path``, made if it is not there.

    Raises:
        sqlite3.Error: it is damaged, or cannot be made there.
    """
    is_new = not path.exists()
    if is_new:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    connection = sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE_S)
    try:
        # What is lost with the machine is made again.
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA journal_mode = WAL")
        with transaction(connection):
            if not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
                for statement in _TABLES.split(";\n"):
                    connection.execute(statement)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing; nobody else writes meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def drop(path: Path) -> None:
    """Takes the index away, with what SQLite keeps beside it."""
    for each in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        with suppress(OSError):
            each.unlink(missing_ok=True)


def drop_orphans(folder: Path) -> None:
    """Takes away the indexes of tapes that are no more."""
    for path in folder.glob("*.db"):
        with suppress(sqlite3.Error), closing(sqlite3.connect(path, timeout=0.1)) as connection:
            found = connection.execute("SELECT value FROM facts WHERE name = 'tape'").fetchone()
            if found is not None and not Path(os.fsdecode(found[0])).exists():
                drop(path)


@cache
def maker() -> str:
    """Names the program that is running: opinions change with its source."""
    digest = blake2b(digest_size=8)
    for package in (wiretape, inspector_web):
        for path in sorted(Path(str(package.__file__)).parent.rglob("*.py")):
            stat = path.stat()
            digest.update(f"{path}{stat.st_size}{stat.st_mtime_ns}".encode())
    return f"{wiretape.__version__} {digest.hexdigest()}"
