"""The demo: what it says, what it leaves, and when it calls two runs equal."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from declared import REPOSITORY

from wiretape.commands.tape_json import tape_as_json
from wiretape.store_reader import TapeReader


def load(path: Path) -> Any:
    """The module in a file that is in no package."""
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


comparison = load(REPOSITORY / "demo" / "comparison.py")


def demo(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Plays the demo with its tape in ``folder``."""
    return subprocess.run(
        [sys.executable, REPOSITORY / "demo" / "run.py"],
        cwd=REPOSITORY,
        env=os.environ | {"WIRETAPE_RECORDINGS": str(folder), "COLUMNS": "100"} | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def began_us(tape: Path) -> int:
    """When the recording of ``tape`` began."""
    with TapeReader(tape) as reader:
        return reader.label().started_at_us


@pytest.mark.codex
def test_the_demo_shows_a_fallback_of_the_real_codex(
    codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """The replay equals the recording, retries and fallback included."""
    codex("0.99.0")
    played = demo(tmp_path, DEMO_CODEX="0.99.0")
    assert (played.returncode, played.stderr) == (0, "")
    assert "wiretape records the real Codex 0.99.0" in played.stdout
    assert "8 things that the client asked in the replay, 8 were exactly" in played.stdout
    assert "\nEqual: " in played.stdout
    found = tape_as_json(tmp_path / "demo.db", with_requests=False)
    assert (found["requests"], found["retries"], found["fallbacks"]) == (2, 2, 1)


@dataclass(frozen=True, slots=True)
class Twice:
    """Two demos without Codex, one after the other in the same folder."""

    folder: Path
    first: subprocess.CompletedProcess[str]
    first_began_us: int
    second: subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> Twice:
    folder = tmp_path_factory.mktemp("recordings")
    nobody = str(tmp_path_factory.mktemp("no-codex"))
    first = demo(folder, WIRETAPE_CODEX_CACHE=nobody)
    first_began_us = began_us(folder / "demo.db")
    return Twice(folder, first, first_began_us, demo(folder, WIRETAPE_CODEX_CACHE=nobody))


def test_without_codex_a_client_of_ours_takes_its_place(twice: Twice) -> None:
    """The same play, and it says who plays: a tool call, a cut stream and a retry."""
    assert (twice.first.returncode, twice.first.stderr) == (0, "")
    assert "wiretape records a small client of ours" in twice.first.stdout
    assert "(Codex 0.99.0 is not here: " in twice.first.stdout
    assert "\nEqual: " in twice.first.stdout
    found = tape_as_json(twice.folder / "demo.db", with_requests=False)
    assert (found["requests"], found["retries"], found["fallbacks"]) == (2, 1, 0)


def test_a_demo_replaces_the_tape_of_the_last_one(twice: Twice) -> None:
    """Played twice, it leaves one tape: the second."""
    assert (twice.second.returncode, twice.second.stderr) == (0, "")
    assert [path.name for path in twice.folder.iterdir()] == ["demo.db"]
    assert began_us(twice.folder / "demo.db") > twice.first_began_us


def test_the_commands_that_the_demo_names_show_its_tape(twice: Twice) -> None:
    """What it says to type can be typed, and shows the run."""
    commands = re.findall(r"^   (\S+ show .*)$", twice.second.stdout, re.MULTILINE)
    shown = [
        subprocess.run(
            command.split(), cwd=REPOSITORY, capture_output=True, text=True, check=True
        ).stdout
        for command in commands
    ]
    assert [text.count("response.completed") for text in shown] == [0, 2]
    assert [text.count("\nsession ") for text in shown] == [1, 0]


def test_a_demo_that_is_stopped_leaves_a_whole_tape(tmp_path: Path) -> None:
    """Ctrl-C is no failure to be traced; what was begun is ended."""
    tape = tmp_path / "demo.db"
    with subprocess.Popen(
        [sys.executable, REPOSITORY / "demo" / "run.py"],
        cwd=REPOSITORY,
        env=os.environ | {"WIRETAPE_RECORDINGS": str(tmp_path), "DEMO_CODEX": "0.0.0"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as playing:
        while not tape.exists() and playing.poll() is None:
            time.sleep(0.01)
        # As the terminal does: to all that are in the foreground.
        os.killpg(playing.pid, signal.SIGINT)
        _, said = playing.communicate(timeout=60)
    assert (playing.returncode, said) == (130, "demo: stopped.\n")
    with TapeReader(tape) as reader:
        assert reader.is_closed()


def test_a_file_that_no_demo_made_is_left_alone(tmp_path: Path) -> None:
    """A tape of somebody else under the demo's name ends the demo, and stays as it is."""
    tape = tmp_path / "demo.db"
    other = REPOSITORY / "recordings" / "samples" / "cut-stream" / "tape.db"
    tape.write_bytes(other.read_bytes())
    played = demo(tmp_path)
    assert (played.returncode, played.stdout) == (2, "")
    assert played.stderr == f"demo: {tape} was not made by the demo: move it away first.\n"
    assert tape.read_bytes() == other.read_bytes()


RUN = comparison.Outcome(
    final_message="done",
    trouble=("Reconnecting... 1/2",),
    exit_code=0,
    printed=({"type": "turn.completed"},),
    requests=2,
    attempts=("http: cut, first", "http: completed, retry"),
    received=(7, 1500),
)
COUNTS = {"requests": 2, "exact": 2, "different": 0, "unexpected": 0, "not_asked": 0}


def test_equal_runs_are_called_equal() -> None:
    """Two runs without any difference, and a replay in which everything was exact."""
    assert comparison.is_equal(RUN, RUN, COUNTS)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"final_message": None}, ("final message", "done", "None")),
        ({"trouble": ()}, ("trouble", "Reconnecting... 1/2", "none")),
        ({"exit_code": 1}, ("exit code", "0", "1")),
        ({"printed": ({"type": "turn.failed"},)}, ("printed", "1 line", "1 line")),
        ({"requests": 1}, ("requests", "2", "1")),
        (
            {"attempts": ("http: cut, first",)},
            (
                "attempts",
                "http: cut, first\nhttp: completed, retry",
                "http: cut, first",
            ),
        ),
        ({"received": (7, 1499)}, ("received", "7 events, 1.5 kB", "7 events, 1.5 kB")),
    ],
)
def test_any_difference_is_marked_and_decides(
    change: dict[str, Any], line: tuple[str, str, str]
) -> None:
    """The line that differs is the only one marked, and the runs are not equal."""
    other = replace(RUN, **change)
    assert not comparison.is_equal(RUN, other, COUNTS)
    marked = [row for row in comparison.rows(RUN, other) if not row.is_equal]
    assert marked == [comparison.Row(*line, False)]


@pytest.mark.parametrize(
    "change",
    [
        {"exact": 1, "different": 1},
        {"exact": 1, "unexpected": 1},
        {"not_asked": 1},
        {"requests": 0, "exact": 0},
    ],
)
def test_a_replay_that_was_not_exact_is_not_equal(change: dict[str, int]) -> None:
    """Equal runs do not count where the report found a request that was not as recorded."""
    assert not comparison.is_equal(RUN, RUN, COUNTS | change)
