"""``wiretape matrix``: a client of ours on a recording of two requests, with faults."""

import json
import os
import shlex
import signal
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from cells import WIRETAPE
from replay_runs import Ran, asking, conversation

type Run = Callable[..., Ran]


@pytest.fixture
def run(command: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs ``wiretape matrix`` with these arguments, in this process."""
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "home"))
    return partial(command, "matrix")


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    return conversation("a", "b").write(tmp_path / "tape.db")


def faults(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "mine.faults"
    path.write_text("\n".join(lines))
    return path


def test_the_table(run: Run, tape: Path, tmp_path: Path) -> None:
    """A row for the recording as it is, and one for each fault: as JSON, with all of it."""
    mine = faults(tmp_path, "1:status=503", "2:status=500", "1:close=1000")
    ran = run(tape, "--faults", mine, "--json", *asking("a", "b"))
    found = json.loads(ran.stdout)
    assert ran.exit_code == 0
    assert found["impossible"] == {
        "1:close=1000": "close is for WebSocket, and this was asked over HTTP"
    }
    rows = [
        (each["fault"], each["met"], each["exit_code"], each["attempts"], each["retries"])
        for each in found["rows"]
    ]
    assert rows == [
        ("none", 0, 0, 2, 0),
        ("1:status=503", 1, 0, 2, 0),
        ("2:status=500", 1, 0, 2, 0),
    ]
    said = [json.loads(each["final_message"]) for each in found["rows"]]
    assert said[0] == [[200, "a"], [200, "b"]]
    assert [status for status, _ in said[1]] == [503, 200]
    assert [status for status, _ in said[2]] == [200, 500]


def test_the_table_for_people(run: Run, tape: Path, tmp_path: Path) -> None:
    """Aligned, with a head; progress and what is left out go to stderr."""
    mine = faults(tmp_path, "1:status=503", "*:binary")
    ran = run(tape, "--faults", mine, *asking("a", "b"))
    head, *rows = ran.stdout.splitlines()
    assert head.split() == [
        *("fault", "met", "exit", "attempts", "retries", "fallback", "time", "final", "message")
    ]
    assert [row.split()[:5] for row in rows] == [
        ["none", "0", "0", "2", "0"],
        ["1:status=503", "1", "0", "2", "0"],
    ]
    assert "wiretape: 2 of 2: 1:status=503: exit code 0 after " in ran.stderr
    assert (
        "wiretape: left out *:binary: binary is for WebSocket, and this was asked over HTTP.\n"
        in ran.stderr
    )


def test_tools_may_do_nothing(run: Run, tmp_path: Path) -> None:
    """So that a client can live through many faults, and its tools change nothing."""
    tape = Path("recordings/samples/websocket-tool-call/tape.db").resolve()
    mine = faults(tmp_path, "2:cut")
    ran = run(tape, "--tools", "recorded", "--faults", mine, *asking("a"))
    assert (
        "wiretape: calls that print what was recorded instead: exec_command (call_0002_1)\n"
        in ran.stderr
    )


def test_a_run_that_does_not_end(run: Run, tape: Path, tmp_path: Path) -> None:
    """It is ended at the deadline, and that is a result like any other."""
    mine = faults(tmp_path, "1.0:stall")
    # Long enough for a client that is answered, on any machine.
    ran = run(tape, "--faults", mine, "--deadline", "8", "--json", *asking("a", "b"))
    assert ran.exit_code == 0
    exits = [each["exit_code"] for each in json.loads(ran.stdout)["rows"]]
    assert exits == [0, None]


def test_a_set_of_which_nothing_fits_is_refused(run: Run, tape: Path, tmp_path: Path) -> None:
    """With the reasons, and nothing is run."""
    mine = faults(tmp_path, "1:close=1000", "2:binary")
    ran = run(tape, "--faults", mine, *asking("a"))
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.splitlines()[-1] == (
        "wiretape: no fault of this set can be on this recording: close is for WebSocket, and "
        "this was asked over HTTP; binary is for WebSocket, and this was asked over HTTP."
    )


def test_an_empty_set_is_refused(run: Run, tape: Path, tmp_path: Path) -> None:
    """There would be nothing in the table."""
    ran = run(tape, "--faults", faults(tmp_path, "# later"), *asking("a"))
    assert ran.exit_code == 2
    assert ran.stderr.splitlines()[-1] == (
        "wiretape: no fault of this set can be on this recording: there is none in it."
    )


def test_a_client_that_asks_for_nothing_is_told_and_run_once(
    run: Run, tape: Path, tmp_path: Path
) -> None:
    """A script that looks at the exit code sees it too."""
    mine = faults(tmp_path, "1:status=503", "2:status=500")
    ran = run(tape, "--faults", mine, "--json", *asking())
    assert [each["fault"] for each in json.loads(ran.stdout)["rows"]] == ["none"]
    assert ran.exit_code == 1
    assert ran.stderr.splitlines()[-1].startswith(
        "wiretape: the client asked for nothing, so it was run no more. "
    )


def test_a_fault_that_is_never_met_is_told(run: Run, tape: Path, tmp_path: Path) -> None:
    """Its row is as without it, which says nothing."""
    mine = faults(tmp_path, "1:status=503", "2:status=500")
    ran = run(tape, "--faults", mine, *asking("a"))
    assert ran.exit_code == 1
    assert ran.stderr.splitlines()[-1] == (
        "wiretape: never met, and so as without a fault: 2:status=500."
    )


@pytest.mark.parametrize(
    ("asked", "astray"),
    [
        (("a", "b", "c"), "1 request unexpected"),
        (("a",), "1 request never asked for"),
        (("b", "b", "a"), "1 request unexpected"),
    ],
)
def test_a_client_that_goes_astray_without_a_fault_is_told(
    run: Run, tape: Path, tmp_path: Path, asked: tuple[str, ...], astray: str
) -> None:
    """The other rows would be taken for what the faults did."""
    mine = faults(tmp_path, "1:status=503")
    ran = run(tape, "--faults", mine, "--json", *asking(*asked))
    assert ran.exit_code == 1
    assert [each["divergence"] for each in json.loads(ran.stdout)["rows"]] == [astray, None]
    assert ran.stderr.splitlines()[-1] == (
        f"wiretape: without a fault the client did not do what was recorded ({astray}), so the "
        "other rows say little: see what `wiretape replay` reports of it."
    )


def test_an_env_in_front_names_the_home_that_is_copied(
    run: Run, tape: Path, tmp_path: Path
) -> None:
    """So that each run has a fresh one, and the one that is named stays as it is."""
    named = tmp_path / "named"
    named.mkdir()
    (named / "config.toml").write_text("# mine")
    code = "cat $CODEX_HOME/config.toml; touch $CODEX_HOME/left; " + shlex.join(
        asking("a", "b")[1:]
    )
    mine = faults(tmp_path, "1:status=503")
    env = ("--", "env", f"CODEX_HOME={named}", "sh", "-c", f"{code} >/dev/null")
    ran = run(tape, "--faults", mine, "--json", *env)
    assert [each["final_message"] for each in json.loads(ran.stdout)["rows"]] == ["# mine"] * 2
    assert [each.name for each in named.iterdir()] == ["config.toml"]


def test_who_interrupts_it_keeps_the_rows_so_far(tape: Path, tmp_path: Path) -> None:
    """The table is printed, and the exit code says that it is not whole."""
    first, pipe = tmp_path / "first", tmp_path / "pipe"
    os.mkfifo(pipe)
    asks = shlex.join(asking("a", "b")[1:])
    code = f"if mkdir {first}; then {asks}; else echo >{pipe}; sleep 600; fi"
    mine = faults(tmp_path, "1:status=503", "2:status=503")
    words = [WIRETAPE, "matrix", tape, "--faults", mine, "--json", "--", "sh", "-c", code]
    environment = {
        **os.environ,
        "WIRETAPE_CA_DIR": str(tmp_path / "ca"),
        "CODEX_HOME": str(tmp_path / "home"),
    }
    with subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as matrix:
        pipe.read_text()
        matrix.send_signal(signal.SIGINT)
        stdout, stderr = matrix.communicate()
    assert matrix.returncode == 130
    assert [each["fault"] for each in json.loads(stdout)["rows"]] == ["none"]
    assert stderr.splitlines()[-1] == (
        "wiretape: interrupted: the table holds what was found by then."
    )


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--faults", "nowhere"), "there is no set of faults 'nowhere' (network, http, events,"),
        (("--faults", "http", "--at", "9"), "the fault '9:status=400' hits nothing"),
        (("--session", "nobody"), "has no session 'nobody'"),
    ],
)
def test_what_makes_no_sense(run: Run, tape: Path, options: tuple[str, ...], why: str) -> None:
    """It is refused before anything is run."""
    ran = run(tape, *options, *asking("a"))
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert why in ran.stderr
