"""Reads tapes in the background, so that pages answer meanwhile, and keeps what came of it.

One thread reads one tape after the other, and a second one those that are short: a long one does
not hold them up. Whoever asks for one waits for it a little, and then is told how far it is. A
thread ends when nothing is left to read.
"""

import sqlite3
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from inspector_web.index.file import index_path
from inspector_web.index.reader import IndexReader
from inspector_web.index.writer import IndexWriter
from inspector_web.kept import as_text, from_text
from inspector_web.overview import Overview, overview_of
from inspector_web.telling import diagnosed
from wiretape.diagnosis.diagnose import diagnose
from wiretape.errors import TapeError
from wiretape.facts import Piece
from wiretape.reconstruct import sessions_of
from wiretape.store_presence import is_being_written, log_of
from wiretape.store_reader import TapeReader

REST: Final = 4
"""A tape that grows is left alone so many times as long as reading it was work: whatever its length
and however fast it grows, that takes no more than a fifth of a processor."""

_OF_PATIENCE_IF_OLD: Final = 0.1
_KEPT_TAPES: Final = 1000
_LONG_BYTES: Final = 1_000_000
"""Some ten thousand events; a tape is compressed."""
_PASSES: Final = 3
"""So often is a tape read: for its index, its sessions and its findings."""
_TOLD_EVERY_BYTES: Final = 500_000
_SPOILT: Final = (ArithmeticError, LookupError, TypeError, ValueError)
_NOT_KEPT: Final = (sqlite3.Error, OSError)
_OVERVIEW: Final = "overview"


@dataclass(frozen=True, slots=True)
class Look:
    """What is known of a tape. ``share`` is how much of it has been read, 1 when it is over.

    Both ``overview`` and ``error`` are ``None`` while it is read for the first time. ``edition`` is
    the state of the file that they are of, ``None`` until it has been read to its end. A tape that
    grew ``is_behind``: known as it was ``as_of_us``, the moment since 1970, until it has been read
    again.
    """

    overview: Overview | None = None
    error: TapeError | None = None
    share: float = 0.0
    edition: str | None = None
    is_behind: bool = False
    as_of_us: int | None = None

    @property
    def is_over(self) -> bool:
        return self.share >= 1


@dataclass(slots=True)
class _State:
    look: Look = Look()
    began_s: float = 0.0
    rests_until_s: float = 0.0


