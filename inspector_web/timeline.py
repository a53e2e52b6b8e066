"""Where each attempt's time went, as spans in microseconds; no pixels and no HTML.

Bars, silences and ends are recorded facts. Links are inferred, as the attempts' reasons are: which
attempt retries which, and that the client's tools ran between a request and its follow-up.

A timeline knows its attempts; what an attempt's time was spent on is worked out from the marks of
its exchange when it is to be drawn, for a session may hold a million of them.

Every ``_us`` here is microseconds since the tape began. The invariant tests keep: the bars of an
attempt follow one another without overlap, and lie within its lane.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Final

from inspector_web.ends import label_of
from inspector_web.marks import About, Marks
from inspector_web.overview import Carrier, Overview
from inspector_web.stretches import Bar, Phase, Silence, Span, bars_of, silences_of
from wiretape.attempt import Transport
from wiretape.facts import Gap
from wiretape.reasons import Why
from wiretape.said import Outcome
from wiretape.sessions import Request, Session, Try
from wiretape.spot import Spot

type MarksOf = Callable[[int, int, int], Marks]
"""Gives the marks of an exchange between two times, and around them."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Where an attempt ended, and as what; ``label`` says so in a word or two, if it failed."""

    at_us: int
    outcome: Outcome
    label: str


@dataclass(frozen=True, slots=True)
class Lane:
    """One socket, or one HTTP request, within what the client wanted of the model once.

    ``socket`` is the whole life of the socket, which other lanes may share; ``left_open`` is, over
    HTTP, how long the exchange went on when its answer was over. ``stops`` are in the order of
    ``tries``. ``limits_us`` is when a head told how much of the rate limits is used,
    ``found_us`` where silences in its exchange begin that findings are about.
    """

    turn: int
    request: int
    exchange: int
    transport: Transport
    tries: tuple[Try, ...]
    span: Span
    socket: Span | None
    left_open: Span | None
    connect: Span | None
    stops: tuple[Stop, ...]
    limits_us: int | None
    found_us: tuple[int, ...]

    @property
    def unasked(self) -> Span | None:
        """From the socket's handshake to the first request over it."""
        asked_us = self.tries[0].attempt.at_us
        if self.connect is None or asked_us <= self.connect.end_us:
            return None
        return Span(self.connect.end_us, asked_us)

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
                yield from bars_of(each.attempt.at_us, stop.at_us, marks, shown)

    def silences(self, marks: Marks, shown: Span) -> Iterator[Silence]:
        """The silences around ``shown`` that are worth telling."""
        for each, stop in zip(self.tries, self.stops, strict=True):
            if each.attempt.outcome is not Outcome.CONNECTED:
                yield from silences_of(
                    each.attempt,
                    stop.at_us,
                    marks,
                    shown,
                    found_us=self.found_us,
                )


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
    """From the end of one attempt to the begin of another; lanes are counted from 0.

    Tools run from the first call to the request that has their outputs, as both crossed: some of
    that may be the end of the answer, and the handshake.
    ``asked_us`` is how long the server asked to wait, if it did.
    """

    kind: LinkKind
    from_lane: int
    to_lane: int
    asked_us: int | None = None


@dataclass(frozen=True, slots=True)
class Timeline:
    """A session in time.

    ``gaps`` are where something crossed that is not on the tape: no silence there is certain.
    ``turns`` are from the first to the last of their lanes.
    """

    span: Span
    lanes: tuple[Lane, ...]
    links: tuple[Link, ...]
    gaps: tuple[Span, ...]
    turns: tuple[Span, ...]

    def longest_silence_us(self, marks_of: MarksOf) -> int | None:
        """How long the longest of its long silences was; ``None`` where it had none."""
        shown = self.span
        silences = (
            silence.us
            for lane in self.lanes
            for silence in lane.silences(
                marks_of(lane.exchange, shown.start_us, shown.end_us), shown
            )
            if silence.is_long
        )
        return max(silences, default=None)


def timeline_of(
    session: Session,
    carriers: Mapping[int, Carrier],
    gaps: Iterable[Gap] = (),
    found_us: Mapping[int, tuple[int, ...]] | None = None,
) -> Timeline:
    """The timeline of a session; ``carriers`` are its exchanges by number.

    ``found_us`` is, by exchange, where silences begin that findings are about.
    """
    last_us = max(_known_times(session, carriers))
    lanes = tuple(
        _lane(request, carrier, tries, last_us, (found_us or {}).get(carrier.id, ()))
        for request in session.requests
        for carrier, tries in _by_exchange(request, carriers)
    )
    first_us = min(lane.span.start_us for lane in lanes)
    lost = tuple(Span(gap.at_us, gap.until_us) for gap in gaps)
    links = tuple(_links(session, lanes, carriers))
    return Timeline(Span(first_us, last_us), lanes, links, lost, tuple(_turns(lanes)))


