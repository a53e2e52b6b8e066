"""The provider's streams are Responses streams, whole and the same every time."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from openai.types.responses import ResponseStreamEvent
from provider_events import events
from provider_script import Content, Event, Fail, Run, Say, WarmUp, Written
from provider_tools import ToolCall, offered, run_command
from pydantic import TypeAdapter
from situations import ANSWER, IN_THE_TEXT

SUPPORT = Path(__file__).parents[1] / "support"


def types(stream: tuple[Event, ...]) -> list[str]:
    """The types of the events, each run of the same one counted once."""
    names = [event["type"] for event in stream if isinstance(event, dict)]
    return [
        str(name) for name, before in zip(names, [None, *names], strict=False) if name != before
    ]


THINKING = [
    "response.output_item.added",
    "response.reasoning_summary_part.added",
    "response.reasoning_summary_text.delta",
    "response.reasoning_summary_text.done",
    "response.reasoning_summary_part.done",
    "response.output_item.done",
]
BEGINNING = ["codex.rate_limits", "response.created", "response.in_progress"]


def test_answer_is_a_whole_response() -> None:
    """An answer begins, thinks, says its text in deltas, and completes."""
    assert types(events(Say(ANSWER), 1, ())) == [
        *BEGINNING,
        *THINKING,
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]


def test_tool_call_is_a_whole_response() -> None:
    """A command begins, thinks, calls a tool with arguments in deltas, and completes."""
    assert types(events(Run("echo one"), 1, ("exec_command",))) == [
        *BEGINNING,
        *THINKING,
        "response.output_item.added",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
        "response.completed",
    ]


def test_warm_up_says_nothing() -> None:
    """A warm-up is answered by a response without output."""
    stream = events(WarmUp(), 1, ())
    assert types(stream) == [*BEGINNING, "response.completed"]
    assert response(stream[-1])["output"] == []


def test_failure_names_code_and_message() -> None:
    """A failure begins, then fails with the script's code and message."""
    stream = events(Fail("server_error", "Words."), 1, ())
    assert types(stream) == [*BEGINNING, "response.failed"]
    assert response(stream[-1])["error"] == {"code": "server_error", "message": "Words."}


def test_deltas_add_up_to_the_text() -> None:
    """The deltas together are the answer, and so is the text of the item in the end."""
    stream = [event for event in events(Say(ANSWER), 1, ()) if isinstance(event, dict)]
    deltas = [event["delta"] for event in stream if event["type"] == "response.output_text.delta"]
    assert len(deltas) > 2
    assert "".join(map(str, deltas)) == ANSWER
    assert response(stream[-1])["output"][1]["content"][0]["text"] == ANSWER


def test_usage_is_told_at_the_end() -> None:
    """The completed response carries its tokens; the created one has none."""
    stream = events(Say(ANSWER), 1, ())
    assert response(stream[1])["usage"] is None
    assert response(stream[-1])["usage"]["total_tokens"] == 154


def test_ids_follow_from_the_number() -> None:
    """Identifiers depend on the number of the request, and on nothing else."""
    stream = events(Run("echo one"), 7, ("exec_command",))
    call = response(stream[-1])["output"][1]
    assert response(stream[-1])["id"] == "resp_0007"
    assert (call["id"], call["call_id"]) == ("fc_0007_1", "call_0007_1")
    assert stream == events(Run("echo one"), 7, ("exec_command",))


def test_events_are_numbered() -> None:
    """Responses events carry 0, 1, 2 and so on; the event of another kind before them does not."""
    stream = [event for event in events(Say(ANSWER), 1, ()) if isinstance(event, dict)]
    numbers = [event.get("sequence_number") for event in stream]
    assert numbers == [None, *range(len(stream) - 1)]


@pytest.mark.parametrize("content", [Say(ANSWER), Run("echo one"), WarmUp()])
@pytest.mark.parametrize("tools", [("exec_command",), ("exec",)])
def test_events_have_the_public_shape(content: Content, tools: tuple[str, ...]) -> None:
    """The official types accept each event of a Responses stream."""
    public: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)
    for event in events(content, 1, tools):
        if isinstance(event, dict) and str(event["type"]).startswith("response."):
            public.validate_python(event)


