"""What reading a long session takes."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from reconstructed import S1
from timed_tapes import TapeMaker, ask, call, completed, created, delta, done, output

from wiretape.facts import EndKind, Sender
from wiretape.reconstruct import sessions_of


def many_posts(maker: TapeMaker, count: int) -> None:
    """Answers of a thousand events; each request says the whole conversation again."""
    history: list[Any] = ["hi"]
    for at in range(count // 1000):
        post = maker.post(at * 10, ask(*history), S1)
        post.head(at * 10 + 1)
        post.events(at * 10 + 2, created(), *[delta("word " * 4)] * 997)
        post.events(at * 10 + 3, done(call(f"c{at}")), completed())
        post.end(at * 10 + 3)
        history += [call(f"c{at}"), output(f"c{at}")]


def many_sockets(maker: TapeMaker, count: int) -> None:
    """Sockets with ten answers of a hundred events each, which go on from one another."""
    body = ask("hi")
    for at in range(count // 100):
        if at % 10 == 0:
            socket = maker.socket(at * 10, S1)
        name = f"resp_{at}"
        socket.ask(at * 10 + 2, body)
        socket.say(at * 10 + 3, created(name), *[delta("word " * 4)] * 97)
        socket.say(at * 10 + 4, done(call(f"c{at}")), completed(name))
        if at % 10 == 9:
            socket.end(at * 10 + 5, EndKind.CLIENT_CLOSED, Sender.CLIENT)
        body = ask(output(f"c{at}"), previous_response_id=name)


@pytest.mark.parametrize("fill", [many_posts, many_sockets])
def test_memory_does_not_grow_with_the_events(
    fill: Callable[[TapeMaker, int], None], tmp_path: Path
) -> None:
    """A tape of 100,000 events, 8 MB of them, is read whole with less than 4 MB."""

    def peak_bytes(count: int) -> int:
        maker = TapeMaker(tmp_path / f"{count}.db")
        fill(maker, count)
        maker.write()
        maker.facts.clear()
        with maker.open() as reader:
            tracemalloc.start()
            found = sessions_of(reader)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert sum(each.events for each in found) == count
        return peak

    assert peak_bytes(100_000) < 4_000_000
