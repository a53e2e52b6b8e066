"""The wrapped command: its exit code, its signals, its terminal."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from terminal import in_a_terminal

from gateway.child import Signals, run_child
from wiretape.errors import CommandError

WRAPPER = """
import asyncio, os, sys
from gateway.child import Signals, run_child
with Signals() as signals:
    print("wrapped:", asyncio.run(run_child(sys.argv[1:], os.environ, signals)), flush=True)
"""
COUNTER = """
import os, select, signal, sys
counts = {}
signals, written = os.pipe()
os.set_blocking(written, False)
signal.set_wakeup_fd(written)  # A signal right before a wait would wait for its end.
def count(number, frame):
    counts[number] = counts.get(number, 0) + 1
    print("got", signal.Signals(number).name, counts[number], flush=True)
for name in ("INT", "QUIT", "HUP", "TERM", "USR1", "USR2"):
    signal.signal(signal.Signals["SIG" + name], count)
print("ready", os.getpgrp() == os.getppid(), *map(os.isatty, range(3)), flush=True)
while 0 not in select.select([0, signals], [], [])[0]:
    os.read(signals, 100)
sys.exit(9)
"""
"""Says each signal that it gets, and how often; ends with the next line that it is given."""


def run(*command: str, environment: Mapping[str, str] = os.environ) -> int:
    with Signals() as signals:
        return asyncio.run(run_child(command, environment, signals))


@pytest.mark.parametrize("code", [0, 1, 3, 255])
def test_the_exit_code_is_passed_on(code: int) -> None:
    """Whatever the command says."""
    assert run(sys.executable, "-c", f"raise SystemExit({code})") == code


def test_a_death_by_signal_is_told_as_a_shell_does() -> None:
    """128 and the signal's number."""
    assert run("sh", "-c", "kill -TERM $$") == 128 + signal.SIGTERM


def test_the_environment_is_what_was_given() -> None:
    """And nothing else."""
    code = "import os; raise SystemExit(os.environ.get('ONLY') != 'this' or 'HOME' in os.environ)"
    assert run(sys.executable, "-c", code, environment={"ONLY": "this"}) == 0


def test_a_command_that_is_not_there() -> None:
    """127, as in a shell, and a sentence."""
    with pytest.raises(CommandError) as refusal:
        run("no-such-command", "--at", "all")
    assert refusal.value.exit_code == 127
    assert str(refusal.value) == (
        "there is no command 'no-such-command': check its name, or give its path."
    )


@pytest.mark.parametrize("kind", ["folder", "text"])
def test_a_command_that_cannot_be_run(tmp_path: Path, kind: str) -> None:
    """126, as in a shell, with the system's reason."""
    file = tmp_path / "command"
    if kind == "folder":
        file.mkdir()
    else:
        file.write_text("no program")
    with pytest.raises(CommandError) as refusal:
        run(str(file))
    assert refusal.value.exit_code == 126
    assert str(refusal.value) == (
        f"{str(file)!r} cannot be run (Permission denied): check its permissions."
    )


def wrapped(*command: str) -> list[str]:
    return [sys.executable, "-c", WRAPPER, *command]


def test_without_a_terminal_each_signal_is_passed_on_once() -> None:
    """What we are sent is meant for the command; it runs in a group of its own."""
    with subprocess.Popen(
        wrapped(sys.executable, "-c", COUNTER),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready False False False False\n"
        for name in ("SIGINT", "SIGQUIT", "SIGHUP", "SIGTERM", "SIGUSR1", "SIGUSR2"):
            os.kill(process.pid, signal.Signals[name])
            assert process.stdout.readline() == f"got {name} 1\n"
        rest, _ = process.communicate("end\n", timeout=30)
    assert rest == "wrapped: 9\n"


@pytest.mark.parametrize(("key", "name"), [("\x03", "SIGINT"), ("\x1c", "SIGQUIT")])
def test_in_a_terminal_a_key_reaches_the_command_once(tmp_path: Path, key: str, name: str) -> None:
    """The terminal sends it to both of us: we leave it alone, and wait for the command."""
    command = wrapped(sys.executable, "-c", COUNTER)
    with in_a_terminal(command, os.environ, tmp_path) as terminal:
        terminal.wait_for("ready True True True True")
        for number in (1, 2):
            terminal.type(key)
            terminal.wait_for(f"got {name} {number}")
        terminal.type("end\n")
        assert terminal.wait() == 0
    assert terminal.shown.count("got ") == 2
    assert terminal.shown.endswith("wrapped: 9\n")


def test_in_a_terminal_a_signal_for_us_is_passed_on(tmp_path: Path) -> None:
    """SIGTERM comes from somebody else, and to us alone."""
    with in_a_terminal(wrapped(sys.executable, "-c", COUNTER), os.environ, tmp_path) as terminal:
        terminal.wait_for("ready True")
        os.kill(terminal.process.pid, signal.SIGTERM)
        terminal.wait_for("got SIGTERM 1")
        terminal.type("end\n")
        assert terminal.wait() == 0


def test_a_signal_that_comes_on_another_thread_is_passed_on(tmp_path: Path) -> None:
    """The loop sleeps meanwhile, and nothing else would wake it."""
    runs = tmp_path / "runs"
    os.mkfifo(runs)

    def send() -> None:
        assert runs.read_text() == "yes\n"
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

    with ThreadPoolExecutor(1) as threads:
        sent = threads.submit(send)
        assert run("sh", "-c", 'echo yes > "$0"; exec sleep 20', str(runs)) == 128 + signal.SIGTERM
        sent.result()


def test_a_signal_before_the_command_waits_for_it() -> None:
    """It is not lost between the two, even before there is a loop."""
    with Signals() as signals:
        signal.raise_signal(signal.SIGTERM)
        code = asyncio.run(run_child(["sleep", "30"], os.environ, signals))
    assert code == 128 + signal.SIGTERM


def test_a_signal_after_the_command_is_not_heard() -> None:
    """What is left to do is not cut short, and afterwards signals are what they were."""
    before = signal.getsignal(signal.SIGTERM)
    with Signals() as signals:
        assert asyncio.run(run_child(["true"], os.environ, signals)) == 0
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.raise_signal(number)
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.parametrize("is_early", [True, False])
def test_where_there_is_no_command_a_signal_ends_the_wait(is_early: bool) -> None:
    """Whether it comes before the wait or while it lasts; a second one cuts nothing short."""

    async def wait() -> None:
        if not is_early:
            asyncio.get_running_loop().call_soon(signal.raise_signal, signal.SIGTERM)
        await signals.told_to_stop()
        signal.raise_signal(signal.SIGINT)

    with Signals() as signals:
        if is_early:
            signal.raise_signal(signal.SIGTERM)
        asyncio.run(wait())


def test_what_is_ignored_stays_ignored() -> None:
    """A command under nohup outlives its terminal, wrapped or not."""
    code = "import signal; raise SystemExit(signal.getsignal(1) is not signal.SIG_IGN)"
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert run(sys.executable, "-c", code) == 0
    finally:
        signal.signal(signal.SIGHUP, before)
