"""A timeline as seen through a window of time: shares of the width, and rows of fixed height.

Across, everything is in per cent of the width, so that one drawing fits every screen; down, it is
in pixels. What is too narrow to be seen is joined or left out, and the more there is the wider
that is, so that a drawing stays small whatever the session holds. What was left out of the rows is
counted.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from inspector_web.filters import sign
from inspector_web.health import Tone, tone_of
from inspector_web.labels import LEAST_PX, Look, Place, Screen, Wish, axis_labels, placed
from inspector_web.marks import Marks
from inspector_web.shapes import Arrow, Block, Drawing, DrawnLane, DrawnTurn
from inspector_web.stretches import CLIENT_TOOLS, NAMES, Bar, Silence, Span, without_silences
from inspector_web.timeline import Link, LinkKind, MarksOf, Timeline
from inspector_web.window import View, axis_of, view_of
from wiretape.words import duration

ROW_PX: Final = 48
"""The height of a lane; the stylesheet gives the labels beside it the same."""
TURN_PX: Final = 28
"""The height of the row above the lanes of a turn; the stylesheet gives its words the same."""
MOST_LANES: Final = 60
MOST_BLOCKS: Final = 1200
MOST_TICK_COLUMNS: Final = 500
_MOST_STROKES: Final = 12_000
"""Of the ticks of all lanes."""

_BAR_MIDDLE_PX: Final = 31
_NARROWEST: Final = 0.05  # per cent of the width, about a third of a pixel on a wide screen
_STRIP_BLOCK: Final = 0.5  # per cent of the width
_STRIP_NARROWEST: Final = 0.25  # so that what failed at once can be seen
_TOLD_SILENCE: Final = 1.5  # per cent of the width
_LONG_ENOUGH: Final = 6.0
"""Per cent of the width, of a silence that is named though no finding is about it."""
_AT_END: Final = (Place.BESIDE, Place.LEFT, Place.RIGHT)
_ARROW_PX: Final = 14
"""The least that an arrow goes across; its head is as long as most of that."""


def draw(timeline: Timeline, view: View, marks_of: MarksOf) -> Drawing:
    """What of the timeline is seen through the window."""
    seen = {number for number, lane in enumerate(timeline.lanes) if view.shows(lane.span)}
    # A wait leads from one lane to another: both are seen, though neither may be at that time.
    seen.update(
        number
        for link in timeline.links
        if view.shows(link)
        for number in (link.from_lane, link.to_lane)
    )
    top_of = dict(_tops(timeline, sorted(seen)[:MOST_LANES]))
    turns = _turns(timeline, top_of, view)
    columns = min(MOST_TICK_COLUMNS, _MOST_STROKES // max(len(top_of), 1))
    lanes = list(_lanes(timeline, top_of, view, columns, marks_of))
    before = sum(
        lane.span.end_us < view.start_us
        for number, lane in enumerate(timeline.lanes)
        if number not in seen
    )
    return Drawing(
        view,
        timeline.span,
        len(lanes) * ROW_PX + len(turns) * TURN_PX,
        tuple(lanes),
        turns,
        tuple(_arrows(timeline.links, top_of, view)),
        axis_labels(axis_of(view)),
        tuple(_block(gap, "gap", view) for gap in timeline.gaps if view.shows(gap)),
        tuple(_strip(timeline, view)),
        axis_labels(axis_of(view_of(timeline.span, None, None))),
        columns,
        before,
        len(timeline.lanes) - len(seen) - before,
        len(seen) - len(lanes),
    )


def _tops(timeline: Timeline, seen: list[int]) -> Iterator[tuple[int, int]]:
    """Where each lane begins, in pixels: one below the other, with a row above each turn."""
    top, turn = 0, None
    for number in seen:
        lane = timeline.lanes[number]
        if lane.turn != turn and len(timeline.turns) > 1:
            top += TURN_PX
        yield number, top
        top, turn = top + ROW_PX, lane.turn


def _turns(timeline: Timeline, top_of: dict[int, int], view: View) -> tuple[DrawnTurn, ...]:
    if len(timeline.turns) < 2:
        return ()
    tops: dict[int, int] = {}
    for number, top in top_of.items():
        tops.setdefault(timeline.lanes[number].turn, top - TURN_PX)
    return tuple(
        DrawnTurn(turn, top, _block(timeline.turns[turn - 1], "turn", view))
        for turn, top in tops.items()
    )


def _lanes(
    timeline: Timeline, top_of: dict[int, int], view: View, columns: int, marks_of: MarksOf
) -> Iterator[DrawnLane]:
    tools = {link.to_lane: link for link in timeline.links if link.kind is LinkKind.TOOLS}
    # The lanes of one socket share its marks.
    marks: dict[int, Marks] = {}
    for number in top_of:
        exchange = timeline.lanes[number].exchange
        if exchange not in marks:
            marks[exchange] = marks_of(exchange, view.start_us, view.end_us)
    silences = {
        number: list(lane.silences(marks[lane.exchange], view.span))
        for number in top_of
        for lane in (timeline.lanes[number],)
    }
    bars = {
        number: list(without_silences(lane.bars(marks[lane.exchange], view.span), found))
        for number, found in silences.items()
        for lane in (timeline.lanes[number],)
    }
    narrowest = _NARROWEST
    blocks = {number: list(_joined(each, view, narrowest)) for number, each in bars.items()}
    while sum(map(len, blocks.values())) > MOST_BLOCKS:
        narrowest *= 2
        blocks = {number: list(_joined(each, view, narrowest)) for number, each in bars.items()}
    before: int | None = None
    for number, top in top_of.items():
        exchange = timeline.lanes[number].exchange
        drawn = _lane(
            timeline,
            number,
            before,
            top,
            tools.get(number),
            view,
            marks[exchange],
            silences[number],
        )
        before = number
        drawn = replace(drawn, blocks=tuple(blocks[number]))
        yield replace(
            drawn,
            labels=placed(_wishes(drawn, view)),
            ticks=_ticks(marks[exchange].at_us, drawn.lane.span, view, columns),
            control_ticks=_ticks(
                marks[exchange].control_us, _watch(timeline, number), view, columns
            ),
        )


def _lane(
    timeline: Timeline,
    number: int,
    before: int | None,
    top: int,
    tools: Link | None,
    view: View,
    marks: Marks,
    silences: Iterable[Silence],
) -> DrawnLane:
    lane = timeline.lanes[number]
    hatched = (
        _block(silence, "found" if silence.is_found else "usual", view)
        for silence in silences
        if view.shows(silence)
    )
    return DrawnLane(
        number,
        lane,
        top,
        before is None or timeline.lanes[before].request != lane.request,
        None if lane.socket is None else _block(lane.socket, "socket", view),
        None if lane.left_open is None else _block(lane.left_open, "left open", view),
        (),
        tuple(block for block in hatched if block.width >= _TOLD_SILENCE),
        None if tools is None or not view.shows(tools) else _block(tools, "tools", view),
        (),
        tuple(_apart(map(view.share, lane.limits(marks, view.span)))),
        "",
        "",
    )


def _watch(timeline: Timeline, number: int) -> Span:
    """The time in which control frames of a socket are a lane's: up to the next lane on it."""
    lane = timeline.lanes[number]
    if lane.socket is None:
        return lane.span
    others = (other for other in timeline.lanes[number + 1 :] if other.exchange == lane.exchange)
    following = next(others, None)
    end_us = lane.socket.end_us if following is None else following.span.start_us - 1
    return Span(lane.span.start_us, end_us)


