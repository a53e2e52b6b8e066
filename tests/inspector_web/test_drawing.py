"""A timeline through a window: per cent of the width, written out."""

from array import array
from dataclasses import replace
from pathlib import Path

import pytest
from inspected import drawing_on, timeline_on
from timed_tapes import EVENT_STREAM, TapeMaker, ask, completed, created, delta, session

from inspector_web.drawing import MOST_BLOCKS, MOST_LANES, ROW_PX, draw
from inspector_web.health import Tone
from inspector_web.labels import Look, Place
from inspector_web.marks import Marks
from inspector_web.shapes import Arrow, Block, Drawing
from inspector_web.stretches import Span
from inspector_web.timeline import LinkKind, Timeline
from inspector_web.window import View, axis_of, view_of
from wiretape.facts import EndKind

LIMITS = {"type": "codex.rate_limits", "rate_limits": {"primary": {"used_percent": 12.0}}}
FAILED = {
    "type": "response.failed",
    "response": {"error": {"code": "server_is_overloaded", "message": "busy"}},
}
STYLESHEET = Path(__file__).parents[2] / "inspector_web/static/inspector.css"


def silent(*_: int) -> Marks:
    """An exchange in which the server said nothing."""
    return Marks()


@pytest.fixture
def drawing(fallback: Path) -> Drawing:
    """The fallback through a window of two seconds, so that 20 ms are one per cent."""
    return drawing_on(fallback, View(100_000, 2_100_000))


def test_the_whole_leaves_room_for_what_is_written_at_the_end() -> None:
    """A twenty-fifth more than the session, which a window never leaves."""
    assert view_of(Span(100, 250_100), None, None) == View(100, 260_100)


@pytest.mark.parametrize(
    ("asked", "view"),
    [
        ((200_000, 300_000), View(200_000, 300_000)),
        ((None, 300_000), View(0, 300_000)),
        ((-500_000, 100_000), View(0, 600_000)),
        ((900_000, 1_200_000), View(740_000, 1_040_000)),
        ((500_000, 500_000), View(500_000, 501_000)),
        ((700_000, 200_000), View(700_000, 701_000)),
        ((0, 99_000_000), View(0, 1_040_000)),
    ],
)
def test_a_window_stays_within_the_session(asked: tuple[int | None, int], view: View) -> None:
    """It keeps its width where it can, and is never too narrow to draw."""
    assert view_of(Span(0, 1_000_000), *asked) == view


def test_shares_of_the_width(drawing: Drawing) -> None:
    """Twenty milliseconds are one per cent."""
    assert drawing.lanes[2].blocks == (
        Block(15.0, 5.0, "waiting", 100_000),
        Block(20.0, 20.0, "reasoning", 400_000),
        Block(40.0, 45.0, "text", 900_000),
        Block(85.0, 5.0, "receiving", 100_000),
    )


def test_rows_have_a_fixed_height(drawing: Drawing) -> None:
    """One below the other, as high as the stylesheet makes the labels beside them."""
    assert [row.y for row in drawing.lanes] == [0, 48, 96]
    assert drawing.height == 144
    assert f"--lane: {ROW_PX}px;" in STYLESHEET.read_text("utf-8")


def words(drawing: Drawing, look: Look) -> list[list[tuple[float, str, str, Place]]]:
    """What is written in each lane that looks so: where, what, its tone, its place at a desk."""
    return [
        [(each.x, each.text, each.tone, each.desk) for each in row.labels if each.look is look]
        for row in drawing.lanes
    ]


def test_ends_are_flagged(drawing: Drawing) -> None:
    """The close code beside the end of what was closed, a mere sign where all went well."""
    assert words(drawing, Look.FLAG) == [
        [(1.5, "✕ 1011", Tone.BAD, Place.BESIDE)],
        [(13.0, "✕ 1011", Tone.BAD, Place.BESIDE)],
        [(90.0, "✓", Tone.GOOD, Place.BESIDE)],
    ]


def test_a_flag_keeps_off_the_bar_after_it(tmp_path: Path) -> None:
    """It goes below where the next try on the same socket begins at once."""
    socket = (maker := TapeMaker(tmp_path / "tape.db")).socket(0, session("s"))
    socket.ask(100, ask("hi"))
    socket.say(110, created(), FAILED)
    socket.ask(520, ask("hi"))
    socket.say(900, created(), completed())
    (lane,) = drawing_on(maker.write(), View(0, 10_000_000)).lanes
    flag, *_ = lane.labels
    assert (flag.text, flag.phone, flag.desk) == ("✕ overloaded", Place.RIGHT, Place.RIGHT)


def test_bars_are_named_where_there_is_room(drawing: Drawing) -> None:
    """With what they are and how long."""
    assert words(drawing, Look.IN)[2] == [
        (20.0, "reasoning 400 ms", "", Place.BESIDE),
        (40.0, "text 900 ms", "", Place.BESIDE),
    ]
    assert [each.phone for each in drawing.lanes[2].labels if each.look is Look.IN] == [
        Place.NONE,
        Place.BESIDE,
    ]


