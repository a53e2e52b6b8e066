"""Whether somebody is writing a tape: a lock that goes with its writer, however that ends.

The lock (``flock``) lies on the tape's write-ahead log, which is there as long as a writer is, and
on which SQLite takes no locks of its own: opening and closing the tape itself once more would end
those that this process has on it. A copy of a tape has no writer, nor has one whose writer was
killed.
"""

import os
import sys
import time
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Final

if sys.platform != "win32":
    import fcntl

_PATIENCE_S: Final = 1.0
_AGAIN_S: Final = 0.01


class Writing(StrEnum):
    """What became of a tape's writer. It closes the tape when it ends, unless it was killed."""

    CLOSED = "closed"
    GOES_ON = "recording_goes_on"
    CUT_OFF = "recording_cut_off"


class Presence:
    """Says that the tape at ``path`` is being written, until :meth:`end` or the process ends."""

    def __init__(self, path: Path) -> None:
        self._lock: int | None = None
        # Where the file system has no locks, whoever asks is told what can be known there.
        with suppress(OSError):
            self._lock = os.open(log_of(path), os.O_RDWR)
            _take_soon(self._lock)

    def end(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def is_being_written(path: Path) -> bool:
    """Whether a tape has a writer. Where that cannot be known, one that was not closed has."""
    try:
        asked = os.open(log_of(path), os.O_RDONLY)
    except OSError:
        return False
    try:
        # Shared: two that ask at the same time do not take each other for a writer.
        _take(asked, is_shared=True)
    except OSError:
        return True
    finally:
        os.close(asked)
    return sys.platform == "win32"


def log_of(path: Path) -> Path:
    """The write-ahead log of the tape at ``path``."""
    # Beside the tape itself, wherever a link to it lies.
    tape = path.resolve()
    return tape.with_name(f"{tape.name}-wal")


def _take_soon(file: int) -> None:
    """Those that ask take no time; one that was stopped meanwhile does not hold up a writer."""
    give_up_at = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return _take(file, is_shared=False)
        except BlockingIOError:
            if time.monotonic() > give_up_at:
                raise
        time.sleep(_AGAIN_S)


def _take(file: int, *, is_shared: bool) -> None:
    if sys.platform != "win32":
        fcntl.flock(file, (fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
