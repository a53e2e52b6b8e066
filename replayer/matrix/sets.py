"""Sets of faults: some under a name, others in a file. Pure.

A fault of a named set is written without its request, which is chosen when the set is used.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from replayer.faults.spec import Fault, read_fault
from wiretape.asked import RequestKind
from wiretape.errors import UsageError
from wiretape.fault_places import HOW_TO_SAY_IT, read_place
from wiretape.said import Outcome
from wiretape.sessions import Request, Session

_TOGETHER: Final = " + "

_NETWORK: Final = (
    ".0:cut",
    ".0:reset",
    ".0:stall",
    ".1:cut",
    ":cut",
    "x20.1:cut",
    ".1:reset",
    ":reset",
    ":slow=1",
    ".1:stall",
    ":stall",
    ":half-open",
    ":close=1000",
    ":close=1001,going away",
    ":close=1009,too big",
    ":close=1011,internal error",
    "x20.1:close=1011,internal error",
    ":close=1012,restart",
    ":close=1013,try again later",
)
_HTTP: Final = (
    *(f":status={code}" for code in (400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504)),
    ":status=429,retry-after=1",
    ":status=503,retry-after=1",
    "x20:status=429",
    "x20:status=500",
    *(f":refuse={code}" for code in (400, 401, 403, 404, 426, 429, 500, 503)),
    "x20:refuse=426",
    "x20:refuse=500",
)
_EVENTS: Final = (
    *(f"{event}:{action}" for action in ("drop", "duplicate", "corrupt") for event in (".1", "")),
    ".2:reorder",
    ":reorder",
    ":unknown",
    ":binary",
    ":oversize",
)
SETS: Final[Mapping[str, tuple[str, ...]]] = {
    "network": _NETWORK,
    "http": _HTTP,
    "events": _EVENTS,
    "all": (*_NETWORK, *_HTTP, *_EVENTS),
}
"""The named sets."""


@dataclass(frozen=True, slots=True)
class Case:
    """The faults of one run; ``name`` is how they were written."""

    name: str
    faults: tuple[Fault, ...]


WITHOUT: Final = Case("none", ())
"""The recording as it is."""


def named_set(name: str, at: str) -> list[Case]:
    """The faults of a named set, at the attempt that ``at`` names.

    Raises:
        UsageError: that is no attempt.
    """
    try:
        place = read_place(at)
    except ValueError as error:
        raise UsageError(f"--at: {error}.") from error
    if place.event is not None or place.times != 1:
        raise UsageError(f"--at {at} says too much: {HOW_TO_SAY_IT}, without xTIMES and .EVENT.")
    return [_case(at + fault) for fault in SETS[name]]


def set_of_lines(lines: Sequence[str]) -> list[Case]:
    """The faults in a file, a line for each run; a line that begins with ``#`` is a comment.

    Raises:
        UsageError: a line holds no fault.
    """
    told = (line.strip() for line in lines)
    return [_case(line) for line in told if line and not line.startswith("#")]


def usual_place(sessions: Sequence[Session]) -> str:
    """Where a named set is used unless told otherwise: the first attempt at a request, and no
    warm-up, that was answered well; else the first of all.

    Raises:
        UsageError: nothing was asked.
    """
    asked = [
        (session, request)
        for session in sessions
        for request in session.requests
        if request.last.kind is not RequestKind.WARM_UP
    ]
    if not asked:
        raise UsageError("nothing was asked on this tape, so there is nothing to let fail.")
    answered = [(session, request) for session, request in asked if _answered(request)]
    session, request = (answered or asked)[0]
    attempt = _answered(request) or 1
    prefix = f"{session.number}/" if len(sessions) > 1 else ""
    return f"{prefix}{request.number}" + ("" if attempt == 1 else f"#{attempt}")


def _answered(request: Request) -> int | None:
    """Which attempt was answered well, from 1."""
    outcomes = (each.attempt.outcome for each in request.tries)
    return next((at for at, it in enumerate(outcomes, 1) if it is Outcome.COMPLETED), None)


def _case(text: str) -> Case:
    return Case(text, tuple(map(read_fault, text.split(_TOGETHER))))
