"""What a replay does about time: its pace, its longest silence, the silences of faults. Pure."""

from collections.abc import Iterable

from replayer.bends.pace import at_factor
from replayer.bends.silences import no_silence_longer_than
from replayer.faults.spec import Fault
from replayer.pacing import Pace
from wiretape.recording import Bend


def timed(
    pace: Pace, faults: Iterable[Fault], longest_silence_s: float | None
) -> tuple[Pace, tuple[Bend, ...]]:
    """The pace at which to play, and what to do to the recording before the faults.

    Seconds of a fault are seconds, whatever the pace of everything else: that becomes the
    recording's own. A silence that the recorded client bore is shortened to half the longest one,
    which is the patience of the client: it must bear it again.
    """
    is_shortened = longest_silence_s is not None and pace.waits
    if not is_shortened and not any(fault.takes_time for fault in faults):
        return pace, ()
    bends = [] if pace.factor == 1 else [at_factor(pace.factor)]
    if longest_silence_s is not None:
        bends.append(no_silence_longer_than(round(longest_silence_s * 1e6 / 2)))
    return Pace(1.0), tuple(bends)
