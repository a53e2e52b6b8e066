"""A tape's sessions, readings and gaps in one place, to ask questions of."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from wiretape.attempt import Attempt
from wiretape.client.dialects import dialect_for
from wiretape.diagnosis.reading import Reading, Readings, readings_of
from wiretape.facts import EndKind, Gap, Sender
from wiretape.fault_places import Injected, injected_on
from wiretape.lost import lost_from
from wiretape.reconstruct import sessions_of
from wiretape.sessions import Request, Session, Try
from wiretape.store_reader import Exchange, TapeReader


@dataclass(frozen=True, slots=True)
class Case:
    """What a diagnosis is made from.

    ``is_closed``: the recording came to its end; ``is_live``: it goes on still. The sets hold
    numbers of exchanges. ``stopped``: the recording left them open; they were going on, or idle,
    when it stopped. ``left``: the client ended them. ``reused``: their connection had carried
    another one before. ``codex``: a Codex of a known dialect asked. ``distrusting``: the client did
    not trust the recorder. ``injected`` are the faults that a replay was asked for.
    """

    sessions: tuple[Session, ...]
    readings: Readings
    gaps: tuple[Gap, ...]
    is_closed: bool
    is_live: bool
    stopped: frozenset[int]
    left: frozenset[int]
    reused: frozenset[int]
    codex: frozenset[int]
    distrusting: tuple[Exchange, ...]
    injected: tuple[Injected, ...]

    def may_go_on(self, session: Session, request: Request) -> bool:
        """Whether the recording does not show, or not yet, what followed a request."""
        return not self.is_closed and request is session.requests[-1]

    def is_torn(self, attempt: Attempt) -> bool:
        """Whether the recorder lost something while the attempt lasted: its end cannot be told."""
        return bool(lost_from(attempt, self.gaps))

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
    def injected(self) -> tuple[str, ...]:
        """The faults of a replay that hit the attempt, as they were asked for."""
        number = self.session.number, self.request.number, self.at + 1
        return tuple(each.text for each in self.case.injected if each.hits(*number))

    @property
    def is_reused(self) -> bool:
        """Whether the connection had carried another request before."""
        attempt = self.attempt
        return bool(attempt.message) or attempt.exchange in self.case.reused

    @property
    def quiet_before_us(self) -> int:
        """How long nothing had come on the attempt's socket before it asked; 0 on a new one."""
        attempt = self.attempt
        heard = [
            each.attempt.last_event_us or each.attempt.at_us
            for each in self.session.tries
            if each.attempt.exchange == attempt.exchange and each.attempt.at_us < attempt.at_us
        ]
        return attempt.at_us - max(heard) if heard else 0

    @property
    def is_torn(self) -> bool:
        """Whether the recorder lost something while the attempt lasted: its end cannot be told."""
        return self.case.is_torn(self.attempt)

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


_LEFT: Final = re.compile("disconnected|connection closed")
"""How mitmproxy tells a client that left within the handshake from one that objected."""


def case_of(reader: TapeReader, sessions: Sequence[Session] | None = None) -> Case:
    """The case that a tape makes; ``sessions`` are those on it, if they are known."""
    readings: Readings = {}
    stopped, left, reused, codex = set(), set(), set(), set()
    distrusting: list[Exchange] = []
    connections: set[int] = set()
    for exchange in reader.exchanges():
        end, request = exchange.end, exchange.request
        if end is None or end.how is EndKind.RECORDER_STOPPED:
            stopped.add(exchange.id)
        elif end.how is EndKind.CLIENT_CLOSED or end.side is Sender.CLIENT:
            left.add(exchange.id)
            if end.how is EndKind.TLS_FAILURE and not _LEFT.search(end.detail or ""):
                distrusting.append(exchange)
        if request.connection in connections:
            reused.add(exchange.id)
        connections.add(request.connection)
        if dialect_for(request.headers) is not None:
            codex.add(exchange.id)
        for message, reading in readings_of(reader, exchange):
            readings[exchange.id, message] = reading
    return Case(
        tuple(sessions_of(reader) if sessions is None else sessions),
        readings,
        tuple(reader.gaps()),
        reader.is_closed(),
        reader.is_being_written(),
        frozenset(stopped),
        frozenset(left),
        frozenset(reused),
        frozenset(codex),
        tuple(distrusting),
        injected_on(reader.label().faults),
    )
