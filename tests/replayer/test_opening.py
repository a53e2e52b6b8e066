"""Sessions of a tape, found again in what bends made of it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from bent_scripts import script
from replay_runs import Ran
from replay_runs import asking as asking_for

from replayer.bends.options import bends_for
from replayer.opening import only_these

type Run = Callable[..., Ran]

UPGRADE = "  headers: {upgrade: websocket, session-id: s, user-agent: codex_exec/0.169.0}"
NAMED = "  headers: {session-id: s, user-agent: codex_exec/0.169.0}"
CREATE = '{"type":"response.create","input":[{"type":"message","role":"user","content":"%s"}]}'
DONE = '  - {"type":"response.completed","response":{"id":"r"}}'
SOCKET = [
    "- request: websocket /v1/responses",
    UPGRADE,
    "  steps:",
    '  - client: {"type":"response.create","generate":false,"input":[]}',
    DONE,
    f"  - client: {CREATE.replace('%s', 'a')}",
    DONE,
    f"  - client: {CREATE.replace('%s', 'b')}",
    DONE,
]
CHAT = [
    "- request: POST /v1/chat/completions",
    '  body: {"messages":[{"role":"user","content":"%s"}]}',
    "  steps:",
    '  - data: {"id":"c","choices":[{"delta":{"content":"Hi."},"finish_reason":"stop"}]}',
    "  - data: '[DONE]'",
]


POST = [
    "- request: POST /v1/responses",
    NAMED,
    '  body: {"input":[{"type":"message","role":"user","content":"%s"}]}',
    "  steps:",
    DONE,
]


def about(text: str, *lines: str) -> list[str]:
    return [line.replace("%s", text) for line in lines]


def post(text: str) -> list[str]:
    return about(text, *POST)


def chat(text: str) -> list[str]:
    return about(text, *CHAT)


@pytest.mark.parametrize(
    ("lines", "wire_api", "transport", "places"),
    [
        (SOCKET, "recorded", "recorded", {1: [(1, 0)], 2: [(1, 1)], 3: [(1, 2)]}),
        (SOCKET, "recorded", "sse", {2: [(3, None)], 3: [(4, None)]}),
        ([*post("a"), *post("b")], "recorded", "websocket", {1: [(1, 1)], 2: [(1, 2)]}),
        ([*post("a"), *post("b")], "recorded", "sse", {1: [(1, None)], 2: [(2, None)]}),
        (chat("a"), "responses", "recorded", {1: [(1, None)]}),
        (chat("a"), "responses", "websocket", {1: [(1, 0)]}),
    ],
    ids=["as recorded", "onto HTTP", "onto a socket", "on HTTP", "of a chat", "of a chat, too"],
)
def test_requests_keep_their_numbers(
    lines: list[str],
    wire_api: str,
    transport: str,
    places: dict[int, list[tuple[int, int | None]]],
    tmp_path: Path,
) -> None:
    """What a bend puts in is none, and what it leaves out is gone."""
    tape = tmp_path / "a.script"
    tape.write_text(script(*lines))
    _, (session,) = only_these(tape, (), bends_for(wire_api, transport, "run"), lambda _: None)
    assert session.number == 1
    found = {
        request.number: [(each.attempt.exchange, each.attempt.message) for each in request.tries]
        for request in session.requests
    }
    assert found == places


def test_a_session_keeps_its_name(tmp_path: Path) -> None:
    """Though there are fewer after the bends, and refusals of sockets beside them."""
    tape = tmp_path / "a.script"
    tape.write_text(script(*chat("a"), *chat("b")))
    bends = bends_for("responses", "recorded", "run")
    recording, (session,) = only_these(tape, ("unnamed-2",), bends, lambda _: None)
    assert (session.name, session.requests[0].last.exchange) == ("unnamed-2", 2)
    posts = [each for each in recording.exchanges if not each.request.is_upgrade]
    assert [each.id for each in posts] == [2]


def test_a_fault_is_where_show_counts_it(run: Run, tmp_path: Path) -> None:
    """The report names what is on the tape, too, and nothing that was put in."""
    tape = tmp_path / "a.script"
    tape.write_text(script(*SOCKET))
    ran = run(tape, "--transport", "sse", "--fault", "3:status=418", *asking_for("a", "b"))
    assert [each[0] for each in ran.answers] == [200, 418]
    assert "recorded as exchange 1, message 1\n" in ran.stderr
    assert "recorded as exchange 1, message 2\n" in ran.stderr
    assert "note: the fault 3:status=418 was met 1 time\n" in ran.stderr


def test_a_fault_on_what_was_left_out_is_refused(run: Run, tmp_path: Path) -> None:
    """Nobody warms up over HTTP."""
    tape = tmp_path / "a.script"
    tape.write_text(script(*SOCKET))
    ran = run(tape, "--transport", "sse", "--fault", "1:cut", *asking_for("a"))
    assert (ran.exit_code, ran.stderr) == (
        2,
        "wiretape: the fault '1:cut' hits nothing: of requests, session 1 has only 2, 3 here; "
        "`wiretape show` counts them.\n",
    )


def test_a_chat_can_have_faults(run: Run, tmp_path: Path) -> None:
    """They find its requests as those of any other recording; the next try is answered."""
    tape = tmp_path / "a.script"
    tape.write_text(script(*chat("a")))
    ran = run(tape, "--wire-api", "responses", "--fault", "1:status=418", *asking_for("a", "a"))
    assert [each[0] for each in ran.answers] == [418, 200]
