"""Bad input, command by command: one sentence that says what, on what, and what to do; an exit
code; no traceback."""

import os
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from declared import REPOSITORY

type Run = Callable[..., tuple[int, str, str]]

WIRETAPE = str(Path(sys.executable).with_name("wiretape"))
ELSEWHERE = "http://127.0.0.1:9"

SAMPLE = REPOSITORY / "recordings" / "samples" / "cut-stream" / "tape.db"

READING = {
    "ls": (),
    "show": (),
    "diagnose": (),
    "diff": (str(SAMPLE),),
    "inspect": (),
    "replay": ("--", "true"),
    "verify": (),
    "export": ("--to", "script", "-o", "never.script"),
    "resend": ("--request", "1", "--to", ELSEWHERE),
    "matrix": ("--", "true"),
    "minimize": ("-o", "never.script", "--", "true"),
    "versions": ("--", "0.99.0"),
}
"""The commands that read a tape, and what stands behind it."""


def test_every_command_that_reads_a_tape_is_tried() -> None:
    """All but the one that makes them."""
    names = {point.name for point in entry_points(group="wiretape.commands")}
    assert set(READING) == names - {"record"}


# Files that are no tape, or none that can be used.


def _missing(path: Path) -> None:
    path.unlink()


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _text(path: Path) -> None:
    path.write_bytes(b"certainly not a database\n" * 100)


def _foreign(path: Path) -> None:
    path.unlink()
    _change(path, "CREATE TABLE notes (text)")


def _newer(path: Path) -> None:
    _change(
        path,
        "INSERT INTO _sqlite_migrations (migration_set, name, applied_at)"
        " VALUES ('wiretape', 'm999_future', '2030-01-01')",
    )


def _truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _overwritten(path: Path) -> None:
    """Where the first tables stand."""
    data = bytearray(path.read_bytes())
    data[100:1024] = b"\xff" * 924
    path.write_bytes(data)


def _change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(statement)


@pytest.mark.parametrize("command", READING)
@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_missing, "there is no tape at {}: `wiretape ls` lists the tapes there are."),
        (_empty, "{} is empty: give a file that `wiretape record` wrote."),
        (
            _text,
            "{} is not a tape (file is not a database): give a file that `wiretape record` wrote.",
        ),
        (
            _foreign,
            "{} is an SQLite file of another program: give a file that `wiretape record` wrote.",
        ),
        (
            _newer,
            "{} was written by a newer wiretape (it has m999_future): upgrade wiretape to read it.",
        ),
        (_truncated, "{} is damaged (database disk image is malformed): take another copy of it."),
        (
            _overwritten,
            "{} is damaged (database disk image is malformed): take another copy of it.",
        ),
    ],
)
def test_what_is_no_good_tape_is_refused(
    command: str, spoil: Callable[[Path], None], said: str, tape: Path, run: Run
) -> None:
    """Alike by all, with exit code 3."""
    spoil(tape)
    assert run(command, tape, *READING[command]) == (3, "", f"wiretape: {said.format(tape)}\n")


@pytest.mark.parametrize("command", sorted(READING.keys() - {"ls", "inspect"}))
def test_a_folder_is_no_tape(command: str, tmp_path: Path, run: Run) -> None:
    """But for those that look into folders."""
    said = f"wiretape: {tmp_path} is not a file: give a file that `wiretape record` wrote.\n"
    assert run(command, tmp_path, *READING[command]) == (3, "", said)


@pytest.mark.parametrize("command", ["show", "export", "replay", "resend", "verify"])
@pytest.mark.parametrize("name", ["nobody", ""])
def test_a_session_that_is_not_there_is_refused(
    command: str, name: str, tape: Path, run: Run
) -> None:
    """With a hint at the command that lists them."""
    assert run(command, "--session", name, tape, *READING[command]) == (
        2,
        "",
        f"wiretape: {tape} has no session {name!r}: `wiretape ls {tape}` lists its sessions.\n",
    )


# Names, addresses and commands.


