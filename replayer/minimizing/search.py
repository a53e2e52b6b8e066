"""The search for the smallest recording, with a run of the client for each question."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from replayer.bends.stable import stable
from replayer.minimizing.ddmin import smallest
from replayer.minimizing.levels import LEVELS, Level, Unit
from replayer.minimizing.symptom import Symptom
from replayer.trials.trial import Trial
from wiretape.recording import Recording
from wiretape.words import counted


@dataclass(slots=True)
class Search:
    """``best`` is the smallest recording so far that shows the symptom; ``tries`` counts runs."""

    best: Recording
    symptom: Symptom
    run: Callable[[Recording], Trial]
    tell: Callable[[str], None]
    tries: int = 0

    def all_levels(self) -> None:
        """Leaves out whatever can be, and at last what differs from run to run."""
        for level in LEVELS:
            self._reduce(level)
        self._try(stable(self.best))

    def _reduce(self, level: Level) -> None:
        whole = self.best
        units = level.units(whole)
        if not units:
            return

        def holds(kept: Sequence[Unit]) -> bool:
            shows = self._try(level.only(whole, set(kept)))
            if shows:
                self.tell(f"{len(kept)} of {len(units)} {level.what} (run {self.tries})")
            return shows

        left = smallest(units, holds)
        self.tell(f"{level.what}: {len(left)} of {len(units)} left, {counted(self.tries, 'run')}")

    def _try(self, recording: Recording) -> bool:
        self.tries += 1
        shows = self.symptom.shows_in(self.run(recording))
        if shows:
            self.best = recording
        return shows
