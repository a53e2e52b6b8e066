"""The run of one version as a column of the table. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from replayer.matrix.last_words import last_words
from replayer.trials.trial import Trial
from wiretape.quoting import told
from wiretape.reasons import Why
from wiretape.words import columns, cut, printable

_WIDTH: Final = 80
_LONGEST_NAME: Final = 16


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
        """What is said in a word or two, in the order of the facts."""
        if self.trouble is not None:
            return ["did not run", *[""] * (len(_FACTS) - 1)]
        return [
            "deadline" if self.exit_code is None else f"exit {self.exit_code}",
            f"{self.took_s:.1f} s",
            str(self.attempts),
            str(self.retries),
            "yes" if self.fallbacks else "no",
            *(str(each) for each in (self.exact, self.different, self.unexpected, self.not_asked)),
        ]


_FACTS: Final = [
    "outcome",
    "time",
    "attempts",
    "retries",
    "fallback",
    "exact",
    "different",
    "unexpected",
    "not asked",
]
_TEXTS: Final[Mapping[str, Callable[[Column], str | None]]] = {
    "final message": lambda column: column.final_message,
    "first difference": lambda column: column.first_difference,
    "why it did not run": lambda column: column.trouble,
}
"""What may be long: it stands below the table, a line for each version that has it."""


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
    """The columns as aligned lines, as many beside each other as a terminal is wide; and below
    them what is long."""
    names = [_name(number, column.version) for number, column in enumerate(found, 1)]
    lines = list(
        _side_by_side([[name, *each.cells()] for name, each in zip(names, found, strict=True)])
    )
    for title, text_of in _TEXTS.items():
        texts = [
            (name, text) for name, each in zip(names, found, strict=True) if (text := text_of(each))
        ]
        if texts:
            told_of = columns([[name, printable(text)] for name, text in texts], indent="  ")
            lines += ["", title, *(cut(line, _WIDTH - 1) for line in told_of)]
    legend = [
        f"{name} is {each.version}"
        for name, each in zip(names, found, strict=True)
        if name != each.version
    ]
    return [*lines, *([""] if legend else []), *legend]


def _side_by_side(cells: Sequence[list[str]]) -> Iterator[str]:
    head, left = ["", *_FACTS], list(cells)
    while left:
        fitting = [head, left.pop(0)]
        while left and _width([*fitting, left[0]]) <= _WIDTH:
            fitting.append(left.pop(0))
        yield from columns([list(row) for row in zip(*fitting, strict=True)])
        if left:
            yield ""


def _width(cells: Sequence[list[str]]) -> int:
    return sum(max(map(len, each)) + 2 for each in cells) - 2


def _name(number: int, version: str) -> str:
    """What heads the column: a version, or the number of one that is named by a long path."""
    return version if len(version) <= _LONGEST_NAME else f"[{number}]"
