"""Tool calls and outputs, as items of the wire."""

from typing import Any

import pytest

from wiretape.tools import (
    Call,
    OutputShape,
    ToolKind,
    calls_in,
    failure_in,
    is_output,
    mcp_name,
    output_in,
)


def called(item: Any) -> tuple[str, ToolKind, str, str | None]:
    """The one call that an item makes, without its digest."""
    (call,) = calls_in(item)
    return call.call_id, call.kind, call.name, call.server


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        (
            {"type": "function_call", "call_id": "c1", "name": "exec_command", "arguments": "{}"},
            ("c1", ToolKind.FUNCTION, "exec_command", None),
        ),
        (
            {"type": "function_call", "call_id": "c1", "name": "mcp__files__read__all"},
            ("c1", ToolKind.MCP, "read__all", "files"),
        ),
        (
            {"type": "function_call", "call_id": "c1", "name": "read", "namespace": "mcp__files"},
            ("c1", ToolKind.MCP, "read", "files"),
        ),
        (
            {
                "type": "function_call",
                "call_id": "c1",
                "name": "spawn_agent",
                "namespace": "multi_agent_v1",
            },
            ("c1", ToolKind.FUNCTION, "spawn_agent", None),
        ),
        (
            {"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": "***"},
            ("c1", ToolKind.CUSTOM, "apply_patch", None),
        ),
        (
            {"type": "local_shell_call", "call_id": "c1", "action": {"type": "exec"}},
            ("c1", ToolKind.LOCAL_SHELL, "local_shell", None),
        ),
        (
            {"type": "local_shell_call", "id": "ls1", "call_id": None, "action": {}},
            ("ls1", ToolKind.LOCAL_SHELL, "local_shell", None),
        ),
        (
            {"type": "shell_call", "call_id": "c1", "action": {"commands": ["ls"]}},
            ("c1", ToolKind.SHELL, "shell", None),
        ),
        (
            {"type": "apply_patch_call", "call_id": "c1", "operation": {}},
            ("c1", ToolKind.APPLY_PATCH, "apply_patch", None),
        ),
        (
            {"type": "computer_call", "call_id": "c1", "action": {}},
            ("c1", ToolKind.COMPUTER, "computer", None),
        ),
        (
            {"type": "tool_search_call", "call_id": "c1", "arguments": {}},
            ("c1", ToolKind.TOOL_SEARCH, "tool_search", None),
        ),
    ],
)
def test_every_kind_of_call_is_read(
    item: dict[str, Any], expected: tuple[str, ToolKind, str, str | None]
) -> None:
    """Function, MCP by prefix or namespace, custom, the shells, and today's kinds."""
    assert called(item) == expected


def test_a_chat_message_may_make_several_calls() -> None:
    """``tool_calls`` of an assistant's message."""
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "a", "arguments": "{}"}},
            {"id": "c2", "type": "function", "function": {"name": "mcp__s__b", "arguments": "{}"}},
            {"type": "function", "function": {"name": "nameless"}},
        ],
    }
    assert [(call.call_id, call.kind, call.name) for call in calls_in(message)] == [
        ("c1", ToolKind.FUNCTION, "a"),
        ("c2", ToolKind.MCP, "b"),
    ]


@pytest.mark.parametrize(
    "item",
    [
        {"type": "web_search_call", "id": "ws1", "status": "completed"},
        {"type": "tool_search_call", "call_id": None, "execution": "server"},
        {"type": "function_call", "name": "no_id"},
        {"type": "message", "role": "assistant", "content": []},
        {"type": 7, "call_id": "c1"},
        "text",
        None,
    ],
)
def test_what_the_client_does_not_answer_is_no_call(item: Any) -> None:
    """Tools that the server runs itself, items without a call id, and what is no item."""
    assert list(calls_in(item)) == []


def test_equal_calls_ask_the_same() -> None:
    """The digest is of the tool and its input, not of ids."""

    def asks(**more: Any) -> str:
        item = {"type": "function_call", "call_id": "c", "name": "n", "arguments": "{}"} | more
        (call,) = calls_in(item)
        return call.asks

    assert asks() == asks(call_id="d", id="fc_1", status="completed")
    assert len({asks(), asks(name="m"), asks(arguments="[]"), asks(namespace="x")}) == 4


@pytest.mark.parametrize(
    ("name", "namespace", "expected"),
    [
        ("mcp__server__tool", None, ("server", "tool")),
        ("mcp__a_b__c_d", None, ("a_b", "c_d")),
        ("tool", "mcp__server", ("server", "tool")),
        ("tool", "mcp__server__", ("server", "tool")),
        ("mcp__server", None, None),
        ("mcp____tool", None, None),
        ("exec_command", None, None),
        ("mcp__server__tool", "other", None),
    ],
)
def test_an_mcp_tool_is_told_by_its_name(
    name: str, namespace: str | None, expected: tuple[str, str] | None
) -> None:
    """The older client joins server and tool in the name, the newer one has a namespace."""
    assert mcp_name(name, namespace) == expected


