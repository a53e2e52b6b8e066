"""One replay, from the opened tape to the report."""

import asyncio
import json
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from gateway.authority import open_authority
from gateway.bypass import left_behind, refuse_bypasses
from gateway.child import Signals, run_child
from gateway.clock import Clock
from gateway.environment import child_environment
from gateway.limits import raise_file_limit
from replayer.connection import Service
from replayer.faults.bending import Faulted, faulted
from replayer.faults.spec import Fault
from replayer.faults.telling import tell_faults
from replayer.opening import only_these
from replayer.pacing import Pace
from replayer.player import Player
from replayer.refusals import NOTHING_LIKE
from replayer.report import Report, Spot
from replayer.script import Script
from replayer.server import running_server
from replayer.tape import ReplayTape
from wiretape.commands.summary import PAST_US
from wiretape.errors import WiretapeError
from wiretape.facts import Fact
from wiretape.ignoring import Ignored
from wiretape.recording import Bend, Recording, tape_numbers, tape_places
from wiretape.redact import redact_command
from wiretape.store_reader import TapeReader
from wiretape.store_recording import reader_of
from wiretape.store_writer import TapeLabel, TapeWriter


@dataclass(frozen=True, slots=True)
class Replay:
    """What to replay, and to whom.

    ``sessions`` restricts the replay to those sessions of the tape. Without ``command`` the
    server runs until it is told to stop. ``output`` is the tape of the replay itself. ``bends``
    are done to the recording, in memory, before it is played, and ``faults`` after them. What is
    ``ignored`` is no difference. ``unrecorded`` is what a client is told whose request is like
    nothing that is played.
    """

    tape: Path
    host: str
    port: int
    pace: Pace
    is_strict: bool
    command: tuple[str, ...] = ()
    sessions: frozenset[str] = frozenset()
    output: Path | None = None
    bends: tuple[Bend, ...] = ()
    ignored: Ignored = field(default_factory=Ignored)
    faults: tuple[Fault, ...] = ()
    unrecorded: str = NOTHING_LIKE


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a replay went: the command's exit code, and the report. ``has_findings`` says whether it
    was not as the recording, before a fault could be the reason."""

    exit_code: int
    report: Report
    has_findings: bool


def replay(
    replay: Replay,
    environment: Mapping[str, str],
    tell: Callable[[str], None],
    signals: Signals,
) -> Outcome:
    """Replays until the command, or whoever stops us, is done.

    ``signals`` are kept from us before and after, so that none cuts off the report.

    Raises:
        WiretapeError: the replay cannot begin; nothing was run, and no tape is left behind.
    """
    refuse_bypasses(replay.command, environment)
    authority = open_authority(environment)
    clock = Clock()
    with ExitStack() as stack:
        played = opened(replay)
        stack.enter_context(played.reader)
        player = played.player(replay)
        for sentence in player.report.notes:
            tell(sentence)
        put = None if replay.output is None else _new_tape(replay, clock, tell, stack)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wiretape-")))
        service = Service(
            player, ReplayTape(put, clock.now_us), replay.pace, authority.server_context
        )

        async def run() -> int:
            async with running_server(service, replay.host, replay.port, tell) as url:
                if replay.command:
                    bundle = folder / "bundle.pem"
                    authority.write_bundle(bundle, environment)
                    child = child_environment(environment, url, bundle)
                    with left_behind(replay.command, environment, tell):
                        return await run_child(replay.command, child, signals)
                tell(f"replaying {replay.tape} at {url}, as a base URL and as a proxy.")
                tell(
                    f"give the client {url} as its base URL, with the recorded path (like /v1); "
                    "Ctrl-C ends the replay."
                )
                raise_file_limit()
                await signals.told_to_stop()
                return 0

        code = asyncio.run(run())
        report = player.finish()
        has_findings = report.has_findings_before(played.faults)
        played.tell_as_on_tape(report)
        if replay.command and not report.requests:
            report.note(f"no request came our way. {PAST_US}")
        return Outcome(code, report, has_findings)


@dataclass(frozen=True, slots=True)
class Opened:
    """What is to be played: the ``sessions`` of what ``reader`` reads, where it holds others; what
    is to be told of how it was bent; and where there are faults, what they made of it.

    ``bent`` is what the bends alone made, if there are any.
    """

    reader: TapeReader
    sessions: frozenset[str]
    told: tuple[str, ...] = ()
    faulty: Faulted | None = None
    bent: Recording | None = None

    @property
    def faults(self) -> frozenset[Spot]:
        """Where they wait."""
        return frozenset() if self.faulty is None else self.faulty.places

    def player(self, replay: Replay) -> Player:
        """What plays it, with what is to be told noted. ``reader`` must outlive it."""
        player = Player(
            Script(self.reader, self.sessions),
            is_strict=replay.is_strict,
            ignored=replay.ignored,
            faults=self.faults,
            spends={} if self.faulty is None else self.faulty.spends,
            unrecorded=replay.unrecorded,
            on_tape={} if self.bent is None else tape_numbers(self.bent),
        )
        for sentence in self.told:
            player.report.note(sentence)
        return player

    def tell_as_on_tape(self, report: Report) -> None:
        """Makes a report about what was played one about the tape."""
        if self.faulty is not None:
            tell_faults(report, self.faulty)
        if self.bent is not None:
            report.name_places(tape_places(self.bent))


def opened(replay: Replay) -> Opened:
    """The tape, ready to be played.

    Raises:
        WiretapeError: it cannot be.
    """
    if not (replay.bends or replay.faults):
        return Opened(TapeReader(replay.tape), replay.sessions)
    told: list[str] = []
    bent, sessions = only_these(replay.tape, replay.sessions, replay.bends, told.append)
    faulty = faulted(bent, sessions, replay.faults) if replay.faults else None
    played = bent if faulty is None else faulty.recording
    return Opened(reader_of(played, replay.tape), frozenset(), tuple(told), faulty, bent)


def _new_tape(
    replay: Replay, clock: Clock, tell: Callable[[str], None], stack: ExitStack
) -> Callable[[Fact], None]:
    """Makes the tape of the replay, which ``stack`` closes; gives what takes its facts."""
    assert replay.output is not None
    label = TapeLabel(
        "replay",
        clock.started_at_us,
        clock.name,
        json.dumps(redact_command(replay.command)) if replay.command else None,
        str(replay.tape),
        faults=json.dumps([fault.text for fault in replay.faults]) if replay.faults else None,
    )
    writer = TapeWriter(replay.output, label, on_trouble=tell)
    stack.push(_removed_on_refusal(replay.output))
    stack.enter_context(writer)
    return writer.put


def _removed_on_refusal(path: Path) -> Callable[..., None]:
    """Removes a tape, once it is closed, if the replay could not even begin."""

    def leave(kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and issubclass(kind, WiretapeError):
            path.unlink()

    return leave
