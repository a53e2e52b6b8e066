"""How a session went, in a few words: its chips, and the story of each request in trouble."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Final

from inspector_web.ends import gave_up, given_up_us, said
from wiretape.attempt import Attempt, Transport
from wiretape.diagnosis.kinds import Finding, Severity
from wiretape.facts import EndKind
from wiretape.fault_places import Injected
from wiretape.origins import Role
from wiretape.reasons import Why
from wiretape.said import Outcome
from wiretape.sessions import Request, Session, Try
from wiretape.store_presence import Writing
from wiretape.words import counted, duration


class Tone(StrEnum):
    """How good or bad something is. A sign goes with each on screen, not the colour alone."""

    GOOD = "good"
    NOTE = "note"
    WARN = "warn"
    BAD = "bad"


class Sort(StrEnum):
    """What a chip is about; sessions can be filtered by it."""

    COMPLETED = "completed"
    FAILED = "failed"
    OPEN = "open"
    RETRY = "retry"
    FALLBACK = "fallback"
    SILENCE = "silence"
    GAP = "gap"
    FINDING = "finding"


@dataclass(frozen=True, slots=True)
class Chip:
    """One thing to know about a session."""

    sort: Sort
    tone: Tone
    text: str


@dataclass(frozen=True, slots=True)
class Tale:
    """What happened to one request that did not go well at once; the last step is how it ended."""

    request: int
    is_warm_up: bool
    steps: tuple[str, ...]
    tone: Tone


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a session went, in one story: that of ``tale``, else ``note``, else all was well."""

    tone: Tone
    word: str
    tale: Tale | None
    note: str

    @property
    def text(self) -> str:
        """The same in one line."""
        told = self.note if self.tale is None else " → ".join(self.tale.steps)
        return f"{self.word}: {told}" if told else self.word


SEVERITIES: Final = {
    Severity.BROKEN: Tone.BAD,
    Severity.RECOVERED: Tone.WARN,
    Severity.GONE_WITHOUT: Tone.WARN,
    Severity.UNSEEN: Tone.NOTE,
}
"""From the worst on."""
_SEVERITIES: Final = tuple(SEVERITIES)

TONES: Final = {
    Outcome.COMPLETED: Tone.GOOD,
    Outcome.CONNECTED: Tone.NOTE,
    Outcome.OPEN: Tone.NOTE,
}
"""Every outcome that is not bad."""


def tone_of(outcome: Outcome) -> Tone:
    return TONES.get(outcome, Tone.BAD)


@dataclass(frozen=True, slots=True)
class Stops:
    """Why something that was said is not whole, and how bad that is."""

    tone: Tone
    text: str


_STOPS: Final[Mapping[str, str]] = {
    Writing.GOES_ON: "so far: it is being recorded",
    Writing.CUT_OFF: "the recording was cut off here",
    EndKind.RECORDER_STOPPED: "the recorder stopped here",
}


def stops_of(attempt: Attempt) -> Stops:
    """Why what came in answer to an attempt, and was not said to its end, goes on no further."""
    if attempt.detail in _STOPS:
        return Stops(Tone.NOTE, _STOPS[attempt.detail])
    return Stops(Tone.BAD, "it broke off here")


_TRANSPORTS: Final = {Transport.HTTP: "HTTP", Transport.WEBSOCKET: "WebSocket"}

_HYPHENED: Final = {
    Why.FIRST: "first attempt",
    Why.TOOL_FOLLOW_UP: "tool follow-up",
    Role.WARM_UP: "warm-up",
    Role.SUB_AGENT: "sub-agent",
}


def named(kind: StrEnum) -> str:
    """Why an attempt was made, what kind of request it is, or which part it plays, in words."""
    return _HYPHENED.get(kind, kind.replace("_", " "))


def called(why: Why, role: Role) -> str:
    """What an attempt is called: why it was made, or what part its request plays that is new."""
    return named(why if role is Role.TURN or why not in _NEW else role)


_NEW: Final = (Why.FIRST, Why.UNKNOWN)


def chips_of(
    session: Session,
    gaps: int,
    findings: Sequence[Finding] | None = None,
    silence_us: int | None = None,
) -> tuple[Chip, ...]:
    """The chips of a session: how it ended first, then what is out of the ordinary.

    ``findings`` is ``None`` until the session is diagnosed. ``silence_us`` is its longest silence,
    if it had a long one.
    """
    return tuple(_chips(session, gaps, findings or (), silence_us))


