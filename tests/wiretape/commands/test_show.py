"""``wiretape show``, as it is used."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from timed_tapes import (
    TapeMaker,
    ask,
    call,
    completed,
    created,
    done,
    message,
    output,
    session,
)

from wiretape import __version__
from wiretape.facts import End, EndKind, RequestHead, Sender
from wiretape.store_writer import TapeLabel, TapeWriter

type Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def maker(tmp_path: Path) -> TapeMaker:
    """An empty tape."""
    return TapeMaker(tmp_path / "made.db")


def test_show_of_what_was_no_request(tmp_path: Path, run: Run) -> None:
    """A connection that the client broke off over TLS is no session, and can be looked at."""
    tape = tmp_path / "t.db"
    with TapeWriter(tape, TapeLabel("record", 0, "a clock"), on_trouble=print) as writer:
        tunnel = ("CONNECT", "https", "models.example", 443, "models.example:443", "HTTP/1.1", ())
        writer.put(RequestHead(1, 0, 1, *tunnel))
        writer.put(End(1, 5, EndKind.TLS_FAILURE, Sender.CLIENT, detail="unknown ca"))
    code, out, _ = run("show", tape)
    assert (code, out.splitlines()[2:]) == (
        0,
        ["  no sessions; with --events: what crossed all the same"],
    )
    code, out, _ = run("show", tape, "--events")
    assert out.splitlines()[1].endswith("end  tls_failure client unknown ca")


def test_show_tells_each_attempt(tape: Path, run: Run) -> None:
    """Attempts with why they were made, what came of them, and what is inferred."""
    code, out, _ = run("show", tape)
    assert code == 0
    assert out.splitlines() == [
        f"{tape}  2026-01-02T03:04:05Z  {tape.stat().st_size / 1000:.1f} kB",
        f"  made by wiretape {__version__} record of codex exec",
        "",
        "session 1: session-one",
        "  codex_exec/0.99.0 (Linux), gpt-5, 1 turn, 1 request, 2 attempts, 609 ms",
        "  https://api.openai.com:443/v1/responses",
        "  turn 1",
        "    request 1",
        "      first          http create (exchange 1) at 0.001 s: cut server_closed in 40 ms,"
        " 1 event, sent 118 B, got 62 B",
        "        first event after 30 ms, longest silence 30 ms",
        "      retry 1        http create (exchange 2) at 0.500 s: completed in 100 ms,"
        " 2 events, sent 118 B, got 190 B",
        "        first event after 30 ms, longest silence 70 ms",
        "        inferred: it asks for the same as request 1, attempt 1, which did not succeed"
        " (the server hung up); its input is the same",
        "gap at 0.620 s: 3 facts, 400 B lost, because a test left it out",
    ]


def test_show_events_as_json_lines(tape: Path, run: Run) -> None:
    """One object a line for each thing that crossed, in order."""
    code, out, _ = run("show", tape, "--events", "--json")
    assert code == 0
    events = [json.loads(line) for line in out.splitlines()]
    assert [
        (each["at_us"], each["exchange"], each["direction"], each["type"], each["size_bytes"])
        for each in events
    ] == [
        (1000, 1, "to_server", "http.request", 118),
        (21_000, 1, "to_client", "http.response", 0),
        (31_000, 1, "to_client", "response.created", 62),
        (41_000, 1, "to_client", "end", 0),
        (500_000, 2, "to_server", "http.request", 118),
        (520_000, 2, "to_client", "http.response", 0),
        (530_000, 2, "to_client", "response.created", 62),
        (600_000, 2, "to_client", "response.completed", 128),
        (610_000, 2, "to_client", "end", 0),
    ]


def test_events_are_told_with_what_is_missing(tape: Path, run: Run) -> None:
    """On stderr: no event stands for it."""
    code, _, err = run("show", tape, "--events")
    assert code == 0
    assert err == ("wiretape: gap at 0.620 s: 3 facts, 400 B lost, because a test left it out.\n")


def test_a_recording_that_was_cut_off_says_so(maker: TapeMaker, run: Run) -> None:
    """In all views, and where the end of an attempt is not on the tape."""
    post = maker.post(0, ask("hi"), session("s1"))
    post.head(5)
    post.events(6, created())
    maker.is_cut_off = True
    tape = maker.write()
    _, out, _ = run("show", tape)
    assert out.splitlines()[2] == "  cut off"
    assert ": open recording_cut_off, 1 event," in out
    _, out, _ = run("show", tape, "--json")
    assert json.loads(out)["is_closed"] is False
    _, _, err = run("show", tape, "--events")
    assert err == f"wiretape: {tape} is cut off.\n"


def test_an_attempt_lasts_until_its_answer_is_over(maker: TapeMaker, run: Run) -> None:
    """As on every page: that its connection stays open is no part of it."""
    post = maker.post(0, ask("hi"), session("s1"))
    post.head(5)
    post.events(12, created(), completed())
    post.end(900)
    _, out, _ = run("show", maker.write())
    assert ": completed in 12 ms, 2 events," in out


def test_a_replay_with_faults_says_so(tmp_path: Path, run: Run) -> None:
    """What failed in it was asked for."""
    label = TapeLabel("replay", 0, "monotonic", '["codex"]', "bug.db", faults='["2.5:cut"]')
    maker = TapeMaker(tmp_path / "replay.db", label=label)
    maker.post(0, ask("hi"), session("s1")).answer(5, created(), completed())
    _, out, _ = run("show", maker.write())
    assert out.splitlines()[2] == "  faults asked for: 2.5:cut"


def test_an_attempt_with_a_gap_is_marked(maker: TapeMaker, run: Run) -> None:
    """How it went on may be what is lost."""
    post = maker.post(0, ask("hi"), session("s1"))
    post.head(5)
    maker.gap(6, 7, exchange=1)
    post.end(9, EndKind.SERVER_CLOSED, Sender.SERVER)
    _, out, _ = run("show", maker.write())
    assert out.splitlines()[-2:] == [
        "        1 gap: how it went on may be what is lost",
        "gap in exchange 1 at 0.006 s: 1 fact, 100 B lost, because a test left it out",
    ]


@pytest.fixture
def busy(maker: TapeMaker) -> Path:
    """Two turns with tools, and a sub-agent that names no session of its own."""
    first, s1 = maker.post(0, ask("hi"), session("s1")), session("s1")
    first.answer(5, created(), done(call("c1")), done(call("c2", "read")), completed())
    history = ["hi", call("c1"), call("c2", "read"), output("c1", "Exit code: 2\nno")]
    maker.post(40, ask(*history), s1).answer(45, created(), completed())
    maker.post(90, ask(*history, message("done", "assistant"), "more"), s1).answer(
        95, created(), completed()
    )
    agent = (("x-openai-subagent", "review"), ("x-codex-parent-thread-id", "s1"))
    maker.post(60, ask("look at it"), agent).answer(65, created("resp_9"), completed("resp_9"))
    return maker.write()


def test_show_tells_turns_tools_and_agents(busy: Path, run: Run) -> None:
    """Tools with the time they took and how they failed; what sub-agents are, and of which
    session; what a request is for, where that is not the user's wish."""
    _, out, _ = run("show", busy)
    lines = [line for line in out.splitlines()[2:] if " at 0." not in line and "first" not in line]
    assert lines == [
        "",
        "session 1: s1",
        "  codex_exec/0.99.0 (Debian 12.0.0; x86_64) unknown, gpt-5.2-codex, 2 turns, 3 requests,"
        " 3 attempts, 2 tool calls, 97 ms",
        "  https://api.openai.com:443/v1/responses",
        "  turn 1",
        "    request 1",
        "        called exec_command (c1): output 34 ms after the call, which failed: exit code 2",
        "        called read (c2): no output on the tape",
        "    request 2",
        "  turn 2",
        "    request 3",
        "",
        "session 2: unnamed-2",
        "  codex_exec/0.99.0 (Debian 12.0.0; x86_64) unknown, gpt-5.2-codex, 1 turn, 1 request,"
        " 1 attempt, 7 ms",
        "  sub-agent review of session s1",
        "  https://api.openai.com:443/v1/responses",
        "  turn 1",
        "    request 1 (review)",
    ]


