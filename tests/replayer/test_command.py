"""``wiretape replay``: reports, tapes, exit codes, refusals; and nothing leaves the machine."""

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import asking_child
import pytest
from tapes import (
    CUT,
    HOST,
    JSON_HEADERS,
    OTHER_SESSION,
    SESSION,
    Recording,
    answer,
    asks,
    create,
    error_body,
    says,
    sse,
    wants,
)

from gateway.authority import Authority
from wiretape.cli import main
from wiretape.facts import EndKind
from wiretape.store_reader import TapeReader

URL = f"https://{HOST}/v1/responses"
WSS = f"wss://{HOST}/v1/responses"


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command came to. ``answers`` are what the client that it ran was told."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def answers(self) -> list[Any]:
        heard: list[Any] = json.loads(self.stdout)
        return heard


type Run = Callable[..., Ran]


@pytest.fixture
def run(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, authority: Authority
) -> Run:
    """Runs ``wiretape replay`` with these arguments, in this process."""
    # Loading the authority's key anew for each run takes longer than the rest of it.
    monkeypatch.setattr("replayer.run.open_authority", lambda _: authority)

    def ran(*arguments: str | Path) -> Ran:
        capfd.readouterr()
        with pytest.raises(SystemExit) as left:
            main(["replay", *map(str, arguments)])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return Ran(int(left.value.code or 0), out, err)

    return ran


def child(*asked: tuple[str, str, Any]) -> list[str]:
    """The command that asks these things."""
    return ["--", sys.executable, asking_child.__file__, json.dumps(asked)]


def asking(*texts: str, session: str = SESSION) -> list[str]:
    """The command that asks for each of these."""
    return child(*(("POST", URL, create(text, prompt_cache_key=session)) for text in texts))


def conversation(*texts: str, session: str = SESSION) -> Recording:
    """What that command asks, recorded, each answered with its own text."""
    recording = Recording()
    for text in texts:
        recording.post(
            create(text, prompt_cache_key=session),
            (text.encode(),),
            session=None,
            asked_with=ASKED_WITH,
        )
    return recording


ASKED_WITH = (*JSON_HEADERS, ("accept-encoding", "identity"))
"""The headers that the client sends, as far as they count."""


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    return conversation("a", "b").write(tmp_path / "tape.db")


def test_a_replay_is_reported_in_full(run: Run, tmp_path: Path) -> None:
    """One exact, one different, one unexpected; one not asked; everything with its place."""
    conversation("a", "b", "c").write(tmp_path / "three.db")
    report = tmp_path / "report.json"
    asked = [
        ("POST", URL, create("a", prompt_cache_key=SESSION)),
        ("POST", URL, create("b", model="x", prompt_cache_key=SESSION)),
        ("POST", URL + "/compact", {}),
        ("GET", f"https://{HOST}/v1/models", None),
    ]
    ran = run(tmp_path / "three.db", "--report", report, *child(*asked))
    assert [status for status, _ in ran.answers] == [200, 200, 400, 404]
    assert ran.exit_code == 0
    document = json.loads(report.read_text())
    assert document["counts"] == {
        "requests": 3,
        "exact": 1,
        "different": 1,
        "unexpected": 1,
        "not_asked": 1,
        "blocked": 0,
    }
    assert [request["exchange"] for request in document["requests"]] == [1, 2, None]
    assert document["different"][0]["differences"] == [
        {"path": "model", "recorded": "gpt-5.2-codex", "replayed": "x"}
    ]
    assert document["not_asked"] == [
        {"transport": "http", "kind": "create", "exchange": 3, "message": None}
    ]
    assert document["tape"] == str(tmp_path / "three.db")
    assert document["exit_code"] == 0
    assert ran.stderr.splitlines() == [
        "wiretape: 3 requests: 1 exact, 1 different, 1 unexpected, 1 not asked, 0 blocked.",
        "wiretape:   different: request 2 (http create), recorded as exchange 2; differs in model",
        "wiretape:   unexpected: request 3 (http compact), nothing like it was recorded",
        "wiretape:   not asked: http create, recorded as exchange 3",
    ]


