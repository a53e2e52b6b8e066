"""What a client leaves running outside its own process group, found and ended. On Linux alone.

A shell that a client has given a session of its own outlives the client, and would work on in the
next trial. While we are the reaper of what we start, whatever loses its parent becomes our child.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_SET_CHILD_SUBREAPER: Final = 36
"""prctl(2), PR_SET_CHILD_SUBREAPER."""


@contextmanager
def ending_orphans() -> Iterator[None]:
    """Ends, with the context, what was left behind by the children that were started in it.
    Those must have had sessions of their own, and be over by then."""
    if sys.platform != "linux":
        yield
        return
    before = _adopted()
    _be_reaper(is_on=True)
    try:
        yield
    finally:
        # Whoever is ended leaves its own children to us.
        while left := _adopted() - before:
            for pid in left:
                _end(pid)
            before |= left
        _be_reaper(is_on=False)


def _end(pid: int) -> None:
    # One that is another user's by now is let go: it cannot be ended.
    with suppress(OSError):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _adopted() -> set[int]:
    """Our children in other sessions than ours."""
    session, found = os.getsid(0), set[int]()
    for path in Path("/proc").glob("[0-9]*/stat"):
        # Others come and go meanwhile.
        with suppress(OSError):
            # A name in it may be any bytes.
            _, parent, _, own, *_ = path.read_bytes().rpartition(b") ")[2].split()
            if int(parent) == os.getpid() and int(own) != session:
                found.add(int(path.parent.name))
    return found


def _be_reaper(*, is_on: bool) -> None:
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, int(is_on), 0, 0, 0)
