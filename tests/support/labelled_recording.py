"""What recordings of known cause are made with: how one is added to the set, and usual answers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from timed_tapes import (
    OLD_CODEX,
    SocketMaker,
    TapeMaker,
    completed,
    created,
    delta,
    done,
    session,
)

from wiretape.diagnosis.kinds import Kind
from wiretape.facts import EndKind, Headers, Sender

S1 = session("s1")
MINUTE_MS = 60_000.0


@dataclass(frozen=True, slots=True)
class Labelled:
    """A recording that ``make`` writes, and the kinds of finding that it deserves."""

    name: str
    make: Callable[[TapeMaker], None]
    expected: frozenset[Kind]
    agent: str | None


LABELLED: list[Labelled] = []


def labelled(
    *expected: Kind, agent: str | None = OLD_CODEX
) -> Callable[[Callable[[TapeMaker], None]], Callable[[TapeMaker], None]]:
    """Adds a recording to the set."""

    def add(make: Callable[[TapeMaker], None]) -> Callable[[TapeMaker], None]:
        name = make.__name__.strip("_").replace("_", "-")
        LABELLED.append(Labelled(name, make, frozenset(expected), agent))
        return make

    return add


def answer(
    maker: TapeMaker,
    at_ms: float,
    body: dict[str, Any],
    *items: dict[str, Any],
    headers: Headers = S1,
    name: str = "resp_1",
    given: int = 100,
) -> None:
    """A POST that is answered well, with these items."""
    post = maker.post(at_ms, body, headers)
    post.answer(at_ms + 10, created(name), *map(done, items), completed(name, given=given))


def say(socket: SocketMaker, at_ms: float, *items: dict[str, Any], name: str = "resp_1") -> None:
    """A whole answer on a socket."""
    socket.say(at_ms, created(name), *map(done, items), completed(name))


def cut(maker: TapeMaker, at_ms: float, body: dict[str, Any]) -> None:
    """A POST whose answer is cut."""
    post = maker.post(at_ms, body, S1)
    post.head(at_ms + 5)
    post.events(at_ms + 6, created(), delta())
    post.end(at_ms + 7, EndKind.SERVER_CLOSED, Sender.SERVER)
