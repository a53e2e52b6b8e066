"""One line that says what is on a tape."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from wiretape.facts import End, EndKind
from wiretape.reasons import Why
from wiretape.reconstruct import sessions_of
from wiretape.sessions import Session
from wiretape.store_reader import TapeReader
from wiretape.words import counted, requests_told


@dataclass(frozen=True, slots=True)
class Counts:
    """How much of each is on a tape; ``warm_ups`` are among the requests."""

    sessions: int
    requests: int
    warm_ups: int
    events: int
    retries: int
    fallbacks: int
    gaps: int

    def __str__(self) -> str:
        told = (
            counted(self.sessions, "session"),
            requests_told(self.requests, self.warm_ups),
            counted(self.events, "event"),
            counted(self.retries, "retry", "retries"),
            counted(self.fallbacks, "fallback"),
            counted(self.gaps, "gap"),
        )
        return ", ".join(told)


def count(sessions: list[Session], gaps: int) -> Counts:
    """The counts of what was reconstructed from a tape."""
    return Counts(
        sessions=len(sessions),
        requests=sum(len(session.requests) for session in sessions),
        warm_ups=sum(session.warm_ups for session in sessions),
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


_NAMED: Final = 3
"""So many hosts are named; a client may talk to dozens."""


def summary_line(tape: Path, unwritten_gaps: int = 0, unopened: Sequence[str] = ()) -> str:
    """Names the tape and counts what is on it, and says where to look if that is no request.

    ``unwritten_gaps`` could not be put there; ``unopened`` are hosts whose TLS passed untouched.
    """
    with TapeReader(tape) as reader:
        counts = count(sessions_of(reader), len(reader.gaps()) + unwritten_gaps)
        ends = [exchange.end for exchange in reader.exchanges()]
    has_any = unwritten_gaps > 0 or bool(ends)
    nothing = "nothing was recorded" if unopened else "nothing crossed"
    said = f"the tape is {tape}: {counts if has_any else nothing}."
    if counts.requests or unwritten_gaps or any(_is_tls_failure(end) for end in ends):
        # What the last means was told when it happened.
        return said
    return f"{said} {_unopened(unopened) if unopened else PAST_US}"


def _is_tls_failure(end: End | None) -> bool:
    return end is not None and end.how is EndKind.TLS_FAILURE


def _unopened(hosts: Sequence[str]) -> str:
    more = f" and {len(hosts) - _NAMED} more" if len(hosts) > _NAMED else ""
    return (
        f"TLS passed unopened to {', '.join(hosts[:_NAMED])}{more}: if a model is there, record "
        f"again with --host {hosts[0] if len(hosts) == 1 else 'and its name'}."
    )
