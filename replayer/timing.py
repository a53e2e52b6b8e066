"""What a replay does about time: its pace, its longest silence, the silences of faults. Pure."""

from collections.abc import Iterable
from typing import Final

from replayer.bends.pace import at_factor
from replayer.bends.silences import Awaited, Silenced, with_silences
from replayer.faults.spec import Fault
from replayer.pacing import Pace
from replayer.patience import Hurried, Patience
from wiretape.recording import Bend

_SHORTEST_US: Final = 1
"""Keeps an order, and nobody waits for it."""


def timed(
    pace: Pace,
    faults: Iterable[Fault],
    longest_silence_s: float | None,
    hurried: Hurried | None = None,
) -> tuple[Pace, tuple[Bend, ...]]:
    """The pace at which to play, and what to do to the recording before the faults.

    Seconds of a fault are seconds, whatever the pace of everything else: that becomes the
    recording's own. What a silence does to the client it is to do again, ``hurried`` or not: one
    that it bears is at most half as long as the longest one, and one that it does not bear is
    twice as long as its patience by now, at any pace.
    """
    if longest_silence_s is not None and (pace.waits or hurried is not None):
        longest_us = round(longest_silence_s * 1e6)
        return Pace(1.0), (with_silences(_silenced(pace.factor, longest_us, hurried)),)
    if any(fault.takes_time for fault in faults):
        return Pace(1.0), () if pace.factor == 1 else (at_factor(pace.factor),)
    return pace, ()


def _silenced(factor: float | None, longest_us: int, hurried: Hurried | None) -> Silenced:
    def new(silence_us: int, awaited: Awaited) -> int:
        if hurried is not None:
            borne_us = _borne_us(hurried.was, awaited)
            if borne_us is not None and silence_us > borne_us:
                return min(silence_us, 2 * (_borne_us(hurried.patience, awaited) or 0))
        usual_us = _SHORTEST_US if factor is None else round(silence_us / factor)
        return min(usual_us, longest_us // 2)

    return new


def _borne_us(patience: Patience, awaited: Awaited) -> int | None:
    """How long a client waits for that; ``None`` without end."""
    match awaited:
        case Awaited.ANSWER:
            return patience.answer_ms * 1000
        case Awaited.HANDSHAKE:
            return patience.handshake_ms * 1000
        case Awaited.HEAD | Awaited.NOTHING:
            return None
