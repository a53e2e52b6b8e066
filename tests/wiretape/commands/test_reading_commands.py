"""``wiretape ls`` and ``wiretape show``, as they are used."""

import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from wiretape.cli import main
from wiretape.facts import (
    End,
    EndKind,
    Gap,
    Piece,
    PieceKind,
    RequestBody,
    RequestHead,
    ResponseHead,
    Sender,
)
from wiretape.store_writer import TapeLabel, TapeWriter

BEGAN_US = 1_767_323_045_000_000  # 2026-01-02T03:04:05Z
CREATED = b'data: {"type":"response.created","response":{"id":"resp_1"}}\n\n'
COMPLETED = (
    b'data: {"type":"response.completed","response":{"id":"resp_1",'
    b'"usage":{"input_tokens":10,"output_tokens":5,"total_tokens":15}}}\n\n'
)
BODY = json.dumps(
    {
        "model": "gpt-5",
        "input": [{"type": "message", "role": "user", "content": "hi"}],
        "prompt_cache_key": "session-one",
    }
).encode()


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    """A failed try, cut after its first event, and the retry that completes; then a gap."""
    path = tmp_path / "bug.db"
    label = TapeLabel("record", BEGAN_US, "monotonic", '["codex", "exec"]')
    with TapeWriter(path, label, on_trouble=pytest.fail) as writer:
        for exchange, at_us in ((1, 1000), (2, 500_000)):
            writer.put(
                RequestHead(
                    exchange,
                    at_us,
                    exchange,
                    "POST",
                    "https",
                    "api.openai.com",
                    443,
                    "/v1/responses",
                    "HTTP/1.1",
                    (("user-agent", "codex_exec/0.99.0 (Linux)"),),
                )
            )
            writer.put(RequestBody(exchange, at_us + 10, BODY))
            writer.put(
                ResponseHead(
                    exchange,
                    at_us + 20_000,
                    200,
                    "OK",
                    "HTTP/1.1",
                    (("content-type", "text/event-stream"),),
                )
            )
            writer.put(Piece(exchange, at_us + 30_000, Sender.SERVER, PieceKind.CHUNK, CREATED))
            if exchange == 1:
                writer.put(End(1, at_us + 40_000, EndKind.SERVER_CLOSED, Sender.SERVER))
        writer.put(Piece(2, 600_000, Sender.SERVER, PieceKind.CHUNK, COMPLETED))
        writer.put(End(2, 610_000, EndKind.COMPLETE))
        writer.put(Gap(620_000, 630_000, None, 3, 400, "a test left it out"))
    return path


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test stands in an empty folder, with no folder of recordings named."""
    monkeypatch.delenv("WIRETAPE_RECORDINGS", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    yield


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    """The exit code, what went to stdout, and what went to stderr."""
    with pytest.raises(SystemExit) as exit_info:
        main([os.fspath(argument) for argument in arguments])
    out, err = capsys.readouterr()
    assert isinstance(exit_info.value.code, int)
    return exit_info.value.code, out, err


def test_ls_says_what_is_on_a_tape(tape: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for the tape and one for each session."""
    code, out, err = run(capsys, "ls", tape)
    assert (code, err) == (0, "")
    size = tape.stat().st_size
    assert out.splitlines() == [
        f"{tape}  2026-01-02T03:04:05Z  {size / 1000:.1f} kB  1 gap",
        "  session-one  codex_exec/0.99.0  gpt-5  1 request  2 attempts  http  3 events"
        "  609 ms  completed",
    ]


