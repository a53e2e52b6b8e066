"""A client that does not come our way is told of: the traffic goes on, but not onto the tape."""

import os
import stat
import sys
from pathlib import Path

import background_server
from background_server import a_server
from record_command import record

PAST_US = (
    "wiretape: the tape is t.db: nothing crossed. Does the client heed HTTPS_PROXY, and does it "
    "talk by itself, or through a process that was running before?"
)


def a_codex(folder: Path, script: str) -> str:
    program = folder / "codex"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(stat.S_IRWXU)
    return str(program)


def test_a_background_server_that_ran_before(tmp_path: Path) -> None:
    """Said before the command runs, with its pid, and hinted at again at the end."""
    with a_server(tmp_path / ".codex"):
        run = record(tmp_path, "-o", "t.db", "--", a_codex(tmp_path, "echo it ran"))
    assert (run.returncode, run.stdout) == (0, "it ran\n")
    assert run.stderr.splitlines() == [
        f"wiretape: Codex's background server (pid {os.getpid()}) runs already and does not come "
        "our way: end it with `codex app-server daemon stop`, or start Codex with --no-daemon.",
        PAST_US,
    ]


def test_a_background_server_that_stays(tmp_path: Path) -> None:
    """It was started inside, with our proxy: who leaves it running is told what to do."""
    os.mkfifo(tmp_path / "held")
    held = os.open(tmp_path / "held", os.O_RDWR)
    try:
        server = f"{sys.executable} {background_server.__file__} {tmp_path / '.codex'}"
        started = f"{server} <held >said 2>&1 & until grep -qs listening said; do :; done; echo $!"
        run = record(tmp_path, "-o", "t.db", "--", a_codex(tmp_path, started))
    finally:
        os.close(held)
    assert run.returncode == 0, run
    assert run.stderr.splitlines() == [
        f"wiretape: Codex's background server (pid {run.stdout.strip()}) was started inside and "
        "goes on running, with a proxy that is gone now: end it with "
        "`codex app-server daemon stop`, or Codex will find no network.",
        PAST_US,
    ]
