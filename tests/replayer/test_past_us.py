"""A client that does not come our way: refused where that is known before, told where it is not."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from background_server import a_server
from replay_runs import Ran

type Run = Callable[..., Ran]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Codex's home, with a Codex on the path that says that it ran."""
    program = tmp_path / "codex"
    program.write_text("#!/bin/sh\necho it ran\n")
    program.chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def test_a_background_server_is_a_way_out(run: Run, tape: Path, home: Path) -> None:
    """What it sends would leave the machine, so the command is not run, and no tape is made."""
    output = tape.with_name("replay.db")
    with a_server(home):
        ran = run(tape, "-o", output, "--", "codex")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr == (
        "wiretape: this run would leave the machine. Codex's background server "
        f"(pid {os.getpid()}) runs already and does not come our way: end it with "
        "`codex app-server daemon stop`, or start Codex with --no-daemon.\n"
    )
    assert not output.exists()


def test_settings_of_codexs_own_are_a_way_out(run: Run, tape: Path, home: Path) -> None:
    """A proxy, or exceptions to it, in the file that overrules the environment."""
    (home / ".env").write_text("NO_PROXY=*\n")
    ran = run(tape, "--", "codex", "exec", "hi")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr == (
        f"wiretape: this run would leave the machine. {home / '.env'} sets NO_PROXY, which "
        "overrules what we tell Codex: take that out of it for this run.\n"
    )


def test_nothing_that_came_is_not_passed_over(run: Run, tape: Path, home: Path) -> None:
    """A replay that was asked nothing says what that may mean."""
    with a_server(home):
        ran = run(tape, "--", "codex", "--no-daemon")
    assert (ran.exit_code, ran.stdout) == (0, "it ran\n")
    assert (
        "wiretape:   note: no request came our way. Does the client heed HTTPS_PROXY, and does it "
        "talk by itself, or through a process that was running before?\n"
    ) in ran.stderr
