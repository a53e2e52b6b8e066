"""An attempt as tables and lanes show it."""

from dataclasses import dataclass
from typing import Final

from inspector_web.ends import said
from inspector_web.health import Tone, called, named, tone_of
from wiretape.asked import RequestKind
from wiretape.attempt import Transport
from wiretape.events import Usage
from wiretape.origins import Role
from wiretape.reasons import Why
from wiretape.said import Outcome
from wiretape.sessions import Request, Session, Try

_INFERRED = (Why.RETRY, Why.FALLBACK)


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One attempt. ``request``, ``number`` and ``turn`` count from 1: the number is that within the
    request.

    ``why`` and ``evidence`` are inferred where ``is_inferred`` says so; all else is recorded.
    ``waited_us`` is until the first event, or until the head of a refusal, which has none;
    ``took_us`` is until the end, each ``None`` where the tape does not tell.
    """

    request: int
    number: int
    turn: int
    exchange: int
    message: int | None
    why: Why
    evidence: str
    is_inferred: bool
    kind: RequestKind
    role: Role
    transport: Transport
    at_us: int
    waited_us: int | None
    took_us: int | None
    silence_us: int
    events: int
    request_bytes: int
    response_bytes: int
    status: int | None
    usage: Usage | None
    said: str
    tone: Tone

    @property
    def called(self) -> str:
        """What it is called, on every page."""
        return called(self.why, self.role)

    @property
    def kinds(self) -> tuple[str, ...]:
        """What else is out of the ordinary about its request."""
        words = (named(each) for each in (self.role, self.kind) if each not in _ORDINARY)
        return tuple(each for each in dict.fromkeys(words) if each != self.called)


_ORDINARY: Final = (Role.TURN, RequestKind.CREATE, RequestKind.COMPACT)


def attempt_rows(session: Session) -> list[AttemptRow]:
    """The attempts of a session in their order."""
    return [
        attempt_row(each, request, number)
        for request in session.requests
        for number, each in enumerate(request.tries, start=1)
    ]


def attempt_row(each: Try, request: Request, number: int) -> AttemptRow:
    """The ``number``-th attempt at a request, from 1."""
    attempt = each.attempt
    first_us = attempt.first_event_us
    if first_us is None and attempt.outcome is Outcome.HTTP_ERROR:
        first_us = attempt.head_at_us
    return AttemptRow(
        request.number,
        number,
        request.turn,
        attempt.exchange,
        attempt.message,
        each.why,
        each.evidence,
        each.why in _INFERRED,
        attempt.kind,
        attempt.role,
        attempt.transport,
        attempt.at_us,
        None if first_us is None else first_us - attempt.at_us,
        None if attempt.over_us is None else attempt.over_us - attempt.at_us,
        attempt.longest_silence_us,
        attempt.events,
        attempt.request_bytes,
        attempt.response_bytes,
        attempt.status,
        attempt.usage,
        said(attempt),
        tone_of(attempt.outcome),
    )
