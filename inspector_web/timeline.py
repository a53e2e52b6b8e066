"""Where each attempt's time went, as spans in microseconds; no pixels and no HTML.

Bars, silences and ends are recorded facts. Links are inferred, as the attempts' reasons are: which
attempt retries which, and that the client's tools ran between a request and its follow-up.

A timeline knows its attempts; what an attempt's time was spent on is worked out from the marks of
its exchange when it is to be drawn, for a session may hold a million of them.

Every ``_us`` here is microseconds since the tape began. The invariant tests keep: the bars of an
attempt follow one another without overlap, and lie within its lane.
"""

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import compress, count
from operator import sub
from typing import Final

from inspector_web.marks import About, Marks
from inspector_web.overview import Carrier
from wiretape.attempts import Attempt, Outcome, Transport
from wiretape.facts import Gap
from wiretape.reconstruct import Request, Session, Try, Why

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

    ``socket`` is the whole life of the socket, which other lanes may share. ``stops`` are in the
    order of ``tries``. ``limits_us`` is when a head told how much of the rate limits is used.
    """

    request: int
    exchange: int
    transport: Transport
    tries: tuple[Try, ...]
    span: Span
    socket: Span | None
    connect: Span | None
    stops: tuple[Stop, ...]
    limits_us: int | None

    def limits(self, marks: Marks, shown: Span) -> Iterator[int]:
        """When the server told within ``shown`` how much of the rate limits is used."""
        heads = () if self.limits_us is None else (self.limits_us,)
        first_us = max(self.span.start_us, shown.start_us)
        last_us = min(self.span.end_us, shown.end_us)
        for at_us in (*heads, *marks.times_of(About.LIMITS)):
            if first_us <= at_us <= last_us:
                yield at_us

    def bars(self, marks: Marks, shown: Span) -> Iterator[Bar]:
        """What the time within ``shown`` was spent on; ``marks`` are the exchange's around it."""
        if self.connect is not None:
            yield Bar(self.connect.start_us, self.connect.end_us, Phase.CONNECT)
        for each, stop in zip(self.tries, self.stops, strict=True):
            if not _is_refused(each) and each.attempt.at_us <= shown.end_us:
                yield from _bars(each.attempt.at_us, stop.at_us, marks, shown)

    def silences(self, marks: Marks, shown: Span, least_us: int = SILENCE_US) -> Iterator[Span]:
        """The silences within ``shown`` that are as long as that, and no shorter than any told."""
        for each, stop in zip(self.tries, self.stops, strict=True):
            if each.attempt.outcome is not Outcome.CONNECTED:
                begin_us = each.attempt.at_us
                yield from _silences(begin_us, stop.at_us, marks, shown, max(least_us, SILENCE_US))


def _is_refused(each: Try) -> bool:
    """Whether it is a handshake that carried no request: connecting is all that it did."""
    attempt = each.attempt
    return attempt.transport is Transport.WEBSOCKET and attempt.message is None


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
    """A session in time.

    ``gaps`` are where something crossed that is not on the tape: no silence there is certain.
    """

    span: Span
    lanes: tuple[Lane, ...]
    links: tuple[Link, ...]
    gaps: tuple[Span, ...]


def timeline_of(
    session: Session, carriers: Mapping[int, Carrier], gaps: Iterable[Gap] = ()
) -> Timeline:
    """The timeline of a session; ``carriers`` are its exchanges by number."""
    last_us = max(_known_times(session, carriers))
    lanes = tuple(
        _lane(request, carrier, tries, last_us)
        for request in session.requests
        for carrier, tries in _by_exchange(request, carriers)
    )
    first_us = min(lane.span.start_us for lane in lanes)
    lost = tuple(Span(gap.at_us, gap.until_us) for gap in gaps)
    return Timeline(Span(first_us, last_us), lanes, tuple(_links(session, lanes)), lost)


def _by_exchange(
    request: Request, carriers: Mapping[int, Carrier]
) -> Iterator[tuple[Carrier, list[Try]]]:
    grouped: dict[int, list[Try]] = {}
    for each in request.tries:
        grouped.setdefault(each.attempt.exchange, []).append(each)
    return ((carriers[number], tries) for number, tries in grouped.items())