def test_ls_reads_folders(tape: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder stands for the tapes in it."""
    code, out, _ = run(capsys, "ls", tape.parent)
    assert code == 0
    assert out.startswith(f"{tape}  ")


def test_ls_uses_the_folder_of_the_recorder(
    tape: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a path: where `wiretape record` puts its tapes."""
    monkeypatch.setenv("WIRETAPE_RECORDINGS", str(tape.parent))
    code, out, _ = run(capsys, "ls")
    assert code == 0
    assert out.startswith(f"{tape}  ")


def test_ls_of_nothing_says_how_to_make_a_tape(capsys: pytest.CaptureFixture[str]) -> None:
    """No tapes is no error."""
    code, out, err = run(capsys, "ls")
    assert (code, out) == (0, "")
    assert "`wiretape record -- COMMAND` makes one" in err


def test_ls_as_json_counts(tape: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same for machines, in numbers."""
    code, out, _ = run(capsys, "ls", tape, "--json")
    assert code == 0
    (found,) = json.loads(out)
    assert found["sessions"] == [
        {
            "id": "session-one",
            "client": "codex_exec/0.99.0 (Linux)",
            "model": "gpt-5",
            "at_us": 1000,
            "duration_us": 609_000,
            "requests": 1,
            "attempts": 2,
            "retries": 1,
            "fallbacks": 0,
            "transports": ["http"],
            "events": 3,
            "outcome": "completed",
            "detail": "",
            "url": "https://api.openai.com:443/v1/responses",
            "upstream": None,
        }
    ]
    assert found["gaps"] == 1


def test_ls_goes_on_after_a_missing_tape(tape: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that leads nowhere is told of; the rest is listed."""
    code, out, err = run(capsys, "ls", "missing.db", tape)
    assert code == 3
    assert out.startswith(f"{tape}  ")
    assert "there is no tape at missing.db" in err


def test_ls_goes_on_after_a_bad_tape(tape: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One bad file is told of; the others are listed all the same, and the exit code says it."""
    bad = tape.parent / "bad.db"
    bad.write_bytes(b"not a database at all" * 100)
    code, out, err = run(capsys, "ls", tape.parent)
    assert code == 3
    assert out.startswith(f"{tape}  ")
    assert str(bad) in err


def test_show_tells_each_attempt(tape: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Attempts with why they were made, what came of them, and what is inferred."""
    code, out, _ = run(capsys, "show", tape)
    assert code == 0
    assert out.splitlines()[3:] == [
        "session session-one",
        "  codex_exec/0.99.0 (Linux), gpt-5, 1 request, 2 attempts, 609 ms",
        "  https://api.openai.com:443/v1/responses",
        "  request 1",
        "    first          http create (exchange 1) at 0.001 s: cut server_closed in 40 ms,"
        f" 1 event, sent {len(BODY)} B, got {len(CREATED)} B",
        "      first event after 30 ms, longest silence 30 ms",
        "    retry          http create (exchange 2) at 0.500 s: completed in 110 ms,"
        f" 2 events, sent {len(BODY)} B, got {len(CREATED) + len(COMPLETED)} B",
        "      first event after 30 ms, longest silence 70 ms",
        "      inferred: the same request as exchange 1, which ended as cut (server_closed)",
        "gap at 0.620 s: 3 facts, 400 B lost, because a test left it out",
    ]


def test_show_events_as_json_lines(tape: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One object a line for each thing that crossed, in order."""
    code, out, _ = run(capsys, "show", tape, "--events", "--json")
    assert code == 0
    events = [json.loads(line) for line in out.splitlines()]
    assert [
        (each["at_us"], each["exchange"], each["direction"], each["type"], each["size_bytes"])
        for each in events
    ] == [
        (1000, 1, "to_server", "http.request", len(BODY)),
        (21_000, 1, "to_client", "http.response", 0),
        (31_000, 1, "to_client", "response.created", len(CREATED)),
        (41_000, 1, "to_client", "end", 0),
        (500_000, 2, "to_server", "http.request", len(BODY)),
        (520_000, 2, "to_client", "http.response", 0),
        (530_000, 2, "to_client", "response.created", len(CREATED)),
        (600_000, 2, "to_client", "response.completed", len(COMPLETED)),
        (610_000, 2, "to_client", "end", 0),
    ]


def test_show_one_session(tape: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A start of the session's id is enough."""
    code, out, _ = run(capsys, "show", tape, "--session", "session-o", "--json")
    assert code == 0
    assert [session["id"] for session in json.loads(out)["sessions"]] == ["session-one"]


def test_a_tape_that_is_being_written_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is on it so far."""
    path = tmp_path / "live.db"
    with TapeWriter(path, TapeLabel("record", 0, "monotonic"), on_trouble=pytest.fail):
        code, out, _ = run(capsys, "show", path, "--events", "--json")
    assert (code, out) == (0, "")


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _text(path: Path) -> None:
    path.write_bytes(b"certainly not a database\n" * 100)


def _foreign(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE notes (text)")
    connection.commit()
    connection.close()


def _folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("make", [_empty, _text, _foreign, _folder])
@pytest.mark.parametrize("command", ["show", "replay"])
def test_what_is_no_tape_is_refused(
    make: object, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sentence that names the file, exit code 3."""
    path = tmp_path / "other.db"
    assert callable(make)
    make(path)
    code, out, err = run(capsys, command, path)
    assert (code, out) == (3, "")
    assert err.startswith(f"wiretape: {path} is")
    assert err.count("\n") == 1


def test_a_truncated_tape_is_refused(tape: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Half a tape is no tape, and says so."""
    tape.write_bytes(tape.read_bytes()[: tape.stat().st_size // 2])
    code, _, err = run(capsys, "show", tape, "--events")
    assert code == 3
    assert str(tape) in err


def test_a_newer_tape_is_refused(tape: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A tape of a later wiretape asks for an upgrade."""
    connection = sqlite3.connect(tape)
    connection.execute(
        "INSERT INTO _sqlite_migrations (migration_set, name, applied_at)"
        " VALUES ('wiretape', 'm999_future', '2030-01-01')"
    )
    connection.commit()
    connection.close()
    code, _, err = run(capsys, "show", tape)
    assert code == 3
    assert "was written by a newer wiretape (it has m999_future): upgrade wiretape" in err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("nonsense",), 2, "there is no command 'nonsense': `wiretape --help` lists them."),
        (("show",), 2, "Missing argument 'TAPE'. See `wiretape show --help`."),
        (("show", "missing.db"), 3, "there is no tape at missing.db"),
        (("ls", "missing.db"), 3, "there is no tape at missing.db"),
        (("show", "--nonsense"), 2, "No such option '--nonsense'"),
        (("record", "--listen", "nowhere"), 2, "'nowhere' is no address"),
        (("replay", "t.db", "codex", "--json"), 2, "of the wrapped command stands behind ` -- `"),
    ],
)
def test_bad_input_gets_one_sentence(
    arguments: tuple[str, ...],
    code: int,
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What happened, on what, what to do; no traceback."""
    found, out, err = run(capsys, *arguments)
    assert (found, out) == (code, "")
    assert said in err
    assert err.count("\n") == 1


def test_an_unknown_session_is_refused(tape: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a hint at the command that lists them."""
    code, _, err = run(capsys, "show", tape, "--session", "nobody")
    assert code == 2
    assert f"has no session 'nobody': `wiretape ls {tape}` lists its sessions." in err
