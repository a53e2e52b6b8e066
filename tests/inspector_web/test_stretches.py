"""Which silences of an answer are told, in microseconds written out."""

from pathlib import Path

import pytest
from inspected import EVER, marks_on, silences_on, timeline_on
from timed_tapes import TapeMaker, ask, completed, created, delta, session

from inspector_web.drawing import draw
from inspector_web.stretches import Silence
from inspector_web.timeline import Timeline
from inspector_web.window import view_of
from wiretape.facts import EndKind, Sender
from wiretape.said import Outcome


def answered(path: Path, times_ms: list[int], end: EndKind = EndKind.COMPLETE) -> Path:
    """A tape of one request, asked at 0, with an event at each of these times; it ends at 9000."""
    post = (maker := TapeMaker(path / "tape.db")).post(0, ask("hi"), session("s"))
    post.head(5)
    for at_ms in times_ms[:-1]:
        post.events(at_ms, delta("a"))
    post.events(times_ms[-1], completed() if end is EndKind.COMPLETE else delta("b"))
    post.end(9000, end)
    return maker.write()


def silences(path: Path) -> list[Silence]:
    return silences_on(path, timeline_on(path).lanes[0])


@pytest.mark.parametrize("every_ms", [120, 300, 900])
def test_an_even_answer_has_no_silence(tmp_path: Path, every_ms: int) -> None:
    """However slow it is: every wait is its usual one."""
    assert silences(answered(tmp_path, list(range(every_ms, 10 * every_ms, every_ms)))) == []


def test_a_wait_of_five_times_the_usual_one_is_told(tmp_path: Path) -> None:
    """Events each 20 ms, then 400 ms without one; the usual wait is 28 ms."""
    times = [*range(20, 500, 20), 880, *range(900, 1500, 20)]
    assert silences(answered(tmp_path, times)) == [Silence(480_000, 880_000, is_found=False)]


def test_a_second_is_long_in_any_answer(tmp_path: Path) -> None:
    """Though the usual wait of this one is 925 ms."""
    times = [100, 1000, 2000, 2900, 3800]
    assert silences(answered(tmp_path, times)) == [Silence(1_000_000, 2_000_000, is_found=False)]


def test_the_wait_for_the_first_event_is_none(tmp_path: Path) -> None:
    """It has a bar of its own."""
    assert silences(answered(tmp_path, [4000, 4020, 4040])) == []


def test_the_wait_that_ended_an_attempt_is_told(tmp_path: Path) -> None:
    """However usual it was."""
    path = answered(tmp_path, list(range(800, 8800, 800)), EndKind.CLIENT_CLOSED)
    assert silences(path) == [Silence(8_000_000, 9_000_000, is_found=False)]


@pytest.mark.parametrize(
    ("how", "side", "outcome"),
    [
        (EndKind.SERVER_CLOSED, Sender.SERVER, Outcome.CUT),
        (EndKind.CLIENT_CLOSED, Sender.CLIENT, Outcome.ABANDONED),
    ],
)
def test_where_nothing_ever_came_all_of_it_is_told(
    tmp_path: Path, how: EndKind, side: Sender, outcome: Outcome
) -> None:
    """From the request to its end, whoever ended it."""
    (maker := TapeMaker(tmp_path / "tape.db")).post(0, ask("hi"), session("s")).end(300, how, side)
    path = maker.write()
    assert timeline_on(path).lanes[0].stops[0].outcome is outcome
    assert silences(path) == [Silence(0, 300_000, is_found=False)]


def test_a_refusal_ends_a_wait_that_was_none(tmp_path: Path) -> None:
    """It is the answer that was waited for."""
    (maker := TapeMaker(tmp_path / "tape.db")).post(0, ask("hi"), session("s")).refuse(400, 500)
    assert silences(maker.write()) == []


def stalled(path: Path) -> tuple[Path, Timeline]:
    """Two long silences in one answer; a finding is about the second."""
    path = answered(path, [100, 1200, 1300, 2400])
    return path, timeline_on(path, {1: (1_300_000,)})


def test_a_silence_that_a_finding_is_about_says_so(tmp_path: Path) -> None:
    """The other one does not."""
    path, timeline = stalled(tmp_path)
    assert silences_on(path, timeline.lanes[0]) == [
        Silence(100_000, 1_200_000, is_found=False),
        Silence(1_300_000, 2_400_000, is_found=True),
    ]


def test_only_a_finding_s_silence_is_drawn_in_alarm(tmp_path: Path) -> None:
    """A long wait is no fault yet."""
    path, timeline = stalled(tmp_path)
    view = view_of(timeline.span, None, None)
    (lane,) = draw(timeline, view, lambda exchange, *_: marks_on(path, exchange)).lanes
    assert [block.kind for block in lane.silences] == ["usual", "found"]


def test_a_finding_makes_any_wait_a_silence(tmp_path: Path) -> None:
    """The first one, too: the client may have seen nothing for minutes."""
    path = answered(tmp_path, [2000, 2020, 2040])
    lane = timeline_on(path, {1: (5_000,)}).lanes[0]
    found = list(lane.silences(marks_on(path, 1), EVER))
    assert found == [Silence(0, 2_000_000, is_found=True)]


def test_a_silence_is_measured_whole_in_any_window(tmp_path: Path) -> None:
    """One that begins before what is shown counts from its begin."""
    post = (maker := TapeMaker(tmp_path / "tape.db")).post(0, ask("hi"), session("s"))
    post.head(5)
    post.events(10, created(), delta("a"))
    post.events(5000, completed())
    post.end(5001)
    path = maker.write()
    assert silences(path) == [Silence(10_000, 5_000_000, is_found=False)]
