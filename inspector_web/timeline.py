"""Where each attempt's time went, as spans in microseconds; no pixels and no HTML.

Bars, silences and ends are recorded facts. Links are inferred, as the attempts' reasons are: which
attempt retries which, and that the client's tools ran between a request and its follow-up.

Every ``_us`` here is microseconds since the tape began. The invariant tests keep: the bars of an
attempt follow one another without overlap, and lie within its lane.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from inspector_web.marks import About, Marks
from wiretape.attempts import Attempt, Outcome, Transport
from wiretape.facts import Gap
from wiretape.reconstruct import Request, Session, Try, Why
from wiretape.store_reader import Exchange

SILENCE_US: Final = 100_000
"""A silence shorter than this is how any stream arrives, and is not told."""


class Phase(StrEnum):
    """What an attempt's time was spent on, as far as the wire tells."""

    CONNECT = "connect"
    """The handshake of a WebSocket."""
    WAITING = "waiting"
    """Asked, and no event yet; or no event any more."""
    REASONING = "reasoning"
    TEXT = "text"
    TOOL = "tool"
    RECEIVING = "receiving"
    """Events about the response as a whole, or bytes that are no events."""


_PHASES: Final = {
    About.REASONING: Phase.REASONING,
    About.TEXT: Phase.TEXT,
    About.TOOL: Phase.TOOL,
    About.OTHER: Phase.RECEIVING,
    About.TROUBLE: Phase.RECEIVING,
}


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time."""

    start_us: int
    end_us: int

    @property
    def us(self) -> int:
        return self.end_us - self.start_us


@dataclass(frozen=True, slots=True)
class Bar(Span):
    """A stretch of an attempt spent on one thing."""

    phase: Phase


@dataclass(frozen=True, slots=True)
class Stop:
    """Where an attempt ended, and as what; ``label`` is a close code or a status, if any."""

    at_us: int
    outcome: Outcome
    label: str


@dataclass(frozen=True, slots=True)
class Lane:
    """One socket, or one HTTP request, within what the client wanted of the model once.

    ``socket`` is the whole life of the socket, which other lanes may share.
    """

    request: int
    exchange: int
    transport: Transport
    tries: tuple[Try, ...]
    span: Span
    socket: Span | None
    bars: tuple[Bar, ...]
    silences: tuple[Span, ...]
    stops: tuple[Stop, ...]


class LinkKind(StrEnum):
    """What leads from one attempt to the next."""

    RETRY = "retry"
    FALLBACK = "fallback"
    TOOLS = "tools"
    """The client is taken to have run what the model called."""


@dataclass(frozen=True, slots=True)
class Link(Span):
    """From the end of one attempt to the begin of another; lanes are counted from 0."""

    kind: LinkKind
    from_lane: int
    to_lane: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """A session in time. ``marks`` are each exchange's, to draw its events from.

    ``gaps`` are where something crossed that is not on the tape: no silence there is certain.
    """

    span: Span
    lanes: tuple[Lane, ...]
    links: tuple[Link, ...]
    gaps: tuple[Span, ...]
    marks: Mapping[int, Marks]


def timeline_of(
    session: Session,
    exchanges: Mapping[int, Exchange],
    marks: Mapping[int, Marks],
    gaps: Iterable[Gap] = (),
) -> Timeline:
    """The timeline of a session; ``exchanges`` and ``marks`` are by number of the exchange."""
    last_us = max(_known_times(session, exchanges, marks))
    lanes = tuple(
        _lane(request, exchange, tries, marks.get(exchange.id, Marks()), last_us)
        for request in session.requests
        for exchange, tries in _by_exchange(request, exchanges)
    )
    first_us = min(lane.span.start_us for lane in lanes)
    lost = tuple(Span(gap.at_us, gap.until_us) for gap in gaps)
    return Timeline(Span(first_us, last_us), lanes, tuple(_links(session, lanes)), lost, marks)


def _by_exchange(
    request: Request, exchanges: Mapping[int, Exchange]
) -> Iterator[tuple[Exchange, list[Try]]]:
    grouped: dict[int, list[Try]] = {}
    for each in request.tries:
        grouped.setdefault(each.attempt.exchange, []).append(each)
    return ((exchanges[number], tries) for number, tries in grouped.items())


def _known_times(
    session: Session, exchanges: Mapping[int, Exchange], marks: Mapping[int, Marks]
) -> Iterator[int]:
    yield session.until_us
    for number in {each.attempt.exchange for each in session.tries}:
        if (end := exchanges[number].end) is not None:
            yield end.at_us
        if said := marks.get(number):
            yield said.at_us[-1]


def _lane(
    request: Request, exchange: Exchange, tries: list[Try], marks: Marks, last_us: int
) -> Lane:
    bars: list[Bar] = []
    silences: list[Span] = []
    stops: list[Stop] = []
    for each in tries:
        attempt = each.attempt
        end_us = _over_us(attempt, last_us)
        first, after = _range(marks, attempt, end_us)
        bars += _bars(attempt, exchange, marks, range(first, after), end_us)
        silences += _silences(attempt, marks, range(first, after), end_us)
        stops.append(Stop(end_us, attempt.outcome, _label(attempt, exchange)))
    starts = [bar.start_us for bar in bars] + [each.attempt.at_us for each in tries]
    socket = None
    if exchange.is_websocket:
        end_us = exchange.end.at_us if exchange.end else last_us
        socket = Span(exchange.request.at_us, end_us)
    return Lane(
        request.number,
        exchange.id,
        tries[0].attempt.transport,
        tuple(tries),
        Span(min(starts), max(stop.at_us for stop in stops)),
        socket,
        tuple(bars),
        tuple(silences),
        tuple(stops),
    )


def _over_us(attempt: Attempt, last_us: int) -> int:
    """When an attempt was over: with the event that ended it, if one did, not with the hang-up."""
    if attempt.ended_at_us is not None:
        return attempt.ended_at_us
    return last_us if attempt.until_us is None else attempt.until_us


def _range(marks: Marks, attempt: Attempt, end_us: int) -> tuple[int, int]:
    """The marks of one attempt: those between its begin and its end, both included."""
    return bisect_left(marks.at_us, attempt.at_us), bisect_left(marks.at_us, end_us + 1)


def _bars(
    attempt: Attempt, exchange: Exchange, marks: Marks, own: range, end_us: int
) -> Iterator[Bar]:
    if exchange.is_upgrade and attempt.message in (None, 0):
        start_us = exchange.request.at_us
        answered_us = exchange.response.at_us if exchange.response else end_us
        yield Bar(start_us, min(answered_us, end_us), Phase.CONNECT)
        if attempt.message is None:
            return
    at_us = before_us = attempt.at_us
    phase = Phase.WAITING
    for index in own:
        # A mark tells what the time before it was spent on; before the first, that is waiting.
        begins_us = marks.at_us[index] if phase is Phase.WAITING else before_us
        before_us = marks.at_us[index]
        told = _PHASES[marks.about(index)]
        if told is not phase:
            if begins_us > at_us:
                yield Bar(at_us, begins_us, phase)
            at_us, phase = begins_us, told
    if before_us > at_us:
        yield Bar(at_us, before_us, phase)
    if end_us > before_us:
        # Nothing more came: what that time was spent on, nobody knows.
        yield Bar(before_us, end_us, Phase.WAITING)


def _silences(attempt: Attempt, marks: Marks, own: range, end_us: int) -> Iterator[Span]:
    if attempt.outcome is Outcome.CONNECTED:
        return
    before_us = attempt.at_us
    for at_us in marks.at_us[own.start : own.stop]:
        if at_us - before_us >= SILENCE_US:
            yield Span(before_us, at_us)
        before_us = at_us
    if end_us - before_us >= SILENCE_US:
        yield Span(before_us, end_us)


def _label(attempt: Attempt, exchange: Exchange) -> str:
    """The number that people know such an end by: a close code, or an HTTP status."""
    if attempt.outcome in (Outcome.COMPLETED, Outcome.CONNECTED, Outcome.OPEN):
        return ""
    if attempt.status is not None and attempt.status >= 400:
        return str(attempt.status)
    end = exchange.end
    is_last = end is not None and attempt.until_us == end.at_us
    return str(end.code) if is_last and end and end.code is not None else ""


_LINKS: Final = {
    Why.RETRY: LinkKind.RETRY,
    Why.FALLBACK: LinkKind.FALLBACK,
    Why.TOOL_FOLLOW_UP: LinkKind.TOOLS,
}


def _links(session: Session, lanes: tuple[Lane, ...]) -> Iterator[Link]:
    lane_of = {_key(each): number for number, lane in enumerate(lanes) for each in lane.tries}
    before: Try | None = None
    for request in session.requests:
        for each in request.tries:
            if before is not None and each.why in _LINKS:
                source, target = lane_of[_key(before)], lane_of[_key(each)]
                start_us = lanes[source].stops[lanes[source].tries.index(before)].at_us
                end_us = _begin_us(each, lanes[target])
                # Requests that overlap do not wait for one another.
                if end_us >= start_us:
                    yield Link(start_us, end_us, _LINKS[each.why], source, target)
            before = each


def _key(each: Try) -> tuple[int, int | None]:
    return each.attempt.exchange, each.attempt.message


def _begin_us(each: Try, lane: Lane) -> int:
    """When the client began an attempt: with the handshake, where it opened a socket for it."""
    return lane.span.start_us if each == lane.tries[0] else each.attempt.at_us