def session_timeline(overview: Overview, number: int) -> Timeline:
    """The timeline of the session of that number, counted from 1.

    Raises:
        NoSuchSession: the tape has none.
    """
    session = overview.session(number)
    found_us = overview.silences_found(number)
    return timeline_of(session, overview.carrier, overview.gaps_in(session), found_us)


def _turns(lanes: Iterable[Lane]) -> Iterator[Span]:
    for _, group in groupby(lanes, key=lambda lane: lane.turn):
        spans = [lane.span for lane in group]
        yield Span(min(span.start_us for span in spans), max(span.end_us for span in spans))


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


def _lane(
    request: Request,
    carrier: Carrier,
    tries: list[Try],
    last_us: int,
    found_us: tuple[int, ...],
) -> Lane:
    stops = [
        Stop(
            last_us if each.attempt.over_us is None else each.attempt.over_us,
            each.attempt.outcome,
            label_of(each.attempt),
        )
        for each in tries
    ]
    connect = None
    if carrier.is_upgrade and tries[0].attempt.message in (None, 0):
        answered_us = stops[0].at_us if carrier.answered_us is None else carrier.answered_us
        connect = Span(carrier.at_us, min(answered_us, stops[0].at_us))
    end_us = last_us if carrier.end_us is None else carrier.end_us
    socket = Span(carrier.at_us, end_us) if carrier.is_websocket else None
    left_open = None
    if not carrier.is_upgrade and end_us > stops[-1].at_us:
        left_open = Span(stops[-1].at_us, end_us)
    starts = [each.attempt.at_us for each in tries] + ([connect.start_us] if connect else [])
    return Lane(
        request.turn,
        request.number,
        carrier.id,
        tries[0].attempt.transport,
        tuple(tries),
        Span(min(starts), max(stop.at_us for stop in stops)),
        socket,
        left_open,
        connect,
        tuple(stops),
        carrier.answered_us if carrier.tells_limits else None,
        found_us,
    )


type _Key = tuple[int, int | None]
"""An exchange, and the message on it."""

_LINKS: Final = {Why.RETRY: LinkKind.RETRY, Why.FALLBACK: LinkKind.FALLBACK}


def _links(
    session: Session, lanes: tuple[Lane, ...], carriers: Mapping[int, Carrier]
) -> Iterator[Link]:
    lane_of = {_key(each): number for number, lane in enumerate(lanes) for each in lane.tries}
    called = _first_calls(session)
    before: Try | None = None
    for request in session.requests:
        for each in request.tries:
            if before is not None and each.why in _LINKS:
                source, target = lane_of[_key(before)], lane_of[_key(each)]
                start_us = lanes[source].stops[lanes[source].tries.index(before)].at_us
                end_us = _begin_us(each, lanes[target])
                # Requests that overlap do not wait for one another.
                if end_us >= start_us:
                    asked_us = carriers[before.attempt.exchange].asked_wait_us
                    yield Link(start_us, end_us, _LINKS[each.why], source, target, asked_us)
            if each.why is Why.TOOL_FOLLOW_UP and (call := called.get(_key(each))) is not None:
                caller, until_us = lane_of.get((call.exchange, call.message)), each.attempt.at_us
                if caller is not None:
                    yield Link(call.at_us, until_us, LinkKind.TOOLS, caller, lane_of[_key(each)])
            before = each


def _first_calls(session: Session) -> dict[_Key, Spot]:
    """The first call to which an attempt was the first to have the output, by the attempt."""
    called: dict[_Key, Spot] = {}
    for use in session.tools:
        if use.calls and use.outputs:
            call, output = use.calls[0].spot, use.outputs[0].spot
            first = called.setdefault((output.exchange, output.message), call)
            if call.at_us < first.at_us:
                called[output.exchange, output.message] = call
    return called


def _key(each: Try) -> _Key:
    return each.attempt.exchange, each.attempt.message


def _begin_us(each: Try, lane: Lane) -> int:
    """When the client began an attempt: with the handshake, where it opened a socket for it."""
    return lane.span.start_us if each == lane.tries[0] else each.attempt.at_us
