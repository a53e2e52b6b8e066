"""The timeline of one session with what was found in it, and the same as a table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from inspector_web.addresses import choice_in, window_in
from inspector_web.drawing import draw
from inspector_web.ends import said
from inspector_web.health import Tone, called, is_injected, tales_of, tone_of
from inspector_web.index.reader import IndexReader
from inspector_web.overview import Overview
from inspector_web.pages.attempt import AttemptRow, attempt_row
from inspector_web.pages.finding import LEAST_AROUND_US, FindingRow, finding_rows
from inspector_web.pages.head import SessionHead, head_of
from inspector_web.pages.received import ReceivedPage, instant, received_page
from inspector_web.pages.tale import TaleRow, tale_rows
from inspector_web.shapes import Drawing, DrawnLane
from inspector_web.stretches import LEAST_SILENCE_US, Spent, Use
from inspector_web.timeline import Lane, Link, LinkKind, Timeline
from inspector_web.window import View, view_of
from wiretape.facts import Gap
from wiretape.sessions import Session
from wiretape.words import duration

_MOST_TOLD: Final = 5
"""Of ways that requests went, and of gaps: more would push the timeline off the first screen."""
_MOST_ATTEMPTS: Final = 200


class Speed(StrEnum):
    """How much faster than recorded it is played."""

    RECORDED = "1"
    FAST = "4"
    FASTER = "16"
    FASTEST = "64"


@dataclass(frozen=True, slots=True)
class LaneRow:
    """A lane and its words. ``number`` is its first attempt's within the request, from 1.

    ``title`` is what it is, as ``retry 1``; ``waited`` what came before it, as
    ``after 386 ms (asked to wait 1.0 s)``, if something did. ``ending`` is how its last attempt
    ended; that of one that a fault was asked for ends with ``(injected)``.
    """

    drawn: DrawnLane
    request: int
    number: int
    title: str
    waited: str
    ending: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Moves:
    """Where each step from this window leads."""

    closer: View
    wider: View
    earlier: View
    later: View


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A turn: the words that began it, and the time it took."""

    number: int
    words: str
    took_us: int


@dataclass(frozen=True, slots=True)
class SpentRow:
    """What some of the time went to: how much of it in per cent, and where most of it at once.

    ``x`` is where it begins in a line of all of them, in per cent of its width. ``is_alarming``: it
    is silence, and findings are about some of it.
    """

    use: Use
    us: int
    share: float
    x: float
    is_alarming: bool
    view: View


@dataclass(frozen=True, slots=True)
class SessionPage:
    """A session in time. ``is_whole`` says that the window shows all of it.

    ``spent`` is where its time went, the most first. ``findings`` are the first of ``found``, so
    that some are ``left_out``; none is there, and ``found`` is ``None``, until the tape is
    diagnosed, and nothing is ``spent``.
    ``tales`` are those beside that of the verdict; ``tales_left_out`` counts requests.
    ``received`` is what the client had by the instant that the address names, if it names one;
    ``cursor`` is where that lies in the window, in per cent of its width.
    ``attempts`` are all of the session, where it has not too many: else those of the lanes that are
    drawn. ``outside`` are the places among them, from 0, of those that the window does not show.
    ``turns`` are those of the attempts, if the session has more than one.
    """

    session: SessionHead
    spent: tuple[SpentRow, ...]
    findings: tuple[FindingRow, ...]
    found: int | None
    left_out: int
    tales: tuple[TaleRow, ...]
    tales_left_out: int
    gaps: tuple[Gap, ...]
    gaps_left_out: int
    drawing: Drawing
    is_whole: bool
    strip_view: View
    cursor: float | None
    moves: Moves
    lanes: tuple[LaneRow, ...]
    attempts: tuple[AttemptRow, ...]
    outside: tuple[int, ...]
    turns: tuple[TurnRow, ...]
    received: ReceivedPage | None
    speed: Speed


