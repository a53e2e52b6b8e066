"""The wrapped command runs as if we were not there: exit code, signals, terminal, streams.

Tried on the command itself, ``wiretape record``, since that is what a person runs.
"""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from wiretape.store_reader import TapeReader

WIRETAPE = str(Path(sys.executable).with_name("wiretape"))
WAIT_S = 30.0

COUNT_INTERRUPTS = """
import signal, sys, time
count = 0
def interrupted(number, frame):
    global count
    count += 1
signal.signal(signal.SIGINT, interrupted)
print("ready", flush=True)
deadline = time.monotonic() + 20
while count == 0 and time.monotonic() < deadline:
    time.sleep(0.02)
time.sleep(0.5)
print("interrupts:", count, flush=True)
sys.exit(7)
"""


@pytest.fixture(autouse=True)
def _own_authority(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """An authority of the tests' own, made once."""
    monkeypatch.setenv("WIRETAPE_CA_DIR", str(tmp_path_factory.getbasetemp() / "ca"))
    yield


def recorded(tape: Path, *command: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Runs ``command`` inside a recording, without a terminal."""
    return subprocess.run(
        [WIRETAPE, "record", "-o", str(tape), "--", *command],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )


def is_closed(tape: Path) -> bool:
    """Whether the tape opens and nothing was left beside it."""
    with TapeReader(tape) as reader:
        reader.label()
    return [path.name for path in tape.parent.iterdir()] == [tape.name]


@pytest.mark.parametrize("code", [0, 1, 42])
def test_the_exit_code_passes_through(code: int, tmp_path: Path) -> None:
    """Whatever the command says is what we say."""
    tape = tmp_path / "t.db"
    assert recorded(tape, "sh", "-c", f"exit {code}").returncode == code
    assert is_closed(tape)


def test_a_death_by_signal_is_told_as_a_shell_does(tmp_path: Path) -> None:
    """128 and the signal's number."""
    tape = tmp_path / "t.db"
    assert recorded(tape, "sh", "-c", "kill -KILL $$").returncode == 137
    assert is_closed(tape)


def test_the_streams_are_the_commands_own(tmp_path: Path) -> None:
    """Standard input reaches it, its output is untouched, and ours goes to stderr, last."""
    run = recorded(tmp_path / "t.db", "sh", "-c", "cat; echo oops >&2", stdin="hello\n")
    assert run.stdout == "hello\n"
    assert run.stderr.splitlines()[0] == "oops"
    assert run.stderr.splitlines()[-1].startswith("wiretape: the tape is ")


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("no-such-command", 127, "there is no command 'no-such-command'"),
        (os.devnull, 126, f"{os.devnull!r} cannot be run"),
    ],
)
def test_a_command_that_cannot_run_leaves_nothing(
    name: str, code: int, said: str, tmp_path: Path
) -> None:
    """One sentence, the shell's code, no tape."""
    run = recorded(tmp_path / "t.db", name)
    assert run.returncode == code
    assert said in run.stderr
    assert run.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_without_a_terminal_is_passed_on_once(tmp_path: Path) -> None:
    """SIGINT to our whole group, as a supervisor sends it, reaches the command once."""
    tape = tmp_path / "t.db"
    process = subprocess.Popen(
        [WIRETAPE, "record", "-o", str(tape), "--", sys.executable, "-c", COUNT_INTERRUPTS],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        os.killpg(process.pid, signal.SIGINT)
        assert process.stdout.readline() == "interrupts: 1\n"
        assert process.wait(WAIT_S) == 7
    assert is_closed(tape)


def test_a_request_to_end_is_passed_on(tmp_path: Path) -> None:
    """SIGTERM ends the command, and then us, with the tape closed."""
    tape = tmp_path / "t.db"
    process = subprocess.Popen(
        [WIRETAPE, "record", "-o", str(tape), "--", "sh", "-c", "echo ready; exec sleep 60"],
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.terminate()
        assert process.wait(WAIT_S) == 128 + signal.SIGTERM
    assert is_closed(tape)


def test_ctrl_c_at_a_terminal_reaches_the_command_once(tmp_path: Path) -> None:
    """Typed at a real terminal: the command is interrupted once, we not at all."""
    tape = tmp_path / "t.db"
    child, terminal = pty.fork()
    if child == 0:
        os.execv(
            WIRETAPE,
            [WIRETAPE, "record", "-o", str(tape), "--", sys.executable, "-c", COUNT_INTERRUPTS],
        )
    try:
        shown = read_until(terminal, b"ready")
        os.write(terminal, b"\x03")
        shown += read_until(terminal, b"the tape is")
        _, status = os.waitpid(child, 0)
    finally:
        os.close(terminal)
    assert b"interrupts: 1" in shown
    assert os.waitstatus_to_exitcode(status) == 7
    assert is_closed(tape)


def test_the_command_has_the_terminal(tmp_path: Path) -> None:
    """It is in the foreground, and finds a terminal on all three streams."""
    script = (
        "import os, sys; print([os.isatty(n) for n in range(3)], os.tcgetpgrp(0) == os.getpgrp())"
    )
    child, terminal = pty.fork()
    if child == 0:
        tape = str(tmp_path / "t.db")
        os.execv(WIRETAPE, [WIRETAPE, "record", "-o", tape, "--", sys.executable, "-c", script])
    try:
        shown = read_until(terminal, b"the tape is")
        os.waitpid(child, 0)
    finally:
        os.close(terminal)
    assert b"[True, True, True] True" in shown


def read_until(terminal: int, wanted: bytes) -> bytes:
    """What the terminal shows, up to and with ``wanted``."""
    shown = b""
    deadline = time.monotonic() + WAIT_S
    while wanted not in shown:
        assert time.monotonic() < deadline, shown
        if select.select([terminal], [], [], 0.1)[0]:
            shown += os.read(terminal, 4096)
    return shown