@pytest.fixture
def stalled(tmp_path: Path) -> Path:
    """A text until 0.5 s, and nothing more until the client hangs up at 2 s."""
    post = (maker := TapeMaker(tmp_path / "tape.db")).post(0, ask("hi"), session("s"))
    post.head(5)
    post.events(10, created())
    post.events(500, delta("a"))
    post.end(2000, EndKind.CLIENT_CLOSED)
    return maker.write()


def test_silences_of_some_width_are_drawn(stalled: Path) -> None:
    """Each with its true length below it; where hatching is, nothing else is written."""
    drawing = drawing_on(stalled, View(0, 2_500_000))
    assert drawing.lanes[0].silences == (Block(20.0, 60.0, "usual", 1_500_000),)
    assert words(drawing, Look.SILENT) == [[(80.0, "silent 1.5 s", "usual", Place.LEFT)]]
    assert words(drawing, Look.IN) == [[(0.4, "text 490 ms", "", Place.BESIDE)]]


def test_a_silence_too_narrow_to_see_is_left_out(stalled: Path) -> None:
    """One and a half seconds in two minutes are none."""
    (lane,) = drawing_on(stalled, View(0, 120_000_000)).lanes
    assert lane.silences == ()


def test_arrows_go_down_and_across(drawing: Drawing) -> None:
    """From the end of one attempt to the begin of the next, in the middle of the bars."""
    assert drawing.arrows == (
        Arrow(LinkKind.RETRY, 1.5, 31, 11.5, 79),
        Arrow(LinkKind.FALLBACK, 13.0, 79, 15.0, 127, hidden_on=("phone", "tablet")),
        Arrow(LinkKind.FALLBACK, 15.0, 79, 15.0, 127, hidden_on=("desk",)),
    )


def test_an_arrow_without_room_across_comes_straight_down(fallback: Path) -> None:
    """On what it leads to, so that nothing of it lies left of where it began."""
    drawing = drawing_on(fallback, View(100_000, 60_100_000))
    assert drawing.arrows == (
        Arrow(LinkKind.RETRY, 0.383, 31, 0.383, 79),
        Arrow(LinkKind.FALLBACK, 0.5, 79, 0.5, 127),
    )


def test_tools_are_drawn_in_the_lane_that_follows_up(rounds: Path) -> None:
    """An open box from the call to the request with the output."""
    drawing = drawing_on(rounds, View(0, 1_000_000))
    assert drawing.lanes[0].tools is None
    assert drawing.lanes[1].tools == Block(29.0, 61.0, "tools", 610_000)
    assert drawing.arrows == ()


def test_rate_limits_are_marked_where_an_event_told_them(tmp_path: Path) -> None:
    """In the lane of the request that was under way; those that would touch are one."""
    maker = TapeMaker(tmp_path / "tape.db")
    socket = maker.socket(0, session("s-1"))
    for begin_ms, told in ((100, 1), (500, 2)):
        socket.ask(begin_ms, ask(f"Question {begin_ms}"))
        socket.say(begin_ms + 100, created(), *[LIMITS] * told)
        socket.say(begin_ms + 200, completed())
    drawing = drawing_on(maker.write(), View(0, 1_000_000))
    assert [lane.limits for lane in drawing.lanes] == [(20.0,), (60.0,)]


def test_rate_limits_are_marked_where_a_head_told_them(tmp_path: Path) -> None:
    """Over HTTP, when it came; a head without any has no mark."""
    maker = TapeMaker(tmp_path / "tape.db")
    for begin_ms, more in ((100, (("x-codex-primary-used-percent", "42"),)), (500, ())):
        post = maker.post(begin_ms, ask(f"Question {begin_ms}"), session("s-1"))
        post.head(begin_ms + 50, headers=(*EVENT_STREAM, *more))
        post.events(begin_ms + 100, created(), completed())
        post.end(begin_ms + 110)
    drawing = drawing_on(maker.write(), View(0, 1_000_000))
    assert [lane.limits for lane in drawing.lanes] == [(15.0,), ()]


def test_the_axis_has_round_steps(drawing: Drawing) -> None:
    """Times count from the begin of the tape; where there is less room, fewer are written."""
    assert [(mark.x, mark.text, mark.desk) for mark in drawing.axis[:3]] == [
        (5.0, "200 ms", Place.MIDDLE),
        (15.0, "400 ms", Place.MIDDLE),
        (25.0, "600 ms", Place.MIDDLE),
    ]
    assert len(drawing.axis) == 10
    assert [mark.text for mark in drawing.axis if mark.phone is not Place.NONE] == [
        "400 ms",
        "800 ms",
        "1.2 s",
        "1.6 s",
        "2 s",
    ]


