"""Asks an index: which stretches of the tape to read, and when the server spoke.

What the tape has beyond its index is a stretch too, open at its end, so that every answer is about
the whole tape, however far the index has come.
"""

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass
from heapq import merge
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

from inspector_web.index.file import WHOLE
from inspector_web.index.places import Start, crossings_from
from inspector_web.marks import About, Marking, Marks
from wiretape.crossings import Crossing
from wiretape.facts import Sender
from wiretape.store_reader import Exchange, TapeReader

_EVER_US: Final = 1 << 62
_COLUMNS: Final = (
    "exchange, position, piece, skip_bytes, clock_us, events,"
    " iif(client_events, 0, after_piece), at_us, until_us"
)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Successive events of one exchange, from the first one's place to the last one's.

    ``events`` is ``None`` for what is not in the index yet; ``until_us`` is then for ever.
    ``after_piece`` is 0 where it is not known which pieces make it up, or the client is in it.
    """

    exchange: int
    start: Start
    events: int | None
    after_piece: int
    at_us: int
    until_us: int


@dataclass(frozen=True, slots=True)
class Only:
    """Which blocks: those that hold events of one of these types, by that sender, these letters.

    ``letters`` is an expression for SQLite. What is not in the index yet is never left out.
    """

    types: Collection[str] | None = None
    sender: Sender | None = None
    letters: str | None = None


ANY: Final = Only()


class Held(NamedTuple):
    """A block: the place of its first event, that of its last one, and how many of its events are
    of the types and the sender that were asked for. A tuple, for there may be many thousand."""

    at_us: int
    exchange: int
    position: int
    until_us: int
    last: int
    events: int


class IndexReader:
    """Reads the index at ``path`` of the tape that ``reader`` reads, as both are now.

    Where there is no index yet, all of the tape is beyond it.
    """

    def __init__(self, path: Path, reader: TapeReader) -> None:
        self._reader = reader
        self._exchanges: dict[int, Exchange] = {}
        self._connection = _opened(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def exchange(self, number: int) -> Exchange:
        """The exchange of that number, which the tape has."""
        if number not in self._exchanges:
            found = self._reader.exchange(number)
            assert found is not None
            self._exchanges[number] = found
        return self._exchanges[number]

    def crossings(self, stretch: Stretch) -> Iterator[Crossing]:
        """What crossed in a stretch, read from the tape."""
        exchange = self.exchange(stretch.exchange)
        return islice(crossings_from(self._reader, exchange, stretch.start), stretch.events)

    def data(self, stretch: Stretch) -> bytes | None:
        """The bytes of a stretch with a little around them; ``None`` where that takes more."""
        if not stretch.after_piece:
            return None
        return b"".join(
            self._reader.data(stretch.exchange, stretch.start.piece, stretch.after_piece)
        )

    def stretches_since(
        self, at_us: int, of: Collection[int] | None = None, only: Only = ANY
    ) -> Iterator[Stretch]:
        """The stretches of these exchanges that something crossed in since then, by begin."""
        found = self._blocks("until_us >= ? ORDER BY at_us, exchange, position", at_us, of, only)
        return merge(found, self.rests(of), key=_by_begin)

    def stretches_until(
        self, at_us: int, of: Collection[int] | None = None, only: Only = ANY
    ) -> Iterator[Stretch]:
        """The stretches of these exchanges that something crossed in until then, the last first."""
        yield from (rest for rest in self._rests(of) if rest.at_us <= at_us)
        yield from self._blocks("at_us <= ? ORDER BY until_us DESC", at_us, of, only)

    def held(self, of: Collection[int] | None = None, only: Only = ANY) -> list[Held]:
        """The blocks of these exchanges that can hold what is wanted, by begin."""
        where, values = _narrowed(only)
        counted, events = "", "events"
        if only.types is not None or only.sender is not None:
            of_types, named = _of_types(only)
            counted = (
                f" JOIN (SELECT block, sum(events) AS wanted FROM types_in WHERE {of_types}"
                " GROUP BY block) ON block = id"
            )
            events, values = "wanted", [*named, *values]
        query = (
            f"SELECT at_us, exchange, position, until_us, position + events - 1, {events}"
            f" FROM blocks{counted} WHERE {where} ORDER BY at_us, exchange, position"
        )
        rows = map(Held._make, self._rows(query, *values))
        return [row for row in rows if of is None or row.exchange in of]

    def rests(self, of: Collection[int] | None = None) -> list[Stretch]:
        """What these exchanges have beyond the index, by begin."""
        return sorted(self._rests(of), key=_by_begin)

    def stretch_with(self, exchange: int, position: int) -> Stretch:
        """The stretch that holds the event at that position, or where it would be."""
        for row in self._rows(
            f"SELECT {_COLUMNS} FROM blocks WHERE exchange = ? AND position <= ?"
            " AND position + events > ? ORDER BY position DESC LIMIT 1",
            exchange,
            position,
            position,
        ):
            return _stretch(row)
        return self._rest(exchange, self.exchange(exchange).request.at_us)

    def stretch_before(self, stretch: Stretch) -> Stretch | None:
        """The stretch that ends where this one begins."""
        position = stretch.start.position
        return self.stretch_with(stretch.exchange, position - 1) if position else None

    def types(self) -> list[str]:
        """The types of event that there are in the index."""
        return [name for (name,) in self._rows("SELECT DISTINCT name FROM types ORDER BY name")]

    def asked(self, exchange: int, position: int) -> str | None:
        """What the client said for the first time with that event; ``None`` if it is not known."""
        for (text,) in self._rows(
            "SELECT text FROM asked WHERE exchange = ? AND position = ?", exchange, position
        ):
            return str(text)
        return None

    def marks(self, exchange: int, since_us: int = 0, until_us: int = _EVER_US) -> Marks:
        """When the server spoke in that time, and a little around it."""
        marks = Marks()
        for said_us, about, control_us in self._rows(
            "SELECT said_us, said_about, control_us FROM blocks WHERE exchange = ?"
            " AND until_us >= ? AND at_us <= ? ORDER BY position",
            exchange,
            since_us,
            until_us,
        ):
            marks.at_us.frombytes(said_us)
            marks.codes += about
            marks.control_us.frombytes(control_us)
        rest = self._rest(exchange, self.exchange(exchange).request.at_us)
        if rest.events is None and rest.at_us <= until_us:
            marking = Marking(self._item_after(exchange), marks)
            for crossing in self.crossings(rest):
                marking.take(crossing)
        return marks

    def _item_after(self, exchange: int) -> About:
        for (item,) in self._rows("SELECT item FROM exchanges WHERE id = ?", exchange):
            return About(item)
        return About.OTHER

    def _blocks(
        self, where: str, at_us: int, of: Collection[int] | None, only: Only
    ) -> Iterator[Stretch]:
        narrowed, values = _narrowed(only)
        query = f"SELECT {_COLUMNS} FROM blocks WHERE {narrowed} AND {where}"
        if self._connection is not None:
            for row in self._connection.execute(query, (*values, at_us)):
                if of is None or row[0] in of:
                    yield _stretch(row)

    def _rests(self, of: Collection[int] | None) -> Iterator[Stretch]:
        over = {number for (number,) in self._rows("SELECT id FROM exchanges WHERE is_over")}
        for number, at_us in self._reader.begins():
            if number not in over and (of is None or number in of):
                yield self._rest(number, at_us)

    def _rest(self, exchange: int, began_us: int) -> Stretch:
        """What the exchange has beyond the index; nothing where the index has all of it."""
        for *place, is_over in self._rows(
            "SELECT position, piece, skip_bytes, clock_us, is_over FROM exchanges WHERE id = ?",
            exchange,
        ):
            start = Start(*place)
            if is_over:
                return Stretch(exchange, start, 0, 0, start.clock_us, start.clock_us)
            return Stretch(exchange, start, None, 0, start.clock_us, _EVER_US)
        return Stretch(exchange, Start(), None, 0, began_us, _EVER_US)

    def _rows(self, query: str, *values: object) -> list[Any]:
        if self._connection is None:
            return []
        return self._connection.execute(query, values).fetchall()


def may_hold(path: Path, edition: str | None, letters: str | None) -> bool:
    """Whether that edition of the tape can hold the letters, without opening it: what the index at
    ``path`` does not know can be anything."""
    connection = None if edition is None or letters is None else _opened(path)
    if connection is None:
        return True
    with closing(connection):
        known = connection.execute("SELECT value FROM facts WHERE name = ?", (f"{WHOLE} of",))
        if known.fetchone() != (edition,):
            return True
        found = connection.execute(
            "SELECT 1 FROM letters WHERE letters MATCH ? LIMIT 1", (letters,)
        )
        return found.fetchone() is not None


def _opened(path: Path) -> sqlite3.Connection | None:
    """The index at ``path``; ``None`` where there is none yet, or none that can be read."""
    address = f"{path.resolve().as_uri()}?mode=rw"
    try:
        connection = sqlite3.connect(address, uri=True, timeout=5.0, isolation_level=None)
    except sqlite3.Error:
        return None
    try:
        # One state of it for all questions, whatever is appended meanwhile.
        connection.execute("BEGIN")
        if connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            return connection
    except sqlite3.Error:
        pass
    connection.close()
    return None


def _stretch(row: Any) -> Stretch:
    exchange, position, piece, skip_bytes, clock_us, *rest = row
    return Stretch(exchange, Start(position, piece, skip_bytes, clock_us), *rest)


def _narrowed(only: Only) -> tuple[str, list[object]]:
    """What holds of such blocks, as SQL."""
    wheres, values = ["1"], list[object]()
    if only.types is not None or only.sender is not None:
        of_types, values = _of_types(only)
        wheres.append(f"id IN (SELECT block FROM types_in WHERE {of_types})")
    if only.letters is not None:
        wheres.append("id IN (SELECT rowid FROM letters WHERE letters MATCH ?)")
        values.append(only.letters)
    return " AND ".join(wheres), values


def _of_types(only: Only) -> tuple[str, list[object]]:
    wheres, values = ["1"], list[object]()
    if only.types is not None:
        wheres.append(f"name IN ({', '.join('?' * len(only.types))})")
        values += only.types
    if only.sender is not None:
        wheres.append("sender = ?")
        values.append(only.sender)
    return f"type IN (SELECT id FROM types WHERE {' AND '.join(wheres)})", values


def _by_begin(stretch: Stretch) -> tuple[int, int, int]:
    return stretch.at_us, stretch.exchange, stretch.start.position
