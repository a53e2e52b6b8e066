"""Where reasoning is attached (document 000 §6)."""

import pytest

from wiretape.chat.anchors import last_emitted_role, reasoning_by_anchor
from wiretape.client.events import Item

USER: Item = {"type": "message", "role": "user", "content": []}
ASSISTANT: Item = {"type": "message", "role": "assistant", "content": []}
CALL: Item = {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"}
SHELL: Item = {"type": "local_shell_call", "id": "s", "status": "completed", "action": {}}
CUSTOM: Item = {"type": "custom_tool_call", "id": "x", "name": "patch", "input": ""}
OUTPUT: Item = {"type": "function_call_output", "call_id": "c", "output": "ok"}
CUSTOM_OUTPUT: Item = {"type": "custom_tool_call_output", "call_id": "x", "output": "ok"}
SEARCH: Item = {"type": "web_search_call"}


def thought(*texts: str, kind: str = "reasoning_text") -> Item:
    """A reasoning item with one part for each text."""
    parts = [{"type": kind, "text": text} for text in texts]
    return {"type": "reasoning", "id": "r", "summary": [], "content": parts}


@pytest.mark.parametrize(
    ("item", "role"),
    [
        (USER, "user"),
        (ASSISTANT, "assistant"),
        ({"type": "message", "role": "developer", "content": []}, "developer"),
        (CALL, "assistant"),
        (SHELL, "assistant"),
        (OUTPUT, "tool"),
        (CUSTOM_OUTPUT, "tool"),
    ],
)
def test_6_1_the_last_role_is_that_of_the_last_item_that_has_one(item: Item, role: str) -> None:
    """Messages, calls, local shells and both outputs set it."""
    before = ASSISTANT if role == "user" else USER
    assert last_emitted_role([before, item]) == role


@pytest.mark.parametrize(
    "kind",
    [
        "reasoning",
        "custom_tool_call",
        "web_search_call",
        "ghost_snapshot",
        "compaction",
        "from_the_future",
    ],
)
def test_6_1_other_items_leave_the_last_role_alone(kind: str) -> None:
    """A custom call too, although its output counts."""
    assert last_emitted_role([USER, {"type": kind}]) == "user"


def test_6_1_a_conversation_without_roles_has_no_last_role() -> None:
    """Nothing but reasoning says nothing about whose turn it is."""
    assert last_emitted_role([thought("a"), SEARCH]) is None


def test_6_1_nothing_is_attached_when_the_user_spoke_last() -> None:
    """The gate holds for reasoning that stands after the user's message as well."""
    assert reasoning_by_anchor([USER, thought("a")]) == {}
    assert reasoning_by_anchor([ASSISTANT, thought("a"), USER]) == {}


def test_6_2_without_a_user_all_reasoning_counts() -> None:
    """No user message, no place before which reasoning is too old."""
    assert reasoning_by_anchor([thought("a"), ASSISTANT]) == {1: "a"}


def test_6_2_it_is_the_last_user_message_that_counts() -> None:
    """Reasoning between two user messages is old."""
    items = [USER, thought("a"), CALL, USER, thought("b"), CALL]
    assert reasoning_by_anchor(items) == {5: "b"}


def test_6_3_reasoning_before_the_last_user_is_skipped() -> None:
    """Even with an anchor at hand."""
    assert reasoning_by_anchor([thought("a"), ASSISTANT, USER, ASSISTANT]) == {}


def test_6_3_reasoning_right_after_the_last_user_counts() -> None:
    """The gate is at the user's own position, not after it."""
    assert reasoning_by_anchor([USER, thought("a"), ASSISTANT]) == {2: "a"}


@pytest.mark.parametrize("kind", ["reasoning_text", "text"])
def test_6_4_both_kinds_of_reasoning_text_are_read(kind: str) -> None:
    """``reasoning_text`` and ``text``, joined in order without a separator."""
    assert reasoning_by_anchor([thought("a", "b", kind=kind), CALL]) == {1: "ab"}


def test_6_4_other_parts_of_reasoning_are_not_read() -> None:
    """A part of an unknown kind adds nothing; its neighbours are still joined."""
    parts = [
        {"type": "reasoning_text", "text": "a"},
        {"type": "hidden", "text": "X"},
        {"type": "text", "text": "b"},
    ]
    assert reasoning_by_anchor([{"type": "reasoning", "content": parts}, CALL]) == {1: "ab"}


@pytest.mark.parametrize("texts", [(), ("",), (" \n", "\t")])
def test_6_4_blank_reasoning_is_skipped(texts: tuple[str, ...]) -> None:
    """Nothing but white space is nothing."""
    assert reasoning_by_anchor([thought(*texts), CALL]) == {}


def test_6_4_white_space_around_reasoning_is_kept() -> None:
    """Blankness is judged on a trimmed copy; the text itself goes as it is."""
    assert reasoning_by_anchor([thought(" a\n"), CALL]) == {1: " a\n"}


@pytest.mark.parametrize("content", [{}, {"content": None}])
def test_6_4_reasoning_without_content_is_skipped(content: Item) -> None:
    """Its summary is no substitute."""
    summary = [{"type": "summary_text", "text": "in short"}]
    item = {"type": "reasoning", "summary": summary, **content}
    assert reasoning_by_anchor([item, CALL]) == {}


def test_6_5_1_anchor_is_the_assistant_message_before() -> None:
    """It wins over a call that follows."""
    assert reasoning_by_anchor([ASSISTANT, thought("a"), CALL]) == {0: "a"}


def test_6_5_1_a_user_message_before_is_no_anchor() -> None:
    """Only an assistant's message is."""
    assert reasoning_by_anchor([USER, thought("a"), OUTPUT]) == {}


@pytest.mark.parametrize("call", [CALL, SHELL])
def test_6_5_2_anchor_is_the_next_function_call(call: Item) -> None:
    """A function call or a local shell call that follows at once."""
    assert reasoning_by_anchor([USER, thought("a"), call]) == {2: "a"}


def test_6_5_2_a_custom_call_is_no_anchor() -> None:
    """Reasoning before a custom call is dropped."""
    assert reasoning_by_anchor([USER, thought("a"), CUSTOM, CUSTOM_OUTPUT]) == {}


def test_6_5_3_anchor_is_the_next_assistant_message() -> None:
    """A message that follows at once."""
    assert reasoning_by_anchor([USER, OUTPUT, thought("a"), ASSISTANT]) == {3: "a"}


def test_6_5_4_reasoning_without_an_anchor_is_dropped() -> None:
    """Something in between is enough to lose it, on either side."""
    items = [ASSISTANT, SEARCH, thought("a"), SEARCH, CALL]
    assert reasoning_by_anchor(items) == {}


def test_6_5_4_reasoning_at_the_end_is_dropped() -> None:
    """Nothing follows it, and an output came before."""
    assert reasoning_by_anchor([USER, CALL, OUTPUT, thought("a")]) == {}


def test_6_5_4_only_neighbours_are_looked_at() -> None:
    """Of two reasonings before a call, the first has no anchor."""
    assert reasoning_by_anchor([USER, thought("a"), thought("b"), CALL]) == {3: "b"}


def test_6_6_reasonings_at_one_anchor_are_joined_without_a_separator() -> None:
    """One from before the message and one from after it."""
    assert reasoning_by_anchor([USER, thought("a"), ASSISTANT, thought("b")]) == {2: "ab"}
