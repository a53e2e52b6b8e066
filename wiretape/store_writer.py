"""Appends facts to a tape from a thread of its own, and never holds up who hands them over.

The hot path is :meth:`TapeWriter.put`: it appends to a queue and returns. One thread takes what
has come in every ``_FLUSH_S`` and writes it in one transaction. When the tape cannot be written
(disk full, locked) the queue holds what comes in up to a limit in bytes; beyond it, body bytes
and messages are counted instead of kept, and become a :class:`~wiretape.facts.Gap` where they
would have stood. Heads and ends are always kept: they are few, and a gap without them could not
be placed.

Invariant: every fact that was put is on the tape, or counted in a gap that is on the tape or
told through ``on_trouble``.
"""

import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from sqlite_utils import Database

from wiretape import __version__
from wiretape.errors import UsageError, WouldOverwrite
from wiretape.facts import Fact, Gap
from wiretape.schema import APPLICATION_ID, PAGE_SIZE, migrations
from wiretape.store_ballast import Ballast
from wiretape.store_losses import BULKY, Loss, Losses, without_bulk
from wiretape.store_presence import Presence
from wiretape.store_rows import TapeRows

_FLUSH_S: Final = 0.25
_FLUSH_BYTES: Final = 1024 * 1024
_BATCH_BYTES: Final = 8 * 1024 * 1024
"""What is interpreted at once: a compressed message grows by that, and must not for all of the
queue while the tape cannot be written."""

_FACT_OVERHEAD_BYTES: Final = 200


@dataclass(frozen=True, slots=True)
class TapeLabel:
    """What a tape says of itself.

    ``made_by`` is ``"record"``, ``"replay"`` or ``"mitmdump"``; ``started_at_us`` is Unix time in
    microseconds; ``command`` is the wrapped command line, redacted, as JSON; ``source`` is the
    tape that was replayed, ``faults`` the faults that were asked for then, as JSON.
    """

    made_by: str
    started_at_us: int
    clock: str
    command: str | None = None
    source: str | None = None
    wiretape_version: str = __version__
    faults: str | None = None


