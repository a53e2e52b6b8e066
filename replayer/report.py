"""What a replay came to: everything that the client asked, and how it met the recording."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Any, Final

from wiretape.asked import RequestKind
from wiretape.attempt import Transport
from wiretape.likeness import Difference
from wiretape.quoting import is_told_whole, told
from wiretape.words import counted, place_told, printable

_SHOWN_REQUESTS: Final = 20
_SHOWN_DIFFERENCES: Final = 3
_SHOWN_HOSTS: Final = 6


type Spot = tuple[int, int | None]
"""Where something was recorded: an exchange, and the number of the client's message on it."""


class Verdict(StrEnum):
    """How a request of the client met the recording."""

    EXACT = "exact"
    DIFFERENT = "different"
    UNEXPECTED = "unexpected"


@dataclass(frozen=True, slots=True)
class ReplayedRequest:
    """One thing that the client asked: a request over HTTP, a handshake, or a message on a socket.

    ``exchange`` and ``message`` name the recorded one that answered it (``message`` counts the
    client's messages on a socket, from 0), or for an unexpected one, the nearest there is.
    ``connection`` numbers the client's connections to the player. ``refusal`` is what the client
    was told in place of an answer.
    """

    number: int
    transport: Transport
    kind: RequestKind
    connection: int
    verdict: Verdict
    exchange: int | None
    message: int | None
    differences: tuple[Difference, ...] = ()
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class NotAsked:
    """Something recorded that the client never asked."""

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


@dataclass(frozen=True, slots=True)
class Blocked:
    """Something that was not recorded and would have left the machine: refused at once.

    ``host`` is where it would have gone, with the port.
    """

    host: str
    what: str


def first_met(requests: Sequence[ReplayedRequest], places: Set[Spot]) -> ReplayedRequest | None:
    """The first of these requests that was answered with what stands at one of the places."""
    return next(
        (
            each
            for each in requests
            if each.refusal is None and (each.exchange, each.message) in places
        ),
        None,
    )


@dataclass(slots=True)
class Report:
    """The report under way. ``passed_on`` is what went to services of this machine."""

    requests: list[ReplayedRequest] = field(default_factory=list)
    side_requests: list[SideRequest] = field(default_factory=list)
    not_asked: list[NotAsked] = field(default_factory=list)
    blocked: Counter[Blocked] = field(default_factory=Counter)
    passed_on: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def of(self, verdict: Verdict) -> list[ReplayedRequest]:
        """The requests of that verdict."""
        return [request for request in self.requests if request.verdict is verdict]

    def note(self, sentence: str) -> None:
        """Adds a note, once."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    def name_places(self, places: Mapping[Spot, Spot | None]) -> None:
        """Names each of these places by another one. What stands at no other place was put in:
        nobody owes it a request."""

        def named(exchange: int, message: int | None) -> Spot | None:
            return places.get((exchange, message), (exchange, message))

        for at, each in enumerate(self.requests):
            if each.exchange is not None:
                exchange, message = named(each.exchange, each.message) or (None, None)
                self.requests[at] = replace(each, exchange=exchange, message=message)
        self.not_asked = [
            replace(each, exchange=place[0], message=place[1])
            for each in self.not_asked
            if (place := named(each.exchange, each.message)) is not None
        ]

    @property
    def has_findings(self) -> bool:
        """Whether the replay was not as the recording."""
        return bool(self.of(Verdict.DIFFERENT) or self.of(Verdict.UNEXPECTED) or self.not_asked)

    def has_findings_before(self, faults: Set[Spot]) -> bool:
        """The same, as far as none of these faults may have led to it: of what was asked after
        one was met, or left unasked, nobody knows."""
        met = first_met(self.requests, faults)
        if met is None:
            return self.has_findings
        return any(each.verdict is not Verdict.EXACT for each in self.requests[: met.number])

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
            "blocked": [asdict(each) | {"times": times} for each, times in self.blocked.items()],
            "passed_on": [{"what": what, "times": times} for what, times in self.passed_on.items()],
            "side_requests": [asdict(request) for request in self.side_requests],
            "notes": self.notes,
        }

    def lines(self, file: Path | None = None) -> Iterator[str]:
        """The report for a person; ``file`` is where all of it stands."""
        counts = self.counts()
        yield (
            f"asked {counted(counts['requests'], 'time')}: {counts['exact']} exact, "
            f"{counts['different']} different, {counts['unexpected']} unexpected, "
            f"{counts['not_asked']} not asked, {counts['blocked']} blocked."
        )
        yield from map(_indented, self._findings())
        if self.blocked:
            yield _indented(self._blocked_line())
        if self.passed_on:
            times = counted(self.passed_on.total(), "request")
            yield _indented(f"passed on: {times} to services of this machine")
        yield from (_indented(f"note: {printable(note)}") for note in self.notes)
        if self._leaves_out():
            where = "--report FILE writes all of it" if file is None else f"all of it is in {file}"
            yield _indented(f"this is shortened: {where}.")

    def _findings(self) -> Iterator[str]:
        inexact = [each for each in self.requests if each.verdict is not Verdict.EXACT]
        shown = [*inexact, *self.not_asked][:_SHOWN_REQUESTS]
        for each in shown:
            match each:
                case ReplayedRequest():
                    yield from _request_lines(each)
                case NotAsked():
                    place = place_told(each.exchange, each.message)
                    yield f"not asked: {each.transport} {each.kind}, recorded as {place}"
        if more := len(inexact) + len(self.not_asked) - len(shown):
            yield f"and {more} more that are different, unexpected or not asked"

    def _blocked_line(self) -> str:
        hosts: Counter[str] = Counter()
        for each, times in self.blocked.items():
            hosts[each.host] += times
        shown = [
            f"{printable(host)} ({counted(times, 'time')})"
            for host, times in hosts.most_common(_SHOWN_HOSTS)
        ]
        more = len(hosts) - len(shown)
        return f"blocked: {', '.join(shown)}" + (f", {counted(more, 'more host')}" if more else "")

    def _leaves_out(self) -> bool:
        """Whether there is more to see than the lines say."""
        inexact = [each for each in self.requests if each.verdict is not Verdict.EXACT]
        return len(inexact) + len(self.not_asked) > _SHOWN_REQUESTS or any(
            len(each.differences) > _SHOWN_DIFFERENCES
            or not all(map(is_told_whole, each.differences))
            for each in inexact
        )


def _request_lines(request: ReplayedRequest) -> Iterator[str]:
    what = f"{request.verdict}: #{request.number} ({request.transport} {request.kind})"
    if request.exchange is None:
        is_put_in = request.verdict is not Verdict.UNEXPECTED
        yield f"{what}, " + ("put in" if is_put_in else "nothing like it was recorded")
        return
    place = place_told(request.exchange, request.message)
    if request.verdict is Verdict.UNEXPECTED:
        yield f"{what}, nearest is {place}" + ("" if request.differences else ", which is the same")
    else:
        yield f"{what}, recorded as {place}"
    for difference in islice(request.differences, _SHOWN_DIFFERENCES):
        yield _indented(told(difference))
    if (more := len(request.differences) - _SHOWN_DIFFERENCES) > 0:
        yield _indented(f"and {counted(more, 'more difference')}")


def _indented(line: str) -> str:
    return f"  {line}"
