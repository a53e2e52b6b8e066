"""The demo: a real Codex run is recorded, its provider is stopped, and the tape is replayed.

``make demo`` runs it. ``DEMO_CODEX`` names the version of Codex to drive (``scripts/fetch-codex``
has fetched it before); without one, a small client of ours takes its place, and is said to.
Ends with 0 where the replay was equal to the recording, with 1 where it was not, with 2 where
nothing could be recorded.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from comparison import Outcome, is_equal, outcome, rows
from rich import box
from rich.console import Console
from rich.table import Table

from wiretape.commands.tape_json import tape_as_json
from wiretape.errors import TapeError, WiretapeError, WouldOverwrite
from wiretape.store_reader import TapeReader

# The scripted provider lives with the tests: they are its first users.
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from codex_binary import codex_binary
from codex_run import normalised, run_codex
from provider import Provider
from provider_script import Accept, Close, Fin, Reply, Run, Say, Script

HERE: Final = Path(__file__).resolve().parent
VERSION: Final = os.environ.get("DEMO_CODEX") or "0.99.0"
WIRETAPE: Final = Path(sys.executable).with_name("wiretape")
PROMPT: Final = "Say hello from the shell."
OUT: Final = Console(highlight=False, markup=False, emoji=False)
EQUAL: Final = "Equal: the client could not tell the replay from its provider.\n", "bold green"
DIFFERENT: Final = "Not equal: a line is marked ≠, or a request was not as recorded.\n", "bold red"
_RUN: Final = Reply(Run("echo hello from the shell"))
_SAY: Final = Say("The shell said hello.")


@dataclass(frozen=True, slots=True)
class Cast:
    """Who plays: the client, and a provider that makes it work for its answer."""

    client: str
    program: Path
    transport: str
    script: Script
    story: str


def cast(version: str) -> Cast:
    """Codex of that version where it has been fetched, else our own client."""
    codex = codex_binary(version)
    if codex is None:
        return Cast(
            "a small client of ours",
            HERE / "client.py",
            "sse",
            Script(posts=(_RUN, Reply(_SAY, Fin(), only=18), Reply(_SAY))),
            "   It asks for one command over SSE, then cuts the stream of its answer once.\n",
        )
    return Cast(
        f"the real Codex {version}",
        codex,
        "websocket",
        Script(
            upgrades=(Accept(),),
            messages=(_RUN, Reply(_SAY, Close(1011, "scripted failure"), only=3)),
            posts=(Reply(_SAY),),
        ),
        "   It asks for one command over WebSocket, then closes each socket with code 1011,\n"
        "   until Codex gives up on WebSocket and falls back to HTTPS.\n",
    )


class Stage:
    """A folder that is the same, and empty, for each run: a client tells the model its paths."""

    def __init__(self, cast: Cast, base_url: str, folder: Path) -> None:
        self._cast = cast
        self._base_url = base_url
        self.folder = folder

    def run(self, tape: Path, *command: str | Path) -> Outcome:
        """Runs the client behind ``wiretape COMMAND``, which leaves ``tape``.

        Raises:
            TapeError: it left no usable tape.
        """
        home, cwd = self.folder / "codex-home", self.folder / "work"
        for each in (home, cwd):
            shutil.rmtree(each, ignore_errors=True)
        run = run_codex(
            self._cast.program,
            PROMPT,
            base_url=self._base_url,
            transport=self._cast.transport,
            home=home,
            cwd=cwd,
            command_prefix=[str(WIRETAPE), *map(str, command), "--"],
            environment={
                # Our own client is a script for the Python that has its libraries.
                "PATH": f"{WIRETAPE.parent}{os.pathsep}{os.environ['PATH']}",
                "WIRETAPE_CA_DIR": str(self.folder / "ca"),
            },
        )
        said = run.final_message, run.complaints, run.exit_code
        try:
            return outcome(normalised(run.events), said, tape_as_json(tape, with_requests=True))
        except TapeError as error:
            raise TapeError(f"{error} The command said: {run.stderr.strip()}") from error


def free_place(folder: Path) -> Path:
    """Where the tape goes: an earlier demo's tape makes room, anybody else's does not.

    Raises:
        WouldOverwrite: a file that no demo made stands there.
    """
    tape = folder / "demo.db"
    if tape.exists():
        if not _is_ours(tape):
            raise WouldOverwrite(f"{tape} was not made by the demo: move it away first.")
        for path in (tape, tape.with_name("demo.db-wal"), tape.with_name("demo.db-shm")):
            path.unlink(missing_ok=True)
    return tape


def _is_ours(tape: Path) -> bool:
    try:
        with TapeReader(tape) as reader:
            label = reader.label()
    except TapeError:
        return False
    return label.made_by == "record" and PROMPT in json.loads(label.command or "[]")


def main() -> int:
    """Plays the whole demo."""
    player = cast(VERSION)
    tape = free_place(Path(os.environ.get("WIRETAPE_RECORDINGS") or HERE.parent / "recordings"))
    command = f'{player.program.name} exec "{PROMPT}"'

    say(f"\nwiretape records {player.client}, then replays it without its provider.\n", "bold")
    if codex_binary(VERSION) is None:
        say(f"(Codex {VERSION} is not here: it comes through npm, for Linux and macOS.)\n")
    with tempfile.TemporaryDirectory(prefix="wiretape-demo-") as folder:
        with Provider(player.script) as provider:
            say("1  A scripted provider answers on loopback.", "bold")
            say(player.story)
            stage = Stage(player, provider.base_url, Path(folder).resolve())
            say(f"2  wiretape record -o {typed(tape)} -- {command}", "bold")
            recorded = timed(lambda: stage.run(tape, "record", "-o", tape))
        say("3  The provider is stopped: nobody listens at its address any more.\n", "bold")
        say(f"4  wiretape replay {typed(tape)} -- {command}", "bold")
        replay, report = stage.folder / "replay.db", stage.folder / "report.json"
        replayed = timed(
            lambda: stage.run(replay, "replay", tape, "-o", replay, "--report", report)
        )
        counts = json.loads(report.read_text("utf-8"))["counts"]

    OUT.print(comparison_table(recorded, replayed))
    say(
        f"\nOf {counts['requests']} things that the client asked in the replay, "
        f"{counts['exact']} were exactly as recorded."
    )
    equal = is_equal(recorded, replayed, counts)
    say(*(EQUAL if equal else DIFFERENT))
    say("Look at the tape:\n")
    for command in look_commands(tape):
        say(f"   {command}")
    say("")
    return 0 if equal else 1


def say(text: str, style: str = "") -> None:
    """Prints a line, whole, however wide the terminal is."""
    OUT.print(text, style=style, soft_wrap=True)


def timed(run: Callable[[], Outcome]) -> Outcome:
    """What ``run`` gives; says how long it took."""
    began_s = time.perf_counter()
    result = run()
    say(f"   done in {time.perf_counter() - began_s:.1f} s\n")
    return result


def comparison_table(recorded: Outcome, replayed: Outcome) -> Table:
    """The two outcomes, with a sign for each line that is equal, or not."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, width=min(OUT.width, 100))
    for name in ("recorded", "replayed"):
        table.add_column("", no_wrap=True)
        table.add_column(name, ratio=1, no_wrap=True, overflow="ellipsis")
    for row in rows(recorded, replayed):
        sign = "=" if row.is_equal else "≠"
        table.add_row(
            row.name, row.recorded, sign, row.replayed, style="" if row.is_equal else "red"
        )
    return table


def look_commands(tape: Path) -> list[str]:
    """What to type to look at ``tape``, as far as this wiretape can show it."""
    path, wiretape = typed(tape), typed(WIRETAPE)
    commands = [f"{wiretape} show {path}", f"{wiretape} show {path} --events"]
    if any(point.name == "inspect" for point in entry_points(group="wiretape.commands")):
        commands.append(f"{wiretape} inspect {path}")
    return commands


def typed(path: Path) -> str:
    """A path as one would type it here."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except WiretapeError as problem:
        print(f"demo: {problem}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("demo: stopped.", file=sys.stderr)
        sys.exit(130)
