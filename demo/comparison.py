"""Two runs of the same client, side by side. Pure: what is shown, and whether it is equal."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from wiretape.words import counted, size


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run: what its person saw, and what the tape of it says.

    ``printed`` are the client's events without what differs between equal runs. ``received`` is
    the number of events that came from the model, and their size in bytes.
    """

    final_message: str | None
    trouble: tuple[str, ...]
    exit_code: int | None
    printed: Sequence[Mapping[str, Any]]
    requests: int
    attempts: tuple[str, ...]
    received: tuple[int, int]


def outcome(
    events: Sequence[Mapping[str, Any]],
    said: tuple[str | None, tuple[str, ...], int | None],
    tape: Mapping[str, Any],
) -> Outcome:
    """What a run came to, from what the client printed and what ``wiretape show --json`` prints.

    ``said`` is the final message, the messages of trouble and the exit code.
    """
    requests = [request for session in tape["sessions"] for request in session["requests"]]
    attempts = [attempt for request in requests for attempt in request["attempts"]]
    return Outcome(
        *said,
        events,
        len(requests),
        tuple(f"{each['transport']}: {each['outcome']}, {each['why']}" for each in attempts),
        (
            sum(attempt["events"] for attempt in attempts),
            sum(attempt["response_bytes"] for attempt in attempts),
        ),
    )


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the comparison."""

    name: str
    recorded: str
    replayed: str
    is_equal: bool


def _lines(texts: Sequence[str]) -> str:
    return "\n".join(texts) or "none"


_ROWS: Final[Mapping[str, tuple[str, Callable[[Any], str]]]] = {
    "final_message": ("final message", str),
    "trouble": ("trouble", _lines),
    "exit_code": ("exit code", str),
    "printed": ("printed", lambda events: counted(len(events), "line")),
    "requests": ("requests", str),
    "attempts": ("attempts", _lines),
    "received": ("received", lambda got: f"{counted(got[0], 'event')}, {size(got[1])}"),
}
"""Each field of an outcome, what it is called, and how it is shown."""


def rows(recorded: Outcome, replayed: Outcome) -> list[Row]:
    """The two outcomes, line by line. Lines that look alike may differ: ``is_equal`` knows."""
    return [
        Row(
            name,
            show(getattr(recorded, field)),
            show(getattr(replayed, field)),
            getattr(recorded, field) == getattr(replayed, field),
        )
        for field, (name, show) in _ROWS.items()
    ]


def is_equal(recorded: Outcome, replayed: Outcome, counts: Mapping[str, int]) -> bool:
    """The verdict. ``counts`` are those of the replay's report: everything asked exactly once."""
    return (
        recorded == replayed
        and 0 < counts["requests"] == counts["exact"]
        and counts["not_asked"] == 0
    )
