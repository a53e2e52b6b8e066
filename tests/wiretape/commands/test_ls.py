"""``wiretape ls``, as it is used."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

type Run = Callable[..., tuple[int, str, str]]


def test_ls_says_what_is_on_a_tape(tape: Path, run: Run) -> None:
    """A line for the tape and one for each session."""
    code, out, err = run("ls", tape)
    assert (code, err) == (0, "")
    size = tape.stat().st_size
    assert out.splitlines() == [
        f"{tape}  2026-01-02T03:04:05Z  {size / 1000:.1f} kB  1 gap",
        "  session-one  codex_exec/0.99.0  gpt-5  1 request  2 attempts  http  3 events"
        "  609 ms  completed",
    ]


def test_ls_reads_folders(tape: Path, run: Run) -> None:
    """A folder stands for the tapes in it."""
    code, out, _ = run("ls", tape.parent)
    assert code == 0
    assert out.startswith(f"{tape}  ")


def test_ls_uses_the_folder_of_the_recorder(
    tape: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a path: where `wiretape record` puts its tapes."""
    monkeypatch.setenv("WIRETAPE_RECORDINGS", str(tape.parent))
    code, out, _ = run("ls")
    assert code == 0
    assert out.startswith(f"{tape}  ")


def test_ls_of_nothing_says_how_to_make_a_tape(run: Run) -> None:
    """No tapes is no error."""
    code, out, err = run("ls")
    assert (code, out) == (0, "")
    assert "`wiretape record -- COMMAND` makes one" in err


def test_ls_as_json_counts(tape: Path, run: Run) -> None:
    """The same for machines, in numbers."""
    code, out, _ = run("ls", tape, "--json")
    assert code == 0
    (found,) = json.loads(out)
    assert found["sessions"] == [
        {
            "number": 1,
            "id": "session-one",
            "name": "session-one",
            "parent": None,
            "agent": None,
            "client": "codex_exec/0.99.0 (Linux)",
            "model": "gpt-5",
            "at_us": 1000,
            "duration_us": 609_000,
            "turns": 1,
            "requests": 1,
            "warm_ups": 0,
            "attempts": 2,
            "retries": 1,
            "fallbacks": 0,
            "tools": 0,
            "transports": ["http"],
            "events": 3,
            "outcome": "completed",
            "detail": "",
            "url": "https://api.openai.com:443/v1/responses",
            "upstream": None,
        }
    ]
    assert found["gaps"] == 1


def test_ls_goes_on_after_a_missing_tape(tape: Path, run: Run) -> None:
    """A name that leads nowhere is told of; the rest is listed."""
    code, out, err = run("ls", "missing.db", tape)
    assert code == 3
    assert out.startswith(f"{tape}  ")
    assert "there is no tape at missing.db" in err


def test_ls_goes_on_after_a_bad_tape(tape: Path, run: Run) -> None:
    """One bad file is told of; the others are listed all the same, and the exit code says it."""
    bad = tape.parent / "bad.db"
    bad.write_bytes(b"not a database at all" * 100)
    code, out, err = run("ls", tape.parent)
    assert code == 3
    assert out.startswith(f"{tape}  ")
    assert str(bad) in err


def test_ls_lists_scripts_as_it_lists_tapes(tape: Path, run: Run) -> None:
    """In a folder, and by name."""
    script = tape.with_name("some.script")
    assert run("export", tape, "--to", "script", "-o", script)[0] == 0
    _, out, err = run("ls", tape.parent)
    listed = [line.split("  ")[0] for line in out.splitlines() if not line.startswith(" ")]
    assert (listed, err) == ([str(tape), str(script)], "")
    of_script, of_tape = (run("ls", path)[1].splitlines()[1:] for path in (script, tape))
    assert of_script == of_tape


def test_ls_says_what_was_cut_off(tape: Path, run: Run) -> None:
    """A tape whose recorder was killed is not told from one that is being written."""
    with closing(sqlite3.connect(tape)) as database, database:
        database.execute("UPDATE tape SET is_closed = 0")
    _, out, _ = run("ls", tape)
    assert out.splitlines()[0].endswith("  1 gap  cut off")
