"""Chat recordings, replayed to real clients that speak the Responses API only."""

from collections.abc import Callable
from pathlib import Path

import pytest
from cells import WIRETAPE
from codex_run import run_codex
from situations import Transport, Version

pytestmark = pytest.mark.codex

PROMPT = '{"role":"system","content":"You are old."},{"role":"user","content":"say hello"}'
ROUND = (
    '{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function",'
    '"function":{"name":"exec_command","arguments":"{\\"cmd\\": \\"echo one\\"}"}}]},'
    '{"role":"tool","tool_call_id":"call_1","content":"Chunk ID: 1\\nWall time: 0.1 seconds\\n'
    'Process exited with code 0\\nOriginal token count: 1\\nOutput:\\none\\n"}'
)
ASK = f'- request: POST /v1/chat/completions\n  body: {{"messages":[{PROMPT}]}}\n'
ASK_AGAIN = f'- request: POST /v1/chat/completions\n  body: {{"messages":[{PROMPT},{ROUND}]}}\n'
CALL = (
    '  - data: {"id":"c1","choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_1",'
    '"function":{"name":"exec_command","arguments":"{\\"cmd\\": \\"echo o"}}]}}]}\n'
    '  - data: {"id":"c1","choices":[{"delta":{"tool_calls":[{"index":0,"function":'
    '{"arguments":"ne\\"}"}}]}}]}\n'
    '  - data: {"id":"c1","choices":[{"delta":{},"finish_reason":"tool_calls"}]}\n'
)
SAY = (
    '  - data: {"id":"c2","choices":[{"delta":{"content":"Hello "}}]}\n'
    '  - data: {"id":"c2","choices":[{"delta":{"content":"from chat."}}]}\n'
)
STOP = '  - data: {"id":"c2","choices":[{"delta":{},"finish_reason":"stop"}]}\n'
TAPE = (
    "wiretape_script: 1\nexchanges:\n"
    f"{ASK}  steps:\n{CALL}"
    f"{ASK_AGAIN}  steps:\n{SAY}  end: server_closed\n"
    f"{ASK_AGAIN}  steps:\n{SAY}{STOP}"
)


@pytest.mark.parametrize("wire_api", ["responses", "responses-aggregated"])
@pytest.mark.parametrize("transport", Transport)
@pytest.mark.parametrize("version", Version)
def test_a_chat_session_is_lived_through(
    version: Version,
    transport: Transport,
    wire_api: str,
    codex: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    """A tool round, a cut stream that is tried again, and the answer."""
    tape = tmp_path / "chat.script"
    tape.write_text(TAPE)
    run = run_codex(
        codex(version),
        "say hello",
        base_url="http://127.0.0.1:9/v1",
        transport=transport,
        home=tmp_path / "home",
        cwd=tmp_path / "cwd",
        command_prefix=[WIRETAPE, "replay", str(tape), "--wire-api", wire_api, "--"],
        environment={"WIRETAPE_CA_DIR": str(tmp_path / "ca")},
    )
    assert run.exit_code == 0
    assert run.final_message == "Hello from chat."
    assert [
        event["item"]["aggregated_output"]
        for event in run.events
        if event["type"] == "item.completed" and event["item"]["type"] == "command_execution"
    ] == ["one\n"]
    assert sum("Reconnecting..." in said for said in run.complaints) == 1
    assert " 0 different, 0 unexpected, 0 not asked" in run.stderr


@pytest.mark.parametrize("version", Version)
def test_what_is_asked_otherwise_is_told(
    version: Version, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """The user's words, in the first request and in those that repeat them."""
    tape = tmp_path / "chat.script"
    tape.write_text(TAPE)
    run = run_codex(
        codex(version),
        "say goodbye",
        base_url="http://127.0.0.1:9/v1",
        transport=Transport.SSE,
        home=tmp_path / "home",
        cwd=tmp_path / "cwd",
        command_prefix=[WIRETAPE, "replay", str(tape), "--wire-api", "responses", "--"],
        environment={"WIRETAPE_CA_DIR": str(tmp_path / "ca")},
    )
    assert run.final_message == "Hello from chat."
    assert 'text was "say hello" and is "say goodbye"' in run.stderr
    assert " 3 different, 0 unexpected, 0 not asked" in run.stderr
