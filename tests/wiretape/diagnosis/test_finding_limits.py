"""From where on a measure is a finding."""

import pytest
from timed_tapes import TapeMaker, ask, call, completed, created, delta, done, output
from troubled_tapes import S1, answer_with_calls, diagnosis

from wiretape.diagnosis.kinds import Kind


@pytest.mark.parametrize(
    ("silence_ms", "is_found"), [(299_999, False), (300_000, True), (300_001, True)]
)
def test_a_silence_is_measured_against_the_clients_patience(
    silence_ms: float, is_found: bool, maker: TapeMaker
) -> None:
    """Five minutes, the default of ``stream_idle_timeout_ms``."""
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    post.events(10, created())
    post.events(10 + silence_ms, delta())
    post.events(10 + silence_ms, completed())
    kinds = {each.kind for each in diagnosis(maker).findings}
    assert (Kind.SILENCE in kinds) is is_found


@pytest.mark.parametrize(("rounds", "is_found"), [(229, False), (230, True)])
def test_a_loop_is_near_its_end_at_nine_tenths(
    rounds: int, is_found: bool, maker: TapeMaker
) -> None:
    """Of 256 rounds."""
    answer_with_calls(maker, call("c0"))
    for at in range(rounds):
        post = maker.post(50 + at * 10, ask("hi", call(f"c{at}"), output(f"c{at}")), S1)
        more = [done(call(f"c{at + 1}"))] if at + 1 < rounds else []
        post.answer(51 + at * 10, created(), *more, completed())
    kinds = {each.kind for each in diagnosis(maker).findings}
    assert (Kind.TOOL_LOOP in kinds) is is_found


@pytest.mark.parametrize(
    ("before", "after", "is_found"),
    [
        (10_000, 110_000, True),
        (10_000, 109_999, False),
        (150_000, 299_999, False),
        (150_000, 300_000, True),
    ],
)
def test_a_leap_is_large_and_at_least_doubles(
    before: int, after: int, is_found: bool, maker: TapeMaker
) -> None:
    """A hundred thousand tokens more, and twice as many."""
    maker.post(0, ask("hi"), S1).answer(1, created(), completed(given=before))
    maker.post(50, ask("hi", "more"), S1).answer(51, created(), completed(given=after))
    kinds = {each.kind for each in diagnosis(maker).findings}
    assert (Kind.GROWTH in kinds) is is_found
