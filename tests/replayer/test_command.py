"""``wiretape replay``: reports, tapes, exit codes; and nothing leaves the machine."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import asking_child
import pytest
from replay_runs import ASKED_WITH, URL, WSS, Ran, asking, child, conversation
from tapes import (
    CUT,
    HOST,
    JSON_HEADERS,
    OTHER_SESSION,
    SESSION,
    Ending,
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
from wiretape.facts import EndKind
from wiretape.store_reader import TapeReader

type Run = Callable[..., Ran]


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
        {"path": "model", "change": "changed", "recorded": "gpt-5.2-codex", "replayed": "x"}
    ]
    assert document["not_asked"] == [
        {"transport": "http", "kind": "create", "exchange": 3, "message": None}
    ]
    assert document["tape"] == str(tmp_path / "three.db")
    assert document["exit_code"] == 0
    assert ran.stderr.splitlines() == [
        "wiretape: asked 3 times: 1 exact, 1 different, 1 unexpected, 1 not asked, 0 blocked.",
        "wiretape:   different: #2 (http create), recorded as exchange 2",
        'wiretape:     model was "gpt-5.2-codex" and is "x"',
        "wiretape:   unexpected: #3 (http compact), nothing like it was recorded",
        "wiretape:   not asked: http create, recorded as exchange 3",
    ]


def test_nothing_leaves_the_machine(run: Run, tape: Path, tmp_path: Path) -> None:
    """Whatever a child tries goes nowhere: refused, counted and named."""
    report = tmp_path / "report.json"
    tries = [
        ("GET", "https://github.com/", None),
        ("GET", "https://github.com/again", None),
        ("GET", "http://example.com/page?token=secret", None),
        ("POST", "https://ab.chatgpt.com/otlp/v1/metrics", {}),
        ("GET", "https://chatgpt.com/backend-api/plugins", None),
        ("GET", f"https://{HOST}/v1/files", None),
    ]
    ran = run(
        tape,
        "--report",
        report,
        *child(*tries),
    )
    assert [status for status, _ in ran.answers] == [None, None, 403, None, 403, 403]
    assert json.loads(report.read_text())["blocked"] == [
        {"host": "github.com:443", "what": "github.com:443", "times": 2},
        {"host": "example.com:80", "what": "GET example.com:80/page", "times": 1},
        {"host": "ab.chatgpt.com:443", "what": "ab.chatgpt.com:443", "times": 1},
        {
            "host": "chatgpt.com:443",
            "what": "GET chatgpt.com:443/backend-api/plugins",
            "times": 1,
        },
        {"host": f"{HOST}:443", "what": f"GET {HOST}:443/v1/files", "times": 1},
    ]
    assert "6 blocked." in ran.stderr
    assert "secret" not in report.read_text() + ran.stderr


def test_a_tape_that_was_cut_off_is_told_first_and_keeps_nobody_waiting(
    run: Run, tmp_path: Path
) -> None:
    """The client is given what there is, then its connection is gone; told before it runs, and in
    the report."""
    recording = Recording()
    kept: dict[str, Any] = {"session": None, "asked_with": ASKED_WITH}
    recording.post(create("a"), (b"half",), Ending(None), **kept)
    path, report = recording.write(tmp_path / "cut.db"), tmp_path / "report.json"
    ran = run(path, "--report", report, *child(("POST", URL, create("a"))))
    sentence = (
        "the recording does not tell how exchange 1 ended: after what is there, "
        "the connection will be closed, as if it were lost"
    )
    assert ran.answers == [[None, ran.answers[0][1]]]
    assert ran.stderr.splitlines() == [
        f"wiretape: {sentence}",
        "wiretape: asked 1 time: 1 exact, 0 different, 0 unexpected, 0 not asked, 0 blocked.",
        f"wiretape:   note: {sentence}",
    ]
    assert json.loads(report.read_text())["notes"] == [sentence]


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


def test_what_was_cut_off_is_told_by_the_tapes_number_on_another_transport(
    run: Run, tmp_path: Path
) -> None:
    """There it is another exchange."""
    recording = Recording()
    recording.socket(
        wants(asks("a")), says(*answer("a")), wants(asks("b")), says({"type": "x"}),
        ending=Ending(None),
    )  # fmt: skip
    ran = run(recording.write(tmp_path / "cut.db"), "--transport", "sse", *asking("a", "b"))
    assert "the recording does not tell how exchange 1 ended: " in ran.stderr


def test_strict_tells_the_client_what_differs(run: Run, tape: Path) -> None:
    """With an error that it gives up on."""
    ran = run(tape, "--strict", *asking("a", "x"))
    assert [status for status, _ in ran.answers] == [200, 400]
    told = json.loads(ran.answers[1][1])["error"]["message"]
    assert told.endswith(': input[0].content[0].text was "b" and is "x"')


def test_a_replay_is_a_tape_that_replays_again(run: Run, tmp_path: Path) -> None:
    """Requests, answers and ends are those of the recording; and so on, from tape to tape."""
    failed = error_body("busy")
    recording = Recording()
    kept: dict[str, Any] = {"session": None, "asked_with": ASKED_WITH}
    headers = (*JSON_HEADERS, ("content-length", str(len(failed))))
    recording.post(create("a"), (failed,), status=500, headers=headers, **kept)
    recording.post(create("a"), sse(*answer("a")), **kept)
    recording.post(create("b"), (b"half",), CUT, **kept)
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
            "wiretape: asked 6 times: 6 exact, 0 different, 0 unexpected, 0 not asked, 0 blocked.\n"
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


def test_the_tape_of_a_replay_names_its_faults(run: Run, tmp_path: Path) -> None:
    """So that nobody takes them for failures of the server; an older tape says nothing."""
    conversation("a").write(tmp_path / "one.db")
    asked = child(("POST", URL, create("a", prompt_cache_key=SESSION)))
    for name, options in (("with", ["--fault", "1:status=500"]), ("without", [])):
        run(tmp_path / "one.db", "-o", tmp_path / f"{name}.db", *options, *asked)
    with TapeReader(tmp_path / "with.db") as reader:
        assert reader.label().faults == '["1:status=500"]'
    with TapeReader(tmp_path / "without.db") as reader:
        assert reader.label().faults is None
    with closing(sqlite3.connect(tmp_path / "with.db")) as database:
        database.execute("ALTER TABLE tape DROP COLUMN faults")
    with TapeReader(tmp_path / "with.db") as reader:
        assert (reader.label().made_by, reader.label().faults) == ("replay", None)


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
    assert ran.stderr.startswith("wiretape: asked 1 time: 1 exact, 0 different, 0 unexpected, 0")


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
