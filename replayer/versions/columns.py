"""The run of one version as a column of the table. Pure."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from replayer.matrix.last_words import last_words
from replayer.trials.trial import Trial
from wiretape.quoting import told
from wiretape.reconstruct import Why
from wiretape.words import columns, printable

_LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class Column:
    """What a version made of the recording.

    ``exit_code`` is ``None`` where it still ran at the deadline, or never ran, and then ``trouble``
    says why. ``different``, ``unexpected`` and ``not_asked`` count where it diverges from the
    recorded client, and ``first_difference`` says where first.
    """

    version: str
    exit_code: int | None = None
    took_s: float = 0.0
    final_message: str = ""
    attempts: int = 0
    retries: int = 0
    fallbacks: int = 0
    exact: int = 0
    different: int = 0
    unexpected: int = 0
    not_asked: int = 0
    first_difference: str | None = None
    trouble: str | None = None

    @property
    def diverges(self) -> bool:
        """Whether it did not do what was recorded."""
        is_other = self.different or self.unexpected or self.not_asked
        return bool(is_other) or self.trouble is not None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def cells(self) -> list[str]:
        """The column in words, its head first."""
        if self.trouble is not None:
            return [self.version, "did not run", _cut(self.trouble), *[""] * (len(_FACTS) - 3)]
        return [
            self.version,
            "still ran at the deadline" if self.exit_code is None else f"exit {self.exit_code}",
            _cut(self.final_message),
            f"{self.took_s:.1f} s",
            str(self.attempts),
            str(self.retries),
            "yes" if self.fallbacks else "no",
            *(str(each) for each in (self.exact, self.different, self.unexpected, self.not_asked)),
            _cut(self.first_difference or ""),
        ]


_FACTS: Final = [
    "",
    "outcome",
    "final message",
    "time",
    "attempts",
    "retries",
    "fallback",
    "exact",
    "different",
    "unexpected",
    "not asked",
    "first difference",
]


def column_of(version: str, trial: Trial) -> Column:
    """The column of a run."""
    counts = trial.report.counts()
    differences = [each for request in trial.report.requests for each in request.differences]
    return Column(
        version,
        trial.exit_code,
        round(trial.took_s, 3),
        last_words(trial.stdout, trial.stderr),
        sum(len(session.tries) for session in trial.sessions),
        sum(session.count(Why.RETRY) for session in trial.sessions),
        sum(session.count(Why.FALLBACK) for session in trial.sessions),
        counts["exact"],
        counts["different"],
        counts["unexpected"],
        counts["not_asked"],
        told(differences[0]) if differences else None,
    )


def table(found: Sequence[Column]) -> list[str]:
    """The columns as aligned lines."""
    cells = [_FACTS, *(column.cells() for column in found)]
    return columns([list(row) for row in zip(*cells, strict=True)])


def _cut(text: str) -> str:
    line = printable(text)
    return f"{line[: _LONGEST - 1]}…" if len(line) > _LONGEST else line
