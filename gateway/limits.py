"""How many files we may have open: two for each connection of the command, which may be many."""

import resource
from contextlib import suppress
from typing import Final

_ENOUGH: Final = 10_240
"""Thousands of connections, and the most that macOS gives whatever its hard limit says."""


def raise_file_limit() -> None:
    """Takes as many as the system gives without being asked for more; never fewer than before.

    Once the command has been started, whose own limit is none of ours: it inherits.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _ENOUGH if hard == resource.RLIM_INFINITY else min(_ENOUGH, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        # Whoever forbids it leaves us what we have.
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
