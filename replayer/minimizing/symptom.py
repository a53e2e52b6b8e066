"""What must stay as it is while a recording shrinks. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from replayer.trials.trial import Trial
from wiretape.errors import UsageError
from wiretape.words import printable

EXIT: Final = "exit"


@dataclass(frozen=True, slots=True)
class Symptom:
    """What a client does on the whole recording.

    ``exit_code`` counts only where the symptom ``is_its_exit``; ``None`` is a client that goes on
    for ever. ``unexpected`` is how often the client may ask for what there is not: an answer of
    ours would show a symptom that is not the recording's.
    """

    is_its_exit: bool
    exit_code: int | None
    texts: tuple[str, ...]
    unexpected: int

    def shows_in(self, trial: Trial) -> bool:
        """Whether a run shows it."""
        return (
            trial.unexpected <= self.unexpected
            and (trial.exit_code == self.exit_code or not self.is_its_exit)
            and all(_prints(trial, text) for text in self.texts)
        )


def symptom_of(trial: Trial, keeps: Sequence[str]) -> Symptom:
    """The symptom that the run on the whole recording shows: :data:`EXIT`, and texts.

    Raises:
        UsageError: the run does not print one of the texts.
    """
    texts = tuple(keep for keep in keeps if keep != EXIT)
    for text in texts:
        if not _prints(trial, text):
            raise UsageError(
                f"the client does not print {printable(text)!r} on the whole recording "
                f"({ending(trial)}): say --keep with a text that it prints, or --keep {EXIT}."
            )
    return Symptom(EXIT in keeps, trial.exit_code, texts, trial.unexpected)


def ending(trial: Trial) -> str:
    """How a run ended, in words."""
    if trial.exit_code is None:
        return "it still ran at the deadline"
    return f"it ended with {trial.exit_code}"


def _prints(trial: Trial, text: str) -> bool:
    return text in trial.stdout or text in trial.stderr
