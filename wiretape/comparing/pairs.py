"""What a comparison of two sessions gives: pairs, all the way down, and where they part.

``a`` and ``b`` are the two sides throughout; ``None`` stands where one side has no such thing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from wiretape.comparing.answers import EventRun
from wiretape.comparing.transports import TRANSPORT
from wiretape.likeness import Change, Difference
from wiretape.sessions import Request, Session, Try, Turn


@dataclass(frozen=True, slots=True)
class EventPair:
    """Events of the two answers that belong together. Only types and their order count here."""

    a: EventRun | None
    b: EventRun | None

    @property
    def is_same(self) -> bool:
        return self.a is not None and self.b is not None and self.a.type == self.b.type


@dataclass(frozen=True, slots=True)
class AttemptPair:
    """Two attempts that belong together.

    ``asked`` are the differences of what the client sent, in its own terms
    (``input[2].content[0].text``, ``headers.openai-beta``); ``answered`` those of what came back
    (``answer.output[0].arguments``, ``answer.outcome``). In either, ``recorded`` is ``a``'s value
    and ``replayed`` is ``b``'s. ``is_framing``: only one side has it, and only the transport is
    to blame.
    """

    a: Try | None
    b: Try | None
    asked: tuple[Difference, ...] = ()
    answered: tuple[Difference, ...] = ()
    events: tuple[EventPair, ...] = ()
    is_framing: bool = False

    @property
    def differences(self) -> tuple[Difference, ...]:
        """Where they part, what was asked first."""
        if self.is_framing:
            return ()
        if self.a is None or self.b is None:
            return (_alone("attempt", _attempt_told(self.a), _attempt_told(self.b)),)
        return (*self.asked, *self.answered)


@dataclass(frozen=True, slots=True)
class RequestPair:
    """Two requests that belong together; ``is_framing`` as with attempts."""

    a: Request | None
    b: Request | None
    attempts: tuple[AttemptPair, ...] = ()
    is_framing: bool = False

    def divergences(self) -> Iterator["Divergence"]:
        """Where they part."""
        if self.is_framing:
            return
        if self.a is None or self.b is None:
            told = [None if each is None else _request_told(each) for each in (self.a, self.b)]
            yield Divergence(self, None, _alone("request", *told))
            return
        for attempt in self.attempts:
            for difference in attempt.differences:
                yield Divergence(self, attempt, difference)


@dataclass(frozen=True, slots=True)
class TurnPair:
    """Two turns that belong together."""

    a: Turn | None
    b: Turn | None
    requests: tuple[RequestPair, ...]


@dataclass(frozen=True, slots=True)
class Divergence:
    """One place where two sessions part; ``attempt`` is ``None`` where one has no such request."""

    request: RequestPair
    attempt: AttemptPair | None
    difference: Difference


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sessions side by side.

    ``left_out`` names the known-volatile parts in which they do differ.
    """

    a: Session
    b: Session
    turns: tuple[TurnPair, ...]
    left_out: tuple[str, ...]

    @property
    def requests(self) -> Iterator[RequestPair]:
        """All pairs of requests, in order."""
        return chain.from_iterable(turn.requests for turn in self.turns)

    @property
    def divergences(self) -> tuple[Divergence, ...]:
        """Every place where they part, the first one first."""
        return tuple(chain.from_iterable(pair.divergences() for pair in self.requests))

    @property
    def is_over_other_transports(self) -> bool:
        """Whether the two went over different transports, wholly or in part."""
        return TRANSPORT in self.left_out or self.a.transports != self.b.transports

    @property
    def is_equal(self) -> bool:
        return not self.divergences


def _alone(path: str, a: str | None, b: str | None) -> Difference:
    return Difference(path, Change.ADDED if a is None else Change.REMOVED, a, b)


def _attempt_told(each: Try | None) -> str | None:
    if each is None:
        return None
    attempt = each.attempt
    return f"{each.why} {attempt.transport} {attempt.kind} {attempt.outcome}"


def _request_told(request: Request) -> str:
    return "; ".join(told for each in request.tries if (told := _attempt_told(each)))
