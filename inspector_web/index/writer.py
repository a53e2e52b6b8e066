"""Makes an index of a tape, and brings it up to date by appending what is new."""

import sqlite3
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from inspector_web.index.blocks import Cut, Gathered, blocks_of
from inspector_web.index.file import WHOLE, drop, maker, opened, place_of, transaction
from inspector_web.index.places import Start
from inspector_web.marks import About
from wiretape.store_reader import Exchange, TapeReader

_BLOCKS_AT_ONCE: Final = 64
"""So many blocks are kept in one transaction: pages see them a moment later."""


class IndexWriter:
    """The index at ``path``, of the tape that ``reader`` reads. Use as a context manager.

    Raises:
        sqlite3.Error: it cannot be kept there.
    """

    def __init__(self, path: Path, reader: TapeReader) -> None:
        self._reader = reader
        try:
            self._connection = opened(path)
            is_ours = self._is_ours()
        except sqlite3.DatabaseError:
            is_ours = False
        if not is_ours:
            if hasattr(self, "_connection"):
                self._connection.close()
            drop(path)
            self._connection = opened(path)
        with transaction(self._connection):
            self._note("tape", place_of(reader.path))
            self._note("maker", maker())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._connection.close()

    def kept(self, name: str) -> tuple[str, str] | None:
        """What is kept under that name, and the edition of the tape that it was made from."""
        edition, value = self._fact(f"{name} of"), self._fact(name)
        return None if edition is None or value is None else (edition, value)

    def keep(self, name: str, edition: str, value: str) -> None:
        """Keeps a value made from that edition of the tape."""
        with transaction(self._connection):
            self._note(f"{name} of", edition)
            self._note(name, value)

    def keep_whole(self, edition: str) -> None:
        """Notes that the index holds all of that edition of the tape, if it does."""
        (over,) = self._row("SELECT count(*) FROM exchanges WHERE is_over")
        if over == sum(1 for _ in self._reader.begins()):
            self.keep(WHOLE, edition, "")

    def append(self, go_on: Callable[[], bool] = lambda: True) -> bool:
        """Adds what the tape has beyond the index; says whether it was let come to the end."""
        done = {
            number: (Cut(Start(*place), About(item), carry), bool(is_over))
            for number, *place, item, carry, is_over in self._connection.execute(
                "SELECT id, position, piece, skip_bytes, clock_us, item, carry, is_over"
                " FROM exchanges"
            )
        }
        for exchange in self._reader.exchanges():
            cut, is_over = done.get(exchange.id, (Cut(), False))
            if not is_over and not self._cut(exchange, cut, go_on):
                return False
        return True

    def _cut(self, exchange: Exchange, cut: Cut, go_on: Callable[[], bool]) -> bool:
        waiting: list[Gathered] = []
        news: set[str] = set()

        def is_new(digest: str) -> bool:
            if digest in news or self._row("SELECT 1 FROM heard WHERE digest = ?", digest):
                return False
            news.add(digest)
            return True

        is_over = False
        for gathered, after in blocks_of(self._reader, exchange, cut, is_new):
            waiting.append(gathered)
            is_over = after is None
            cut = after or cut
            if len(waiting) >= _BLOCKS_AT_ONCE or is_over:
                self._write(exchange, waiting, news, cut, is_over)
                waiting.clear()
                news.clear()
            if not go_on():
                return False
        if waiting:
            self._write(exchange, waiting, news, cut, is_over)
        return True

    def _write(
        self, exchange: Exchange, waiting: list[Gathered], news: set[str], cut: Cut, is_over: bool
    ) -> None:
        connection, start = self._connection, cut.start
        with transaction(connection):
            # Another inspector may have come this far before us: what it wrote is as good.
            first = waiting[0].start.position
            if self._row(
                "SELECT 1 FROM blocks WHERE exchange = ? AND position >= ?", exchange.id, first
            ):
                return
            for gathered in waiting:
                self._write_block(exchange.id, gathered)
            connection.executemany(
                "INSERT OR IGNORE INTO heard (digest) VALUES (?)", ((each,) for each in news)
            )
            connection.execute(
                "INSERT OR REPLACE INTO exchanges VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    exchange.id,
                    start.position,
                    start.piece,
                    start.skip_bytes,
                    start.clock_us,
                    cut.item,
                    cut.carry,
                    is_over,
                    proof_of(exchange, is_over=is_over),
                ),
            )

    def _write_block(self, exchange: int, gathered: Gathered) -> None:
        start, marks = gathered.start, gathered.marks
        connection = self._connection
        block = connection.execute(
            "INSERT INTO blocks (exchange, position, piece, skip_bytes, clock_us, events,"
            " after_piece, at_us, until_us, client_events, said_us, said_about, control_us)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                exchange,
                start.position,
                start.piece,
                start.skip_bytes,
                start.clock_us,
                gathered.events,
                gathered.after_piece,
                gathered.at_us,
                gathered.until_us,
                gathered.client_events,
                marks.at_us.tobytes(),
                bytes(marks.codes),
                marks.control_us.tobytes(),
            ),
        ).lastrowid
        for (name, sender), events in gathered.types.items():
            named = _kept(name), sender
            connection.execute("INSERT OR IGNORE INTO types (name, sender) VALUES (?, ?)", named)
            connection.execute(
                "INSERT INTO types_in SELECT id, ?, ? FROM types WHERE name = ? AND sender = ?"
                " ON CONFLICT DO UPDATE SET events = events + excluded.events",
                (block, events, *named),
            )
        connection.executemany(
            "INSERT OR REPLACE INTO asked VALUES (?, ?, ?)",
            ((exchange, position, _kept(text)) for position, text in gathered.asked),
        )
        connection.execute(
            "INSERT INTO letters (rowid, text) VALUES (?, ?)",
            (block, _kept("\n".join(filter(None, gathered.texts)))),
        )

    def _is_ours(self) -> bool:
        """Whether the index is of this tape, and this program made it."""
        if self._fact("maker") != maker() or self._fact("tape") != place_of(self._reader.path):
            return False
        proofs: dict[int, tuple[bool, str]] = {
            number: (bool(is_over), proof)
            for number, is_over, proof in self._connection.execute(
                "SELECT id, is_over, proof FROM exchanges"
            )
        }
        for exchange in self._reader.exchanges() if proofs else ():
            is_over, proof = proofs.pop(exchange.id, (False, None))
            if proof is not None and proof != proof_of(exchange, is_over=is_over):
                return False
        return not proofs

    def _fact(self, name: str) -> Any:
        found = self._row("SELECT value FROM facts WHERE name = ?", name)
        return None if found is None else found[0]

    def _note(self, name: str, value: str | bytes) -> None:
        self._connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def _row(self, query: str, *values: object) -> Any:
        return self._connection.execute(query, values).fetchone()


def proof_of(exchange: Exchange, *, is_over: bool) -> str:
    """What an exchange is known again by; of one that is over, also how much crossed in it."""
    known: tuple[object, ...] = (exchange.request,)
    if is_over:
        known += (exchange.response, exchange.end, exchange.pieces, exchange.size_bytes)
    return blake2b(repr(known).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _kept(text: str) -> str:
    """The text as SQLite can hold it and reads to its end."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")
