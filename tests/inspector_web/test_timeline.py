"""Where each attempt's time went, in microseconds written out."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from inspected import bars_on, silences_on, timeline_on
from timed_tapes import TapeMaker, ask, call, completed, created, delta, done, output, session

from inspector_web.stretches import Bar, Phase, Silence, Span
from inspector_web.timeline import Lane, Link, LinkKind
from wiretape.attempt import Transport
from wiretape.facts import EndKind
from wiretape.said import Outcome


def test_a_failed_socket_is_a_lane_that_says_how_it_ended(fallback: Path) -> None:
    """Handshake, the wait for nothing, and the close code at the moment of the close."""
    lane = timeline_on(fallback).lanes[0]
    assert lane.transport is Transport.WEBSOCKET
    assert bars_on(fallback, lane) == [
        Bar(100_000, 101_000, Phase.CONNECT),
        Bar(110_000, 130_000, Phase.WAITING),
    ]
    assert lane.socket == Span(100_000, 130_000)
    assert lane.span == Span(100_000, 130_000)
    (stop,) = lane.stops
    assert (stop.at_us, stop.outcome, stop.label) == (130_000, Outcome.CUT, "1011")


def test_an_answer_is_cut_into_phases(fallback: Path) -> None:
    """What an event says was made since the event before it; before the first, that is waiting."""
    lane = timeline_on(fallback).lanes[2]
    assert lane.transport is Transport.HTTP
    assert lane.socket is None
    assert bars_on(fallback, lane) == [
        Bar(400_000, 500_000, Phase.WAITING),
        Bar(500_000, 900_000, Phase.REASONING),
        Bar(900_000, 1_800_000, Phase.TEXT),
        Bar(1_800_000, 1_900_000, Phase.RECEIVING),
    ]
    (stop,) = lane.stops
    assert (stop.at_us, stop.outcome, stop.label) == (1_900_000, Outcome.COMPLETED, "")


def test_links_lead_from_an_end_to_the_next_try(fallback: Path) -> None:
    """A retry begins with its handshake; the fallback with the request."""
    assert timeline_on(fallback).links == (
        Link(130_000, 330_000, LinkKind.RETRY, 0, 1),
        Link(360_000, 400_000, LinkKind.FALLBACK, 1, 2),
    )


def test_rate_limits_do_not_break_what_the_response_is_busy_with(tmp_path: Path) -> None:
    """They are no word about it."""
    maker = TapeMaker(tmp_path / "tape.db")
    post = maker.post(0, ask("hi"), session("s-1"))
    post.head(1)
    post.events(10, created())
    post.events(20, delta("a"))
    post.events(30, {"type": "codex.rate_limits"})
    post.events(40, delta("b"))
    post.events(50, completed())
    post.end(51)
    lane = timeline_on(maker.write()).lanes[0]
    assert bars_on(maker.path, lane)[1:] == [
        Bar(10_000, 40_000, Phase.TEXT),
        Bar(40_000, 50_000, Phase.RECEIVING),
    ]


def test_the_timeline_spans_the_session(fallback: Path) -> None:
    """From the first handshake to the end of the last exchange."""
    assert timeline_on(fallback).span == Span(100_000, 1_901_000)


def test_requests_on_one_socket_are_lanes_of_their_own(rounds: Path) -> None:
    """Each knows the socket that they share; only the first has the handshake."""
    first, second = timeline_on(rounds).lanes
    assert (first.request, second.request) == (1, 2)
    assert first.socket == second.socket == Span(0, 990_000)
    assert bars_on(rounds, first) == [
        Bar(0, 1_000, Phase.CONNECT),
        Bar(10_000, 50_000, Phase.WAITING),
        Bar(50_000, 100_000, Phase.RECEIVING),
        Bar(100_000, 290_000, Phase.TOOL),
        Bar(290_000, 300_000, Phase.RECEIVING),
    ]
    assert bars_on(rounds, second) == [
        Bar(900_000, 950_000, Phase.WAITING),
        Bar(950_000, 990_000, Phase.RECEIVING),
    ]


def test_tools_run_between_a_call_and_its_output(rounds: Path) -> None:
    """As they crossed: from the call, though the answer goes on, to the request with the output."""
    assert timeline_on(rounds).links == (Link(290_000, 900_000, LinkKind.TOOLS, 0, 1),)


def test_tools_of_one_answer_run_from_the_first_call_on(tmp_path: Path) -> None:
    """What was called before the tape began, or what nobody answered, is no part of it."""
    post = (maker := TapeMaker(tmp_path / "tape.db")).post(0, ask("hi"), session("s"))
    post.head(5)
    post.events(10, created(), done(call("unanswered")))
    post.events(20, done(call("a")))
    post.events(30, done(call("b")), completed())
    post.end(31)
    outputs = [output("earlier"), output("b"), output("a")]
    again = maker.post(500, ask("hi", call("a"), call("b"), *outputs), session("s"))
    again.answer(510, created(), completed())
    assert timeline_on(maker.write()).links == (Link(20_000, 500_000, LinkKind.TOOLS, 0, 1),)


def test_the_tools_of_the_first_try_are_not_those_of_the_next(tmp_path: Path) -> None:
    """A retry repeats the output: the tool has long been over."""
    socket = (maker := TapeMaker(tmp_path / "tape.db")).socket(0, session("s"))
    socket.ask(10, ask("hi"))
    socket.say(20, created(), done(call("a")), completed())
    socket.ask(100, ask("hi", call("a"), output("a")))
    socket.close(120, 1011)
    again = maker.post(300, ask("hi", call("a"), output("a")), session("s"))
    again.answer(310, created(), completed())
    kinds = [(link.kind, link.start_us, link.end_us) for link in timeline_on(maker.write()).links]
    assert kinds == [(LinkKind.TOOLS, 20_000, 100_000), (LinkKind.FALLBACK, 120_000, 300_000)]


def test_time_after_the_last_word_is_waiting_and_silent(tmp_path: Path) -> None:
    """A stream that stalls until the client gives up shows the stall, not more text."""
    post = (maker := TapeMaker(tmp_path / "tape.db")).post(0, ask("hi"), session("s"))
    post.head(5)
    post.events(10, created(), delta())
    post.end(500, EndKind.CLIENT_CLOSED)
    (lane,) = timeline_on(maker.write()).lanes
    waits = [Bar(0, 10_000, Phase.WAITING), Bar(10_000, 500_000, Phase.WAITING)]
    assert bars_on(maker.path, lane) == waits
    assert silences_on(maker.path, lane) == [Silence(10_000, 500_000, is_found=False)]
    assert lane.stops[0].outcome is Outcome.ABANDONED


def test_a_hang_up_after_the_answer_is_no_part_of_it(tmp_path: Path) -> None:
    """A completed attempt is over with its last event; that its connection stays is told apart."""
    post = (maker := TapeMaker(tmp_path / "tape.db")).post(0, ask("hi"), session("s"))
    post.head(5)
    post.events(10, created(), completed())
    post.end(900, EndKind.CLIENT_CLOSED)
    timeline = timeline_on(maker.write())
    assert timeline.lanes[0].span == Span(0, 10_000)
    assert timeline.lanes[0].left_open == Span(10_000, 900_000)
    assert silences_on(maker.path, timeline.lanes[0]) == []
    assert timeline.span == Span(0, 900_000)


def test_an_attempt_that_is_not_over_lasts_as_long_as_the_tape(tmp_path: Path) -> None:
    """What is still being recorded goes up to the last thing that is known."""
    maker = TapeMaker(tmp_path / "tape.db")
    first = maker.post(0, ask("hi"), session("s"))
    second = maker.post(10, ask("ho"), session("s"))
    second.head(20)
    second.events(700, created())
    first.head(800)
    (early, late) = timeline_on(maker.write()).lanes
    assert early.stops[0].outcome is late.stops[0].outcome is Outcome.OPEN
    assert (early.span, late.span) == (Span(0, 700_000), Span(10_000, 700_000))


@pytest.mark.parametrize(("status", "label"), [(426, "426"), (500, "500")])
def test_a_refused_upgrade_shows_its_status(tmp_path: Path, status: int, label: str) -> None:
    """All that happened was the handshake."""
    maker = TapeMaker(tmp_path / "tape.db")
    maker.upgrade(0, session("s")).refuse(20, status)
    maker.post(30, ask("hi"), session("s")).answer(40, created(), completed())
    refused, fallback = timeline_on(maker.write()).lanes
    assert bars_on(maker.path, refused) == [Bar(0, 20_000, Phase.CONNECT)]
    assert [stop.label for stop in refused.stops] == [label]
    assert refused.request == fallback.request == 1


def follow_one_another(path: Path, lane: Lane) -> bool:
    bars = bars_on(path, lane)
    return all(a.end_us <= b.start_us for a, b in pairwise(bars)) and all(
        lane.span.start_us <= bar.start_us < bar.end_us <= lane.span.end_us for bar in bars
    )


def test_bars_follow_one_another_within_their_lane(fallback: Path, rounds: Path) -> None:
    """No two overlap, none is empty, none leaves the lane."""
    for path in (fallback, rounds):
        assert all(follow_one_another(path, lane) for lane in timeline_on(path).lanes)


@pytest.mark.parametrize("begin_us", range(390_000, 2_000_000, 70_000))
def test_a_window_has_the_bars_and_silences_of_the_whole(fallback: Path, begin_us: int) -> None:
    """Whatever stretch is looked at: those that lie in it are as they are in the whole."""
    shown = Span(begin_us, begin_us + 150_000)
    lane = timeline_on(fallback).lanes[2]

    def within(spans: Sequence[Span]) -> list[tuple[int, int, object]]:
        return [
            (max(each.start_us, shown.start_us), min(each.end_us, shown.end_us), phase_of(each))
            for each in spans
            if each.start_us < shown.end_us and each.end_us > shown.start_us
        ]

    assert within(bars_on(fallback, lane, shown)) == within(bars_on(fallback, lane))
    assert within(silences_on(fallback, lane, shown)) == within(silences_on(fallback, lane))


def phase_of(span: Span) -> object:
    return span.phase if isinstance(span, Bar) else None
