"""One run of a client on a recording that is in memory: how it ended, and what it printed.

The client has no terminal: its input is empty, and what it prints is kept. It runs in a process
group of its own, of which nothing is left when the trial is over; nor, on Linux, of what it put
elsewhere.
"""

import asyncio
import os
import signal
import tempfile
from collections.abc import Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from gateway.authority import Authority
from gateway.child import started
from gateway.clock import Clock
from gateway.environment import child_environment
from replayer.connection import Service
from replayer.pacing import MAX, Pace
from replayer.player import Player
from replayer.report import Report, Spot, Verdict
from replayer.script import Script
from replayer.server import running_server
from replayer.tape import ReplayTape
from replayer.trials.orphans import ending_orphans
from replayer.warm_ups import WHAT as WARM_UP
from wiretape.facts import Fact
from wiretape.reconstruct import sessions_of
from wiretape.recording import Recording
from wiretape.sessions import Session
from wiretape.store_reader import TapeReader
from wiretape.store_recording import reader_of
from wiretape.store_writer import TapeLabel, TapeWriter


@dataclass(frozen=True, slots=True)
class Client:
    """What is run in each trial, where (here, unless told), and how long it may take."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    deadline_s: float
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """How a run went.

    ``exit_code`` is as a shell gives it, ``None`` where the client still ran at the deadline.
    ``sessions`` are those of the run itself.
    """

    exit_code: int | None
    stdout: str
    stderr: str
    took_s: float
    report: Report
    sessions: tuple[Session, ...]

    @property
    def asked_for_nothing(self) -> bool:
        """Whether the client said nothing to us at all."""
        return not (self.report.requests or self.report.side_requests)

    @property
    def unexpected(self) -> int:
        """How often the client asked for what the recording does not have; a warm-up that was
        answered all the same is some of it."""
        warm_ups = sum(each.what == WARM_UP for each in self.report.side_requests)
        return len(self.report.of(Verdict.UNEXPECTED)) + warm_ups


@dataclass(slots=True)
class Trials:
    """Runs clients, one at a time, and counts how often. They are told to trust ``authority``."""

    authority: Authority
    count: int = 0

    def run(
        self,
        recording: Recording,
        client: Client,
        pace: Pace = MAX,
        spends: Mapping[Spot, Set[int]] = MappingProxyType({}),
    ) -> Trial:
        """The client, run on the recording to its end. ``spends`` is as for a player.

        Raises:
            KeyboardInterrupt: somebody told us to stop; the client is gone too.
            CommandError: the client cannot be started.
        """
        self.count += 1
        clock, facts = Clock(), list[Fact]()
        with (
            tempfile.TemporaryDirectory(prefix="wiretape-") as name,
            reader_of(recording, Path("the recording")) as reader,
        ):
            player = Player(Script(reader), spends=spends)
            service = Service(
                player,
                ReplayTape(facts.append, clock.now_us),
                pace,
                self.authority.server_context,
            )
            folder = Path(name)
            try:
                with ending_orphans():
                    code = asyncio.run(self._run(service, client, folder))
            except asyncio.CancelledError as told_to_stop:
                raise KeyboardInterrupt from told_to_stop
            return Trial(
                code,
                _text(folder / "stdout"),
                _text(folder / "stderr"),
                clock.now_us() / 1e6,
                player.finish(),
                _sessions(facts, folder / "replay.db", clock),
            )

    async def _run(self, service: Service, client: Client, folder: Path) -> int | None:
        _stopped_by_signals()
        async with running_server(service, "127.0.0.1", 0, _keep_quiet) as url:
            bundle = folder / "bundle.pem"
            self.authority.write_bundle(bundle, client.environment)
            with (folder / "stdout").open("wb") as stdout, (folder / "stderr").open("wb") as stderr:
                starting = asyncio.create_task(
                    started(
                        client.command,
                        env=child_environment(client.environment, url, bundle),
                        cwd=client.folder,
                        stdin=asyncio.subprocess.DEVNULL,
                        stdout=stdout,
                        stderr=stderr,
                        start_new_session=True,
                    )
                )
                try:
                    process = await asyncio.shield(starting)
                    async with asyncio.timeout(client.deadline_s):
                        code = await process.wait()
                    return code if code >= 0 else 128 - code
                except TimeoutError:
                    return None
                finally:
                    # Told to stop while it starts, we wait until there is something to end.
                    process = await starting
                    # What its tools left running would go on into the next trial.
                    with suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)
                    await process.wait()


def _stopped_by_signals() -> None:
    """Lets what tells us to end do what Ctrl-C does: the client, which has a group of its own,
    must not stay behind."""
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, task.cancel)


def _keep_quiet(_: str) -> None:
    """A connection that failed shows in how the client ends."""


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace")


def _sessions(facts: list[Fact], path: Path, clock: Clock) -> tuple[Session, ...]:
    label = TapeLabel("replay", clock.started_at_us, clock.name)
    with TapeWriter(path, label, on_trouble=_keep_quiet) as writer:
        for fact in facts:
            writer.put(fact)
    with TapeReader(path) as reader:
        return tuple(sessions_of(reader))