class TapeWriter:
    """Makes the tape at ``path`` and appends facts to it.

    ``on_trouble`` is told, in a sentence, when the tape cannot be written, when it can again,
    and what is lost. ``interpret`` turns what was put into facts, in the writer's thread (the
    recorder decodes WebSocket frames there). ``patience_s`` is how long :meth:`close` waits for
    a tape that cannot be written; ``unwritten_gaps`` then counts the gaps that are on no tape.

    Raises:
        WouldOverwrite: there is a file at ``path``.
        UsageError: no tape can be made there.
    """

    def __init__(
        self,
        path: Path,
        label: TapeLabel,
        *,
        on_trouble: Callable[[str], None],
        interpret: Callable[[Fact], Iterable[Fact]] = lambda fact: (fact,),
        limit_bytes: int = 64 * 1024 * 1024,
        patience_s: float = 3.0,
    ) -> None:
        self.path = path
        self._on_trouble = on_trouble
        self._interpret = interpret
        self._limit_bytes = limit_bytes
        self._patience_s = patience_s
        self._queue: deque[Fact | Loss] = deque()
        # One counter for each thread: neither needs a lock to keep the other's right.
        self._put_bytes = 0
        self._written_bytes = 0
        self._losses = Losses()
        self._waiting: list[Fact] = []
        self._waiting_bytes = 0
        self._in_trouble = False
        self._is_understood = True
        self.unwritten_gaps = 0
        self._wake = threading.Event()
        self._closing = False
        self._connection = _create(path, label)
        self._presence = Presence(path)
        self._rows = TapeRows(self._connection)
        self._ballast = Ballast(path.parent)
        self._thread = threading.Thread(target=self._run, name="tape-writer", daemon=True)
        self._thread.start()

    def put(self, fact: Fact) -> None:
        """Hands over one fact. Never blocks, never raises for the tape's sake."""
        size_bytes = _size_of(fact)
        held_bytes = self._put_bytes - self._written_bytes + size_bytes
        if isinstance(fact, BULKY) and (
            held_bytes > self._limit_bytes or self._losses.has(fact.exchange)
        ):
            if loss := self._losses.count(fact):
                self._queue.append(loss)
            return
        self._put_bytes += size_bytes
        self._queue.append(fact)
        if held_bytes >= _FLUSH_BYTES and not self._wake.is_set():
            self._wake.set()

    def close(self) -> None:
        """Writes what is left and closes the tape: one file, compressed, nothing beside it."""
        if self._closing:
            return
        self._closing = True
        self._wake.set()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self) -> None:
        while not self._closing:
            self._wake.wait(_FLUSH_S)
            self._wake.clear()
            if not self._flush():
                time.sleep(_FLUSH_S)
        self._finish()

    def _flush(self) -> bool:
        """Writes everything that has come in; says whether the tape took it."""
        while self._waiting or self._queue:
            if not self._waiting:
                self._take()
            if not self._write(self._waiting):
                return False
            self._waiting = []
            self._written_bytes += self._waiting_bytes
            self._waiting_bytes = 0
        return True

    def _take(self) -> None:
        while self._queue and self._waiting_bytes < _BATCH_BYTES:
            taken = self._queue.popleft()
            if isinstance(taken, Loss):
                self._losses.close(taken)
                gap = taken.as_gap("the tape could not be written fast enough")
                self._tell(
                    f"{gap.lost_bytes} bytes of exchange {gap.exchange} are lost: {gap.reason}."
                )
                self._waiting += self._interpreted(gap)
            else:
                self._waiting_bytes += _size_of(taken)
                self._waiting += self._interpreted(taken)

    def _interpreted(self, fact: Fact) -> list[Fact]:
        try:
            return list(self._interpret(fact))
        except Exception as error:
            if self._is_understood:
                self._is_understood = False
                self._tell(
                    f"what crossed could not be understood ({error!r}); it is kept as it came."
                )
            return [fact]

    def _write(self, facts: Sequence[Fact]) -> bool:
        mark = self._rows.mark()
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._rows.write(facts)
            self._connection.execute("COMMIT")
        except Exception as error:
            # Whatever it is: without this thread everything that is still to come would be lost.
            with suppress(sqlite3.Error):
                self._connection.rollback()
            self._rows.back_to(mark)
            if not self._in_trouble:
                self._in_trouble = True
                self._tell(
                    f"the tape {self.path} cannot be written ({error}); the traffic goes on "
                    "and wiretape keeps trying."
                )
            return False
        if self._in_trouble:
            self._in_trouble = False
            self._tell(f"the tape {self.path} can be written again.")
        return True

    def _tell(self, sentence: str) -> None:
        # Nobody may be listening any more, and the tape must go on.
        with suppress(Exception):
            self._on_trouble(sentence)

    def _finish(self) -> None:
        give_up_at = time.monotonic() + self._patience_s
        while not self._flush():
            if time.monotonic() > give_up_at:
                self._give_up()
                break
            time.sleep(_FLUSH_S)
        self._ballast.release()
        # Loose segments and a write-ahead log beside the tape are untidy, not a loss.
        with suppress(sqlite3.Error, ValueError):
            self._connection.execute("BEGIN IMMEDIATE")
            self._rows.rest_all()
            self._connection.execute("UPDATE tape SET is_closed = 1")
            self._connection.execute("COMMIT")
            self._connection.execute("PRAGMA incremental_vacuum").fetchall()
            # One file, which a reader can open where it may not write.
            self._connection.execute("PRAGMA journal_mode = DELETE")
        self._connection.close()
        self._presence.end()

    def _give_up(self) -> None:
        """The last resort on a full disk: heads, ends and gaps fit into the ballast's place."""
        # Not for what is waiting: it would fill this room too, and leave none for the gaps.
        self._ballast.release()
        kept, lost = without_bulk(self._drained())
        lost_facts = sum(loss.facts for loss in lost)
        lost_bytes = sum(loss.size_bytes for loss in lost)
        kept += [loss.as_gap("the tape could not be written") for loss in lost]
        if not self._write(kept):
            lost_facts += len(kept)
            self.unwritten_gaps = max(1, sum(isinstance(fact, Gap) for fact in kept))
        self._tell(
            f"{lost_facts} facts ({lost_bytes} bytes) are lost: the tape {self.path} could not "
            "be written to the end."
        )

    def _drained(self) -> Iterator[Fact]:
        while self._waiting or self._queue:
            if not self._waiting:
                self._take()
            yield from self._waiting
            self._waiting = []
            self._waiting_bytes = 0


def _size_of(fact: Fact) -> int:
    return _FACT_OVERHEAD_BYTES + (len(fact.data) if isinstance(fact, BULKY) else 0)


def _create(path: Path, label: TapeLabel) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise _no_tape(path, f"{path.parent} is not a folder") from error
    except OSError as error:
        raise _no_tape(path, error.strerror) from error
    try:
        # Nobody else may read what an agent and its model said.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError as error:
        raise WouldOverwrite(
            f"{path} exists already: choose another name or remove it first."
        ) from error
    except OSError as error:
        raise _no_tape(path, error.strerror) from error
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, timeout=_FLUSH_S
    )
    try:
        _lay_out(connection, label)
    except sqlite3.Error as error:
        connection.close()
        path.unlink(missing_ok=True)
        raise _no_tape(path, error) from error
    return connection


def _no_tape(path: Path, why: object) -> UsageError:
    return UsageError(f"no tape can be made at {path} ({why}): choose another place with -o.")


def _lay_out(connection: sqlite3.Connection, label: TapeLabel) -> None:
    connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
    # So that the room of loose segments can be given back at the end.
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    migrations.apply(Database(connection))
    connection.execute(
        "INSERT INTO tape (id, wiretape_version, made_by, started_at_us, clock, command, source,"
        " faults) VALUES (1, ?, ?, ?, ?, ?, ?, ?)",
        (
            label.wiretape_version,
            label.made_by,
            label.started_at_us,
            label.clock,
            label.command,
            label.source,
            label.faults,
        ),
    )
    # Last: with it the file becomes a tape.
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
