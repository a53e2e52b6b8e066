"""A tape that somebody else has locked: the command goes on, and what is lost is counted."""

import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

from provider import Provider
from provider_script import Reply, Say, Script
from record_command import CLIENT, WIRETAPE, clean_environment, record
from recorded import gaps, recorded, wait_for

from wiretape.errors import TapeError
from wiretape.facts import EndKind


def test_a_lock_for_a_while(tmp_path: Path) -> None:
    """Locked while a stream runs: the client's answer is whole, and so is the tape in the end."""
    tape = tmp_path / "t.db"
    script = Script(posts=(Reply(Say("x" * 900), pause_s=0.02),))
    lock = (
        "import sqlite3, subprocess, sys, time\n"
        "other = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "other.execute('BEGIN IMMEDIATE')\n"
        "code = subprocess.run([sys.executable, *sys.argv[2:]]).returncode\n"
        "time.sleep(1)\n"
        "other.execute('ROLLBACK')\n"
        "sys.exit(code)\n"
    )
    with Provider(script) as provider:
        url = f"{provider.base_url}/responses"
        run = record(
            tmp_path,
            "-o",
            str(tape),
            "--",
            sys.executable,
            "-c",
            lock,
            str(tape),
            CLIENT[1],
            url,
            "5",
        )
    assert run.returncode == 5
    assert "response.completed" in run.stdout
    assert f"wiretape: the tape {tape} cannot be written (database is locked)" in run.stderr
    assert f"wiretape: the tape {tape} can be written again." in run.stderr
    (found,) = recorded(tape)
    assert found.end.how is EndKind.COMPLETE
    assert found.data.decode() in run.stdout.removeprefix("200 ")


def has_ended(tape: Path) -> bool:
    """Whether an exchange on it has; a file that is being laid out is no tape yet."""
    with suppress(TapeError):
        return any(each.exchange.end for each in recorded(tape))
    return False


def test_a_lock_to_the_end(tmp_path: Path) -> None:
    """The last line counts a gap that could not be put on the tape; what was there before stays."""
    tape = tmp_path / "t.db"
    with Provider(Script(posts=(Reply(Say("hello")),))) as provider:
        url = f"{provider.base_url}/responses"
        command = [WIRETAPE, "record", "-o", tape, "--", *CLIENT, url, "-", url, "6"]
        with subprocess.Popen(
            command,
            env=clean_environment(tmp_path),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            wait_for(lambda: has_ended(tape))
            with closing(sqlite3.connect(tape, isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                said, told = process.communicate("go on\n", timeout=60)
                other.execute("ROLLBACK")
    assert process.returncode == 6
    assert said.count("event: response.completed") == 2
    assert "are lost: the tape" in told
    assert told.splitlines()[-1].endswith(" 0 retries, 0 fallbacks, 1 gap.")
    (found,) = recorded(tape)
    assert found.end.how is EndKind.COMPLETE
    assert gaps(tape) == []