def _chips(
    session: Session, gaps: int, findings: Sequence[Finding], silence_us: int | None
) -> Iterator[Chip]:
    last = session.requests[-1].last
    match last.outcome:
        case Outcome.COMPLETED:
            yield Chip(Sort.COMPLETED, Tone.GOOD, said(last))
        case Outcome.OPEN | Outcome.CONNECTED:
            yield Chip(Sort.OPEN, Tone.NOTE, said(last))
        case outcome:
            yield Chip(Sort.FAILED, tone_of(outcome), said(last))
    if findings:
        worst = min(findings, key=lambda each: _SEVERITIES.index(each.severity))
        yield Chip(Sort.FINDING, SEVERITIES[worst.severity], counted(len(findings), "finding"))
    if retries := session.count(Why.RETRY):
        yield Chip(Sort.RETRY, Tone.WARN, counted(retries, "retry", "retries"))
    if fallbacks := session.count(Why.FALLBACK):
        yield Chip(Sort.FALLBACK, Tone.WARN, counted(fallbacks, "fallback"))
    if silence_us is not None:
        yield Chip(Sort.SILENCE, Tone.WARN, f"silent for {duration(silence_us)}")
    if gaps:
        yield Chip(Sort.GAP, Tone.BAD, counted(gaps, "gap"))


def is_injected(faults: Iterable[Injected], session: Session, request: int, number: int) -> bool:
    """Whether one of ``faults`` hit that attempt of a request, both from 1, and it did not go
    well."""
    attempt = session.requests[request - 1].tries[number - 1].attempt
    is_hit = any(each.hits(session.number, request, number) for each in faults)
    return is_hit and attempt.outcome is not Outcome.COMPLETED


def tales_of(session: Session, faults: Collection[Injected] = ()) -> tuple[Tale, ...]:
    """The story of each request that took more than one try, or was not completed; ``faults`` are
    those that the replay was asked for."""
    return tuple(
        Tale(
            request.number,
            request.role is Role.WARM_UP,
            tuple(_steps(session, request, faults)),
            _tone(request),
        )
        for request in session.requests
        if len(request.tries) > 1 or request.last.outcome is not Outcome.COMPLETED
    )


def _tone(request: Request) -> Tone:
    """How bad its end is: without its warm-up, a session goes on all the same."""
    tone = tone_of(request.last.outcome)
    return Tone.WARN if tone is Tone.BAD and request.role is Role.WARM_UP else tone


def verdict_of(
    session: Session,
    findings: Sequence[Finding] | None = None,
    faults: Collection[Injected] = (),
) -> Verdict:
    """How the session went, in the story that counts most: of what failed, else of what took more
    than one try; else the first finding. ``findings`` is ``None`` until the session is diagnosed,
    ``faults`` are those that the replay was asked for.
    """
    tales = tales_of(session, faults)
    failed = [tale for tale in tales if tale.tone is Tone.BAD]
    last = session.requests[-1]
    note = findings[0].what if findings else ""
    if failed and failed[-1].request == last.number:
        return Verdict(Tone.BAD, "Failed", failed[-1], note)
    if last.last.outcome is not Outcome.COMPLETED:
        word = _UNENDED.get(last.last.detail, "Not over")
        return Verdict(Tone.NOTE, word, tales[-1], note)
    if failed:
        return Verdict(Tone.WARN, "Failed, then went on", failed[-1], note)
    if tales:
        return Verdict(Tone.WARN, "Recovered", max(tales, key=_tries_in(session)), note)
    if findings:
        worst = min(findings, key=lambda each: _SEVERITIES.index(each.severity))
        return Verdict(SEVERITIES[worst.severity], "Completed", None, note)
    return Verdict(Tone.GOOD, "Completed", None, "" if findings is None else "nothing wrong")


_UNENDED: Final[Mapping[str, str]] = {Writing.GOES_ON: "Running", Writing.CUT_OFF: "Cut off"}


def _tries_in(session: Session) -> Callable[[Tale], int]:
    return lambda tale: len(session.requests[tale.request - 1].tries)


_BEGINS: Final = {Why.RETRY: "again over ", Why.FALLBACK: "fallback to "}


def _steps(session: Session, request: Request, faults: Collection[Injected]) -> Iterator[str]:
    """Tries that went the same way are one step; what was injected is one of its own."""

    def way(numbered: tuple[int, Try]) -> tuple[Transport, str, bool]:
        number, each = numbered
        return *_way(each), is_injected(faults, session, request.number, number)

    for (transport, words, is_hit), numbered in groupby(enumerate(request.tries, 1), key=way):
        same = [each for _, each in numbered]
        begin = f"{_BEGINS.get(same[0].why, '')}{_TRANSPORTS[transport]}"
        times = "" if len(same) == 1 else f", {len(same)} tries"
        ended = words or gave_up([each.attempt for each in same])
        yield f"{begin}{times}: {ended}{' (injected)' if is_hit else ''}"


def _way(each: Try) -> tuple[Transport, str]:
    """How a try went; those that were given up in silence went the same way, however long."""
    attempt = each.attempt
    return attempt.transport, "" if given_up_us(attempt) is not None else said(attempt)
