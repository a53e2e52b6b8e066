"""Calls that print what was recorded, wherever they stand on a tape."""

import json
import subprocess
from typing import Any

import pytest
import zstandard
from bent_scripts import bent_script, script
from tape_facts import LABEL, answer, asked, head

from replayer.chats.bending import as_responses
from replayer.tools.calls import rewritten
from replayer.tools.rewriting import tools_recorded
from wiretape.recording import Recording, WholeExchange

OUTPUT = "Exit code: 3\nWall time: 0 seconds\nOutput:\nit's one\n"
PRINTS = "printf %s 'it'\"'\"'s one\n'; exit 3"
CALL = {"type": "function_call", "id": "i", "call_id": "c", "name": "shell_command"}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "function_call", "name": name, "arguments": json.dumps(arguments)}


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (
            call("exec_command", cmd="make", workdir="/x", tty=True, yield_time_ms=9, login=False),
            {"cmd": PRINTS, "login": False, "yield_time_ms": 9},
        ),
        (
            call("shell_command", command="make", workdir="/x", timeout_ms=9),
            {"command": PRINTS, "timeout_ms": 9},
        ),
        (call("shell", command=["make"], justification="why"), {"command": ["sh", "-c", PRINTS]}),
        (call("local_shell", command=["make"]), {"command": ["sh", "-c", PRINTS]}),
    ],
)
def test_functions_print(item: dict[str, Any], expected: dict[str, Any]) -> None:
    """Where they ran, and what they were allowed, is not needed any more."""
    found = rewritten(item, OUTPUT)
    assert found is not None
    assert json.loads(found.members["arguments"]) == expected
    assert found.members.keys() == {"arguments"}


def test_input_to_a_command_is_a_command() -> None:
    """What was written to one that goes on would be written to nobody."""
    found = rewritten(call("write_stdin", session_id=1, chars="rm -r x\n"), OUTPUT)
    assert found is not None
    assert found.members == {"name": "exec_command", "arguments": json.dumps({"cmd": PRINTS})}


def test_a_local_shell_call_prints() -> None:
    """Its command is an action."""
    action = {"type": "exec", "command": ["make"], "working_directory": "/x", "timeout_ms": 9}
    found = rewritten({"type": "local_shell_call", "action": action}, OUTPUT)
    assert found is not None
    command = ["sh", "-c", PRINTS]
    assert found.members == {"action": {"type": "exec", "timeout_ms": 9, "command": command}}


def test_a_script_shows_its_texts() -> None:
    """No tool is called in it."""
    item = {"type": "custom_tool_call", "name": "exec", "input": "await tools.exec_command({})"}
    found = rewritten(item, "Script completed\nWall time 0.1 seconds\nOutput:\none\n")
    assert found is not None
    assert found.members == {"input": 'text("one\\n");\n'}


def test_a_script_throws_what_it_threw() -> None:
    """In the words of the client, after what it had shown; as long as it was."""
    item = {"type": "custom_tool_call", "name": "exec", "input": "await tools.exec_command({})"}
    failed = "Script failed\nWall time 0.1 seconds\nOutput:\n"
    long = (
        "Warning: truncated output (original token count: 10)\nTotal output lines: 1\n\n"
        "a…7 tokens truncated…b"
    )
    parts = [failed, long, 'Script error:\nE: "x"\n at y']
    found = rewritten(item, [{"type": "input_text", "text": part} for part in parts])
    assert found is not None
    script_text = found.members["input"]
    assert script_text.startswith('text("a" + "')
    assert '"x".repeat(' in script_text
    assert script_text.endswith(' + "b");\nthrow "E: \\"x\\"\\n at y";\n')


@pytest.mark.parametrize(
    ("parts", "script_text"),
    [(False, "// It showed nothing.\n"), (True, 'text("");\n')],
)
def test_a_script_may_have_shown_nothing(parts: bool, script_text: str) -> None:
    """The client refuses one that is empty; and an empty text makes a list of the output."""
    item = {"type": "custom_tool_call", "name": "exec", "input": "1"}
    said = "Script completed\nWall time 0.1 seconds\nOutput:\n"
    found = rewritten(item, [{"type": "input_text", "text": said}] if parts else said)
    assert found is not None
    assert found.members == {"input": script_text}


