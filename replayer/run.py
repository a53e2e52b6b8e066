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
from replayer.bends.telling import bent_and_told
from replayer.connection import Service
from replayer.faults.bending import Faulted, faulted
from replayer.faults.spec import Fault
from replayer.faults.telling import tell_faults
from replayer.pacing import Pace
from replayer.player import Player
from replayer.refusals import NOTHING_LIKE
from replayer.report import Report
from replayer.script import Script
from replayer.server import running_server
from replayer.tape import ReplayTape
from wiretape.choosing import chosen_sessions
from wiretape.commands.summary import PAST_US
from wiretape.errors import WiretapeError
from wiretape.facts import Fact
from wiretape.ignoring import Ignored
from wiretape.reconstruct import sessions_of
from wiretape.recording import Bend
from wiretape.redact import redact_command
from wiretape.store_reader import TapeReader
from wiretape.store_recording import read_recording, reader_of
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
        reader, told, faulty = opened(replay)
        stack.enter_context(reader)
        script = Script(reader, replay.sessions)
        faults = frozenset() if faulty is None else faulty.places
        player = Player(
            script,
            is_strict=replay.is_strict,
            ignored=replay.ignored,
            faults=faults,
            spends={} if faulty is None else faulty.spends,
            unrecorded=replay.unrecorded,
        )
        for sentence in told:
            player.report.note(sentence)
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
                    with left_behind(environment, tell):
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
        has_findings = report.has_findings_before(faults)
        if faulty is not None:
            tell_faults(report, faulty)
        if replay.command and not report.requests:
            report.note(f"no request came our way. {PAST_US}")
        return Outcome(code, report, has_findings)


def opened(replay: Replay) -> tuple[TapeReader, list[str], Faulted | None]:
    """What is to be played, what is to be told of how it was bent, and what the faults made of
    it."""
    reader = TapeReader(replay.tape)
    if not (replay.bends or replay.faults):
        return reader, [], None
    with reader:
        recording, told = bent_and_told(read_recording(reader), replay.bends)
    reader = reader_of(recording, replay.tape)
    if not replay.faults:
        return reader, told, None
    with reader:
        sessions = chosen_sessions(sessions_of(reader), replay.sessions, replay.tape)
    faulty = faulted(recording, sessions, replay.faults)
    return reader_of(faulty.recording, replay.tape), told, faulty


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
