"""``wiretape minimize`` with a client that asks until it hears that something is wrong."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from cells import WIRETAPE
from replay_runs import Ran
from ruamel.yaml import YAML
from small_disk import small_disk
from tapes import Recording, answer, create, sse

from wiretape.commands.summary import PAST_US

type Minimize = Callable[..., Ran]

CLIENT = """\
import json, sys, urllib.request
while True:
    asked = urllib.request.Request("http://api.openai.com/v1/responses", b"{}")
    with urllib.request.urlopen(asked, timeout=20) as response:
        heard = response.read().decode()
    if "boom" in heard:
        sys.exit("it went boom")
    if "again" not in heard:
        sys.exit(0)
"""
HEARS = """\
import urllib.request
asked = urllib.request.Request("http://127.0.0.1:8642/v1/responses", b"{}")
with urllib.request.urlopen(asked, timeout=20) as response:
    print(response.read().decode())
"""
BOOM = """\
# A script of wiretape: docs/scripts.md describes it.
wiretape_script: 1
exchanges:
- request: POST http://api.openai.com/v1/responses
  answer:
    headers:
      content-type: text/event-stream; charset=utf-8
  steps:
  - {"type": "response.output_text.delta", "delta": "boom"}
"""


@pytest.fixture
def minimize(command: Callable[..., Ran]) -> Minimize:
    """Runs ``wiretape minimize`` with these arguments, in this process."""
    return partial(command, "minimize")


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    """Three answers; the last says what goes wrong."""
    some = Recording(scheme="http", port=80)
    for text in ("again", "again", "boom"):
        some.post(create(text), sse(*answer(text)))
    return some.write(tmp_path / "tape.db")


def client(folder: Path) -> tuple[str | Path, ...]:
    script = folder / "client.py"
    script.write_text(CLIENT)
    return "--", sys.executable, script


def test_what_is_left_is_a_script_that_does_the_same(
    minimize: Minimize, tape: Path, tmp_path: Path
) -> None:
    """One answer, with one event; the way there is told on stderr."""
    script = tmp_path / "bug.script"
    ran = minimize(tape, "-o", script, "--keep", "it went boom", *client(tmp_path))
    assert (ran.exit_code, ran.stdout) == (0, "")
    assert script.read_text() == BOOM
    assert script.stat().st_mode & 0o777 == 0o600
    first, *_, last = ran.stderr.splitlines()
    assert first.startswith("wiretape: the whole recording: it ended with 1, after ")
    assert last.startswith("wiretape: 3 exchanges and 9 events became 1 exchange and 1 event in ")
    again = minimize(script, "-o", tmp_path / "two.script", *client(tmp_path))
    assert "the whole recording: it ended with 1" in again.stderr


def test_what_cannot_be_searched_is_refused_at_once(
    minimize: Minimize, tape: Path, tmp_path: Path
) -> None:
    """A symptom that the whole recording does not show, and a file that is there."""
    script = tmp_path / "bug.script"
    ran = minimize(tape, "-o", script, "--keep", "no room", *client(tmp_path))
    assert (ran.exit_code, ran.stderr) == (
        2,
        "wiretape: the client does not print 'no room' on the whole recording (it ended with 1): "
        "say --keep with a text that it prints, or --keep exit.\n",
    )
    assert not script.exists()
    ran = minimize(tape, "-o", tape, *client(tmp_path))
    assert (ran.exit_code, ran.stderr) == (
        2,
        f"wiretape: {tape} exists already: choose another name or remove it first.\n",
    )


def test_a_client_that_asks_for_nothing_is_refused(
    minimize: Minimize, tape: Path, tmp_path: Path
) -> None:
    """Whatever it does, it would do without any recording."""
    script = tmp_path / "bug.script"
    ran = minimize(tape, "-o", script, "--", "sh", "-c", "exit 7")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr == (
        "wiretape: the client asked for nothing of the whole recording (it ended with 7), so "
        f"nothing of it could be what it needs. {PAST_US}\n"
    )
    assert not script.exists()


def test_what_was_found_is_not_lost_for_want_of_a_place(
    minimize: Minimize, tape: Path, tmp_path: Path
) -> None:
    """On a disk that is full by then, nothing is left, and the script stands on stdout."""
    with small_disk(tmp_path / "disk", 4096) as disk:
        (disk / "other").write_bytes(b"x" * 4096)
        script = disk / "bug.script"
        ran = minimize(tape, "-o", script, "--keep", "it went boom", *client(tmp_path))
        assert not script.exists()
    assert (ran.exit_code, ran.stdout) == (2, BOOM)
    assert ran.stderr.splitlines()[-2:] == [
        "wiretape: the script that was found stands on stdout instead.",
        f"wiretape: {script} cannot be written (No space left on device): choose another place "
        "with -o.",
    ]


def test_what_is_left_may_be_another_recording_than_was_made(
    minimize: Minimize, tmp_path: Path
) -> None:
    """As for a replay: a symptom that calls which do nothing still show is found without them
    running, and the script holds them so."""
    tape = Path("recordings/samples/websocket-tool-call/tape.db").resolve()
    script, hears = tmp_path / "bug.script", tmp_path / "hears.py"
    hears.write_text(HEARS)
    options = ("--transport", "sse", "--tools", "recorded", "--keep", "printf")
    ran = minimize(tape, "-o", script, *options, "--", sys.executable, hears)
    assert ran.exit_code == 0
    assert "calls that print what was recorded instead: exec_command (call_0002_1)" in ran.stderr
    (exchange,) = YAML(typ="safe").load(script.read_text())["exchanges"]
    (step,) = exchange["steps"]
    assert "printf" in json.dumps(step)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_whoever_stops_it_stops_the_client_too(
    number: signal.Signals, tape: Path, tmp_path: Path
) -> None:
    """Though that has a process group of its own; nothing is written."""
    pipe, script = tmp_path / "pipe", tmp_path / "bug.script"
    os.mkfifo(pipe)
    command = [
        WIRETAPE,
        "minimize",
        tape,
        "-o",
        script,
        "--",
        "sh",
        "-c",
        f"echo $$ >{pipe}; sleep 600",
    ]
    environment = {**os.environ, "WIRETAPE_CA_DIR": str(tmp_path / "ca")}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as search:
        pid = int(pipe.read_text())
        search.send_signal(number)
        _, said = search.communicate()
    assert "Traceback" not in said
    assert search.returncode == 130
    assert not script.exists()
    assert running_in_group(pid) == []


def running_in_group(group: int) -> list[str]:
    """The processes of a group, but for those that only wait to be buried."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        # Others come and go meanwhile.
        with suppress(OSError):
            stat = path.read_text()
            state, _, pgrp, *_ = stat.rpartition(") ")[2].split()
            if int(pgrp) == group and state != "Z":
                found.append(stat)
    return found
