"""What a replay came to: every request of the client, and how it met the recording."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from replayer.likeness import Difference
from wiretape.asked import RequestKind


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
    transport: str
    kind: RequestKind
    connection: int
    verdict: Verdict
    exchange: int | None
    message: int | None
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True)
class NotAsked:
    """A recorded request that the client never made."""

    transport: str
    kind: RequestKind
    exchange: int
    message: int | None


@dataclass(frozen=True, slots=True)
class Blocked:
    """Something that would have left the machine, refused. ``times`` counts it."""

    what: str
    times: int


@dataclass(slots=True)
class Report:
    """The report under way. ``side_requests`` are those for the model list."""

    requests: list[ReplayedRequest] = field(default_factory=list)
    side_requests: list[ReplayedRequest] = field(default_factory=list)
    not_asked: list[NotAsked] = field(default_factory=list)
    blocked: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def of(self, verdict: Verdict) -> list[ReplayedRequest]:
        return [request for request in self.requests if request.verdict is verdict]

    @property
    def has_findings(self) -> bool:
        """Whether the replay was not as the recording."""
        return bool(self.of(Verdict.DIFFERENT) or self.of(Verdict.UNEXPECTED) or self.not_asked)

    def as_json(self) -> dict[str, Any]:
        """The report for machines: the counts, and a list of each."""
        blocked = [Blocked(what, times) for what, times in self.blocked.items()]
        return {
            "counts": {
                "requests": len(self.requests),
                **{verdict.value: len(self.of(verdict)) for verdict in Verdict},
                "not_asked": len(self.not_asked),
                "blocked": sum(self.blocked.values()),
            },
            "requests": [asdict(request) for request in self.requests],
            **{
                verdict.value: [asdict(request) for request in self.of(verdict)]
                for verdict in Verdict
            },
            "not_asked": [asdict(request) for request in self.not_asked],
            "blocked": [asdict(each) for each in blocked],
            "side_requests": [asdict(request) for request in self.side_requests],
            "notes": self.notes,
        }

    def lines(self) -> list[str]:
        """The report for a person."""
        counts = self.as_json()["counts"]
        lines = [
            f"{counts['requests']} requests: {counts['exact']} exact, "
            f"{counts['different']} different, {counts['unexpected']} unexpected, "
            f"{counts['not_asked']} not asked, {counts['blocked']} blocked."
        ]
        lines += [
            _request_line(request)
            for request in self.requests
            if request.verdict is not Verdict.EXACT
        ]
        lines += [
            f"  not asked: {each.transport} {each.kind}, recorded as {_place(each)}"
            for each in self.not_asked
        ]
        lines += [f"  blocked: {what} ({times} times)" for what, times in self.blocked.items()]
        return lines + [f"  note: {note}" for note in self.notes]


def _request_line(request: ReplayedRequest) -> str:
    what = f"  {request.verdict}: request {request.number} ({request.transport} {request.kind})"
    if request.exchange is None:
        return f"{what}, nothing like it was recorded"
    relation = "nearest is" if request.verdict is Verdict.UNEXPECTED else "recorded as"
    shown = ", ".join(difference.path for difference in request.differences[:5])
    more = len(request.differences) - 5
    tail = f" and {more} more" if more > 0 else ""
    differs = f"; differs in {shown}{tail}" if shown else ""
    return f"{what}, {relation} {_place(request)}{differs}"


def _place(request: ReplayedRequest | NotAsked) -> str:
    message = "" if request.message is None else f", message {request.message}"
    return f"exchange {request.exchange}{message}"
