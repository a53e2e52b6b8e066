"""Facts into sessions, requests and attempts, each with the evidence it rests on.

What is recorded is certain; that one attempt retries another is inferred, because the wire does
not say so. The rule: within a session, an attempt that asks for the same last input item as the
one before it, which did not succeed, is another try at the same request.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from wiretape.asked import RequestKind
from wiretape.attempts import Attempt, Outcome, Transport, attempts_of
from wiretape.facts import header
from wiretape.store_reader import Exchange, TapeReader


class Why(StrEnum):
    """Why an attempt was made."""

    FIRST = "first"
    """The client asks for something new."""
    TOOL_FOLLOW_UP = "tool_follow_up"
    """The client sends what its tools gave."""
    RETRY = "retry"
    """The attempt before it, over the same transport, did not succeed."""
    FALLBACK = "fallback"
    """The same request goes on over HTTP after WebSocket did not succeed."""


@dataclass(frozen=True, slots=True)
class Try:
    """An attempt in its place: why it was made, and what that is inferred from."""

    attempt: Attempt
    why: Why
    evidence: str


@dataclass(slots=True)
class Request:
    """One thing that the client wanted of the model, and every try at it."""

    number: int
    tries: list[Try] = field(default_factory=list)

    @property
    def last(self) -> Attempt:
        return self.tries[-1].attempt


@dataclass(slots=True)
class Session:
    """One conversation. ``id`` is the client's own, ``None`` where it names none."""

    id: str | None
    client: str | None
    model: str | None = None
    requests: list[Request] = field(default_factory=list)
    waiting: list[Attempt] = field(default_factory=list, repr=False)

    @property
    def tries(self) -> list[Try]:
        return [each for request in self.requests for each in request.tries]

    @property
    def at_us(self) -> int:
        return self.tries[0].attempt.at_us

    @property
    def until_us(self) -> int:
        return max(each.attempt.until_us or each.attempt.at_us for each in self.tries)

    @property
    def events(self) -> int:
        return sum(each.attempt.events for each in self.tries)

    @property
    def transports(self) -> list[Transport]:
        """In the order of their first use."""
        return list(dict.fromkeys(each.attempt.transport for each in self.tries))

    def count(self, why: Why) -> int:
        return sum(each.why is why for each in self.tries)


def sessions_of(reader: TapeReader) -> list[Session]:
    """The sessions on a tape, in the order in which they began."""
    sessions: dict[str | None, Session] = {}
    for exchange, attempt in _attempts_by_time(reader):
        session = sessions.setdefault(
            attempt.session,
            Session(attempt.session, header(exchange.request.headers, "user-agent")),
        )
        session.client = session.client or header(exchange.request.headers, "user-agent")
        session.model = session.model or attempt.model
        _place(session, attempt)
    for session in sessions.values():
        _settle(session)
    return list(sessions.values())


def _attempts_by_time(reader: TapeReader) -> Iterable[tuple[Exchange, Attempt]]:
    found = [
        (exchange, attempt)
        for exchange in reader.exchanges()
        for attempt in attempts_of(reader, exchange)
    ]
    return sorted(found, key=lambda pair: (pair[1].at_us, pair[1].exchange))


def _place(session: Session, attempt: Attempt) -> None:
    if attempt.kind is RequestKind.UPGRADE:
        if attempt.outcome is not Outcome.CONNECTED:
            # It carried no request; the next one that does says what it was for.
            session.waiting.append(attempt)
        return
    previous = session.requests[-1] if session.requests else None
    if previous is not None and _tries_again(attempt, previous.last):
        request = previous
    else:
        request = Request(len(session.requests) + 1)
        session.requests.append(request)
    for refused in session.waiting:
        _add(request, refused, attempt)
    session.waiting.clear()
    _add(request, attempt, attempt)


def _settle(session: Session) -> None:
    """What was never followed by a request is a request of which only the tries are known."""
    if session.waiting:
        request = Request(len(session.requests) + 1)
        session.requests.append(request)
        for refused in session.waiting:
            _add(request, refused, refused)
        session.waiting.clear()


def _tries_again(attempt: Attempt, before: Attempt) -> bool:
    return (
        before.outcome is not Outcome.COMPLETED
        and attempt.asks_for == before.asks_for
        and (attempt.kind is RequestKind.WARM_UP) is (before.kind is RequestKind.WARM_UP)
    )


def _add(request: Request, attempt: Attempt, carrying: Attempt) -> None:
    """Adds a try; ``carrying`` is the attempt that shows what the request is."""
    if not request.tries:
        why = Why.TOOL_FOLLOW_UP if carrying.answers_tools else Why.FIRST
        evidence = (
            "its input ends with the output of a tool"
            if carrying.answers_tools
            else "nothing unanswered before it asks for the same"
        )
    else:
        before = request.last
        moved = before.transport is Transport.WEBSOCKET and attempt.transport is Transport.HTTP
        why = Why.FALLBACK if moved else Why.RETRY
        evidence = (
            f"the same request as exchange {before.exchange}, "
            f"which ended as {before.outcome}" + (f" ({before.detail})" if before.detail else "")
        )
    request.tries.append(Try(attempt, why, evidence))