def session_page(
    tape: str,
    overview: Overview,
    number: int,
    timeline: Timeline,
    index: IndexReader,
    given: Mapping[str, str],
) -> SessionPage:
    """The page of that session.

    ``from`` and ``to`` in ``given`` are the window, ``at`` the instant to look at, in ``at_us``,
    ``speed`` is that of playing.

    Raises:
        BadAddress: one of them makes no sense.
        NoSuchSession: there is none.
    """
    session, head = overview.session(number), head_of(tape, overview, number)
    whole = view_of(timeline.span, None, None)
    view = view_of(timeline.span, *window_in(given))
    drawing = draw(timeline, view, index.marks)
    at_us = instant(given)
    told, details = overview.told_of(number), overview.details_of(number)
    findings = finding_rows(told, timeline)
    told_of = {each.finding.request for each in told}
    tales = tale_rows(
        tale
        for tale in tales_of(session, overview.faults)
        # What happened once, and was found, is told by the finding.
        if tale != head.verdict.tale and (len(tale.steps) > 1 or tale.request not in told_of)
    )
    gaps = overview.gaps_in(session)
    attempts, outside = _attempts(session, timeline, drawing)
    return SessionPage(
        head,
        tuple(_spent_rows(details.spent, timeline)),
        findings,
        None if overview.told is None else len(told),
        len(told) - sum(1 + each.alike for each in findings),
        tales[:_MOST_TOLD],
        sum(len(row.requests) + row.more for row in tales[_MOST_TOLD:]),
        tuple(gaps[:_MOST_TOLD]),
        max(0, len(gaps) - _MOST_TOLD),
        drawing,
        view == whole,
        whole,
        None if at_us is None or not view.holds(at_us) else view.share(at_us),
        _moves(timeline, view),
        tuple(_lane_rows(overview, session, timeline, drawing.lanes)),
        attempts,
        outside,
        tuple(_turn_rows(details.turn_words, timeline, {row.turn for row in attempts})),
        None if at_us is None else received_page(tape, overview, number, timeline, index, given),
        choice_in(given, "speed", Speed) or Speed.RECORDED,
    )


def _spent_rows(spent: Sequence[Spent], timeline: Timeline) -> Iterator[SpentRow]:
    whole_us = max(sum(each.us for each in spent), 1)
    has_found = any(lane.found_us for lane in timeline.lanes)
    x = 0.0
    for each in spent:
        around_us = max(each.longest.us // 4, LEAST_AROUND_US)
        share = round(100 * each.us / whole_us, 3)
        start_us, end_us = each.longest.start_us - around_us, each.longest.end_us + around_us
        window = view_of(timeline.span, max(start_us, 0), end_us)
        is_alarming = has_found and each.use is Use.SILENT
        yield SpentRow(each.use, each.us, share, round(x, 3), is_alarming, window)
        x += share


def _turn_rows(words: Sequence[str], timeline: Timeline, shown: set[int]) -> Iterator[TurnRow]:
    if len(timeline.turns) > 1:
        for number in sorted(shown):
            said = words[number - 1] if words else ""
            yield TurnRow(number, said, timeline.turns[number - 1].us)


def _attempts(
    session: Session, timeline: Timeline, drawing: Drawing
) -> tuple[tuple[AttemptRow, ...], tuple[int, ...]]:
    drawn = [row.number for row in drawing.lanes]
    rows: list[AttemptRow] = []
    outside: list[int] = []
    for place in range(len(timeline.lanes)) if len(session.tries) <= _MOST_ATTEMPTS else drawn:
        lane = timeline.lanes[place]
        request = session.requests[lane.request - 1]
        first = request.tries.index(lane.tries[0])
        if place not in drawn:
            outside += range(len(rows), len(rows) + len(lane.tries))
        rows += (
            attempt_row(each, request, number)
            for number, each in enumerate(lane.tries, start=first + 1)
        )
    return tuple(rows), tuple(outside)


def _moves(timeline: Timeline, view: View) -> Moves:
    step_us = view.us // 4

    def window(start_us: int, end_us: int) -> View:
        return view_of(timeline.span, max(start_us, 0), end_us)

    return Moves(
        window(view.start_us + step_us, view.end_us - step_us),
        window(view.start_us - 2 * step_us, view.end_us + 2 * step_us),
        window(view.start_us - step_us, view.end_us - step_us),
        window(view.start_us + step_us, view.end_us + step_us),
    )


def _lane_rows(
    overview: Overview, session: Session, timeline: Timeline, drawn: Iterable[DrawnLane]
) -> Iterator[LaneRow]:
    links = {
        link.to_lane: link
        for link in timeline.links
        if link.kind is not LinkKind.TOOLS and link.from_lane != link.to_lane
    }
    for row in drawn:
        first, last = row.lane.tries[0], row.lane.tries[-1]
        tries = session.requests[row.lane.request - 1].tries
        is_hit = is_injected(overview.faults, session, row.lane.request, tries.index(last) + 1)
        yield LaneRow(
            row,
            row.lane.request,
            tries.index(first) + 1,
            _title(row.lane),
            _waited(row.lane, links.get(row.number)),
            said(last.attempt) + (" (injected)" if is_hit else ""),
            tone_of(last.attempt.outcome),
        )


def _title(lane: Lane) -> str:
    first = lane.tries[0]
    name = called(first.why, first.attempt.role)
    return name if first.number is None else f"{name} {first.number}"


def _waited(lane: Lane, link: Link | None) -> str:
    """How long after the end of the last try this one began, and was asked, if that was later."""
    if link is None:
        return ""
    waited = f"after {duration(link.us)}" if link.us else ""
    if waited and lane.unasked is not None and lane.unasked.us >= LEAST_SILENCE_US:
        asked = duration(lane.unasked.end_us - link.start_us)
        waited = f"socket {waited}, asked after {asked}"
    told = "" if link.asked_us is None else f"(asked to wait {duration(link.asked_us)})"
    return f"{waited} {told}".strip()