@pytest.mark.parametrize(
    ("item", "shape", "size_bytes"),
    [
        ({"type": "function_call_output", "output": "né"}, OutputShape.STRING, 3),
        ({"type": "custom_tool_call_output", "output": "ok"}, OutputShape.STRING, 2),
        (
            {
                "type": "function_call_output",
                "output": [
                    {"type": "input_text", "text": "see"},
                    {"type": "input_image", "image_url": "data:,"},
                ],
            },
            OutputShape.ITEMS,
            9,
        ),
        (
            {"type": "function_call_output", "output": {"content": "no", "success": False}},
            OutputShape.OBJECT,
            2,
        ),
        ({"type": "tool_search_output", "tools": []}, OutputShape.STRING, 0),
    ],
)
def test_an_output_is_a_string_or_items(
    item: dict[str, Any], shape: OutputShape, size_bytes: int
) -> None:
    """The wire's shape, and how much text and image there is."""
    found = output_in(item | {"call_id": "c1"})
    assert found is not None
    assert (found.call_id, found.shape, found.size_bytes) == ("c1", shape, size_bytes)


def test_a_chat_tool_message_is_an_output() -> None:
    """By ``tool_call_id`` and ``content``."""
    item = {"role": "tool", "tool_call_id": "c1", "content": "Exit code: 1\nWall time: 0 seconds"}
    found = output_in(item)
    assert found is not None
    assert (found.call_id, found.failure) == ("c1", "exit code 1")
    assert is_output(item)


@pytest.mark.parametrize(
    "item",
    [
        {"type": "function_call", "call_id": "c1"},
        {"type": "function_call_output", "output": "whose?"},
        {"type": "message", "role": "user", "content": "x"},
        "text",
    ],
)
def test_what_gives_nothing_back_is_no_output(item: Any) -> None:
    """Any other item, and an output of no call."""
    assert output_in(item) is None


def test_equal_outputs_say_the_same() -> None:
    """The digest is of what the tool gave."""
    one = output_in({"type": "function_call_output", "call_id": "a", "output": "x", "id": "1"})
    same = output_in({"type": "function_call_output", "call_id": "b", "output": "x"})
    other = output_in({"type": "function_call_output", "call_id": "a", "output": "y"})
    assert one is not None and same is not None and other is not None
    assert one.says == same.says != other.says


EXEC = "Chunk ID: 45dd66\nWall time: 0.0511 seconds\nProcess exited with code {}\nOutput:\n"


@pytest.mark.parametrize(
    ("given", "failure"),
    [
        (EXEC.format(3), "exit code 3"),
        (EXEC.format(0), None),
        (EXEC.format(-9).removeprefix("Chunk ID: 45dd66\n"), "exit code -9"),
        ("Wall time: 1 seconds\nProcess running with session ID 7\nOutput:\n", None),
        ("Exit code: 127\nWall time: 0 seconds\nOutput:\n", "exit code 127"),
        ("Exit code: 0\nWall time: 0 seconds\nOutput:\nExit code: 1\n", None),
        ('{"output":"x","metadata":{"exit_code":2,"duration_seconds":0.1}}', "exit code 2"),
        ('{"output":"x","metadata":{"exit_code":0,"duration_seconds":0.1}}', None),
        ('{"agent_id":"a","nickname":"b"}', None),
        ("{not json", None),
        ("unsupported call: nothing", "unsupported call"),
        ("unsupported custom tool call: nothing", "unsupported custom tool call"),
        (
            "failed to parse function arguments: key must be a string",
            "failed to parse function arguments",
        ),
        ("apply_patch verification failed: invalid patch", "apply_patch verification failed"),
        ("exec_command failed: no such file", "exec_command failed"),
        ("tool call error: timed out", "tool call error"),
        ("execution error: Io", "execution error"),
        ("exec command rejected by user", "rejected by user"),
        ("aborted", "aborted"),
        ("aborted by user after 1.2s", "aborted"),
        ("aborted missions of the navy", None),
        ("done", None),
        ("", None),
        (
            [
                {"type": "input_text", "text": "Script failed\nWall time 0.0 seconds\nOutput:\n"},
                {"type": "input_text", "text": "Script error:\nError: boom"},
            ],
            "script failed",
        ),
        (
            [{"type": "input_text", "text": "Script completed\nWall time 0.0 seconds\n"}],
            None,
        ),
        ({"content": "no", "success": False}, "success: false"),
        ({"content": "yes", "success": True}, None),
        ({"content": "Exit code: 1\nWall time"}, "exit code 1"),
        (
            [{"stdout": "", "stderr": "", "outcome": {"type": "exit", "exit_code": 4}}],
            "exit code 4",
        ),
        ([{"stdout": "", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}], None),
        ([{"stdout": "", "stderr": "", "outcome": {"type": "timeout"}}], "timed out"),
        (None, None),
    ],
)
def test_a_failure_is_read_where_the_wire_shows_it(given: Any, failure: str | None) -> None:
    """Exit codes in today's texts, ``success: false``, and words that only a failure has."""
    item = {"type": "function_call_output", "call_id": "c1", "output": given}
    assert failure_in(item) == failure


def test_a_failure_may_be_the_status_of_an_output() -> None:
    """As in an ``apply_patch_call_output``."""
    assert failure_in({"status": "failed", "output": "x"}) == "status: failed"
    assert failure_in({"status": "completed", "output": "x"}) is None


def test_a_call_keeps_what_it_asks_short() -> None:
    """Sixteen digits, whatever the size of the input."""
    item = {"type": "custom_tool_call", "call_id": "c", "name": "p", "input": "x" * 100_000}
    (call,) = calls_in(item)
    assert isinstance(call, Call)
    assert len(call.asks) == 16
