"""The clock of a recording: microseconds that never jump, and when they began."""

import time


class Clock:
    """Counts microseconds from its making.

    ``started_at_us`` is Unix time in microseconds; ``name`` says which clock counts.
    """

    name = "monotonic"

    def __init__(self) -> None:
        self.started_at_us = time.time_ns() // 1000
        self._origin_ns = time.monotonic_ns()

    def now_us(self) -> int:
        """Microseconds since the clock was made."""
        return (time.monotonic_ns() - self._origin_ns) // 1000
