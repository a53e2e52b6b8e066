"""The tables of a tape, as numbered migrations, and the check that a file is a tape.

Facts only: every row says what crossed the wire. A column of ``exchanges`` is empty until its
fact arrives and never changes afterwards.
"""

import sqlite3
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import Final

from sqlite_utils import Database, Migrations

from wiretape.errors import NotATape, TapeError, TapeTooNew

APPLICATION_ID: Final = 0x57_54_41_50
"""``WTAP`` in SQLite's header, so that ``file`` and we can tell a tape from other databases."""

# Small pages, because a short session must not cost more than it says.
PAGE_SIZE: Final = 1024

migrations = Migrations("wiretape")

_FACTS: Final = (
    """
    CREATE TABLE tape (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      wiretape_version TEXT NOT NULL,
      made_by TEXT NOT NULL,
      started_at_us INTEGER NOT NULL,
      clock TEXT NOT NULL,
      command TEXT,
      source TEXT
    )
    """,
    """
    CREATE TABLE bodies (
      id INTEGER PRIMARY KEY,
      size_bytes INTEGER NOT NULL,
      base INTEGER REFERENCES bodies(id),
      depth INTEGER NOT NULL,
      recipe INTEGER,
      data BLOB NOT NULL
    )
    """,
    """
    CREATE TABLE exchanges (
      id INTEGER PRIMARY KEY,
      at_us INTEGER NOT NULL,
      connection INTEGER NOT NULL,
      method TEXT NOT NULL,
      scheme TEXT NOT NULL,
      host TEXT NOT NULL,
      port INTEGER NOT NULL,
      target TEXT NOT NULL,
      http_version TEXT NOT NULL,
      request_headers TEXT NOT NULL,
      upstream TEXT,
      request_at_us INTEGER,
      request_body INTEGER REFERENCES bodies(id),
      request_is_whole INTEGER,
      response_at_us INTEGER,
      status INTEGER,
      status_reason TEXT,
      response_http_version TEXT,
      response_headers TEXT,
      end_at_us INTEGER,
      end TEXT,
      end_side TEXT,
      close_code INTEGER,
      close_reason TEXT,
      end_detail TEXT
    )
    """,
    """
    CREATE TABLE segments (
      id INTEGER PRIMARY KEY,
      exchange INTEGER NOT NULL REFERENCES exchanges(id),
      first_piece INTEGER NOT NULL,
      pieces INTEGER NOT NULL,
      at_us INTEGER NOT NULL,
      until_us INTEGER NOT NULL,
      size_bytes INTEGER NOT NULL,
      codec TEXT NOT NULL,
      data BLOB NOT NULL
    )
    """,
    """
    CREATE INDEX segments_of ON segments (exchange, first_piece)
    """,
    """
    CREATE TABLE gaps (
      id INTEGER PRIMARY KEY,
      at_us INTEGER NOT NULL,
      until_us INTEGER NOT NULL,
      exchange INTEGER REFERENCES exchanges(id),
      lost_facts INTEGER NOT NULL,
      lost_bytes INTEGER NOT NULL,
      reason TEXT NOT NULL
    )
    """,
    """
    CREATE VIEW overview AS
      SELECT e.id,
        strftime('%Y-%m-%dT%H:%M:%fZ', (t.started_at_us + e.at_us) / 1e6, 'unixepoch') AS began,
        e.method, e.scheme || '://' || e.host || ':' || e.port || e.target AS url, e.status,
        e.end, e.close_code, (e.end_at_us - e.at_us) / 1000 AS duration_ms,
        (SELECT sum(pieces) FROM segments s WHERE s.exchange = e.id) AS pieces,
        (SELECT sum(size_bytes) FROM segments s WHERE s.exchange = e.id) AS size_bytes
      FROM exchanges e, tape t ORDER BY e.id
    """,
    """
    CREATE VIEW headers AS
      SELECT e.id AS exchange, 'client' AS sender,
        json_extract(h.value, '$[0]') AS name, json_extract(h.value, '$[1]') AS value
      FROM exchanges e, json_each(e.request_headers) h
      UNION ALL
      SELECT e.id, 'server', json_extract(h.value, '$[0]'), json_extract(h.value, '$[1]')
      FROM exchanges e, json_each(e.response_headers) h
    """,
)


@migrations()
def m001_facts(db: Database) -> None:
    """The facts, from the first version on.

    Pieces live in segments (packed, later compressed) and not in a row each, because a row per
    event costs six times the space and a third of the recorder's speed.
    """
    # One by one: executescript() would end the migration's transaction.
    for statement in _FACTS:
        db.execute(statement)


@migrations()
def m002_is_closed(db: Database) -> None:
    """Whether the recording came to its end.

    Without it, a recorder that was killed between two requests could not be told from one that
    was stopped, and what it did not see would be held against the client.
    """
    db.execute("ALTER TABLE tape ADD COLUMN is_closed INTEGER NOT NULL DEFAULT 0")


@migrations()
def m003_faults(db: Database) -> None:
    """The faults that a replay let happen.

    Without them, a failure that somebody asked for looks like one of the server.
    """
    db.execute("ALTER TABLE tape ADD COLUMN faults TEXT")


def check_is_tape(connection: sqlite3.Connection, path: str) -> None:
    """Raises unless ``connection`` holds a tape that can be read.

    Raises:
        NotATape, TapeTooNew: it holds something else.
        TapeError: it is a tape, but damaged, or cannot be looked into.
    """
    try:
        applied = _applied(connection, path)
    except sqlite3.OperationalError as error:
        raise TapeError(
            f"{path} cannot be opened ({error}): check its permissions, and those of its folder."
        ) from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        if _is_marked(connection, path):
            raise TapeError(f"{path} is damaged ({error}): take another copy of it.") from error
        raise NotATape(
            f"{path} is not a tape ({error}): give a file that `wiretape record` wrote."
        ) from error
    if applied - _known():
        raise TapeTooNew(
            f"{path} was written by a newer wiretape (it has {max(applied - _known())}): "
            "upgrade wiretape to read it."
        )
    # Later migrations only add, and a reader changes nothing: an older tape is read as it is.
    if m001_facts.__name__ not in applied:
        raise NotATape(
            f"{path} is an unfinished tape, its tables were never made: give another one."
        )


@cache
def _known() -> frozenset[str]:
    """The names of all migrations."""
    with closing(Database(memory=True)) as nothing_applied:
        return frozenset(migration.name for migration in migrations.pending(nothing_applied))


def _applied(connection: sqlite3.Connection, path: str) -> set[str]:
    is_marked = _is_marked(connection, path)
    # Reading it tells what is damaged from what was never a database.
    ((tables,),) = connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    if not is_marked and not tables:
        raise NotATape(
            f"{path} holds nothing: if it is a copy of a tape that was not closed, copy it again "
            "with the files beside it."
        )
    if not is_marked:
        raise NotATape(
            f"{path} is an SQLite file of another program: give a file that "
            "`wiretape record` wrote."
        )
    return {
        name
        for (name,) in connection.execute(
            f"SELECT name FROM {Migrations.migrations_table} WHERE migration_set = ?",
            (migrations.name,),
        )
    }


def _is_marked(connection: sqlite3.Connection, path: str) -> bool:
    """Whether the file's header says that it is a tape."""
    try:
        (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    except sqlite3.DatabaseError:
        # SQLite refuses a file that was cut off before it tells its header.
        with suppress(OSError), Path(path).open("rb") as file:
            return file.read(100)[68:72] == APPLICATION_ID.to_bytes(4)
        return False
    return bool(application_id == APPLICATION_ID)
