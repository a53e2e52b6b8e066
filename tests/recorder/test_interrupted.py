"""A signal at any moment leaves a tape that is whole, and the last line."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from record_command import TIMEOUT_S, WIRETAPE, clean_environment
from recorded import recorded
from terminal import in_a_terminal

INTERRUPTED = """
import importlib, signal, sys
from wiretape.cli import main
module, _, names = sys.argv[1].partition(":")
*path, name = names.split(".")
owner = importlib.import_module(module)
for each in path:
    owner = getattr(owner, each)
original = getattr(owner, name)

def interrupted(*arguments):
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.raise_signal(number)
    return original(*arguments)

setattr(owner, name, interrupted)
main(sys.argv[2:])
"""
"""Runs wiretape, which is sent three signals when it comes to the function named first."""

BEFORE = "recorder.run:open_authority"
STARTED = "recorder.run:child_environment"
SETTLING = "recorder.run:_settled"
CLOSING = "wiretape.store_writer:TapeWriter.close"
COUNTING = "recorder.cli:summary_line"


def interrupted(home: Path, place: str, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", INTERRUPTED, place, "record", "-o", "t.db", *command],
        env=clean_environment(home),
        cwd=home,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        start_new_session=True,
    )


@pytest.mark.parametrize(
    ("place", "code"), [(BEFORE, 143), (STARTED, 143), (SETTLING, 0), (CLOSING, 0), (COUNTING, 0)]
)
def test_around_a_command(tmp_path: Path, place: str, code: int) -> None:
    """Before it starts they wait for it; once it is over they are not heard."""
    sleep_if_interrupted = ["sleep", "30"] if code else ["true"]
    run = interrupted(tmp_path, place, "--", *sleep_if_interrupted)
    assert run.returncode == code, run
    assert re.fullmatch(r"wiretape: the tape is t\.db: nothing crossed\..*\n", run.stderr)
    assert [file.name for file in tmp_path.iterdir()] == ["t.db"]
    assert recorded(tmp_path / "t.db") == []


def test_a_proxy_alone(tmp_path: Path) -> None:
    """Told to stop before it listens, it stops in order."""
    run = interrupted(tmp_path, BEFORE)
    assert run.returncode == 0, run
    assert run.stderr.splitlines()[-1].startswith("wiretape: the tape is t.db: ")
    assert "Traceback" not in run.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["t.db"]


def test_a_terminal_that_is_closed(tmp_path: Path) -> None:
    """The command is hung up on, and the last line has nowhere to go: the tape is closed."""
    command = [WIRETAPE, "record", "-o", "t.db", "--", "sh", "-c", "echo ready; sleep 30"]
    with in_a_terminal(command, clean_environment(tmp_path), tmp_path) as terminal:
        terminal.wait_for("ready\n")
        terminal.hang_up()
        assert terminal.process.wait(TIMEOUT_S) == 128 + signal.SIGHUP
    assert [file.name for file in tmp_path.iterdir()] == ["t.db"]
    assert recorded(tmp_path / "t.db") == []
