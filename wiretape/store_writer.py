"""Appends facts to a tape from a thread of its own, and never holds up who hands them over.

The hot path is :meth:`TapeWriter.put`: it appends to a queue and returns. One thread takes what
has come in every ``_FLUSH_S`` and writes it in one transaction. When the tape cannot be written
(disk full, locked) the queue holds what comes in up to a limit in bytes; beyond it, body bytes
and messages are counted instead of kept, and become a :class:`~wiretape.facts.Gap`. Heads and
ends are always kept: they are few, and a gap without them could not be placed.

Invariant: every fact that was put is on the tape, or counted in a gap that is on the tape or
told through ``on_trouble``.
"""

import os
import sqlite3
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from sqlite_utils import Database

from wiretape import __version__
from wiretape.errors import TapeError, WouldOverwrite
from wiretape.facts import Fact, Gap, Piece, RequestBody
from wiretape.schema import APPLICATION_ID, PAGE_SIZE, migrations
from wiretape.store_rows import Mark, TapeRows

_FLUSH_S: Final = 0.25
_FLUSH_BYTES: Final = 1024 * 1024
_BALLAST_BYTES: Final = 512 * 1024
_FACT_OVERHEAD_BYTES: Final = 200


@dataclass(frozen=True, slots=True)
class TapeLabel:
    """What a tape says of itself.

    ``made_by`` is ``"record"``, ``"replay"`` or ``"mitmdump"``; ``started_at_us`` is Unix time in
    microseconds; ``command`` is the wrapped command line, redacted, as JSON; ``source`` is the
    tape that was replayed.
    """

    made_by: str
    started_at_us: int
    clock: str
    command: str | None = None
    source: str | None = None
    wiretape_version: str = __version__


@dataclass(slots=True)
class _Loss:
    """Facts of one exchange that were counted instead of kept."""

    at_us: int
    until_us: int
    facts: int
    size_bytes: int


class TapeWriter:
    """Makes the tape at ``path`` and appends facts to it.

    ``on_trouble`` is told, in a sentence, when the tape cannot be written and when it can again.
    ``interpret`` turns what was put into facts, in the writer's thread (the recorder decodes
    WebSocket frames there). ``patience_s`` is how long :meth:`close` waits for a tape that cannot
    be written.

    Raises:
        WouldOverwrite: there is a file at ``path``.
        TapeError: the tape cannot be made there.
    """

    def __init__(
        self,
        path: Path,
        label: TapeLabel,
        *,
        on_trouble: Callable[[str], None],
        interpret: Callable[[Sequence[Fact]], Iterable[Fact]] = lambda facts: facts,
        limit_bytes: int = 64 * 1024 * 1024,
        patience_s: float = 10.0,
    ) -> None:
        self.path = path
        self._on_trouble = on_trouble
        self._interpret = interpret
        self._limit_bytes = limit_bytes
        self._patience_s = patience_s
        self._queue: deque[tuple[Fact, int]] = deque()
        # One counter for each thread: neither needs a lock to keep the other's right.
        self._put_bytes = 0
        self._written_bytes = 0
        self._waiting: list[Fact] = []
        self._waiting_bytes = 0
        self._losses: dict[int, _Loss] = {}
        self._losses_lock = threading.Lock()
        self._in_trouble = False
        self._wake = threading.Event()
        self._closing = False
        self._connection = _create(path, label)
        self._rows = TapeRows(self._connection)
        self._ballast = _ballast_beside(path)
        self._thread = threading.Thread(target=self._run, name="tape-writer", daemon=True)
        self._thread.start()

    def put(self, fact: Fact) -> None:
        """Hands over one fact. Never blocks, never raises for the tape's sake."""
        size = _FACT_OVERHEAD_BYTES
        if isinstance(fact, Piece | RequestBody):
            size += len(fact.data)
            if self._put_bytes - self._written_bytes + size > self._limit_bytes:
                self._lose(fact)
                return
        self._put_bytes += size
        self._queue.append((fact, size))
        if self._put_bytes - self._written_bytes >= _FLUSH_BYTES:
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

    def _lose(self, fact: Piece | RequestBody) -> None:
        with self._losses_lock:
            loss = self._losses.setdefault(fact.exchange, _Loss(fact.at_us, fact.at_us, 0, 0))
            loss.until_us = fact.at_us
            loss.facts += 1
            loss.size_bytes += len(fact.data)

    def _run(self) -> None:
        while not self._closing:
            self._wake.wait(_FLUSH_S)
            self._wake.clear()
            self._flush()
            if self._in_trouble:
                time.sleep(_FLUSH_S)
        self._finish()

    def _flush(self) -> bool:
        """Writes everything that has come in; says whether the tape took it."""
        self._take()
        gaps = self._take_losses()
        if not self._waiting and not gaps:
            return True
        if not self._write([*self._waiting, *gaps]):
            self._put_back(gaps)
            return False
        self._waiting = []
        self._written_bytes += self._waiting_bytes
        self._waiting_bytes = 0
        return True

    def _take(self) -> None:
        taken: list[Fact] = []
        while self._queue:
            fact, size = self._queue.popleft()
            taken.append(fact)
            self._waiting_bytes += size
        try:
            self._waiting += self._interpret(taken)
        except Exception as error:
            self._trouble(f"what crossed could not be understood ({error!r})")
            self._waiting += _as_gaps(taken, f"the recorder failed on it: {error!r}")

    def _write(self, facts: Sequence[Fact]) -> bool:
        mark = self._rows.mark()
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._rows.write(facts)
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._roll_back_to(mark)
            self._trouble(f"the tape {self.path} cannot be written ({error})")
            return False
        if self._in_trouble:
            self._in_trouble = False
            self._on_trouble(f"the tape {self.path} can be written again.")
        return True

    def _roll_back_to(self, mark: Mark) -> None:
        if self._connection.in_transaction:
            self._connection.rollback()
        self._rows.back_to(mark)

    def _trouble(self, what: str) -> None:
        if not self._in_trouble:
            self._in_trouble = True
            self._on_trouble(f"{what}; the traffic goes on and wiretape keeps trying.")

    def _take_losses(self) -> list[Gap]:
        with self._losses_lock:
            losses, self._losses = self._losses, {}
        return [
            Gap(
                loss.at_us,
                loss.until_us,
                exchange,
                loss.facts,
                loss.size_bytes,
                "the tape could not be written fast enough",
            )
            for exchange, loss in losses.items()
        ]

    def _put_back(self, gaps: Iterable[Gap]) -> None:
        with self._losses_lock:
            for gap in gaps:
                assert gap.exchange is not None
                later = self._losses.get(gap.exchange)
                self._losses[gap.exchange] = _Loss(
                    gap.at_us,
                    later.until_us if later else gap.until_us,
                    gap.lost_facts + (later.facts if later else 0),
                    gap.lost_bytes + (later.size_bytes if later else 0),
                )

    def _finish(self) -> None:
        give_up_at = time.monotonic() + self._patience_s
        while not self._flush():
            if time.monotonic() > give_up_at:
                self._write_only_gaps()
                break
            time.sleep(_FLUSH_S)
        self._release_ballast()
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._rows.rest_all()
            self._connection.execute("COMMIT")
            self._connection.execute("PRAGMA incremental_vacuum").fetchall()
            # One file, which a reader can open where it may not write.
            self._connection.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.Error:
            # Loose segments and a write-ahead log beside the tape are untidy, not a loss.
            if self._connection.in_transaction:
                self._connection.rollback()
        finally:
            self._connection.close()

    def _write_only_gaps(self) -> None:
        """The last resort on a full disk: heads, ends and gaps fit into the ballast's place."""
        self._release_ballast()
        kept = [fact for fact in self._waiting if not isinstance(fact, Piece | RequestBody)]
        lost = [fact for fact in self._waiting if isinstance(fact, Piece | RequestBody)]
        gaps = [*self._take_losses(), *_as_gaps(lost, "the tape could not be written")]
        if not self._write([*kept, *gaps]):
            self._on_trouble(
                f"{len(self._waiting)} facts are lost: the tape {self.path} could not be "
                "written to the end."
            )

    def _release_ballast(self) -> None:
        if self._ballast is not None:
            os.close(self._ballast)
            self._ballast = None


