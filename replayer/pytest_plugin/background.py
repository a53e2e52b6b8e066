"""A replay that goes on in a thread of this process, while a test is the client."""

import asyncio
import json
import sys
import tempfile
import warnings
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from copy import deepcopy
from functools import partial
from pathlib import Path

from gateway.authority import Authority
from gateway.clock import Clock
from replayer.connection import Service
from replayer.player import Player
from replayer.pytest_plugin.in_thread import in_thread
from replayer.report import Report
from replayer.run import Opened, Replay, opened
from replayer.server import running_server
from replayer.tape import ReplayTape
from wiretape.errors import WiretapeError
from wiretape.facts import Fact
from wiretape.ignoring import Ignored
from wiretape.reconstruct import sessions_of
from wiretape.scope import base_path, purpose_of
from wiretape.sessions import Session
from wiretape.store_reader import TapeReader
from wiretape.store_writer import TapeLabel, TapeWriter


class ReplayFailed(WiretapeError):
    """Something of ours went wrong while a client was being answered."""


class BackgroundReplay:
    """A replay under way. Made in the thread in which it goes on, and asked from any other.

    ``url`` is where it serves, as a proxy, and with ``base_path`` as a base URL; ``troubles`` are
    ours, in sentences. All of the report is put into ``report_file``, where what is told of it is
    shortened.
    """

    def __init__(
        self,
        player: Player,
        base_path: str,
        ignored: Ignored,
        opened: Opened,
        report_file: Path,
    ) -> None:
        self.url = ""
        self.base_path = base_path
        self.troubles: list[str] = []
        self._player = player
        self._report_file = report_file
        self._ignored = ignored
        self._opened = opened
        self._facts: list[Fact] = []
        self._clock = Clock()
        self.tape = ReplayTape(self._facts.append, self._clock.now_us)
        self._loop = asyncio.get_running_loop()

    def report(self) -> Report:
        """How what was asked so far met the recording."""
        report = self._played()
        self._opened.tell_as_on_tape(report)
        return report

    def is_as_recorded(self) -> bool:
        """Whether all was asked as it was recorded, as far as no fault can be the reason."""
        return not self._played().has_findings_before(self._opened.faults)

    def sessions(self) -> list[Session]:
        """What was asked so far, put together as from a tape."""
        label = TapeLabel("replay", self._clock.started_at_us, self._clock.name)
        return _sessions_on(self._inside(self._facts.copy), label)

    def settle(self) -> None:
        """The test is over.

        Raises:
            ReplayFailed: something of ours went wrong.
        """
        if self.troubles:
            raise ReplayFailed("\n".join(self.troubles))

    def lines(self) -> Iterator[str]:
        """How it went, for a person."""
        report = self.report()
        self._report_file.write_text(json.dumps(report.as_json(), indent=2, ensure_ascii=False))
        yield from report.lines(self._report_file)
        yield from self._ignored.unmatched()
        yield from self.troubles

    def _played(self) -> Report:
        """How what was asked so far met what is played, which the faults are part of."""
        return self._inside(lambda: deepcopy(self._player.finish()))

    def _inside[T](self, look: Callable[[], T]) -> T:
        """What ``look`` gives in the thread in which everything else happens."""

        async def looked() -> T:
            return look()

        return asyncio.run_coroutine_threadsafe(looked(), self._loop).result()


@contextmanager
def replaying(
    replay: Replay, report_file: Path, authority: Authority
) -> Iterator[BackgroundReplay]:
    """Replays while the context lasts.

    Raises:
        WiretapeError: the tape cannot be replayed.
    """
    with in_thread(partial(_serving, replay, report_file, authority)) as background:
        yield background


@asynccontextmanager
async def _serving(
    replay: Replay, report_file: Path, authority: Authority
) -> AsyncIterator[BackgroundReplay]:
    played = opened(replay)
    with played.reader as reader:
        player = played.player(replay)
        background = BackgroundReplay(
            player, recorded_base_path(reader), replay.ignored, played, report_file
        )
        service = Service(player, background.tape, replay.pace, authority.server_context)
        serving = running_server(service, replay.host, replay.port, background.troubles.append)
        async with serving as url:
            background.url = url
            yield background


def recorded_base_path(reader: TapeReader) -> str:
    """The path of the base URL that the recorded client had been given, as far as it shows."""
    for exchange in reader.exchanges():
        request = exchange.request
        purpose = purpose_of(request.method, request.target, is_upgrade=exchange.is_upgrade)
        if purpose is not None:
            return base_path(request.target, purpose)
    return ""


def _sessions_on(facts: Iterable[Fact], label: TapeLabel) -> list[Session]:
    with tempfile.TemporaryDirectory(prefix="wiretape-") as folder:
        path = Path(folder) / "replay.db"
        with TapeWriter(path, label, on_trouble=warnings.warn, limit_bytes=sys.maxsize) as writer:
            for fact in facts:
                writer.put(fact)
        with TapeReader(path) as reader:
            return sessions_of(reader)