def test_an_axis_has_fifteen_steps_at_most() -> None:
    """However late it is."""
    marks = list(axis_of(View(1_200_000_000, 1_230_000_001)))
    assert [mark.at_us // 1_000_000 for mark in marks] == [1200, 1205, 1210, 1215, 1220, 1225, 1230]
    assert len(list(axis_of(View(0, 30_000_000)))) == 16


def test_a_window_shows_its_lanes_and_counts_the_others(fallback: Path) -> None:
    """Rows close up: the first lane and the wait after it are past."""
    drawing = drawing_on(fallback, View(340_000, 380_000))
    assert [(row.number, row.y) for row in drawing.lanes] == [(1, 0), (2, 48)]
    assert (drawing.lanes_before, drawing.lanes_after) == (1, 0)


def test_the_first_lane_of_a_request_that_is_seen_begins_it(fallback: Path) -> None:
    """A window that shows its later attempts only names it all the same."""
    drawing = drawing_on(fallback, View(340_000, 380_000))
    assert [(row.number, row.begins_request) for row in drawing.lanes] == [(1, True), (2, False)]


def test_a_window_within_a_wait_shows_what_it_leads_between(fallback: Path) -> None:
    """Both lanes, with the arrow across the window, though nothing else happens in it."""
    drawing = drawing_on(fallback, View(200_000, 250_000))
    assert [row.number for row in drawing.lanes] == [0, 1]
    assert drawing.arrows == (Arrow(LinkKind.RETRY, 0.0, 31, 100.0, 79),)
    assert (drawing.lanes_before, drawing.lanes_after) == (0, 1)


def test_gaps_go_across_all_lanes(fallback: Path) -> None:
    """Those that lie in the window, held within it."""
    timeline = replace(timeline_on(fallback), gaps=(Span(0, 200_000), Span(5_000_000, 5_000_000)))
    drawing = draw(timeline, View(100_000, 1_100_000), silent)
    assert drawing.gaps == (Block(0.0, 10.0, "gap", 200_000),)


def test_the_strip_shows_where_the_window_lies(fallback: Path) -> None:
    """The last block is the window, in per cent of the whole session with its room."""
    timeline = replace(timeline_on(fallback), span=Span(0, 2_500_000))
    drawing = draw(timeline, View(650_000, 1_300_000), silent)
    assert drawing.strip[-1] == Block(25.0, 25.0, "window", 650_000)


def test_the_strip_tells_how_attempts_went(drawing: Drawing) -> None:
    """Each as its tone; those too close to be told apart are one, as bad as the worst of them."""
    assert [(block.x, block.width, block.kind) for block in drawing.strip[:-1]] == [
        (0.534, 1.068, "bad"),
        (12.813, 1.068, "bad"),
        (16.017, 80.083, "good"),
    ]


def test_attempts_too_narrow_for_the_strip_are_one(fallback: Path) -> None:
    """The worst of them gives the tone."""
    timeline = timeline_on(fallback)
    long = replace(timeline, span=Span(0, 1_000_000_000))
    blocks = draw(long, View(0, 1_000_000_000), silent).strip[:-1]
    assert [block.kind for block in blocks] == ["bad"]


def test_an_attempt_of_no_time_is_seen_on_the_strip(fallback: Path) -> None:
    """A connection that is refused at once failed all the same."""
    timeline = timeline_on(fallback)
    lane = timeline.lanes[0]
    at_once = replace(lane, stops=(replace(lane.stops[0], at_us=lane.tries[0].attempt.at_us),))
    blocks = draw(replace(timeline, lanes=(at_once,), links=()), View(0, 2_000_000), silent).strip
    assert (blocks[0].kind, blocks[0].width) == ("bad", 0.25)


def test_ticks_are_joined_by_column(fallback: Path) -> None:
    """A column is a five-hundredth; the more was said in it, the higher its stroke."""
    times = array("q", [400_000, 404_000, 404_001, 404_002, 1_100_000])
    drawing = draw(
        timeline_on(fallback),
        View(400_000, 2_400_000),
        lambda *_: Marks(times, bytearray(len(times))),
    )
    assert drawing.lanes[-1].ticks == "M0 8v-4M1 8v-5M175 8v-4"


def test_control_frames_are_shown_once(rounds: Path) -> None:
    """In the lane that began last before them, though the lanes share a socket."""
    drawing = drawing_on(rounds, View(0, 1_000_000))
    assert [row.control_ticks for row in drawing.lanes] == ["M250 8v-4", ""]


def test_a_million_events_are_a_small_drawing(fallback: Path) -> None:
    """Strokes are bounded by the columns, blocks by their number, whatever crossed."""
    times = array("q", range(400_000, 1_400_000))
    codes = bytearray(b"\x00\x01" * 500_000)
    drawing = draw(timeline_on(fallback), View(400_000, 1_900_000), lambda *_: Marks(times, codes))
    assert 600 < len(drawing.lanes[-1].blocks) <= MOST_BLOCKS
    assert drawing.lanes[-1].ticks.count("M") == 334
    assert drawing.lanes[-1].ticks.startswith("M0 8v-8M1 8v-8")


def test_too_many_lanes_are_counted(fallback: Path) -> None:
    """The first sixty in the window are drawn."""
    timeline = timeline_on(fallback)
    many = Timeline(timeline.span, timeline.lanes[:1] * 250, (), (), timeline.turns)
    drawing = draw(many, View(100_000, 200_000), silent)
    assert len(drawing.lanes) == MOST_LANES == 60
    assert (drawing.lanes_before, drawing.lanes_after, drawing.lanes_left_out) == (0, 0, 190)