class Readings:
    """What was read of tapes, those used last; indexes lie in ``folder``. Safe between threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._states: OrderedDict[Path, _State] = OrderedDict()
        self._waiting: dict[bool, deque[Path]] = {False: deque(), True: deque()}  # by is_long
        self._running: set[bool] = set()
        self._changed = threading.Condition()

    def look(self, path: Path, patience_s: float, *, is_urgent: bool = True) -> Look:
        """What is known of the tape, after waiting for it so long; the urgent ones come first.

        Where it is known as it was, that is worth more than to wait: then only a moment.
        """
        asked_s, edition = time.monotonic(), edition_of(path)

        def is_known() -> bool:
            state = self._states.get(path)
            if state is None or not state.look.is_over:
                return False
            # One that grows all the time is another one before it has been read.
            return state.look.edition == edition or state.began_s >= asked_s

        with self._changed:
            state = self._states.setdefault(path, _State())
            self._states.move_to_end(path)
            is_old = state.look.edition is not None
            until_s = asked_s + (patience_s * _OF_PATIENCE_IF_OLD if is_old else patience_s)
            if not is_known() and state.rests_until_s <= until_s:
                self._changed.wait_for(is_known, max(0.0, state.rests_until_s - time.monotonic()))
                if not is_known():
                    self._ask_for(path, is_urgent=is_urgent)
                    self._changed.wait_for(is_known, max(0.0, until_s - time.monotonic()))
            # Another one may have come into its place meanwhile.
            look = self._states.setdefault(path, state).look
            if is_known() or look.edition is None:
                return look
            return replace(look, share=0.0 if look.is_over else look.share, is_behind=True)

    def _ask_for(self, path: Path, *, is_urgent: bool) -> None:
        is_long = _size_of(path) >= _LONG_BYTES
        waiting = self._waiting[is_long]
        if path in waiting and is_urgent:
            waiting.remove(path)
        if path not in waiting:
            (waiting.appendleft if is_urgent else waiting.append)(path)
        if is_long not in self._running:
            self._running.add(is_long)
            run = threading.Thread(
                target=self._run, args=(is_long,), name="tape-reader", daemon=True
            )
            run.start()

    def _run(self, is_long: bool) -> None:
        while True:
            with self._changed:
                if not self._waiting[is_long]:
                    self._running.discard(is_long)
                    return
                path = self._waiting[is_long].popleft()
            edition, began_s, worked_s = edition_of(path), time.monotonic(), time.thread_time()
            began_us = time.time_ns() // 1000
            for look in self._looks(path, edition):
                with self._changed:
                    state = self._states.setdefault(path, _State())
                    state.look = look
                    if look.is_over:
                        state.look = replace(look, edition=edition, as_of_us=began_us)
                        # Not the time that it took: others' work would let it lag behind.
                        worked_s = time.thread_time() - worked_s
                        state.began_s = began_s
                        state.rests_until_s = time.monotonic() + REST * worked_s
                    while len(self._states) > _KEPT_TAPES:
                        self._states.popitem(last=False)
                    self._changed.notify_all()

    def _looks(self, path: Path, edition: str) -> Iterator[Look]:
        """What is known of a tape, as its reading goes on."""
        before = self._states.get(path, _State()).look
        told: list[float] = []

        def tell(share: float) -> None:
            if share - (told[-1] if told else 0) >= 0.01:
                told.append(share)
                with self._changed:
                    self._states.setdefault(path, _State()).look = replace(before, share=share)

        try:
            for look in _read(path, edition, self._folder, tell):
                # What was found before says more than nothing, until there is more.
                if look.is_over or before.overview is None:
                    yield look
        except TapeError as error:
            yield Look(None, error.with_traceback(None), 1)
        except _SPOILT as error:
            # SQLite lets any value stand in any column: one bad file must not hide the others.
            reason = TapeError(
                f"{path} cannot be understood ({type(error).__name__}: {error}): it is "
                "damaged, or wiretape is at fault."
            )
            yield Look(None, reason, 1)


def _read(path: Path, edition: str, folder: Path, tell: Callable[[float], None]) -> Iterator[Look]:
    place = index_path(folder, path)
    with _Watched(path, tell) as reader:
        reader.measure()
        # Without an index everything is found all the same, only later.
        with suppress(*_NOT_KEPT), IndexWriter(place, reader) as index:
            kept = index.kept(_OVERVIEW)
            if kept is not None and kept[0] == edition:
                yield Look(from_text(Overview, kept[1]), share=1)
                return
            index.append()
        sessions = sessions_of(reader)
        overview = overview_of(reader, sessions)
        yield Look(overview, share=min(2 / _PASSES, reader.share))
        findings = diagnose(reader, sessions).findings
        with IndexReader(place, reader) as found:
            overview = diagnosed(overview, findings, reader, found)
        with suppress(*_NOT_KEPT), IndexWriter(place, reader) as index:
            index.keep(_OVERVIEW, edition, as_text(overview))
            index.keep_whole(edition)
    yield Look(overview, share=1)


class _Watched(TapeReader):
    """A reader that tells how much of what there is to read has been read."""

    def __init__(self, path: Path, tell: Callable[[float], None]) -> None:
        super().__init__(path)
        self._tell = tell
        self._read_bytes = 0
        self._all_bytes = 1

    def measure(self) -> None:
        """Learns how much there is to read."""
        self._all_bytes = 1 + _PASSES * sum(each.size_bytes for each in self.exchanges())

    @property
    def share(self) -> float:
        return min(self._read_bytes / self._all_bytes, 0.99)

    def pieces(self, exchange: int, first: int = 0) -> Iterator[Piece]:
        told_bytes = self._read_bytes
        for piece in super().pieces(exchange, first):
            self._read_bytes += len(piece.data)
            if self._read_bytes - told_bytes >= _TOLD_EVERY_BYTES:
                told_bytes = self._read_bytes
                self._tell(self.share)
            yield piece


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def edition_of(path: Path) -> str:
    """What tells one state of a file from another, its write-ahead log included, and whether
    somebody is writing it: a tape that nobody closed is cut off as soon as nobody does."""
    numbers: list[int] = [is_being_written(path)]
    for each in (path, log_of(path)):
        try:
            stat = each.stat()
        except OSError:
            continue
        numbers += (stat.st_ino, stat.st_size, stat.st_mtime_ns)
    return " ".join(map(str, numbers))
