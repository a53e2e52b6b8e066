"""Document 004: the tool loop, and what a round repeats of the one before."""

import asyncio
from itertools import count
from typing import Any

import pytest

from replayer.reference.client import ReferenceClient
from replayer.reference.conversation import is_said_by_model, output_item, sent_back
from replayer.reference.task import Task, identity
from wiretape.client.actions import Fail
from wiretape.client.config import Config, Provider
from wiretape.client.dialects import DOCUMENTED
from wiretape.client.turn import Output
from wiretape.client.wire import Input, Opened, Said
from wiretape.facts import Headers
from wiretape.jsontext import JsonObject

CUSTOM = {"type": "custom_tool_call", "call_id": "c2", "name": "exec", "input": ""}
SHELL = {"type": "local_shell_call", "id": "ls_1", "call_id": None}
CALL = {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": "{}"}


@pytest.mark.parametrize(
    ("item", "repeated"),
    [
        (
            {
                "type": "message",
                "id": "msg_1",
                "status": "completed",
                "role": "assistant",
                "content": [
                    {"type": "output_text", "text": "hi", "annotations": [], "logprobs": []}
                ],
            },
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "hi"}],
            },
        ),
        ({**CALL, "id": "fc_1", "status": "completed"}, CALL),
        (
            {
                "type": "custom_tool_call",
                "id": "ctc_1",
                "call_id": "c1",
                "name": "exec",
                "input": "",
            },
            {"type": "custom_tool_call", "call_id": "c1", "name": "exec", "input": ""},
        ),
        (
            {
                "type": "reasoning",
                "id": "rs_1",
                "summary": [{"type": "summary_text", "text": "hm"}],
                "content": None,
                "encrypted_content": "gAAAA",
            },
            {
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": "hm"}],
                "encrypted_content": "gAAAA",
            },
        ),
        (
            {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"q": 1}},
            {"type": "web_search_call", "action": {"q": 1}},
        ),
    ],
    ids=lambda item: item["type"],
)
def test_an_item_is_repeated_without_what_is_the_servers_own(
    item: dict[str, Any], repeated: dict[str, Any]
) -> None:
    """What an item says goes back; its id and its state do not."""
    assert sent_back(item) == repeated


@pytest.mark.parametrize(
    ("call", "kind", "call_id"),
    [
        (CALL, "function_call_output", "c1"),
        ({"type": "custom_tool_call", "call_id": "c2"}, "custom_tool_call_output", "c2"),
        (
            {"type": "local_shell_call", "id": "ls_1", "call_id": None},
            "function_call_output",
            "ls_1",
        ),
    ],
)
def test_an_output_is_of_the_kind_of_its_call(
    call: dict[str, Any], kind: str, call_id: str
) -> None:
    """Document 001 §3.2: a custom tool's output has a type of its own, and all name their call."""
    assert output_item(call, "done") == {"type": kind, "call_id": call_id, "output": "done"}


@pytest.mark.parametrize(
    ("item", "is_models"),
    [
        (CALL, True),
        ({"type": "reasoning"}, True),
        ({"type": "message", "role": "assistant"}, True),
        ({"type": "message", "role": "user"}, False),
        ({"type": "function_call_output"}, False),
        ({"type": "additional_tools"}, False),
    ],
)
def test_what_the_model_says_is_told_from_what_it_is_told(
    item: dict[str, Any], is_models: bool
) -> None:
    """Messages by their role, everything else by its type."""
    assert is_said_by_model(item) is is_models


class EndlessWire:
    """A server that answers every POST with another call."""

    def __init__(self) -> None:
        self.inputs: list[int] = []
        self._numbers = count()
        self._coming: list[Input] = []

    async def upgrade(self, headers: Headers, delay_ms: int) -> Input:
        raise AssertionError((headers, delay_ms))

    async def post(self, headers: Headers, body: JsonObject, delay_ms: int) -> Input:
        assert (dict(headers)["accept"], delay_ms) == ("text/event-stream", 0)
        self.inputs.append(len(body["input"]))
        call = f'{{"type":"function_call","call_id":"c{next(self._numbers)}",'
        self._coming = [
            Said(
                f'{{"type":"response.output_item.done","item":{call}"name":"t","arguments":""}}}}'
            ),
            Said('{"type":"response.completed","response":{"id":"r"}}'),
        ]
        return Opened()

    async def send(self, message: JsonObject) -> None:
        raise AssertionError(message)

    async def receive(self) -> Input:
        return self._coming.pop(0)

    async def rest(self) -> Input | None:
        return None

    async def close(self) -> None:
        self.inputs.append(-1)


def test_a_turn_makes_256_rounds_at_most() -> None:
    """A model that never stops calling tools is left alone after 256 requests."""
    wire = EndlessWire()
    seen: list[Output] = []
    config = Config(Provider("local", "http://host/v1"), {}, {})
    client = ReferenceClient(
        config, DOCUMENTED, identity("0.99.0", None), Task("go", None, {}), wire, seen.append
    )
    assert asyncio.run(client.run()) is False
    assert wire.inputs == [*range(1, 512, 2), -1]
    assert seen[-1] == Fail("The model still calls tools after 256 rounds.")
