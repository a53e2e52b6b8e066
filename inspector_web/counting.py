"""Counts in the background how many events of each block hold a text.

The index knows which blocks can hold one; how many events do is only known by reading them. One
thread does so for what was asked for last, a block after the other, and leaves what nobody asks
for any more. Blocks do not change, so what was counted stays.
"""

import sqlite3
import threading
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from inspector_web.index.reader import IndexReader
from inspector_web.seen import can_hold
from inspector_web.tally import NONE_KNOWN, Known, count_in
from inspector_web.wanted import Part, Wanted
from wiretape.errors import TapeError
from wiretape.store_reader import TapeReader

_KEPT: Final = 16
_FORGOTTEN_AFTER_S: Final = 10.0
_RESTS_S: Final = 0.2
"""So long it leaves the processor to whoever has just asked: an answer is made of many small steps,
and each would wait for a turn."""


@dataclass(frozen=True, slots=True)
class Search:
    """What is counted: the wanted events of a part of the tape at ``path``, which ``file`` is."""

    path: Path
    index: Path
    file: int
    part: Part
    wanted: Wanted


@dataclass(slots=True)
class _Job:
    counts: dict[tuple[int, int], int]
    asked_s: float
    is_over: bool = False


class Counting:
    """What was counted, for the searches asked for last. Safe between threads."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[Search, _Job] = OrderedDict()
        self._changed = threading.Condition()
        self._is_running = False
        self._rests_until_s = 0.0

    def known(self, tape: Path, index: Path, part: Part, wanted: Wanted, wait_s: float) -> Known:
        """What is known, after waiting so long for all of it."""
        if not wanted.text:
            return NONE_KNOWN
        try:
            file = tape.stat().st_ino
        except OSError:
            return NONE_KNOWN
        search = Search(tape, index, file, part, wanted)
        with self._changed:
            job = self._jobs.setdefault(search, _Job({}, 0.0))
            self._jobs.move_to_end(search)
            while len(self._jobs) > _KEPT:
                self._jobs.popitem(last=False)
            # More may have come to the tape.
            job.asked_s, job.is_over = time.monotonic(), False
            if not self._is_running:
                self._is_running = True
                threading.Thread(target=self._run, name="event-counter", daemon=True).start()
            self._rests_until_s = 0.0
            self._changed.notify_all()
            self._changed.wait_for(lambda: job.is_over, wait_s)
            self._rests_until_s = time.monotonic() + _RESTS_S
            return dict(job.counts)

    def _next(self) -> tuple[Search, _Job] | None:
        """What was asked for last and is not over, if somebody still waits for it."""
        with self._changed:
            search = self._latest()
            self._is_running = search is not None
            return None if search is None else (search, self._jobs[search])

    def _latest(self) -> Search | None:
        since_s = time.monotonic() - _FORGOTTEN_AFTER_S
        waiting = (
            search
            for search, job in reversed(self._jobs.items())
            if not job.is_over and job.asked_s >= since_s
        )
        return next(waiting, None)

    def _run(self) -> None:
        while (found := self._next()) is not None:
            search, job = found
            is_done = True
            # A tape that cannot be read is told as such by the page.
            with suppress(TapeError, sqlite3.Error, OSError):
                is_done = self._count(search, job)
            with self._changed:
                job.is_over = is_done
                self._changed.notify_all()

    def _rest(self) -> None:
        with self._changed:
            while (left_s := self._rests_until_s - time.monotonic()) > 0:
                self._changed.wait(left_s)

    def _count(self, search: Search, job: _Job) -> bool:
        """Counts block after block; says whether it came to the end."""
        wanted, part = search.wanted, search.part
        with TapeReader(search.path) as reader, IndexReader(search.index, reader) as index:
            for block in index.held(part.of, wanted.only(index.types())):
                place = block.exchange, block.position
                if place in job.counts or not part.since_us <= block.at_us < part.until_us:
                    continue
                self._rest()
                stretch = index.stretch_with(*place)
                is_possible = can_hold(index, wanted, stretch)
                job.counts[place] = count_in(index, wanted, stretch) if is_possible else 0
                with self._changed:
                    if self._latest() != search:
                        return False
        return True
