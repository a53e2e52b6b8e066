"""What a message on a socket means, with all that it leaves out."""

import json
from typing import Any

import pytest

from wiretape.asked import asked_by_message
from wiretape.jsontext import JsonObject
from wiretape.talk import Talk

CALL = {"type": "function_call", "call_id": "c", "name": "run", "arguments": "{}"}
CALL_AND_MORE = {**CALL, "...": ""}
OUTPUT = {"type": "function_call_output", "call_id": "c", "output": "done"}
USER = {"type": "message", "role": "user", "content": "hi"}
ANSWER = (
    {"type": "response.output_item.done", "item": {**CALL, "id": "fc_1"}},
    {"type": "response.completed", "response": {"id": "resp_1"}},
)


def meant(talk: Talk, kind: str, items: Any, **members: Any) -> JsonObject | None:
    """What a message means, after all that was said before."""
    body = {"type": f"response.{kind}", "input": items, **members}
    return talk.whole(asked_by_message((), json.dumps(body).encode()))


def answered(talk: Talk) -> Talk:
    """The talk, after an answer that makes a call."""
    talk.answered(map(json.dumps, ANSWER))
    return talk


def test_what_says_everything_is_as_it_stands() -> None:
    """Without what only a message says."""
    assert meant(Talk(), "create", [USER], model="m", generate=False) == {
        "input": [USER],
        "model": "m",
    }


@pytest.mark.parametrize(
    ("items", "whole"),
    [
        ([OUTPUT], [USER, CALL_AND_MORE, OUTPUT]),
        ([CALL, OUTPUT], [USER, CALL, OUTPUT]),
        ([], [USER, CALL_AND_MORE]),
    ],
)
def test_what_is_appended_goes_on_from_the_message_before(items: Any, whole: Any) -> None:
    """And from its answer, unless the client repeats that."""
    talk = Talk()
    meant(talk, "create", [USER], model="m")
    assert meant(answered(talk), "append", items) == {"model": "m", "input": whole}


def test_what_goes_on_from_a_response_says_what_led_to_it() -> None:
    """Of the members, those of the message itself count."""
    talk = Talk()
    meant(talk, "create", [USER], model="m")
    found = meant(answered(talk), "create", [OUTPUT], previous_response_id="resp_1", model="n")
    assert found == {"model": "n", "input": [USER, CALL_AND_MORE, OUTPUT]}


def test_an_input_that_is_text_is_an_item() -> None:
    """The short form of one message."""
    talk = Talk()
    meant(talk, "create", "hi")
    found = meant(answered(talk), "create", "ho", previous_response_id="resp_1")
    assert found == {"input": ["hi", CALL_AND_MORE, "ho"]}


@pytest.mark.parametrize(
    ("kind", "members"),
    [("append", {}), ("create", {"previous_response_id": "resp_9"}), ("dream", {})],
)
def test_what_was_said_elsewhere_is_not_known(kind: str, members: Any) -> None:
    """Nor what goes on from it; and what is no request means nothing."""
    talk = Talk()
    assert meant(talk, kind, [OUTPUT], **members) is None
    assert meant(talk, "append", [OUTPUT]) is None
