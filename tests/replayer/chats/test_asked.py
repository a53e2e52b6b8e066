"""What a chat client asked, held against what a Responses client asks."""

import json
from typing import Any

import pytest

from replayer.chats.asked import expected, in_the_form_of
from wiretape.asked import Asked, asked_over_http
from wiretape.jsontext import encoded
from wiretape.likeness import Correspondence, differences
from wiretape.scope import Purpose

CALLED = {"name": "run", "arguments": "{}"}
CHAT = [
    {"role": "system", "content": "You are the older client."},
    {"role": "user", "content": "the older client's context"},
    {"role": "user", "content": "say hello"},
    {"role": "assistant", "content": "Hm.", "reasoning": "thinking"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "type": "function", "function": CALLED}],
    },
    {"role": "tool", "tool_call_id": "c", "content": "done"},
]


def text(role: str, said: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": said}]}


INPUT = [
    text("developer", "You are the newer client."),
    text("user", "say hello"),
    {"type": "reasoning", "summary": [], "encrypted_content": "…"},
    text("assistant", "Hm."),
    {"type": "function_call", "id": "fc_1", "call_id": "c", **CALLED},
    {"type": "function_call_output", "call_id": "c", "output": "done"},
]


def asked(purpose: Purpose, **body: Any) -> Asked:
    return asked_over_http(purpose, (), json.dumps(body).encode())


def parted(chat: list[Any], items: list[Any]) -> list[tuple[str, Any, Any]]:
    """Where a request with these items parts from what a chat client asked."""
    body = expected(asked(Purpose.CHAT, model="old", messages=chat))
    recorded = asked_over_http(Purpose.RESPONSES, (), encoded(body))
    replayed = asked(Purpose.RESPONSES, model="new", input=items, stream=True)
    found = differences(recorded, in_the_form_of(recorded, replayed), Correspondence())
    return [(each.path, each.recorded, each.replayed) for each in found]


def test_what_both_wires_can_say_is_the_same() -> None:
    """Whatever else each client says of itself, before and beside it."""
    assert parted(CHAT, INPUT) == []


@pytest.mark.parametrize(
    ("at", "item", "path", "values"),
    [
        (1, text("user", "say bye"), "said[0].text", ("say hello", "say bye")),
        (3, text("assistant", "Oh."), "said[1].text", ("Hm.", "Oh.")),
        (4, INPUT[4] | {"arguments": "[]"}, "said[2].arguments", ("{}", "[]")),
        (5, INPUT[5] | {"output": "undone"}, "said[3].output", ("done", "undone")),
    ],
)
def test_what_was_said_and_done_counts(
    at: int, item: dict[str, Any], path: str, values: tuple[str, str]
) -> None:
    """The user's last words, the model's, calls, and what tools gave."""
    assert parted(CHAT, [*INPUT[:at], item, *INPUT[at + 1 :]]) == [(path, *values)]


def test_what_led_to_the_last_words_may_be_anything() -> None:
    """Earlier turns were compared when they were the last."""
    assert parted(CHAT, [text("user", "hm?"), text("assistant", "What?"), *INPUT]) == []


def test_a_call_less_is_told() -> None:
    """With its output."""
    assert [path for path, _, _ in parted(CHAT, INPUT[:4])] == ["said[2]", "said[3]"]


def test_nobody_asked_anything() -> None:
    """Then whatever is asked will do."""
    assert parted([], INPUT) == []
