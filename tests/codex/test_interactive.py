"""The interactive Codex, in a terminal: recorded, replayed, and its background server."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from background_server import CONTROL_SOCKET
from cells import WIRETAPE
from interactive_codex import interactive_codex, leave
from provider import Provider
from provider_script import Reply, Say, Script

from wiretape.store_reader import TapeReader

pytestmark = pytest.mark.codex

VERSION = "0.169.0"
ANSWER = "Finches"
"""One word that comes in one event: Codex draws a line word by word, and event by event."""
SCRIPT = Script(posts=(Reply(Say(ANSWER)),))
PROMPT = "say hello"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """Codex's home; what Codex leaves running in it is ended, by the pids that it wrote down."""
    home = tmp_path / "home"
    yield home
    for file in home.glob("app-server-daemon/*.pid"):
        os.kill(json.loads(file.read_text())["pid"], signal.SIGKILL)
    # It holds a copy of the whole program.
    shutil.rmtree(home)


def wait_for_both(tape: Path) -> None:
    """Waits until the client has been answered twice: it asks for a title of its talk too, in a
    session of its own and when it likes."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with TapeReader(tape) as reader:
            ends = [each.end for each in reader.exchanges() if each.request.method == "POST"]
        if len(ends) - ends.count(None) >= 2:
            return
        time.sleep(0.05)
    raise AssertionError("the client did not ask for a title")


def test_it_is_recorded_and_replayed(
    codex: Callable[[str], Path], home: Path, tmp_path: Path
) -> None:
    """Without its background server; the services that it starts for itself are reached."""
    binary, cwd, report = codex(VERSION), tmp_path / "cwd", tmp_path / "report.json"
    asked = ("--", binary, "--no-daemon", PROMPT)
    with Provider(SCRIPT) as provider:
        url = provider.base_url
        record = (WIRETAPE, "record", "-o", tmp_path / "t.db", *asked)
        with interactive_codex(home, cwd, url, *record) as terminal:
            terminal.wait_for(ANSWER)
            wait_for_both(tmp_path / "t.db")
            assert leave(terminal) == 0
    assert "2 sessions" in terminal.shown
    options = ("-o", tmp_path / "r.db", "--report", report)
    replay = (WIRETAPE, "replay", tmp_path / "t.db", *options, *asked)
    with interactive_codex(home, cwd, url, *replay) as terminal:
        terminal.wait_for(ANSWER)
        wait_for_both(tmp_path / "r.db")
        assert leave(terminal) == 0
    document = json.loads(report.read_text())
    counts = document["counts"]
    assert (counts["unexpected"], counts["not_asked"], counts["different"]) == (0, 0, 0)
    assert {re.sub(r"\d+/", "PORT/", each["what"]) for each in document["passed_on"]} >= {
        "POST 127.0.0.1:PORT/mcp"
    }


def test_its_background_server(codex: Callable[[str], Path], home: Path, tmp_path: Path) -> None:
    """Started inside it is told of; the next run is warned of it, and a replay is refused."""
    binary, cwd = codex(VERSION), tmp_path / "cwd"
    with Provider(SCRIPT) as provider:
        url = provider.base_url
        first = (WIRETAPE, "record", "-o", tmp_path / "t.db", "--", binary, PROMPT)
        with interactive_codex(home, cwd, url, *first) as terminal:
            terminal.wait_for(ANSWER)
            assert leave(terminal) == 0
    pid = json.loads((home / "app-server-daemon" / "daemon.pid").read_text())["pid"]
    server = f"Codex's background server (pid {pid})"
    assert f"wiretape: {server} was started inside and goes on running" in terminal.shown
    replay = (WIRETAPE, "replay", tmp_path / "t.db", "--", binary, PROMPT)
    with interactive_codex(home, cwd, url, *replay) as terminal:
        assert terminal.wait() == 2
    assert f"wiretape: this run would leave the machine. {server} runs already" in terminal.shown
    environment = {"HOME": str(home), "CODEX_HOME": str(home), "PATH": os.environ["PATH"]}
    stop = [binary, "app-server", "daemon", "stop"]
    subprocess.run(stop, env=environment, check=True, capture_output=True)
    assert not (home / CONTROL_SOCKET).exists()
    replay = (WIRETAPE, "replay", tmp_path / "t.db", "--", binary, "--no-daemon", PROMPT)
    with interactive_codex(home, cwd, url, *replay) as terminal:
        terminal.wait_for(ANSWER)
        assert leave(terminal) == 0
