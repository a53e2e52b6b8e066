"""The window through which a timeline is seen, and the lines of round times across it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from inspector_web.stretches import Span

_SHORTEST_VIEW_US: Final = 1000
_MINUTES_FROM_US: Final = 120_000_000
"""As times are written (see ``filters``)."""


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
    """A line across all lanes; ``at_us`` counts since the tape began."""

    x: float
    at_us: int
    is_minor: bool


def axis_of(view: View) -> Iterator[AxisMark]:
    """Some lines at round times, fifteen at most; every other one may go on a narrow screen."""
    # Minutes and seconds take more room than seconds.
    step_us = _step_us(view.us, 15 if view.end_us < _MINUTES_FROM_US else 8)
    at_us = -(-view.start_us // step_us) * step_us
    while at_us <= view.end_us:
        yield AxisMark(view.share(at_us), at_us, (at_us // step_us) % 2 == 1)
        at_us += step_us


def _step_us(us: int, most: int) -> int:
    """The round step (1, 2 or 5 times a power of ten) that divides ``us`` into at most so many."""
    step = 1
    while True:
        for factor in (1, 2, 5):
            if us <= most * step * factor:
                return step * factor
        step *= 10
