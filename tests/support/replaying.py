"""A replay server in a thread of this process, for clients that block."""

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from gateway.authority import Authority
from replayer.connection import Service
from replayer.pacing import Pace
from replayer.player import Player
from replayer.pytest_plugin.in_thread import in_thread
from replayer.report import Report
from replayer.script import Script
from replayer.server import running_server
from replayer.tape import ReplayTape
from wiretape.facts import End, EndKind, Fact, Sender
from wiretape.store_reader import TapeReader


@dataclass(slots=True)
class Replaying:
    """A replay under way. ``report`` is complete, and ``facts`` are all, once it is over.

    ``facts`` are what the replay would put on its own tape; their times are all zero.
    """

    url: str
    authority: Authority
    facts: list[Fact]
    report: Report

    def ends(self, count: int = 1) -> list[tuple[EndKind, Sender | None]]:
        """The ends on the replay's own tape, as soon as there are ``count``."""
        while len(ends := [fact for fact in self.facts if isinstance(fact, End)]) < count:
            time.sleep(0.001)
        return [(end.how, end.side) for end in ends]

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    @property
    def host(self) -> str:
        return self.url.removeprefix("http://").rpartition(":")[0].strip("[]")


@contextmanager
def replaying(
    tape: Path,
    authority: Authority,
    *,
    factor: float | None = None,
    is_strict: bool = False,
    host: str = "127.0.0.1",
) -> Iterator[Replaying]:
    """Serves ``tape`` while the context lasts; fails if anything went wrong inside."""
    troubles: list[str] = []

    @asynccontextmanager
    async def serving() -> AsyncIterator[Replaying]:
        with TapeReader(tape) as reader:
            player = Player(Script(reader), is_strict=is_strict)
            facts: list[Fact] = []
            service = Service(
                player, ReplayTape(facts.append, lambda: 0), Pace(factor), authority.server_context
            )
            async with running_server(service, host, 0, troubles.append) as url:
                yield Replaying(url, authority, facts, player.report)
            player.finish()

    with in_thread(serving) as replay:
        yield replay
    assert troubles == []