@pytest.mark.parametrize(
    "item",
    [
        call("update_plan"),
        {"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin Patch"},
        {**call("exec_command", cmd="x"), "namespace": "mcp__machine"},
    ],
)
def test_other_tools_stay(item: dict[str, Any]) -> None:
    """There is nothing that prints in their place."""
    assert rewritten(item, "done") is None


@pytest.mark.parametrize(
    "item",
    [
        call("shell_command", command="apply_patch <<'EOF'\n*** Begin Patch"),
        call("exec_command", cmd="cd /x && apply_patch <<'EOF'\n*** Begin Patch"),
        call("shell", command=["apply_patch", "*** Begin Patch"]),
        call("shell", command=["bash", "-lc", "applypatch <<'EOF'"]),
        {"type": "local_shell_call", "action": {"command": ["apply_patch", "*** Begin Patch"]}},
    ],
)
def test_a_patch_that_the_client_applied_is_doubtful(item: dict[str, Any]) -> None:
    """No shell had run, so what it words of one is not what it worded then."""
    found = rewritten(item, OUTPUT)
    assert found is not None
    assert found.doubt == "the client had applied a patch by itself"


def test_a_command_about_patches_is_a_command() -> None:
    """Only what begins so is applied by the client."""
    found = rewritten(call("shell_command", command="git log # apply_patch"), OUTPUT)
    assert found is not None
    assert found.doubt is None


def test_bytes_that_are_no_characters_are_printed() -> None:
    """As many as the recorded client counted."""
    output = (
        "Chunk ID: a\nWall time: 0 seconds\nProcess exited with code 0\n"
        "Original token count: 1\nOutput:\na\ufffd\ufffdb"
    )
    found = rewritten(call("exec_command", cmd="x"), output)
    assert found is not None
    command = json.loads(found.members["arguments"])["cmd"]
    ran = subprocess.run(["sh", "-c", command], capture_output=True, check=True)
    assert (ran.stdout, found.doubt) == (b"a\xff\xffb", None)


@pytest.mark.parametrize("text", ["it's one\n", "no end", "", "%s %d \\n \\\\", "naïve\u2028✓"])
def test_a_shell_prints_the_text(text: str) -> None:
    """To the byte, and exits with the code."""
    output = f"Exit code: 3\nWall time: 0 seconds\nOutput:\n{text}"
    found = rewritten(call("shell"), output)
    assert found is not None
    ran = subprocess.run(
        json.loads(found.members["arguments"])["command"], capture_output=True, check=False
    )
    assert (ran.stdout.decode(), ran.returncode) == (text, 3)


def test_what_is_too_long_is_cut() -> None:
    """No system takes an argument of any length."""
    found = rewritten(
        call("shell"), f"Exit code: 0\nWall time: 0 seconds\nOutput:\n{'x' * 200_000}"
    )
    assert found is not None
    assert len(found.members["arguments"]) < 101_000
    assert found.doubt == "its output is too long to be printed"


RECORDED = script(
    "- request: POST /v1/responses",
    '  body: {"input":[]}',
    "  steps:",
    '  - {"type":"response.output_item.added","item":{"type":"function_call","id":"i",'
    '"call_id":"c","name":"shell_command","arguments":""}}',
    '  - {"type":"response.function_call_arguments.delta","item_id":"i","delta":"{\\"comm"}',
    '  - {"type":"response.function_call_arguments.delta","item_id":"i","delta":"and\\"}"}',
    '  - {"type":"response.function_call_arguments.done","item_id":"i","arguments":"{}"}',
    '  - {"type":"response.output_item.done","item":{"type":"function_call","id":"i",'
    '"call_id":"c","name":"shell_command","arguments":"{}"}}',
    '  - {"type":"response.completed","response":{"output":[{"type":"function_call",'
    '"call_id":"c","name":"shell_command","arguments":"{}"}]}}',
    "- request: POST /v1/responses",
    '  body: {"input":[{"type":"function_call","call_id":"c","name":"shell_command",'
    '"arguments":"{}"},{"type":"function_call_output","call_id":"c","output":'
    '"Exit code: 0\\nWall time: 0 seconds\\nOutput:\\none"},{"type":"custom_tool_call",'
    '"call_id":"p","name":"apply_patch","input":"x"}]}',
    "  steps: []",
)
ARGUMENTS = r'"arguments":"{\"command\": \"printf %s one\"}"'


