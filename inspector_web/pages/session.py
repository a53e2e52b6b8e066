"""The timeline of one session, and the same as a table."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from inspector_web.drawing import Drawing, DrawnLane, View, draw, view_of
from inspector_web.health import Tale, Tone, said, tales_of, tone_of
from inspector_web.pages.attempt import AttemptRow, attempt_rows
from inspector_web.pages.head import SessionHead, head_of
from inspector_web.shelf import Overview
from inspector_web.timeline import LinkKind, Timeline
from wiretape.facts import Gap
from wiretape.origins import Role
from wiretape.reconstruct import Session, Try, Why
from wiretape.words import duration


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
    """A session in time. ``is_whole`` says that the window shows all of it."""

    session: SessionHead
    tales: tuple[Tale, ...]
    gaps: tuple[Gap, ...]
    drawing: Drawing
    is_whole: bool
    moves: Moves
    lanes: tuple[LaneRow, ...]
    attempts: tuple[AttemptRow, ...]


def session_page(
    tape: str, overview: Overview, number: int, timeline: Timeline, given: Mapping[str, str]
) -> SessionPage:
    """The page of that session; ``from`` and ``to`` in ``given`` are the window, in ``at_us``."""
    session = overview.session(number)
    whole = view_of(timeline.span, None, None)
    view = view_of(timeline.span, _moment(given.get("from")), _moment(given.get("to")))
    drawing = draw(timeline, view)
    return SessionPage(
        head_of(tape, overview, number),
        tales_of(session),
        tuple(overview.gaps_in(session)),
        drawing,
        view == whole,
        _moves(timeline, view),
        tuple(_lane_rows(session, timeline, drawing.lanes)),
        tuple(attempt_rows(session, timeline.span.start_us)),
    )


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


_ROLES: Final = {
    Role.TURN: "request",
    Role.WARM_UP: "warm-up",
    Role.COMPACTION: "compaction",
    Role.REVIEW: "review",
    Role.SUB_AGENT: "sub-agent",
}


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
            return str(first.why) + (f" after {duration(waited_us)}" if waited_us else "")
        case Why.TOOL_FOLLOW_UP:
            return "tool follow-up"
        case Why.RESUMED:
            return "resumed"
        case _:
            return _ROLES[first.attempt.role]