def test_answers_hold_a_line_separator() -> None:
    """Every answer has U+2028 inside a string: a reader that cuts lines there must fail."""
    assert any(
        "\u2028" in str(event["delta"])
        for event in events(Run("echo one"), 1, ("exec_command",))
        if isinstance(event, dict) and "delta" in event
    )


def test_written_events_are_left_alone() -> None:
    """What the script writes out is said as it stands."""
    written: tuple[Event, ...] = ({"type": "x"}, "not json", b"\x00")
    assert events(Written(written), 1, ()) == written


def test_cut_falls_into_the_text() -> None:
    """The situations that cut an answer do so after its thought and within its text."""
    stream = [event for event in events(Say(ANSWER), 1, ()) if isinstance(event, dict)]
    kept, lost = stream[:IN_THE_TEXT], stream[IN_THE_TEXT:]
    assert kept[-1]["type"] == lost[0]["type"] == "response.output_text.delta"


@pytest.mark.parametrize(
    ("tools", "call"),
    [
        (
            ("write_stdin", "exec_command"),
            ToolCall("exec_command", '{"cmd": "echo 1", "login": false}'),
        ),
        (("shell_command",), ToolCall("shell_command", '{"command": "echo 1", "login": false}')),
        (("shell",), ToolCall("shell", '{"command": ["bash", "-c", "echo 1"]}')),
        (
            ("exec", "wait"),
            ToolCall(
                "exec",
                'const run = await tools.exec_command({"cmd": "echo 1", "login": false});\n'
                "text(run.output);\n",
                is_custom=True,
            ),
        ),
    ],
)
def test_offered_tool_is_called(tools: tuple[str, ...], call: ToolCall) -> None:
    """A command is run by the tool that the client offers, with that tool's arguments."""
    assert run_command(tools, "echo 1") == call


def test_no_tool_is_an_error() -> None:
    """A command cannot be run by a client that offers nothing to run it with."""
    with pytest.raises(LookupError, match=r"no tool that runs a command, only \['view_image'\]"):
        run_command(("view_image",), "echo 1")


def test_custom_tool_gets_free_text() -> None:
    """The tool that runs JavaScript is called with source text, not with JSON arguments."""
    stream = events(Run("echo one"), 1, ("exec",))
    call = response(stream[-1])["output"][1]
    assert (call["type"], call["name"]) == ("custom_tool_call", "exec")
    assert call["input"].startswith("const run = await tools.exec_command(")


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({"tools": [{"type": "function", "name": "shell"}, {"type": "web_search"}]}, ("shell",)),
        (
            {
                "input": [
                    {"type": "message", "content": []},
                    {
                        "type": "additional_tools",
                        "tools": [
                            {
                                "type": "namespace",
                                "name": "functions",
                                "tools": [{"type": "custom", "name": "exec"}],
                            }
                        ],
                    },
                ]
            },
            ("exec",),
        ),
        ({"input": []}, ()),
        (None, ()),
    ],
    ids=["tools", "additional-tools", "neither", "no-body"],
)
def test_offered_tools_are_found(body: Any, names: tuple[str, ...]) -> None:
    """Tools stand in the body or in an item of its input, alone or in a namespace."""
    assert offered(body) == names


def test_provider_shares_nothing_with_the_rooms() -> None:
    """No module of the provider imports a room: it must not repeat the player's mistakes."""
    modules = [*SUPPORT.glob("provider*.py"), SUPPORT / "situations.py"]
    assert len(modules) > 5
    for module in modules:
        imported = re.findall(r"^\s*(?:from|import) (\w+)", module.read_text(), re.MULTILINE)
        assert not {"wiretape", "gateway", "recorder", "replayer"} & set(imported), module


def response(event: Event) -> dict[str, Any]:
    """The response inside an event."""
    held: dict[str, Any] = json.loads(json.dumps(event))["response"]
    return held