def _create(path: Path, label: TapeLabel) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Nobody else may read what an agent and its model said.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError as error:
        raise WouldOverwrite(
            f"{path} exists already: choose another name or remove it first."
        ) from error
    except OSError as error:
        raise TapeError(
            f"no tape can be made at {path} ({error.strerror}): choose another place with -o."
        ) from error
    try:
        connection = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, timeout=1.0
        )
        connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        # So that the room of loose segments can be given back at the end.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        migrations.apply(Database(connection))
        connection.execute(
            "INSERT INTO tape (id, wiretape_version, made_by, started_at_us, clock, command,"
            " source) VALUES (1, ?, ?, ?, ?, ?, ?)",
            (
                label.wiretape_version,
                label.made_by,
                label.started_at_us,
                label.clock,
                label.command,
                label.source,
            ),
        )
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    except sqlite3.Error as error:
        path.unlink(missing_ok=True)
        raise TapeError(
            f"no tape can be made at {path} ({error}): choose another place with -o."
        ) from error
    return connection


def _ballast_beside(path: Path) -> int | None:
    """An open file without a name that holds some disk space until it is needed."""
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".wiretape-")
        Path(name).unlink()
        os.write(descriptor, bytes(_BALLAST_BYTES))
    except OSError:
        return None
    return descriptor


def _as_gaps(facts: Iterable[Fact], reason: str) -> list[Gap]:
    losses: dict[int | None, _Loss] = {}
    for fact in facts:
        exchange = fact.exchange
        loss = losses.setdefault(exchange, _Loss(fact.at_us, fact.at_us, 0, 0))
        loss.until_us = fact.at_us
        loss.facts += 1
        loss.size_bytes += len(fact.data) if isinstance(fact, Piece | RequestBody) else 0
    return [
        Gap(loss.at_us, loss.until_us, exchange, loss.facts, loss.size_bytes, reason)
        for exchange, loss in losses.items()
    ]
