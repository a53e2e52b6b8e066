"""Runs the client on each fault of a set, in a home of its own."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from replayer.faults.bending import Faulted, ImpossibleFault, faulted
from replayer.faults.telling import times_met
from replayer.matrix.rows import Row, divergence, row_of
from replayer.matrix.sets import WITHOUT, Case
from replayer.pacing import MAX
from replayer.patience import Hurried
from replayer.timing import timed
from replayer.trials.homes import fresh_home
from replayer.trials.trial import Client, Trials
from wiretape.errors import UsageError
from wiretape.recording import Recording, bent
from wiretape.sessions import Session


@dataclass(frozen=True, slots=True)
class Silence:
    """How long one may last, and the client that was told to wait less in it, if one was."""

    longest_s: float
    hurried: Hurried | None


@dataclass(frozen=True, slots=True)
class Matrix:
    """A recording, the client to run on it, and what of the recording may be hit."""

    recording: Recording
    sessions: Sequence[Session]
    client: Client
    trials: Trials
    silence: Silence
    impossible: dict[str, str] = field(default_factory=dict)
    """The faults that cannot be on this recording, each with the reason."""

    def rows(self, cases: Iterable[Case], tell: Callable[[str], None]) -> Iterator[Row]:
        """A row for each of the cases that can be, as it is known, and before them one for the
        recording as it is. A client that asks for nothing then is not run again.

        Raises:
            UsageError: none of the cases can be on this recording.
        """
        possible = [case for case in cases if self._can_be(case)]
        if not possible:
            raise UsageError(f"no fault of this set can be on this recording: {self._reasons()}.")
        planned = [WITHOUT, *possible]
        for number, case in enumerate(planned, 1):
            row = self._row(case)
            how = "the deadline" if row.exit_code is None else f"exit code {row.exit_code}"
            tell(f"{number} of {len(planned)}: {case.name}: {how} after {row.took_s:.1f} s")
            yield row
            if not row.attempts and case is WITHOUT:
                return

    def _reasons(self) -> str:
        return "; ".join(dict.fromkeys(self.impossible.values())) or "there is none in it"

    def _can_be(self, case: Case) -> bool:
        try:
            self._faulted(case, self.recording)
        except ImpossibleFault as error:
            self.impossible[case.name] = error.reason
            return False
        return True

    def _row(self, case: Case) -> Row:
        pace, bends = timed(MAX, case.faults, self.silence.longest_s, self.silence.hurried)
        faulty = self._faulted(case, bent(self.recording, bends))
        with fresh_home(self.client.environment) as environment:
            client = replace(self.client, environment=environment)
            trial = self.trials.run(faulty.recording, client, pace, faulty.spends)
        met = sum(times_met(trial.report, faulty).values())
        astray = divergence(trial.report, self.sessions) if case is WITHOUT else None
        return row_of(case.name, trial, met, astray)

    def _faulted(self, case: Case, recording: Recording) -> Faulted:
        return faulted(recording, self.sessions, case.faults)
