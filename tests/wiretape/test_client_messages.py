"""Client messages: requests over WebSocket, the same over HTTP, and what is not known."""

import json
from typing import Any

import pytest

from wiretape.client_messages import (
    Append,
    ClientMessage,
    Create,
    UnknownMessage,
    parse_client_message,
    read_create,
)
from wiretape.jsontext import Unparsable

ITEMS = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}]


def message(raw: dict[str, Any]) -> ClientMessage:
    """The message of a JSON object that is sent as text."""
    parsed = parse_client_message(json.dumps(raw))
    assert isinstance(parsed, ClientMessage)
    return parsed


def test_a_request_tells_what_it_asks() -> None:
    """``response.create`` with its model, its input and what it goes on from."""
    raw = {
        "type": "response.create",
        "model": "gpt-5.2-codex",
        "previous_response_id": "resp_1",
        "prompt_cache_key": "thread_1",
        "input": ITEMS,
    }
    assert message(raw) == Create(
        type="response.create",
        raw=raw,
        model="gpt-5.2-codex",
        previous_response_id="resp_1",
        prompt_cache_key="thread_1",
        input=ITEMS,
        is_warm_up=False,
    )


@pytest.mark.parametrize(
    ("fields", "is_warm_up"),
    [
        ({"generate": False}, True),
        ({"generate": True}, False),
        ({"generate": 0}, False),
        ({}, False),
    ],
)
def test_a_warm_up_is_asked_for_by_generate_false(fields: dict[str, Any], is_warm_up: bool) -> None:
    """Only ``generate: false`` makes a warm-up."""
    created = message({"type": "response.create", **fields})
    assert isinstance(created, Create)
    assert created.is_warm_up is is_warm_up


def test_an_http_body_reads_like_a_request() -> None:
    """The body of a POST differs by its type alone, which is empty."""
    raw = {"model": "gpt-5.2-codex", "input": "hi", "stream": True}
    assert read_create(raw) == Create("", raw, "gpt-5.2-codex", None, None, "hi", False)


def test_an_append_carries_what_is_new() -> None:
    """``response.append`` has input and nothing else."""
    raw = {"type": "response.append", "input": ITEMS}
    assert message(raw) == Append("response.append", raw, ITEMS)


@pytest.mark.parametrize("value", [None, 5, {"type": "message"}])
def test_input_is_items_or_text(value: Any) -> None:
    """Input of another kind counts as none; it stays in ``raw``."""
    raw = {"type": "response.append", "input": value}
    assert message(raw) == Append("response.append", raw, None)


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ({"type": "response.steer", "input": "more"}, "response.steer"),
        ({"a": 1}, ""),
        ({"type": 1}, ""),
    ],
)
def test_an_unknown_message_is_kept_whole(raw: dict[str, Any], kind: str) -> None:
    """A message of another type keeps its type and every field."""
    assert message(raw) == UnknownMessage(kind, raw)


@pytest.mark.parametrize("text", ["", "hello", "[]", '{"type": NaN}'])
def test_text_that_is_no_json_object_is_unparsable(text: str) -> None:
    """It is kept as it is."""
    parsed = parse_client_message(text)
    assert isinstance(parsed, Unparsable)
    assert parsed.text == text
