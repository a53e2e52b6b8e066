"""Document 004: the tool loop."""

import asyncio
from itertools import count
from typing import Any

import pytest

from replayer.reference.client import ReferenceClient
from replayer.reference.conversation import output_item
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
