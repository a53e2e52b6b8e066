"""What the pages need of a tape: its overview, its index, its timelines."""

import shutil
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Final
from weakref import finalize

from inspector_web.counting import Counting
from inspector_web.index.file import drop_orphans, index_path
from inspector_web.index.reader import IndexReader, may_hold
from inspector_web.overview import Overview
from inspector_web.readings import Look, Readings
from inspector_web.tally import Known
from inspector_web.timeline import Timeline, session_timeline
from inspector_web.wanted import Part, Wanted
from wiretape.store_reader import TapeReader

PATIENCE_S: Final = 1.0
"""How long an answer waits for a tape to be read; then it says how far that is."""

_COUNTS_IN_PATIENCE: Final = 50
"""So much shorter an answer waits for events to be counted."""


class StillReading(Exception):
    """A tape that is being read for the first time; ``share`` of it has been."""

    def __init__(self, share: float) -> None:
        super().__init__(
            f"this tape is being read for the first time, {share:.0%} so far: the page is there "
            "when that is done, and its events can be looked at already."
        )
        self.share = share


class Shelf:
    """Keeps what was worked out of tapes. Safe between threads.

    Indexes lie in ``folder``; without one, or where it cannot be made, in one that goes with the
    shelf.
    """

    def __init__(self, folder: Path | None = None, patience_s: float = PATIENCE_S) -> None:
        self.patience_s = patience_s
        self._folder = self._usable(folder)
        drop_orphans(self._folder)
        self._readings = Readings(self._folder)
        self._counting = Counting()

    def look(self, path: Path) -> Look:
        """What is known of the tape, after waiting for it a little."""
        return self._readings.look(path, self.patience_s)

    def glance(self, path: Path, patience_s: float) -> Look:
        """The same for one tape of many: others that are waited for come first."""
        return self._readings.look(path, patience_s, is_urgent=False)

    def index(self, reader: TapeReader) -> IndexReader:
        """The index of the tape, as far as it goes; the caller closes it."""
        return IndexReader(index_path(self._folder, reader.path), reader)

    def may_hold(self, path: Path, look: Look, letters: str | None) -> bool:
        """Whether the tape of that look can hold the letters; it is not opened for that."""
        edition = None if look.is_behind else look.edition
        return may_hold(index_path(self._folder, path), edition, letters)

    def counted(self, path: Path, part: Part, wanted: Wanted) -> Known:
        """How many wanted events there are in each block, as far as somebody has counted them."""
        place, wait_s = index_path(self._folder, path), self.patience_s / _COUNTS_IN_PATIENCE
        return self._counting.known(path, place, part, wanted, wait_s)

    def _usable(self, folder: Path | None) -> Path:
        if folder is not None:
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                with tempfile.TemporaryFile(dir=folder):
                    return folder
            except OSError:
                pass
        temporary = tempfile.mkdtemp(prefix="wiretape-")
        finalize(self, shutil.rmtree, temporary, ignore_errors=True)
        return Path(temporary)


def overview_in(look: Look) -> Overview:
    """The tape at a glance.

    Raises:
        TapeError: it is damaged.
        StillReading: it is being read for the first time.
    """
    if look.error is not None:
        # Another one each time: what is raised again and again grows its traceback.
        raise type(look.error)(str(look.error))
    if look.overview is None:
        raise StillReading(look.share)
    return look.overview


@lru_cache(maxsize=16)
def timeline_on(overview: Overview, number: int) -> Timeline:
    """The timeline of the session of that number, counted from 1.

    Raises:
        NoSuchSession: the tape has none.
    """
    return session_timeline(overview, number)