def _wishes(drawn: DrawnLane, view: View) -> list[Wish]:
    """What is to be written into a lane: how it ended first, and what is about findings."""
    found = [each for each in drawn.silences if each.kind == "found"]
    usual = [each for each in drawn.silences if each.kind != "found" and each.width >= _LONG_ENOUGH]
    silences = [
        # Up to its end, for from there an arrow may lead down.
        Wish(
            round(each.x + each.width, 3),
            f"silent {duration(each.us)}",
            Look.SILENT,
            (Place.LEFT,),
            each.kind,
        )
        for each in (*found, *usual)
    ]
    return [*_flags(drawn, view), *silences, *_within(drawn)]


def _flags(drawn: DrawnLane, view: View) -> Iterator[Wish]:
    for stop in drawn.lane.stops:
        if view.holds(stop.at_us):
            x = view.share(stop.at_us)
            tone = tone_of(stop.outcome)
            text = f"{sign(tone)} {stop.label}".rstrip()
            until = min((block.x for block in drawn.blocks if block.x > x), default=100.0)
            yield Wish(x, text, Look.FLAG, _AT_END, tone, until)


def _within(drawn: DrawnLane) -> Iterator[Wish]:
    """What is written into the bars: not where hatching is."""
    bars = [(block, f"{NAMES[block.kind]} {duration(block.us)}") for block in drawn.blocks]
    if drawn.tools is not None:
        bars.append((drawn.tools, f"{CLIENT_TOOLS} {duration(drawn.tools.us)}"))
    for bar, text in bars:
        end = bar.x + bar.width
        if not any(each.x < end and bar.x < each.x + each.width for each in drawn.silences):
            yield Wish(bar.x, text, Look.IN, (Place.BESIDE,), until=round(end, 3))


