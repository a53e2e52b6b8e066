"""One line that says what is on a tape."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wiretape.reconstruct import Session, Why, sessions_of
from wiretape.store_reader import TapeReader


@dataclass(frozen=True, slots=True)
class Counts:
    """How much of each is on a tape."""

    sessions: int
    requests: int
    events: int
    retries: int
    fallbacks: int
    gaps: int

    def __str__(self) -> str:
        return ", ".join(
            f"{getattr(self, name)} {name if getattr(self, name) != 1 else one}"
            for name, one in _NAMES.items()
        )


_NAMES = {
    "sessions": "session",
    "requests": "request",
    "events": "event",
    "retries": "retry",
    "fallbacks": "fallback",
    "gaps": "gap",
}


def count(sessions: list[Session], gaps: int) -> Counts:
    """The counts of what was reconstructed from a tape."""
    return Counts(
        sessions=len(sessions),
        requests=sum(len(session.requests) for session in sessions),
        events=sum(session.events for session in sessions),
        retries=sum(session.count(Why.RETRY) for session in sessions),
        fallbacks=sum(session.count(Why.FALLBACK) for session in sessions),
        gaps=gaps,
    )


PAST_US: Final = (
    "Does the client heed HTTPS_PROXY, and does it talk by itself, or through a process that was "
    "running before?"
)
"""What to ask where no request came our way: the client may have talked elsewhere."""


def summary_line(tape: Path, unwritten_gaps: int = 0) -> str:
    """Names the tape and counts what is on it; ``unwritten_gaps`` could not be put there."""
    with TapeReader(tape) as reader:
        counts = count(sessions_of(reader), len(reader.gaps()) + unwritten_gaps)
        has_any = unwritten_gaps > 0 or next(reader.exchanges(), None) is not None
    said = f"the tape is {tape}: {counts if has_any else 'nothing crossed'}."
    return said if counts.requests or unwritten_gaps else f"{said} {PAST_US}"
