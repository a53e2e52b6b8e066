"""Where a fault of a replay hits: ``[SESSION/]REQUEST[#ATTEMPT][xTIMES][.EVENT]``."""

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

_PLACE: Final = re.compile(
    r"(?:(?P<session>\d+)/)?(?P<request>\d+|\*)(?:#(?P<attempt>\d+))?(?:x(?P<times>\d+))?"
    r"(?:\.(?P<event>.+))?",
    re.ASCII,
)
MOST_TIMES: Final = 100
"""No client tries more often."""

HOW_TO_SAY_IT: Final = (
    "say [SESSION/]REQUEST[#ATTEMPT][xTIMES][.EVENT], like 2, 2.5, 2x3 or 2#2.response.created, "
    "with the numbers of `wiretape show`; * is every request"
)


@dataclass(frozen=True, slots=True)
class Place:
    """Which attempts, and where in their answers.

    ``session`` and ``request`` are the numbers of ``wiretape show``; ``None`` is every one. The
    fault hits ``times`` attempts in a row, from ``attempt`` on, from 1. ``event`` counts the
    events of the answer from 1, 0 being its head, or is a type of event, of which the first is
    meant; ``None`` leaves it to the action.
    """

    request: int | None
    session: int | None = None
    attempt: int = 1
    times: int = 1
    event: int | str | None = None

    @property
    def attempts(self) -> range:
        return range(self.attempt, self.attempt + self.times)


def read_place(text: str) -> Place:
    """The place that ``text`` says. ``ValueError``, with the reason, for anything else."""
    found = _PLACE.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no place: {HOW_TO_SAY_IT}")
    numbers = {
        name: None if found[name] is None else int(found[name])
        for name in ("session", "attempt", "times")
    }
    request = None if found["request"] == "*" else int(found["request"])
    if 0 in (request, *numbers.values()):
        raise ValueError(f"{text!r} counts from 1: only an event may be 0, the head of the answer")
    times = numbers["times"] or 1
    if times > MOST_TIMES:
        raise ValueError(f"{text!r} lasts too long: {MOST_TIMES} attempts are the most")
    event = found["event"]
    return Place(
        request,
        numbers["session"],
        numbers["attempt"] or 1,
        times,
        int(event) if event is not None and event.isdecimal() and event.isascii() else event,
    )


@dataclass(frozen=True, slots=True)
class Injected:
    """A fault that a tape says was asked for: as it was written, and where it hits."""

    text: str
    place: Place

    def hits(self, session: int, request: int, attempt: int) -> bool:
        """Whether it hits that attempt; all three count from 1."""
        place = self.place
        return (
            place.session in (None, session)
            and place.request in (None, request)
            and attempt in place.attempts
        )


def injected_on(faults: str | None) -> tuple[Injected, ...]:
    """The faults that a tape names, from what its label says (``TapeLabel.faults``).

    One that a newer version wrote in a way unknown here is left out.
    """
    found: list[Injected] = []
    for text in json.loads(faults or "[]"):
        with suppress(ValueError):
            found.append(Injected(text, read_place(text.partition(":")[0])))
    return tuple(found)