def typed(*arguments: str | Path) -> tuple[int, str, str]:
    """The exit code, stdout and stderr of ``wiretape`` in a process of its own: the recorder's
    libraries warn when they are loaded, which is no matter of ours."""
    ran = subprocess.run([WIRETAPE, *arguments], capture_output=True, text=True, timeout=60)
    return ran.returncode, ran.stdout, ran.stderr


@pytest.fixture
def busy() -> Iterator[str]:
    """An address that something else listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"127.0.0.1:{listener.getsockname()[1]}"


@pytest.mark.parametrize("command", ["record", "replay", "inspect"])
def test_a_busy_port_is_refused(command: str, busy: str, tape: Path) -> None:
    """By all that listen, in the system's words."""
    of = (tape,) if command != "record" else ("-o", tape.with_name("new.db"))
    code, out, err = typed(command, "--listen", busy, *of)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith(f"wiretape: {busy} cannot be listened on (")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("nonsense",), 2, "there is no command 'nonsense': `wiretape --help` lists them."),
        (("show",), 2, "Missing argument 'TAPE'. See `wiretape show --help`."),
        (("show", "--nonsense"), 2, "No such option '--nonsense'"),
        (("resend", "t.db", "--to", ELSEWHERE), 2, "Missing option '--request'"),
        (("record", "--listen", "nowhere"), 2, "'nowhere' is no address"),
        (("record", "--host", "https://a.host/v1"), 2, "'https://a.host/v1' is no host: give"),
        (("record", "--host", "a.host:443", "--", "true"), 2, "'a.host:443' is no host: give"),
        (("record", "--upstream", "my.host", "--", "true"), 2, "my.host"),
        (("replay", "t.db", "--speed", "fast"), 2, "'fast' is no speed"),
        (("replay", "t.db", "codex", "--json"), 2, "of the wrapped command stands behind ` -- `"),
    ],
)
def test_a_command_line_that_makes_no_sense_is_refused(
    arguments: tuple[str, ...], code: int, said: str
) -> None:
    """Before anything is begun."""
    found, out, err = typed(*arguments)
    assert (found, out) == (code, "")
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", ["record", "replay"])
def test_a_command_that_does_not_exist_ends_with_127(command: str, tape: Path) -> None:
    """As in a shell."""
    of = (tape,) if command == "replay" else ("-o", tape.with_name("new.db"))
    code, out, err = typed(command, *of, "--", "no-such-command")
    assert (code, out) == (127, "")
    assert err.splitlines()[-1].startswith("wiretape: there is no command 'no-such-command'")
    assert "Traceback" not in err


# Outputs that cannot take what is printed.

PRINTING = [
    ("--help",),
    ("show", "--help"),
    ("ls", "TAPE"),
    ("ls", "TAPE", "--json"),
    ("show", "TAPE"),
    ("show", "TAPE", "--json"),
    ("show", "TAPE", "--events"),
    ("show", "TAPE", "--events", "--json"),
    ("diagnose", "TAPE"),
    ("verify", "TAPE"),
    ("diff", "TAPE", "TAPE"),
]


def _print_to(output: int, arguments: tuple[str, ...], tape: Path) -> tuple[int, str]:
    """The exit code and the complaints of a command with this output."""
    given = [str(tape) if each == "TAPE" else each for each in arguments]
    ran = subprocess.run(
        [WIRETAPE, *given], stdout=output, stderr=subprocess.PIPE, text=True, timeout=60
    )
    return ran.returncode, ran.stderr


@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_a_reader_that_has_had_enough_is_no_trouble(arguments: tuple[str, ...], tape: Path) -> None:
    """As behind ``| head -1``: 0, and nothing is said."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        assert _print_to(writing, arguments, tape) == (0, "")
    finally:
        os.close(writing)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", PRINTING[:3], ids=" ".join)
def test_an_output_without_room_is_told(arguments: tuple[str, ...], tape: Path) -> None:
    """In one sentence."""
    with Path("/dev/full").open("w") as full:
        assert _print_to(full.fileno(), arguments, tape) == (
            2,
            "wiretape: the output cannot be written (No space left on device).\n",
        )
