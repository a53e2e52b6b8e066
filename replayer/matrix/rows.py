"""A run of the client as a row of the table. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from replayer.matrix.last_words import last_words
from replayer.matrix.sets import WITHOUT
from replayer.report import Report, Verdict
from replayer.trials.trial import Trial
from wiretape.choosing import exchanges_of
from wiretape.commands.summary import PAST_US
from wiretape.reasons import Why
from wiretape.sessions import Session
from wiretape.words import columns, counted, printable

_LONGEST_MESSAGE: Final = 100
_HEAD: Final = ["fault", "met", "exit", "attempts", "retries", "fallback", "time", "final message"]


@dataclass(frozen=True, slots=True)
class Row:
    """What the client did about the faults of one run.

    ``met`` is how often it came to one of them. ``exit_code`` is ``None`` where it still ran at
    the deadline. ``divergence`` is how a run without any was not as recorded.
    """

    fault: str
    met: int
    exit_code: int | None
    attempts: int
    retries: int
    fallbacks: int
    took_s: float
    final_message: str
    divergence: str | None = None

    def cells(self) -> list[str]:
        """The row in words."""
        message = printable(self.final_message)
        is_long = len(message) > _LONGEST_MESSAGE
        return [
            self.fault,
            str(self.met),
            "deadline" if self.exit_code is None else str(self.exit_code),
            str(self.attempts),
            str(self.retries),
            "yes" if self.fallbacks else "no",
            f"{self.took_s:.1f} s",
            f"{message[: _LONGEST_MESSAGE - 1]}…" if is_long else message,
        ]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def shortcomings(rows: Sequence[Row]) -> Iterator[str]:
    """Why the rows say less than was asked for: a sentence for each reason."""
    if not any(row.attempts for row in rows):
        if rows:
            yield f"the client asked for nothing, so it was run no more. {PAST_US}"
        return
    for row in rows:
        if row.divergence is not None:
            yield (
                f"without a fault the client did not do what was recorded ({row.divergence}), so "
                "the other rows say little: see what `wiretape replay` reports of it."
            )
    if unmet := [row.fault for row in rows if row.fault != WITHOUT.name and not row.met]:
        yield f"never met, and so as without a fault: {', '.join(unmet)}."


def divergence(report: Report, sessions: Sequence[Session]) -> str | None:
    """In which numbers a run did not do what was recorded of these sessions."""
    wanted = exchanges_of(sessions)
    left = sum(each.exchange in wanted for each in report.not_asked)
    unexpected = len(report.of(Verdict.UNEXPECTED))
    told = [f"{counted(unexpected, 'request')} unexpected"] if unexpected else []
    if left:
        told.append(f"{counted(left, 'request')} never asked for")
    return ", ".join(told) or None


def row_of(fault: str, trial: Trial, met: int, astray: str | None) -> Row:
    """The row of a run with this fault, which was met so often."""
    return Row(
        fault,
        met,
        trial.exit_code,
        sum(len(session.tries) for session in trial.sessions),
        sum(session.count(Why.RETRY) for session in trial.sessions),
        sum(session.count(Why.FALLBACK) for session in trial.sessions),
        round(trial.took_s, 3),
        last_words(trial.stdout, trial.stderr),
        astray,
    )


def table(rows: Sequence[Row]) -> list[str]:
    """The rows as aligned lines, with a head."""
    return columns([_HEAD, *(row.cells() for row in rows)])
