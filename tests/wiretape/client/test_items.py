"""Document 002 §3.2: which output items the client can read, type by type and field by field."""

from typing import Any

import pytest

from wiretape.client.items import is_readable

TEXT = {"type": "output_text", "text": "hi"}
SUMMARY = {"type": "summary_text", "text": "hm"}
EXEC = {"type": "exec", "command": ["ls"]}

READABLE: dict[str, dict[str, Any]] = {
    "message": {"role": "assistant", "content": [TEXT, {"type": "input_text", "text": ""}]},
    "reasoning": {"summary": [SUMMARY]},
    "local_shell_call": {"status": "completed", "action": EXEC},
    "function_call": {"name": "shell", "arguments": "{", "call_id": "c"},
    "function_call_output": {"call_id": "c", "output": "done"},
    "custom_tool_call": {"name": "patch", "input": "", "call_id": "c"},
    "custom_tool_call_output": {"call_id": "c", "output": "done"},
    "web_search_call": {},
    "ghost_snapshot": {"ghost_commit": {}},
    "compaction": {"encrypted_content": "x"},
    "compaction_summary": {"encrypted_content": "x"},
}


@pytest.mark.parametrize("kind", READABLE)
def test_3_2_an_item_with_what_its_type_needs_is_readable(kind: str) -> None:
    """Every type is readable with the fields that it needs, whatever else it has."""
    assert is_readable({"type": kind, **READABLE[kind], "unheard_of": {"deep": [1]}})


NEEDED = [(kind, field) for kind, fields in READABLE.items() for field in fields]


@pytest.mark.parametrize(("kind", "field"), NEEDED)
def test_3_2_an_item_without_a_needed_field_is_unreadable(kind: str, field: str) -> None:
    """Each field that a type needs must be there."""
    rest = {name: value for name, value in READABLE[kind].items() if name != field}
    assert not is_readable({"type": kind, **rest})


@pytest.mark.parametrize(("kind", "field"), NEEDED)
@pytest.mark.parametrize("wrong", [None, 5, True])
def test_3_2_an_item_with_a_needed_field_of_another_kind_is_unreadable(
    kind: str, field: str, wrong: object
) -> None:
    """Each field that a type needs must be of its kind, and not null."""
    assert not is_readable({"type": kind, **READABLE[kind], field: wrong})


@pytest.mark.parametrize(
    "item",
    [
        {"type": "message", "role": "user", "content": [{"type": "refusal", "refusal": "no"}]},
        {"type": "message", "role": "user", "content": [{"type": "output_text"}]},
        {"type": "message", "role": "user", "content": ["text"]},
        {"type": "message", "role": "user", "content": [{"type": "input_image"}]},
        {"type": "message", "role": "user", "content": [{"text": "no type"}]},
        {"type": "message", "role": "user", "content": [], "id": 5},
        {"type": "reasoning", "summary": [{"type": "other", "text": "x"}]},
        {"type": "reasoning", "summary": [], "content": [TEXT]},
        {"type": "reasoning", "summary": [], "encrypted_content": 5},
        {"type": "local_shell_call", "status": "dreaming", "action": EXEC},
        {"type": "local_shell_call", "status": "completed", "action": {"type": "exec"}},
        {"type": "local_shell_call", "status": "completed", "action": {"type": "dance"}},
        {"type": "web_search_call", "status": 5},
        {"type": "web_search_call", "action": {}},
        {"type": "function_call_output", "call_id": "c", "output": [{"type": "other"}]},
    ],
)
def test_3_2_a_part_of_the_wrong_shape_makes_the_item_unreadable(item: dict[str, object]) -> None:
    """Optional fields and nested parts are read as strictly as the rest."""
    assert not is_readable(item)


@pytest.mark.parametrize(
    "item",
    [
        {"type": "reasoning", "summary": [], "content": None, "encrypted_content": "x"},
        {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "x"}]},
        {"type": "reasoning", "summary": [], "content": [{"type": "text", "text": "x"}]},
        {"type": "function_call_output", "call_id": "c", "output": [TEXT]},
        {"type": "web_search_call", "action": {"type": "search", "query": "x"}},
        {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_image", "image_url": "data:"}],
        },
    ],
)
def test_3_2_optional_parts_of_the_right_shape_are_readable(item: dict[str, object]) -> None:
    """What may be there may be there."""
    assert is_readable(item)


def test_3_2_an_item_of_another_type_is_readable() -> None:
    """A type that the client does not know is something else, and no error."""
    assert is_readable({"type": "image_generation_call", "result": 5})


@pytest.mark.parametrize("item", [None, "message", 5, [], {}, {"type": None}, {"type": 5}])
def test_3_2_what_has_no_type_is_unreadable(item: object) -> None:
    """An item is an object with a type."""
    assert not is_readable(item)
