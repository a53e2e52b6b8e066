"""Where a replay stands: what of the recording is used up, and what the client has asked."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from replayer.matching import Candidate, Match, Sessions
from replayer.refusals import difference_sentence, unexpected_sentence
from replayer.report import ReplayedRequest, Report, Spot, Verdict, first_met
from replayer.script import Recorded, RecordedExchange, Script, Way
from wiretape.asked import Asked
from wiretape.attempt import Transport
from wiretape.ignoring import Ignored
from wiretape.likeness import Correspondence


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: over which transport, on which of the client's connections."""

    transport: Transport
    connection: int


class Place:
    """The state that the parts of a player share.

    ``faults`` are the places at which the server fails. What a client asks after one of them it
    may ask because of that, so nothing is strict from then on. ``spends`` names the exchanges that
    answer nothing more when a client was at a place, ``unrecorded`` is the refusal of what is like
    nothing in the script.
    """

    def __init__(
        self,
        script: Script,
        *,
        is_strict: bool,
        ignored: Ignored,
        faults: Set[Spot],
        spends: Mapping[Spot, Set[int]],
        unrecorded: str,
    ) -> None:
        self.script = script
        self.is_strict = is_strict
        self._faults = faults
        self._spends = spends
        self._unrecorded = unrecorded
        self.report = Report()
        self.sessions = Sessions(ids=Correspondence(ignored=ignored))
        self._unused: dict[Way, dict[int, Candidate[RecordedExchange]]] = {}
        for recorded in script.exchanges:
            if recorded.is_request:
                unused = self._unused.setdefault(recorded.way, {})
                unused[recorded.id] = script.candidate(recorded)

    def note(self, caller: Caller, asked: Asked, match: Match[Recorded]) -> int:
        """Puts a request that the recording has into the report; gives its place there."""
        verdict = Verdict.EXACT if match.is_exact else Verdict.DIFFERENT
        for spent in self._spends.get(match.recorded.place, ()):
            for unused in self._unused.values():
                unused.pop(spent, None)
        return self._note(caller, asked, verdict, match)

    def is_strict_about(self, asked_before: Sequence[ReplayedRequest]) -> bool:
        """Whether what is asked after these is to be as it was recorded."""
        return self.is_strict and first_met(asked_before, self._faults) is None

    def refusal(self, noted: int, match: Match[Recorded]) -> str | None:
        """Why the request noted there is not answered, if it is to be the same and is not."""
        requests = self.report.requests
        if match.is_exact or not self.is_strict_about(requests[:noted]):
            return None
        sentence = difference_sentence(match)
        requests[noted] = replace(requests[noted], refusal=sentence)
        return sentence

    def unexpected(
        self,
        caller: Caller,
        asked: Asked,
        near: Match[Recorded] | None,
        *,
        is_unused: bool = False,
    ) -> str:
        """Puts a request that the recording does not have into the report; gives the refusal."""
        sentence = (
            self._unrecorded if near is None else unexpected_sentence(near, is_unused=is_unused)
        )
        self._note(caller, asked, Verdict.UNEXPECTED, near, sentence)
        return sentence

    def note_again(self, noted: int, match: Match[Recorded]) -> None:
        """Another recorded request turned out to be the one that was meant."""
        exchange, message = match.recorded.place
        requests = self.report.requests
        requests[noted] = replace(
            requests[noted],
            verdict=Verdict.EXACT if match.is_exact else Verdict.DIFFERENT,
            exchange=exchange,
            message=message,
            differences=match.differences,
        )

    def _note(
        self,
        caller: Caller,
        asked: Asked,
        verdict: Verdict,
        match: Match[Recorded] | None,
        refusal: str | None = None,
    ) -> int:
        exchange, message = match.recorded.place if match else (None, None)
        requests = self.report.requests
        requests.append(
            ReplayedRequest(
                len(requests) + 1,
                caller.transport,
                asked.kind,
                caller.connection,
                verdict,
                exchange,
                message,
                match.differences if match else (),
                refusal,
            )
        )
        return len(requests) - 1

    def unused(self, way: Way) -> Iterator[Candidate[RecordedExchange]]:
        """The recorded exchanges of a kind that answered nothing yet, in recorded order."""
        return iter(self._unused.get(way, {}).values())

    def is_unused(self, recorded: RecordedExchange) -> bool:
        """Whether it answered nothing yet."""
        return recorded.id in self._unused.get(recorded.way, {})

    def use(self, recorded: RecordedExchange) -> None:
        """Takes a recorded exchange: nothing else will be answered with it."""
        del self._unused[recorded.way][recorded.id]

    def give_back(self, recorded: RecordedExchange) -> None:
        """Lets it be used after all."""
        unused = self._unused[recorded.way] | {recorded.id: self.script.candidate(recorded)}
        self._unused[recorded.way] = dict(sorted(unused.items()))
