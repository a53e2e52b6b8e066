"""Document 004: what a round repeats of the one before."""

from typing import Any

import pytest

from wiretape.client.repeating import is_said_by_model, sent_back

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
