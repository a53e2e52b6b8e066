"""A tape's sessions, readings and gaps in one place, to ask questions of."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from wiretape.attempts import Attempt
from wiretape.diagnosis.reading import Reading, Readings, readings_of
from wiretape.facts import EndKind, Gap, Sender
from wiretape.reconstruct import Request, Session, Try, sessions_of
from wiretape.store_reader import TapeReader


@dataclass(frozen=True)
class Case:
    """What a diagnosis is made from.

    ``stopped`` are the exchanges that the recording left open: they were going on, or idle, when
    it stopped. ``left`` are those that the client ended.
    """

    sessions: tuple[Session, ...]
    readings: Readings
    gaps: tuple[Gap, ...]
    stopped: frozenset[int]
    left: frozenset[int]

    @cached_property
    def reused(self) -> frozenset[tuple[int, int | None]]:
        """The attempts whose connection had carried an earlier one, by exchange and message."""
        attempts = sorted(
            (each.attempt for session in self.sessions for each in session.tries),
            key=lambda attempt: attempt.at_us,
        )
        seen: set[int] = set()
        reused = set()
        for attempt in attempts:
            if attempt.connection in seen:
                reused.add((attempt.exchange, attempt.message))
            seen.add(attempt.connection)
        return frozenset(reused)

    def places(self) -> Iterator["Place"]:
        """Every attempt in its place, session by session."""
        for session in self.sessions:
            for request in session.requests:
                for at in range(len(request.tries)):
                    yield Place(self, session, request, at)


@dataclass(frozen=True, slots=True)
class Place:
    """One attempt, and what is around it."""

    case: Case
    session: Session
    request: Request
    at: int

    @property
    def attempt(self) -> Attempt:
        return self.request.tries[self.at].attempt

    @property
    def next(self) -> Try | None:
        """The next try at the same request."""
        return self.request.tries[self.at + 1] if self.at + 1 < len(self.request.tries) else None

    @property
    def reading(self) -> Reading:
        """What the client made of the answer."""
        key = (self.attempt.exchange, self.attempt.message)
        return self.case.readings.get(key) or Reading()

    @property
    def is_reused(self) -> bool:
        """Whether the connection had carried another request before."""
        return (self.attempt.exchange, self.attempt.message) in self.case.reused

    @property
    def is_unheard(self) -> bool:
        """Whether nothing at all came back: no head, no event, no sign of life."""
        attempt = self.attempt
        return attempt.head_at_us is None and not (attempt.response_bytes or attempt.signs_of_life)

    @property
    def last_silence_us(self) -> int:
        """How long nothing had come that counts when the attempt was over."""
        attempt = self.attempt
        if attempt.until_us is None:
            return 0
        heard = attempt.last_event_us or attempt.head_at_us
        return attempt.until_us - (attempt.at_us if heard is None else max(heard, attempt.at_us))


def case_of(reader: TapeReader) -> Case:
    """The case that a tape makes."""
    readings: Readings = {}
    stopped, left = set(), set()
    for exchange in reader.exchanges():
        end = exchange.end
        if end is None or end.how is EndKind.RECORDER_STOPPED:
            stopped.add(exchange.id)
        elif end.how is EndKind.CLIENT_CLOSED or end.side is Sender.CLIENT:
            left.add(exchange.id)
        for message, reading in readings_of(reader, exchange):
            readings[exchange.id, message] = reading
    return Case(
        tuple(sessions_of(reader)),
        readings,
        tuple(reader.gaps()),
        frozenset(stopped),
        frozenset(left),
    )
