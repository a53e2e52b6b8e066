"""Whether somebody is writing a tape: a lock that goes with its writer, however that ends.

The lock (``flock``) lies on the tape's write-ahead log, which is there as long as a writer is, and
on which SQLite takes no locks of its own: opening and closing the tape itself once more would end
those that this process has on it. A copy of a tape has no writer, nor has one whose writer was
killed.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl


class Presence:
    """Says that the tape at ``path`` is being written, until :meth:`end` or the process ends."""

    def __init__(self, path: Path) -> None:
        self._lock: int | None = None
        # Where the file system has no locks, whoever asks is told what can be known there.
        with suppress(OSError):
            self._lock = os.open(log_of(path), os.O_RDWR)
            _take(self._lock, is_shared=False)

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


def _take(file: int, *, is_shared: bool) -> None:
    if sys.platform != "win32":
        # A writer waits for those that ask, which takes them no time.
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB if is_shared else fcntl.LOCK_EX)