def test_show_as_json_says_the_same(busy: Path, run: Run) -> None:
    """Numbers, turns, agents and tools, for machines."""
    _, out, _ = run("show", busy, "--json")
    first, second = json.loads(out)["sessions"]
    assert first["turns"] == [{"number": 1, "id": None}, {"number": 2, "id": None}]
    assert [(each["number"], each["turn"], each["role"]) for each in first["requests"]] == [
        (1, 1, "turn"),
        (2, 1, "turn"),
        (3, 2, "turn"),
    ]
    assert first["tools"][0] == {
        "call_id": "c1",
        "name": "exec_command",
        "server": None,
        "exchange": 1,
        "message": None,
        "at_us": 6000,
        "outputs": 1,
        "took_us": 34_000,
        "failure": "exit code 2",
    }
    named = {key: second[key] for key in ("number", "id", "name", "parent", "agent")}
    assert named == {
        "number": 2,
        "id": None,
        "name": "unnamed-2",
        "parent": "s1",
        "agent": "review",
    }


@pytest.mark.parametrize(("name", "number"), [("s", 1), ("unnamed-2", 2)])
def test_show_one_session(name: str, number: int, busy: Path, run: Run) -> None:
    """By its name, or a start of it: of everything, or of its events."""
    _, out, _ = run("show", busy, "--session", name, "--json")
    assert [each["number"] for each in json.loads(out)["sessions"]] == [number]
    _, out, _ = run("show", busy, "--session", name, "--events", "--json")
    assert {json.loads(line)["exchange"] for line in out.splitlines()} == {
        1: {1, 2, 3},
        2: {4},
    }[number]


@pytest.mark.parametrize("name", ["nobody", ""])
def test_a_session_that_is_not_there_is_refused(name: str, tape: Path, run: Run) -> None:
    """With a hint at the command that lists them."""
    assert run("show", tape, "--session", name) == (
        2,
        "",
        f"wiretape: {tape} has no session {name!r}: `wiretape ls {tape}` lists its sessions.\n",
    )


def test_a_tape_that_is_being_written_is_shown(tmp_path: Path, run: Run) -> None:
    """What is on it so far, and that there will be more."""
    path = tmp_path / "live.db"
    with TapeWriter(path, TapeLabel("record", 0, "monotonic"), on_trouble=pytest.fail):
        code, out, err = run("show", path, "--events", "--json")
    assert (code, out, err) == (0, "", f"wiretape: {path} is being recorded still.\n")


@pytest.mark.parametrize("command", ["ls", "show", "diagnose"])
def test_a_warm_up_is_counted_apart(command: str, maker: TapeMaker, run: Run) -> None:
    """It asks for no answer, and is none of what was wanted."""
    socket = maker.socket(0, session("s1"))
    socket.ask(2, ask("hi", generate=False))
    socket.say(3, created("resp_1"), completed("resp_1"))
    socket.ask(4, ask(previous_response_id="resp_1"))
    socket.say(5, created("resp_2"), completed("resp_2"))
    _, out, _ = run(command, maker.write())
    assert "1 request and a warm-up" in out
