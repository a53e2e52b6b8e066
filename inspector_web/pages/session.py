"""The timeline of one session with what was found in it, and the same as a table."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from inspector_web.drawing import draw
from inspector_web.ends import said
from inspector_web.health import Tale, Tone, named, tales_of, tone_of
from inspector_web.index.reader import IndexReader
from inspector_web.overview import Overview
from inspector_web.pages.attempt import AttemptRow, attempt_row
from inspector_web.pages.finding import FindingRow, finding_rows
from inspector_web.pages.head import SessionHead, head_of
from inspector_web.pages.received import ReceivedPage, instant, received_page
from inspector_web.shapes import Drawing, DrawnLane
from inspector_web.timeline import LinkKind, Timeline
from inspector_web.window import View, view_of
from wiretape.facts import Gap
from wiretape.origins import Role
from wiretape.reconstruct import Session, Try, Why
from wiretape.words import duration

_MOST_TOLD: Final = 20
"""Of requests in trouble, and of gaps."""


@dataclass(frozen=True, slots=True)
class LaneRow:
    """A lane and its words. ``number`` is its first attempt's within the request, from 1."""

    drawn: DrawnLane
    request: int
    number: int
    title: str
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
class SessionPage:
    """A session in time. ``is_whole`` says that the window shows all of it.

    ``findings`` are the first of ``found``, so that some are ``left_out``; none is there, and
    ``found`` is ``None``, until the tape is diagnosed.
    ``received`` is what the client had by the instant that the address names, if it names one;
    ``cursor`` is where that lies in the window, in per cent of its width.
    ``attempts`` are those of the lanes that are drawn, ``turns`` the requests that begin one.
    """

    session: SessionHead
    findings: tuple[FindingRow, ...]
    found: int | None
    left_out: int
    tales: tuple[Tale, ...]
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
    turns: tuple[int, ...]
    received: ReceivedPage | None


def session_page(
    tape: str,
    overview: Overview,
    number: int,
    timeline: Timeline,
    index: IndexReader,
    given: Mapping[str, str],
) -> SessionPage:
    """The page of that session.

    ``from`` and ``to`` in ``given`` are the window, ``at`` the instant to look at, in ``at_us``.
    """
    session = overview.session(number)
    whole = view_of(timeline.span, None, None)
    view = view_of(timeline.span, _moment(given.get("from")), _moment(given.get("to")))
    drawing = draw(timeline, view, index.marks)
    at_us = instant(given)
    told = overview.told_of(number)
    findings = finding_rows(told, timeline)
    tales, gaps = tales_of(session), overview.gaps_in(session)
    return SessionPage(
        head_of(tape, overview, number),
        findings,
        None if overview.told is None else len(told),
        len(told) - sum(1 + each.alike for each in findings),
        tales[:_MOST_TOLD],
        max(0, len(tales) - _MOST_TOLD),
        tuple(gaps[:_MOST_TOLD]),
        max(0, len(gaps) - _MOST_TOLD),
        drawing,
        view == whole,
        whole,
        None if at_us is None or not view.holds(at_us) else view.share(at_us),
        _moves(timeline, view),
        tuple(_lane_rows(session, timeline, drawing.lanes)),
        tuple(_attempts(session, drawing)),
        tuple(turn.requests[0].number for turn in session.turns),
        None if at_us is None else received_page(tape, overview, number, timeline, index, given),
    )


def _attempts(session: Session, drawing: Drawing) -> Iterator[AttemptRow]:
    for drawn in drawing.lanes:
        request = session.requests[drawn.lane.request - 1]
        first = request.tries.index(drawn.lane.tries[0])
        for number, each in enumerate(drawn.lane.tries, start=first + 1):
            yield attempt_row(each, request, number)


def _moment(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() and len(text) < 17 else None


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
    session: Session, timeline: Timeline, drawn: Iterable[DrawnLane]
) -> Iterator[LaneRow]:
    waits_us = {
        link.to_lane: link.us
        for link in timeline.links
        if link.kind is not LinkKind.TOOLS and link.from_lane != link.to_lane
    }
    for row in drawn:
        first, last = row.lane.tries[0], row.lane.tries[-1]
        yield LaneRow(
            row,
            row.lane.request,
            session.requests[row.lane.request - 1].tries.index(first) + 1,
            _title(first, waits_us.get(row.number)),
            said(last.attempt),
            tone_of(last.attempt.outcome),
        )


def _title(first: Try, waited_us: int | None) -> str:
    match first.why:
        case Why.RETRY | Why.FALLBACK:
            return named(first.why) + (f" after {duration(waited_us)}" if waited_us else "")
        case Why.TOOL_FOLLOW_UP | Why.RESUMED:
            return named(first.why)
        case _:
            role = first.attempt.role
            return "request" if role is Role.TURN else named(role)
