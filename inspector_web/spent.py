"""Where a session's time went, added up: each instant counts once."""

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import groupby
from typing import Final

from inspector_web.marks import Marks
from inspector_web.stretches import Phase, Span, Spent, Use, without_silences
from inspector_web.timeline import Lane, LinkKind, MarksOf, Timeline
from wiretape.reasons import Why

_USES: Final = {
    Phase.CONNECT: Use.CONNECT,
    Phase.WAITING: Use.WAITING,
    Phase.REASONING: Use.REASONING,
    Phase.TEXT: Use.TEXT,
    Phase.TOOL: Use.TOOL,
    Phase.RECEIVING: Use.RECEIVING,
    LinkKind.RETRY: Use.RETRY,
    LinkKind.FALLBACK: Use.RETRY,
    LinkKind.TOOLS: Use.TOOLS,
}

_LATER: Final = {Use.LEFT_OPEN: 1, Use.RETRY: 2, Use.UNASKED: 2, Use.TOOLS: 2, Use.IDLE: 3}
"""What counts only where nothing else went on: what holds up nobody else, then what is inferred."""

type _Piece = tuple[int, int, Use]
"""From when, until when, and what for."""


def spent_on(timeline: Timeline, marks_of: MarksOf) -> tuple[Spent, ...]:
    """What the time of a session was spent on, the most first: up to where its last attempt was
    over, or its connection, but for a socket, which stays open for whatever may come.

    Where two things went on at once, the time counts for what crossed before what is inferred, and
    then for the one that began first.
    """
    ends_us = (
        span.end_us for lane in timeline.lanes for span in (lane.span, lane.left_open) if span
    )
    whole = Span(timeline.span.start_us, max(ends_us))
    pieces = [(whole.start_us, whole.end_us, Use.IDLE)]
    pieces += [(link.start_us, link.end_us, _USES[link.kind]) for link in timeline.links]
    marks: dict[int, Marks] = {}
    for lane in timeline.lanes:
        if lane.exchange not in marks:
            marks = {lane.exchange: marks_of(lane.exchange, whole.start_us, whole.end_us)}
        pieces += _pieces(lane, marks[lane.exchange])
        pieces += _unasked(lane)
        if lane.left_open is not None:
            pieces.append((lane.left_open.start_us, lane.left_open.end_us, Use.LEFT_OPEN))
    found: dict[Use, tuple[int, Span]] = {}
    for use, piece in _once(whole, pieces):
        us, longest = found.get(use, (0, piece))
        found[use] = us + piece.us, max(longest, piece, key=lambda each: each.us)
    spent = [Spent(use, us, longest) for use, (us, longest) in found.items()]
    return tuple(sorted(spent, key=lambda each: -each.us))


def _unasked(lane: Lane) -> Iterator[_Piece]:
    """A retry whose socket is open, but that is not asked for yet."""
    if lane.unasked is not None and lane.tries[0].why in (Why.RETRY, Why.FALLBACK):
        yield lane.unasked.start_us, lane.unasked.end_us, Use.UNASKED


def _pieces(lane: Lane, marks: Marks) -> Iterator[_Piece]:
    """The silences of a lane, and what they leave of its bars."""
    silences = list(lane.silences(marks, lane.span))
    for silence in silences:
        yield silence.start_us, silence.end_us, Use.SILENT
    for bar, left in without_silences(lane.bars(marks, lane.span), silences):
        for span in left:
            yield span.start_us, span.end_us, _USES[bar.phase]


def _once(whole: Span, pieces: list[_Piece]) -> Iterator[tuple[Use, Span]]:
    """Each instant of the whole, which one piece covers, for the piece that it counts for."""
    for use, run in groupby(_cut(whole, sorted(pieces)), key=lambda cut: cut[0]):
        spans = [span for _, span in run]
        yield use, Span(spans[0].start_us, spans[-1].end_us)


def _cut(whole: Span, pieces: list[_Piece]) -> Iterator[tuple[Use, Span]]:
    """The same; pieces are cut again wherever another one begins."""
    under_way: list[tuple[int, _Piece]] = []
    at_us = whole.start_us
    for at, piece in enumerate(pieces, start=1):
        heappush(under_way, (_LATER.get(piece[2], 0), piece))
        next_us = pieces[at][0] if at < len(pieces) else whole.end_us
        while under_way and at_us < next_us:
            _, (_, end_us, use) = under_way[0]
            if end_us > at_us:
                yield use, Span(at_us, min(end_us, next_us))
                at_us = min(end_us, next_us)
            if end_us <= at_us:
                heappop(under_way)