def _apart(places: Iterable[float]) -> Iterator[float]:
    """Those that can be told apart, from left to right."""
    last = -_STRIP_BLOCK
    for x in places:
        if x - last >= _STRIP_BLOCK:
            last = x
            yield x


def _block(span: Span, kind: str, view: View) -> Block:
    x = view.share(span.start_us)
    return Block(x, round(view.share(span.end_us) - x, 3), kind, span.us)


def _joined(
    bars: Iterable[tuple[Bar, tuple[Span, ...]]], view: View, narrowest: float
) -> Iterator[Block]:
    """The bars in the window; those too narrow to be told apart become part of the one before."""
    drawn_to = -1.0
    for bar, left in bars:
        if not view.shows(bar):
            continue
        own_us = sum(span.us for span in left)
        block = replace(_block(bar, bar.phase, view), us=own_us, silent_us=bar.us - own_us)
        if block.x + block.width - drawn_to < narrowest:
            continue
        drawn_to = block.x + block.width
        yield block


def _ticks(times_us: array[int], span: Span, view: View, columns: int) -> str:
    """One stroke for each column in which something happened, higher where much did."""
    strokes = []
    end_us = min(span.end_us, view.end_us)
    index = bisect_left(times_us, max(span.start_us, view.start_us))
    while index < len(times_us) and times_us[index] <= end_us:
        column = (times_us[index] - view.start_us) * columns // view.us
        next_us = view.start_us - (-(column + 1) * view.us // columns)
        after = bisect_left(times_us, min(next_us, end_us + 1), lo=index + 1)
        strokes.append(f"M{column} 8v-{min(8, 3 + (after - index).bit_length())}")
        index = after
    return "".join(strokes)


def _arrows(links: Iterable[Link], top_of: dict[int, int], view: View) -> Iterator[Arrow]:
    for link in links:
        if link.kind is LinkKind.TOOLS or not view.shows(link):
            continue
        if link.from_lane in top_of and link.to_lane in top_of:
            yield from _ways(
                Arrow(
                    link.kind,
                    view.share(link.start_us),
                    top_of[link.from_lane] + _BAR_MIDDLE_PX,
                    view.share(link.end_us),
                    top_of[link.to_lane] + _BAR_MIDDLE_PX,
                )
            )


def _ways(arrow: Arrow) -> Iterator[Arrow]:
    """The arrow, and the one that stands for it on screens on which it would be too short."""
    across = arrow.x2 - arrow.x1
    short = tuple(
        screen
        for screen, plot_px in zip(Screen, LEAST_PX, strict=True)
        if across * plot_px < 100 * _ARROW_PX
    )
    if len(short) < len(Screen):
        yield replace(arrow, hidden_on=short)
    if short:
        yield replace(
            arrow, x1=arrow.x2, hidden_on=tuple(each for each in Screen if each not in short)
        )


_WORST: Final = tuple(Tone)
"""From the best to the worst."""


def _strip(timeline: Timeline, view: View) -> Iterator[Block]:
    """The attempts of the whole session; those too narrow to be told apart are one block."""
    whole = view_of(timeline.span, None, None)
    waiting: Block | None = None
    for lane in timeline.lanes:
        for each, stop in zip(lane.tries, lane.stops, strict=True):
            tone = tone_of(stop.outcome)
            block = _block(Span(each.attempt.at_us, stop.at_us), tone, whole)
            block = replace(block, width=max(block.width, _STRIP_NARROWEST))
            if waiting is None:
                waiting = block
            elif max(block.x + block.width, waiting.x + waiting.width) - waiting.x < _STRIP_BLOCK:
                waiting = _one_of(waiting, block)
            else:
                yield waiting
                waiting = block
    if waiting is not None:
        yield waiting
    yield _block(view.span, "window", whole)


def _one_of(first: Block, second: Block) -> Block:
    x = min(first.x, second.x)
    end = max(first.x + first.width, second.x + second.width)
    worst = max(first.kind, second.kind, key=lambda kind: _WORST.index(Tone(kind)))
    return Block(x, round(end - x, 3), worst, first.us + second.us)
