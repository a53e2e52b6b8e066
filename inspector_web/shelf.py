"""What the pages need of a tape, worked out once and kept until the file changes.

Reconstructing a session reads everything that crossed. Nothing recorded is kept here but counts,
times and the first words; texts are read from the tape whenever they are shown.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Final

from inspector_web.asking import first_words
from inspector_web.marks import marks_of
from inspector_web.timeline import Timeline, timeline_of
from inspector_web.visible import one_line
from wiretape.crossings import crossings_of
from wiretape.errors import NoSuchSession, TapeError
from wiretape.facts import Gap
from wiretape.reconstruct import Session, sessions_of
from wiretape.store_reader import Exchange, TapeReader
from wiretape.store_writer import TapeLabel

_WORDS_KEPT: Final = 2000
_KEPT_TAPES: Final = 1000
_KEPT_TIMELINES: Final = 16

_SPOILT: Final = (ArithmeticError, LookupError, TypeError, ValueError)

type Edition = tuple[int, ...]
"""What tells one state of a file from another, its write-ahead log included."""


@dataclass(frozen=True, slots=True)
class Overview:
    """A tape at a glance.

    ``words`` are the first of each session, ``begins_us`` when its first exchange began; both in
    the order of ``sessions``.
    """

    label: TapeLabel
    sessions: tuple[Session, ...]
    words: tuple[str, ...]
    begins_us: tuple[int, ...]
    gaps: tuple[Gap, ...]

    def session(self, number: int) -> Session:
        """The session of that number, counted from 1.

        Raises:
            NoSuchSession: there are not so many.
        """
        if not 1 <= number <= len(self.sessions):
            raise NoSuchSession(
                f"this tape has {len(self.sessions)} sessions, and none is number {number}: "
                "the list of sessions names those that are."
            )
        return self.sessions[number - 1]

    def gaps_in(self, session: Session) -> list[Gap]:
        """The gaps in a session's exchanges, and those of which no exchange is known."""
        exchanges = {each.attempt.exchange for each in session.tries}
        return [gap for gap in self.gaps if gap.exchange is None or gap.exchange in exchanges]


class Shelf:
    """Keeps what was worked out of tapes, for the tapes used last. Safe between threads."""

    def __init__(self) -> None:
        self._overviews = _Kept[Path, Overview | TapeError](_KEPT_TAPES)
        self._timelines = _Kept[tuple[Path, int], Timeline](_KEPT_TIMELINES)

    def knows(self, path: Path) -> bool:
        """Whether the tape need not be read to look at it."""
        return self._overviews.peek(path, _edition(path)) is not None

    def look(self, path: Path) -> Overview | TapeError:
        """The tape at a glance, or why it cannot be read."""

        def make() -> Overview | TapeError:
            try:
                with TapeReader(path) as reader:
                    return _overview(reader)
            except TapeError as error:
                return error.with_traceback(None)
            except _SPOILT as error:
                # SQLite lets any value stand in any column: one bad file must not hide the others.
                return TapeError(
                    f"{path} cannot be understood ({type(error).__name__}: {error}): it is "
                    "damaged, or wiretape is at fault."
                )

        return self._overviews.get(path, _edition(path), make)

    def overview(self, reader: TapeReader) -> Overview:
        """The tape at a glance.

        Raises:
            TapeError: it is damaged.
        """
        found = self.look(reader.path)
        if isinstance(found, TapeError):
            # Another one each time: what is raised again and again grows its traceback.
            raise type(found)(str(found))
        return found

    def timeline(self, reader: TapeReader, number: int) -> Timeline:
        """The timeline of the session of that number, counted from 1."""

        def make() -> Timeline:
            overview = self.overview(reader)
            session = overview.session(number)
            exchanges = exchanges_of(reader, session)
            marks = {
                exchange.id: marks_of(crossings_of(reader, exchange))
                for exchange in exchanges.values()
            }
            return timeline_of(session, exchanges, marks, overview.gaps_in(session))

        return self._timelines.get((reader.path, number), _edition(reader.path), make)


def exchanges_of(reader: TapeReader, session: Session) -> Mapping[int, Exchange]:
    """The exchanges that carried the attempts of a session, by number."""
    wanted = {each.attempt.exchange for each in session.tries}
    return {exchange.id: exchange for exchange in reader.exchanges() if exchange.id in wanted}


def _overview(reader: TapeReader) -> Overview:
    sessions = tuple(sessions_of(reader))
    exchanges = {exchange.id: exchange for exchange in reader.exchanges()}
    return Overview(
        reader.label(),
        sessions,
        tuple(one_line(first_words(reader, exchanges, each), _WORDS_KEPT) for each in sessions),
        tuple(
            min(exchanges[each.attempt.exchange].request.at_us for each in session.tries)
            for session in sessions
        ),
        tuple(reader.gaps()),
    )


def size_of(path: Path) -> int:
    """The size of a tape in bytes, 0 if it is gone."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _edition(path: Path) -> Edition:
    numbers: list[int] = []
    for each in (path, path.with_name(path.name + "-wal")):
        try:
            stat = each.stat()
        except OSError:
            continue
        numbers += (stat.st_ino, stat.st_size, stat.st_mtime_ns)
    return tuple(numbers)


class _Kept[Key, Value]:
    """The values used last, each with the edition of the file that it was made from."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Key, tuple[Edition, Value]] = OrderedDict()
        self._lock = Lock()

    def peek(self, key: Key, edition: Edition) -> Value | None:
        with self._lock:
            kept = self._values.get(key)
            if kept is None or kept[0] != edition:
                return None
            self._values.move_to_end(key)
            return kept[1]

    def get(self, key: Key, edition: Edition, make: Callable[[], Value]) -> Value:
        # Made outside the lock: two threads may both make it, and neither waits for the other.
        found = self.peek(key, edition)
        if found is None:
            found = make()
            with self._lock:
                self._values[key] = (edition, found)
                while len(self._values) > self._most:
                    self._values.popitem(last=False)
        return found