def test_nothing_leaves_the_machine(run: Run, tape: Path, tmp_path: Path) -> None:
    """Whatever a child tries goes nowhere: refused, counted and named."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    report = tmp_path / "report.json"
    tries = [
        ("GET", "https://github.com/", None),
        ("GET", "https://github.com/again", None),
        ("GET", "http://example.com/page?token=secret", None),
        ("POST", "https://ab.chatgpt.com/otlp/v1/metrics", {}),
        ("GET", "https://chatgpt.com/backend-api/plugins", None),
        ("GET", f"http://127.0.0.1:{port}/", None),
        ("GET", f"https://{HOST}/v1/files", None),
    ]
    ran = run(
        tape,
        "--report",
        report,
        *child(*tries),
    )
    with listener:
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert [status for status, _ in ran.answers] == [None, None, 403, None, 403, 403, 403]
    assert json.loads(report.read_text())["blocked"] == [
        {"what": "github.com:443", "times": 2},
        {"what": "GET example.com:80/page", "times": 1},
        {"what": "ab.chatgpt.com:443", "times": 1},
        {"what": "GET chatgpt.com:443/backend-api/plugins", "times": 1},
        {"what": f"GET 127.0.0.1:{port}/", "times": 1},
        {"what": f"GET {HOST}:443/v1/files", "times": 1},
    ]
    assert "7 blocked." in ran.stderr
    assert "secret" not in report.read_text() + ran.stderr


@pytest.mark.parametrize(
    ("texts", "options", "child_code", "code"),
    [
        ("ab", [], 0, 0),
        ("ab", [], 7, 7),
        ("ax", [], 0, 0),
        ("ab", ["--strict"], 0, 0),
        ("ax", ["--strict"], 0, 1),
        ("a", ["--strict"], 0, 1),
        ("abc", ["--strict"], 0, 1),
        ("ax", ["--strict"], 7, 7),
    ],
)
def test_the_exit_code_is_the_childs(
    run: Run,
    tape: Path,
    monkeypatch: pytest.MonkeyPatch,
    texts: str,
    options: list[str],
    child_code: int,
    code: int,
) -> None:
    """Strict, a replay that was not as recorded is a failure, if the child has not failed."""
    monkeypatch.setenv("EXIT_CODE", str(child_code))
    assert run(tape, *options, *asking(*texts)).exit_code == code


def test_strict_tells_the_client_what_differs(run: Run, tape: Path) -> None:
    """With an error that it gives up on."""
    ran = run(tape, "--strict", *asking("a", "x"))
    assert [status for status, _ in ran.answers] == [200, 400]
    assert "input[0].content[0].text was 'b' and is 'x'" in ran.answers[1][1]


def test_a_replay_is_a_tape_that_replays_again(run: Run, tmp_path: Path) -> None:
    """Requests, answers and ends are those of the recording; and so on, from tape to tape."""
    failed = error_body("busy")
    recording = Recording()
    kept = {"session": None, "asked_with": ASKED_WITH}
    headers = (*JSON_HEADERS, ("content-length", str(len(failed))))
    recording.post(create("a"), (failed,), status=500, headers=headers, **kept)  # type: ignore[arg-type]
    recording.post(create("a"), sse(*answer("a")), **kept)  # type: ignore[arg-type]
    recording.post(create("b"), (b"half",), CUT, **kept)  # type: ignore[arg-type]
    recording.socket(
        *((*wants(asks(text)), *says({"type": text})) for text in "ab"),
        session=None,
        asked_with=(("sec-websocket-extensions", "permessage-deflate; client_max_window_bits"),),
    )
    command = child(
        ("POST", URL, create("a")),
        ("POST", URL, create("a")),
        ("POST", URL, create("b")),
        ("SOCKET", WSS, [asks("a"), asks("b")]),
    )
    tapes = [recording.write(tmp_path / "0.db"), tmp_path / "1.db", tmp_path / "2.db"]
    for source, output in pairwise(tapes):
        ran = run(source, "-o", output, *command)
        assert [status for status, _ in ran.answers] == [500, 200, None, 101]
        assert ran.stderr == (
            "wiretape: 6 requests: 6 exact, 0 different, 0 unexpected, 0 not asked, 0 blocked.\n"
        )
    assert contents(tapes[1]) == contents(tapes[2])
    assert [body for _, body, _ in contents(tapes[1])] == [
        body for _, body, _ in contents(tapes[0])
    ]
    with TapeReader(tapes[1]) as reader:
        label = reader.label()
        ends = [exchange.end.how for exchange in reader.exchanges() if exchange.end]
    assert (label.made_by, label.source) == ("replay", str(tapes[0]))
    assert json.loads(label.command or "") == command[1:]
    assert ends == [
        EndKind.COMPLETE,
        EndKind.COMPLETE,
        EndKind.SERVER_CLOSED,
        EndKind.WEBSOCKET_CLOSED,
    ]


def contents(path: Path) -> list[tuple[str, bytes, list[bytes]]]:
    """Address, request body and everything that crossed after the heads, of each exchange."""
    with TapeReader(path) as reader:
        return [
            (
                f"{exchange.request.scheme}://{exchange.request.host}:{exchange.request.port}"
                f"{exchange.request.target}",
                reader.request_body(exchange.id),
                [piece.data for piece in reader.pieces(exchange.id)],
            )
            for exchange in reader.exchanges()
        ]


def test_secrets_do_not_reach_the_tape_of_a_replay(run: Run, tape: Path, tmp_path: Path) -> None:
    """Neither what the client sends in its headers nor what stands in its command line."""
    output = tmp_path / "replay.db"
    command = [
        *child(("GET", f"https://{HOST}/v1/models?api_key=planted-one", None)),
        "--api-key=planted-two",
    ]
    run(tape, "-o", output, *command)
    with TapeReader(output) as reader:
        (exchange,) = reader.exchanges()
        assert exchange.request.target == "/v1/models?api_key=removed"
        assert "planted" not in (reader.label().command or "").replace("planted-one", "")
    assert b"planted-two" not in output.read_bytes()


def test_one_session_of_several(run: Run, tmp_path: Path) -> None:
    """Named by the start of its id: the others were never recorded."""
    recording = conversation("a")
    recording.facts += []
    recording.post(
        create("b", prompt_cache_key=OTHER_SESSION),
        (b"b",),
        session=None,
        asked_with=ASKED_WITH,
    )
    path = recording.write(tmp_path / "two.db")
    ran = run(path, "--session", OTHER_SESSION[:13], *asking("b", session=OTHER_SESSION))
    assert ran.answers == [[200, "b"]]
    assert ran.stderr.startswith("wiretape: 1 request: 1 exact, 0 different, 0 unexpected, 0 not")


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
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"wiretape: 127.0.0.1:{port} cannot be listened on (")
    assert ran.stderr.endswith("choose another address with --listen, or port 0 for a free one.\n")
    assert list(tmp_path.glob("replay.db*")) == []


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


def test_the_pace_is_the_recorded_one_if_asked_for(run: Run, tmp_path: Path) -> None:
    """At speed 2 an answer of 0.4 s takes no less than 0.2 s."""
    recording = Recording()
    number = recording.post(create("a"), (b"a",), session=None)
    end = recording.facts.pop()
    recording.pause(400_000)
    recording.end(number, CUT)
    assert end.at_us < recording.facts[-1].at_us - 400_000
    began_s = time.monotonic()
    run(recording.write(tmp_path / "t.db"), "--speed", "2", *child(("POST", URL, create("a"))))
    assert time.monotonic() - began_s >= 0.2


def test_without_a_command_it_serves_until_it_is_stopped(
    tape: Path, tmp_path: Path, authority: Authority
) -> None:
    """It says where it can be reached; Ctrl-C ends it with the report, and no failure."""
    report = tmp_path / "report.json"
    command = [str(Path(sys.executable).with_name("wiretape")), "replay", str(tape)]
    with subprocess.Popen(
        [*command, "--report", str(report)],
        env={**os.environ, "WIRETAPE_CA_DIR": str(authority.folder)},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stderr is not None
            first = process.stderr.readline()
            url = re.findall(r"http://[^,]+", first)[0]
            body = create("a", prompt_cache_key=SESSION)
            told = asking_child.ask("POST", f"{url}/v1/responses", body)
        finally:
            process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
    assert first == f"wiretape: replaying {tape} at {url}, as a base URL and as a proxy.\n"
    assert told == [200, "a"]
    assert process.returncode == 0
    assert "Traceback" not in rest
    assert json.loads(report.read_text())["counts"]["exact"] == 1