def test_a_call_is_rewritten_everywhere() -> None:
    """In each event that says some of it, and in the requests that repeat it; once it is said, it
    is not said again in parts. Outputs stay."""
    found, told = bent_script(RECORDED, [tools_recorded()])
    events = [line for line in found if line.startswith("  - ")]
    assert len(events) == 5
    assert '"arguments":""' in events[0]
    assert events[1].endswith(r'"delta":"{\"command\": \"printf %s one\"}"}')
    assert all(ARGUMENTS in event for event in events[2:])
    (body,) = (line for line in found if line.startswith('  body: {"input": [{'))
    assert ARGUMENTS.replace('":"', '": "', 1) in body
    assert "Exit code: 0" in body
    assert told == [
        "calls that print what was recorded instead: shell_command (c)",
        "calls that run, because they cannot be rewritten: apply_patch (p)",
    ]


def test_where_there_is_no_call_it_is_said() -> None:
    """Whoever asked for it need not wonder what came of it; nobody else is told."""
    nothing = script("- request: POST /v1/responses", "  steps: []")
    asked_for = tools_recorded(is_asked_for=True)
    assert bent_script(nothing, [asked_for])[1] == ["there is no tool call to rewrite"]
    assert bent_script(nothing, [tools_recorded()])[1] == []


def test_what_never_ran_is_left_alone() -> None:
    """It comes to nothing again."""
    never = RECORDED.replace(
        "Exit code: 0\\nWall time: 0 seconds\\nOutput:\\none", "unsupported call: c"
    )
    found, told = bent_script(never, [tools_recorded()])
    assert found == bent_script(never, [])[0]
    assert told == ["calls that run, because they cannot be rewritten: apply_patch (p)"]


def test_a_call_without_output_prints_nothing() -> None:
    """The client would have run it."""
    never = RECORDED.replace("function_call_output", "function_call_forgotten")
    _, told = bent_script(never, [tools_recorded()])
    assert told[-1] == (
        "what these calls give may differ, because no output of it was recorded: shell_command (c)"
    )


def test_a_call_with_two_outputs_is_doubtful() -> None:
    """A script may say something before it ends: only what it showed in the end is shown again."""
    output = '{"type":"function_call_output","call_id":"c","output":'
    twice = RECORDED.replace(output, f'{output}"Exit code: 0"}},{output}', 1)
    assert twice != RECORDED
    _, told = bent_script(twice, [tools_recorded()])
    assert told[-1] == (
        "what these calls give may differ, because it gave more than one output: shell_command (c)"
    )


def test_a_chat_says_what_its_tools_gave() -> None:
    """Though the translated requests do not."""
    chat = script(
        "- request: POST /v1/chat/completions",
        '  body: {"messages":[]}',
        "  steps:",
        '  - data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":'
        '{"name":"shell","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}',
        "- request: POST /v1/chat/completions",
        '  body: {"messages":[{"role":"tool","tool_call_id":"c","content":'
        '"Exit code: 0\\nWall time: 0 seconds\\nOutput:\\none"}]}',
    )
    found, told = bent_script(chat, [tools_recorded(as_responses())])
    assert sum("printf %s one" in line for line in found) == 1
    assert told[1:] == ["calls that print what was recorded instead: shell (c)"]


def test_a_compressed_request_is_compressed_again() -> None:
    """Its headers still tell the truth."""
    item = {"type": "function_call", "call_id": "c", "name": "shell", "arguments": "{}"}
    body = zstandard.compress(json.dumps({"input": [item]}).encode())
    exchange = WholeExchange(head(1, 0, (("content-encoding", "zstd"),)), asked(1, body), answer(1))
    (bent,) = tools_recorded()(Recording(LABEL, (exchange,))).exchanges
    assert bent.body is not None
    (said,) = json.loads(zstandard.decompress(bent.body.data))["input"]
    assert json.loads(said["arguments"]) == {"command": ["sh", "-c", "printf %s ''"]}
