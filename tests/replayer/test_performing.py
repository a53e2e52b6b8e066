"""Performing actions: when they are due, in how few writes, and what ends them."""

import asyncio
import selectors
from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest

from replayer.actions import Action, Drop, Ending, Finish, Hold, Reset, SendBytes, Sending
from replayer.pacing import Pace
from replayer.performing import first_of, perform


class JumpingSelector(selectors.DefaultSelector):
    """Never waits: the time that it should have waited has gone by at once."""

    now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.now_s += timeout or 0.0
        return super().select(0)


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock goes exactly as far as somebody sleeps."""

    def __init__(self) -> None:
        self.clock = JumpingSelector()
        super().__init__(self.clock)

    def time(self) -> float:
        return self.clock.now_s


@dataclass(slots=True)
class Sink:
    """A pipe that keeps its writes, each with the loop's time in milliseconds. It takes
    ``blocks_ms`` to take one."""

    blocks_ms: int = 0
    writes: list[tuple[int, bytes]] = field(default_factory=list)

    async def receive(self) -> bytes:
        raise AssertionError("nobody listens here")

    async def send(self, data: bytes) -> None:
        if data:
            self.writes.append((round(asyncio.get_running_loop().time() * 1000), data))
            await asyncio.sleep(self.blocks_ms / 1000)

    async def close(self) -> None:
        raise AssertionError("the ending is not ours to do")

    async def drop(self) -> None:
        raise AssertionError("the ending is not ours to do")

    async def reset(self) -> None:
        raise AssertionError("the ending is not ours to do")


def render(action: Sending | Finish) -> bytes:
    return action.data if isinstance(action, SendBytes) else b"."


def performed(
    actions: Iterable[Action], factor: float | None = None, sink: Sink | None = None
) -> tuple[list[tuple[int, bytes]], Ending | None]:
    """When what was written, and the ending that was handed back."""
    sink = sink or Sink()
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        ending = runner.run(perform(actions, sink, Pace(factor), 0.0, render))
    return sink.writes, ending


def test_at_full_speed_writes_are_joined() -> None:
    """What need not wait goes out at once in one write, its end included."""
    writes, ending = performed([SendBytes(0, b"a"), SendBytes(9_000_000, b"b"), Finish(10_000_000)])
    assert (writes, ending) == ([(0, b"ab.")], Finish(10_000_000))


def test_a_write_does_not_grow_without_bound() -> None:
    """A long answer goes out in pieces of some 64 kB, so that it is never held whole."""
    writes, _ = performed([*(SendBytes(0, b"x" * 1024) for _ in range(200)), Finish(0)])
    assert [len(data) for _, data in writes] == [65536, 65536, 65536, 8193]


STREAM = (SendBytes(10_000, b"a"), SendBytes(30_000, b"b"), SendBytes(30_000, b"c"), Finish(50_000))


@pytest.mark.parametrize(
    ("factor", "times_ms"),
    [(1.0, (10, 30, 50)), (0.5, (20, 60, 100)), (10.0, (1, 3, 5))],
)
def test_at_a_pace_everything_is_written_at_its_time(
    factor: float, times_ms: tuple[int, ...]
) -> None:
    """Nothing is sent before its time, nothing waits for what comes later, and what is due at the
    same time is one write."""
    writes, _ = performed(STREAM, factor)
    assert writes == list(zip(times_ms, (b"a", b"bc", b"."), strict=True))


def test_a_late_action_does_not_delay_those_behind_it() -> None:
    """The schedule is absolute: after a stall, what is overdue goes out at once."""
    writes, _ = performed(STREAM, 1.0, Sink(blocks_ms=25))
    assert writes == [(10, b"a"), (35, b"bc"), (60, b".")]


def test_what_is_due_before_it_began_goes_out_at_once() -> None:
    """A server may have answered before the request had arrived whole."""
    writes, _ = performed([SendBytes(-5_000, b"a"), Finish(0)], 1.0)
    assert writes == [(0, b"a"), (0, b".")]


@pytest.mark.parametrize("ending", [Drop(0), Reset(0), Hold()])
@pytest.mark.parametrize("factor", [None, 1000.0])
def test_what_ends_an_answer_is_handed_back(ending: Ending, factor: float | None) -> None:
    """Everything before it is written; what comes behind it is not performed."""
    writes, found = performed([SendBytes(0, b"a"), ending, SendBytes(0, b"b")], factor)
    assert (writes, found) == ([(0, b"a")], ending)


def test_actions_may_just_stop() -> None:
    """On a socket more may come when the client asks again."""
    writes, found = performed([SendBytes(0, b"a")])
    assert (writes, found) == ([(0, b"a")], None)


def test_the_first_to_end_ends_the_others() -> None:
    """The others are cancelled, and are over when it returns."""
    order = []

    async def quick() -> None:
        order.append("quick")

    async def slow() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            order.append("slow is over")

    asyncio.run(first_of(slow(), quick()))
    assert order == ["quick", "slow is over"]


def test_an_error_in_any_is_raised() -> None:
    """Nothing fails in silence."""

    async def fails() -> None:
        raise ValueError("no")

    async def waits() -> None:
        await asyncio.Event().wait()

    with pytest.raises(ValueError, match="no"):
        asyncio.run(first_of(waits(), fails()))


def test_whoever_waits_for_the_first_may_be_cancelled() -> None:
    """Cancelling the whole leaves none of them running."""
    order = []

    async def slow() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            order.append("over")

    async def run() -> None:
        task = asyncio.create_task(first_of(slow(), slow()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert order == ["over", "over"]
