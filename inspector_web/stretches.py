"""An attempt's time, cut into stretches: what it was spent on, and the silences in it.

Both come from the marks of its exchange, of which only those around what is shown need be there.
Every ``_us`` is microseconds since the tape began.
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import compress, count
from operator import sub
from typing import Final

from inspector_web.marks import About, Marks
from wiretape.attempt import Attempt
from wiretape.said import Outcome

LEAST_SILENCE_US: Final = 100_000
"""What is shorter is how any stream arrives, and never told."""
LONG_WAIT_US: Final = 1_000_000
"""What is as long is told, however the rest of the answer came, and in the list of sessions too."""
_UNUSUAL: Final = 5
"""What is so many times as long as the answer's usual wait for an event is told, too."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time."""

    start_us: int
    end_us: int

    @property
    def us(self) -> int:
        return self.end_us - self.start_us


class Phase(StrEnum):
    """What an attempt's time was spent on, as far as the wire tells."""

    CONNECT = "connect"
    """The handshake of a WebSocket."""
    WAITING = "waiting"
    """Asked, and no event yet; or no event any more."""
    REASONING = "reasoning"
    TEXT = "text"
    TOOL = "tool"
    RECEIVING = "receiving"
    """Events about the response as a whole, or bytes that are no events."""


_PHASES: Final = {
    About.REASONING: Phase.REASONING,
    About.TEXT: Phase.TEXT,
    About.TOOL: Phase.TOOL,
    About.OTHER: Phase.RECEIVING,
    About.TROUBLE: Phase.RECEIVING,
}


@dataclass(frozen=True, slots=True)
class Bar(Span):
    """A stretch of an attempt spent on one thing."""

    phase: Phase


@dataclass(frozen=True, slots=True)
class Silence(Span):
    """A time in which nothing came; ``is_found``: a finding is about it."""

    is_found: bool

    @property
    def is_long(self) -> bool:
        """Whether it counts for the whole session, and not for its answer alone."""
        return self.is_found or self.us >= LONG_WAIT_US


class Use(StrEnum):
    """What a session's time went to."""

    SILENT = "silent"
    RETRY = "retry"
    """From a failed attempt to the begin of the next one."""
    UNASKED = "unasked"
    """The socket of the next one was open, and nothing had been asked over it yet."""
    TOOLS = "tools"
    """The client is taken to have run what the model called, and nothing else went on."""
    WAITING = "waiting"
    REASONING = "reasoning"
    TEXT = "text"
    TOOL = "tool"
    RECEIVING = "receiving"
    CONNECT = "connect"
    LEFT_OPEN = "left_open"
    """The answer was over, and its connection was not."""
    IDLE = "idle"
    """Nothing was asked."""


CLIENT_TOOLS: Final = "client's tools"
"""What people read of them, from the call to its output, whatever else went on meanwhile."""

NAMES: Final[Mapping[str, str]] = {
    Use.SILENT: "silent",
    Use.RETRY: "waiting to try again",
    Use.UNASKED: "new socket not used yet",
    Use.TOOLS: f"{CLIENT_TOOLS} alone",
    Use.WAITING: "waiting",
    Use.REASONING: "reasoning",
    Use.TEXT: "text",
    Use.TOOL: "tool call",
    Use.RECEIVING: "other events",
    Use.CONNECT: "handshake",
    Use.LEFT_OPEN: "open after the answer",
    Use.IDLE: "nothing asked",
}
"""What people read of each; a phase is called as the use that it is."""


@dataclass(frozen=True, slots=True)
class Spent:
    """How much time something took in all, and when longest."""

    use: Use
    us: int
    longest: Span


_RUN: Final = re.compile(rb"(.)\1*", re.DOTALL)