def _known_times(session: Session, carriers: Mapping[int, Carrier]) -> Iterator[int]:
    yield session.until_us
    for each in session.tries:
        yield each.attempt.last_event_us or each.attempt.at_us
        if (end_us := carriers[each.attempt.exchange].end_us) is not None:
            yield end_us


def _lane(request: Request, carrier: Carrier, tries: list[Try], last_us: int) -> Lane:
    stops = [
        Stop(_over_us(each.attempt, last_us), each.attempt.outcome, _label(each.attempt, carrier))
        for each in tries
    ]
    connect = None
    if carrier.is_upgrade and tries[0].attempt.message in (None, 0):
        answered_us = stops[0].at_us if carrier.answered_us is None else carrier.answered_us
        connect = Span(carrier.at_us, min(answered_us, stops[0].at_us))
    socket = None
    if carrier.is_websocket:
        socket = Span(carrier.at_us, last_us if carrier.end_us is None else carrier.end_us)
    starts = [each.attempt.at_us for each in tries] + ([connect.start_us] if connect else [])
    return Lane(
        request.number,
        carrier.id,
        tries[0].attempt.transport,
        tuple(tries),
        Span(min(starts), max(stop.at_us for stop in stops)),
        socket,
        connect,
        tuple(stops),
        carrier.answered_us if carrier.tells_limits else None,
    )


def _over_us(attempt: Attempt, last_us: int) -> int:
    """When an attempt was over: with the event that ended it, if one did, not with the hang-up."""
    if attempt.ended_at_us is not None:
        return attempt.ended_at_us
    return last_us if attempt.until_us is None else attempt.until_us


_RUN: Final = re.compile(rb"(.)\1*", re.DOTALL)


def _bars(at_us: int, end_us: int, marks: Marks, shown: Span) -> Iterator[Bar]:
    """The bars of an attempt: from the one that is under way when ``shown`` begins."""
    times = marks.at_us
    first, after = bisect_left(times, at_us), bisect_left(times, end_us + 1)
    begin = max(first, bisect_left(times, shown.start_us) - 1)
    until = min(after, bisect_left(times, shown.end_us) + 1)
    # A mark tells what the time before it was spent on; before the first, that is waiting.
    before_us = at_us if begin == first else times[begin - 1]
    phase, from_us = Phase.WAITING, before_us
    for run in _RUN.finditer(marks.codes, begin, until):
        # What is no word about the response leaves it to what it was busy with.
        told = _PHASES.get(marks.about(run.start()), phase)
        begins_us = times[run.start()] if run.start() == first else before_us
        if told is not phase:
            if begins_us > from_us:
                yield Bar(from_us, begins_us, phase)
            from_us, phase = begins_us, told
        before_us = times[run.end() - 1]
    if before_us > from_us:
        yield Bar(from_us, before_us, phase)
    if until == after and end_us > before_us:
        # Nothing more came: what that time was spent on, nobody knows.
        yield Bar(before_us, end_us, Phase.WAITING)


def _silences(at_us: int, end_us: int, marks: Marks, shown: Span, least_us: int) -> Iterator[Span]:
    times = marks.at_us
    first, after = bisect_left(times, at_us), bisect_left(times, end_us + 1)
    begin = max(first, bisect_left(times, shown.start_us) - 1)
    until = min(after, bisect_left(times, shown.end_us) + 1)
    heard = array("q", [at_us if begin == first else times[begin - 1]])
    heard += times[begin:until]
    if until == after:
        heard.append(max(end_us, heard[-1]))
    # In C from end to end: there may be a million of them.
    for at in compress(count(), map(least_us.__le__, map(sub, heard[1:], heard))):
        yield Span(heard[at], heard[at + 1])


def _label(attempt: Attempt, carrier: Carrier) -> str:
    """The number that people know such an end by: a close code, or an HTTP status."""
    if attempt.outcome in (Outcome.COMPLETED, Outcome.CONNECTED, Outcome.OPEN):
        return ""
    if attempt.status is not None and attempt.status >= 400:
        return str(attempt.status)
    is_last = carrier.end_us is not None and attempt.until_us == carrier.end_us
    return str(carrier.close_code) if is_last and carrier.close_code is not None else ""


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
