"""What a replay came to: every request of the client, and how it met the recording."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Final

from replayer.likeness import Difference
from wiretape.asked import RequestKind
from wiretape.attempts import Transport
from wiretape.words import counted, printable

_SHOWN_PATHS: Final = 5


class Verdict(StrEnum):
    """How a request of the client met the recording."""

    EXACT = "exact"
    DIFFERENT = "different"
    UNEXPECTED = "unexpected"


@dataclass(frozen=True, slots=True)
class ReplayedRequest:
    """One request of the client.

    ``exchange`` and ``message`` name the recorded request that answered it (``message`` counts
    the client's messages on a socket, from 0), or for an unexpected one, the nearest there is.
    ``connection`` numbers the client's connections to the player.
    """

    number: int
    transport: Transport
    kind: RequestKind
    connection: int
    verdict: Verdict
    exchange: int | None
    message: int | None
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True)
class NotAsked:
    """A recorded request that the client never made."""

    transport: Transport
    kind: RequestKind
    exchange: int
    message: int | None


@dataclass(frozen=True, slots=True)
class SideRequest:
    """A request that asks the model for nothing: for the list of models, above all.

    ``exchange`` is the recorded one that answered it, ``None`` where there is none like it.
    """

    number: int
    what: str
    connection: int
    exchange: int | None


@dataclass(slots=True)
class Report:
    """The report under way. ``blocked`` counts what would have left the machine."""

    requests: list[ReplayedRequest] = field(default_factory=list)
    side_requests: list[SideRequest] = field(default_factory=list)
    not_asked: list[NotAsked] = field(default_factory=list)
    blocked: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def of(self, verdict: Verdict) -> list[ReplayedRequest]:
        """The requests of that verdict."""
        return [request for request in self.requests if request.verdict is verdict]

    def note(self, sentence: str) -> None:
        """Adds a note, once."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    @property
    def has_findings(self) -> bool:
        """Whether the replay was not as the recording."""
        return bool(self.of(Verdict.DIFFERENT) or self.of(Verdict.UNEXPECTED) or self.not_asked)

    def counts(self) -> dict[str, int]:
        """``requests`` is the sum of the three verdicts."""
        return {
            "requests": len(self.requests),
            **{verdict.value: len(self.of(verdict)) for verdict in Verdict},
            "not_asked": len(self.not_asked),
            "blocked": self.blocked.total(),
        }

    def as_json(self) -> dict[str, Any]:
        """The report for machines: the counts, and a list of each."""
        return {
            "counts": self.counts(),
            "requests": [asdict(request) for request in self.requests],
            **{
                verdict.value: [asdict(request) for request in self.of(verdict)]
                for verdict in Verdict
            },
            "not_asked": [asdict(request) for request in self.not_asked],
            "blocked": [{"what": what, "times": times} for what, times in self.blocked.items()],
            "side_requests": [asdict(request) for request in self.side_requests],
            "notes": self.notes,
        }

    def lines(self) -> Iterator[str]:
        """The report for a person."""
        counts = self.counts()
        yield (
            f"{counted(counts['requests'], 'request')}: {counts['exact']} exact, "
            f"{counts['different']} different, {counts['unexpected']} unexpected, "
            f"{counts['not_asked']} not asked, {counts['blocked']} blocked."
        )
        for request in self.requests:
            if request.verdict is not Verdict.EXACT:
                yield _request_line(request)
        for each in self.not_asked:
            yield f"  not asked: {each.transport} {each.kind}, recorded as {_place(each)}"
        for what, times in self.blocked.items():
            yield f"  blocked: {printable(what)} ({counted(times, 'time')})"
        for note in self.notes:
            yield f"  note: {printable(note)}"


def _request_line(request: ReplayedRequest) -> str:
    what = f"  {request.verdict}: request {request.number} ({request.transport} {request.kind})"
    if request.exchange is None:
        return f"{what}, nothing like it was recorded"
    relation = "nearest is" if request.verdict is Verdict.UNEXPECTED else "recorded as"
    paths = [printable(difference.path) for difference in request.differences[:_SHOWN_PATHS]]
    shown = ", ".join(paths)
    more = len(request.differences) - _SHOWN_PATHS
    tail = f" and {more} more" if more > 0 else ""
    differs = f"; differs in {shown}{tail}" if shown else ""
    return f"{what}, {relation} {_place(request)}{differs}"


def _place(request: ReplayedRequest | NotAsked) -> str:
    message = "" if request.message is None else f", message {request.message}"
    return f"exchange {request.exchange}{message}"