def bars_of(at_us: int, end_us: int, marks: Marks, shown: Span) -> Iterator[Bar]:
    """The bars of an attempt: from the one that is under way when ``shown`` begins."""
    times = marks.at_us
    first, after, begin, until = _within(at_us, end_us, marks, shown)
    # A mark tells what the time before it was spent on; before the first, that is waiting.
    before_us = at_us if begin == first else times[begin - 1]
    phase, from_us = Phase.WAITING, before_us
    for run in _RUN.finditer(marks.codes, begin, until):
        told = _PHASES.get(marks.about(run.start()), phase)
        begins_us = times[run.start()] if run.start() == first else before_us
        if told is not phase:
            if begins_us > from_us:
                yield Bar(from_us, begins_us, phase)
            from_us, phase = begins_us, told
        before_us = times[run.end() - 1]
    if before_us > from_us:
        yield Bar(from_us, before_us, phase)
    if until == after and end_us > before_us:
        # Nothing more came: what that time was spent on, nobody knows.
        yield Bar(before_us, end_us, Phase.WAITING)


def silences_of(
    attempt: Attempt,
    end_us: int,
    marks: Marks,
    shown: Span,
    *,
    found_us: Sequence[int] = (),
) -> Iterator[Silence]:
    """The unusual silences of an attempt around ``shown``.

    Unusual is what is long for anybody or for this answer, what ended the attempt, and what begins
    at a time of ``found_us``. The wait for the first event is none of itself: every answer has one.
    """
    at_us, times = attempt.at_us, marks.at_us
    first, after, begin, until = _within(at_us, end_us, marks, shown)
    heard = array("q", [at_us if begin == first else times[begin - 1]])
    heard += times[begin:until]
    if until == after:
        heard.append(max(end_us, heard[-1]))
    unusual_us = _unusual_us(attempt)
    # In C from end to end: there may be a million of them.
    for at in compress(count(), map(LEAST_SILENCE_US.__le__, map(sub, heard[1:], heard))):
        start_us, until_us = heard[at], heard[at + 1]
        is_found = any(start_us <= each_us < until_us for each_us in found_us)
        is_first = begin == first and at == 0
        is_last = until == after and at == len(heard) - 2
        if (
            is_found
            or (is_last and attempt.outcome in _WITHOUT_AN_ANSWER)
            or (not is_first and until_us - start_us >= unusual_us)
        ):
            yield Silence(start_us, until_us, is_found)


def without_silences(
    bars: Iterable[Bar], silences: Iterable[Silence]
) -> Iterator[tuple[Bar, tuple[Span, ...]]]:
    """Each bar, with what its silences leave of it; both are in order, each silence in one bar."""
    coming = iter(silences)
    silence = next(coming, None)
    for bar in bars:
        at_us, left = bar.start_us, []
        while silence is not None and silence.start_us < bar.end_us:
            if silence.start_us > at_us:
                left.append(Span(at_us, silence.start_us))
            at_us = max(at_us, silence.end_us)
            silence = next(coming, None)
        if bar.end_us > at_us:
            left.append(Span(at_us, bar.end_us))
        yield bar, tuple(left)


_WITHOUT_AN_ANSWER: Final = frozenset({Outcome.CUT, Outcome.ABANDONED})


def _unusual_us(attempt: Attempt) -> int:
    """How long a wait in the answer is not its usual one any more.

    The usual one is the mean, not the median: events come in bursts, and half of them at once.
    """
    first_us, last_us = attempt.first_event_us, attempt.last_event_us
    if first_us is None or last_us is None or attempt.events < 2:
        return LONG_WAIT_US
    usual_us = (last_us - first_us) // (attempt.events - 1)
    return min(_UNUSUAL * usual_us, LONG_WAIT_US)


def _within(at_us: int, end_us: int, marks: Marks, shown: Span) -> tuple[int, int, int, int]:
    """Which marks are the attempt's, and which of them lie around what is shown."""
    times = marks.at_us
    first, after = bisect_left(times, at_us), bisect_left(times, end_us + 1)
    begin = max(first, bisect_left(times, shown.start_us) - 1)
    until = min(after, bisect_left(times, shown.end_us) + 1)
    return first, after, begin, until
