"""What ``wiretape replay`` refuses: one sentence, the right exit code, and nothing left behind."""

import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from replay_runs import Ran, asking

type Run = Callable[..., Ran]


def refused(ran: Ran, code: int, sentence: str) -> None:
    """It is one sentence, and the child did not run."""
    assert ran.stderr == f"wiretape: {sentence}\n"
    assert (ran.exit_code, ran.stdout) == (code, "")


def test_a_session_that_is_not_there(run: Run, tape: Path, tmp_path: Path) -> None:
    """Nothing is run and nothing left behind."""
    output = tmp_path / "replay.db"
    refused(
        run(tape, "--session", "nobody", "-o", output, *asking("a")),
        2,
        f"{tape} has no session 'nobody': `wiretape ls {tape}` lists its sessions.",
    )
    assert not output.exists()


def test_a_tape_that_is_not_there(run: Run, tmp_path: Path) -> None:
    """It says where to look for others."""
    missing = tmp_path / "none.db"
    refused(
        run(missing, *asking("a")),
        3,
        f"there is no tape at {missing}: `wiretape ls` lists the tapes there are.",
    )


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0" + bytes(50), b"no tape at all" * 99])
def test_a_file_that_is_no_tape(run: Run, tmp_path: Path, content: bytes) -> None:
    """Empty, truncated, foreign: one sentence, whatever it is."""
    path = tmp_path / "tape.db"
    path.write_bytes(content)
    ran = run(path, *asking("a"))
    assert (ran.exit_code, ran.stdout) == (3, "")
    assert ran.stderr.startswith(f"wiretape: {path} ")
    assert ran.stderr.count("\n") == 1


def test_a_newer_tape(run: Run, tape: Path) -> None:
    """What we do not understand we do not replay."""
    with closing(sqlite3.connect(tape)) as database, database:
        database.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at)"
            " VALUES ('wiretape', 'm999_later', '')"
        )
    ran = run(tape, *asking("a"))
    assert ran.exit_code == 3
    assert "newer" in ran.stderr


@pytest.mark.parametrize("speed", ["0", "-1", "fast", "nan", "inf", "1e9", ""])
def test_a_speed_that_is_none(run: Run, tape: Path, speed: str) -> None:
    """Only max and sensible factors."""
    ran = run(tape, "--speed", speed, *asking("a"))
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert f"{speed!r} is no speed: give max, 1 or another factor." in ran.stderr


def test_a_busy_port(run: Run, tape: Path, tmp_path: Path) -> None:
    """It says what to do, and leaves no tape behind."""
    output = tmp_path / "replay.db"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = run(tape, "--listen", f"127.0.0.1:{port}", "-o", output, *asking("a"))
    refused(
        ran,
        2,
        f"127.0.0.1:{port} cannot be listened on (Address already in use): "
        "choose another address with --listen, or port 0 for a free one.",
    )
    assert list(tmp_path.glob("replay.db*")) == []


def test_an_address_that_is_not_ours(run: Run, tape: Path) -> None:
    """The system's words for it."""
    refused(
        run(tape, "--listen", "192.0.2.1:0", *asking("a")),
        2,
        "192.0.2.1:0 cannot be listened on (Cannot assign requested address): "
        "choose another address with --listen, or port 0 for a free one.",
    )


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no /proc here")
def test_a_report_that_cannot_be_written_is_told_before_anything_runs(run: Run, tape: Path) -> None:
    """Not when the replay is over and the report lost."""
    refused(
        run(tape, "--report", "/proc/report.json", *asking("a")),
        2,
        "the report /proc/report.json cannot be written (No such file or directory): "
        "name another file.",
    )


@pytest.mark.parametrize(("name", "code"), [("no-such-command", 127), ("not-executable", 126)])
def test_a_command_that_cannot_be_run(
    run: Run, tape: Path, tmp_path: Path, name: str, code: int
) -> None:
    """The shell's exit codes, and no tape left behind."""
    (tmp_path / "not-executable").write_text("no program")
    output = tmp_path / "replay.db"
    ran = run(tape, "-o", output, "--", tmp_path / name)
    assert ran.exit_code == code
    assert ran.stderr.count("\n") == 1
    assert list(tmp_path.glob("replay.db*")) == []


def test_what_is_there_is_not_replaced(run: Run, tape: Path) -> None:
    """Neither a tape, nor the recording itself, nor what is no report; and nothing is run."""
    before = tape.read_bytes()
    sentence = f"{tape} exists already: choose another name or remove it first."
    refused(run(tape, "-o", tape, *asking("a")), 2, sentence)
    refused(
        run(tape, "--report", tape, *asking("a")),
        2,
        f"{tape} exists and is no report of a replay: name another file with --report.",
    )
    assert tape.read_bytes() == before


def test_a_report_and_a_tape_need_a_file_each(run: Run, tape: Path, tmp_path: Path) -> None:
    """One would overwrite the other."""
    both = tmp_path / "both"
    refused(
        run(tape, "--report", both, "-o", both, *asking("a")),
        2,
        f"{both} cannot be both the report and the tape of the replay: name two files.",
    )


@pytest.mark.parametrize("option", ["-o", "--report"])
def test_a_folder_that_cannot_be_made(run: Run, tape: Path, tmp_path: Path, option: str) -> None:
    """Nothing is run, whatever the file."""
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "folder"
    refused(
        run(tape, option, folder / "file", *asking("a")),
        2,
        f"the folder {folder} cannot be made (Not a directory): name another file with {option}.",
    )
