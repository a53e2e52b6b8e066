"""The time that faults take, beside the pace of the replay. Pure."""

from collections.abc import Iterable

from replayer.bends.pace import at_factor
from replayer.faults.spec import Fault
from replayer.pacing import Pace
from wiretape.recording import Bend


def in_real_time(pace: Pace, faults: Iterable[Fault]) -> tuple[Pace, tuple[Bend, ...]]:
    """The pace at which to play, and what to do to the recording before the faults.

    Seconds of a fault are seconds, whatever the pace of everything else: that becomes the
    recording's own.
    """
    if pace.factor == 1 or not any(fault.takes_time for fault in faults):
        return pace, ()
    return Pace(1.0), (at_factor(pace.factor),)
