"""The window through which a timeline is seen, and the lines of round times across it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from inspector_web.stretches import Span

_SHORTEST_VIEW_US: Final = 1000
_MOST_STEPS: Final = 15
_SECOND_US: Final = 1_000_000
_STEPS_US: Final = (
    *(factor * 10**power for power in range(7) for factor in (1, 2, 5)),
    *(seconds * _SECOND_US for seconds in (10, 20, 30)),
    *(minutes * 60 * _SECOND_US for minutes in (1, 2, 5, 10, 20, 30)),
    *(factor * 10**power * 3600 * _SECOND_US for power in range(7) for factor in (1, 2, 5)),
)
"""Steps between the times of an axis: powers of ten up to seconds, then minutes and hours."""
_FOURS_US: Final = (*(4 * 10**power for power in range(7)), 240 * _SECOND_US)
ROUND_US: Final = tuple(sorted({*_STEPS_US, *_FOURS_US}))
"""What times are multiples of that are written where there is no room for every step."""


@dataclass(frozen=True, slots=True)
class View:
    """The window: what of the timeline is drawn, and over how many microseconds."""

    start_us: int
    end_us: int

    @property
    def us(self) -> int:
        return self.end_us - self.start_us

    @property
    def span(self) -> Span:
        return Span(self.start_us, self.end_us)

    def share(self, at_us: int) -> float:
        """Where on the width a moment lies, in per cent, held within the window."""
        return round(
            100 * (min(max(at_us, self.start_us), self.end_us) - self.start_us) / self.us, 3
        )

    def holds(self, at_us: int) -> bool:
        return self.start_us <= at_us <= self.end_us

    def shows(self, span: Span) -> bool:
        return span.start_us <= self.end_us and span.end_us >= self.start_us


def view_of(whole: Span, from_us: int | None, to_us: int | None) -> View:
    """The window asked for, kept within the session and wide enough to draw; else all of it."""
    room_us = max(whole.us // 25, _SHORTEST_VIEW_US)  # so that what is written at the end has place
    most = View(whole.start_us, whole.end_us + room_us)
    start_us = most.start_us if from_us is None else from_us
    end_us = most.end_us if to_us is None else to_us
    us = min(max(end_us - start_us, _SHORTEST_VIEW_US), most.us)
    start_us = min(max(start_us, most.start_us), most.end_us - us)
    return View(start_us, start_us + us)


@dataclass(frozen=True, slots=True)
class AxisMark:
    """A round time; ``at_us`` counts since the tape began."""

    x: float
    at_us: int


def axis_of(view: View) -> Iterator[AxisMark]:
    """Some round times, in fifteen steps at most."""
    step_us = next(each for each in _STEPS_US if view.us <= _MOST_STEPS * each)
    for at_us in range(-(-view.start_us // step_us) * step_us, view.end_us + 1, step_us):
        yield AxisMark(view.share(at_us), at_us)
