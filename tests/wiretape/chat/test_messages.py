"""Conversation items become chat messages (document 000 §5 and §7 to §10)."""

from copy import deepcopy

import pytest

from wiretape.chat.messages import Message, chat_messages
from wiretape.client.events import Item
from wiretape.errors import CannotExpress

USER: Item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}
CUSTOM: Item = {
    "type": "custom_tool_call",
    "id": "ctc_1",
    "call_id": "call_1",
    "name": "apply_patch",
    "input": "*** Begin Patch",
}


def message(role: str, *texts: str) -> Item:
    """A message of plain text parts."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {
        "type": "message",
        "role": role,
        "content": [{"type": kind, "text": text} for text in texts],
    }


def thought(text: str) -> Item:
    """A reasoning item of one part."""
    return {"type": "reasoning", "content": [{"type": "reasoning_text", "text": text}]}


def call(call_id: str) -> Item:
    """A function call."""
    return {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": call_id}


def sent(*items: Item) -> list[Message]:
    """The chat messages for ``items``, after the system's."""
    return chat_messages("inst", items)[1:]


def sent_call(call_id: str) -> Message:
    """What :func:`call` is sent as."""
    return {"id": call_id, "type": "function", "function": {"name": "shell", "arguments": "{}"}}


def test_5_1_the_system_message_comes_first() -> None:
    """Also when there is nothing else, or nothing to say."""
    assert chat_messages("inst", []) == [{"role": "system", "content": "inst"}]
    assert chat_messages("", [USER])[0] == {"role": "system", "content": ""}


def test_5_2_reasoning_is_placed_before_any_message_is_made() -> None:
    """A message carries reasoning that stands after it; then each item has its turn."""
    items = [USER, message("assistant", "hi"), thought("why"), call("a")]
    assert [sent.get("reasoning") for sent in chat_messages("inst", items)] == [
        None,
        None,
        "why",
        None,
    ]


def test_7_1_texts_are_joined() -> None:
    """Input and output text alike, in order, without a separator."""
    parts = [{"type": "input_text", "text": "a"}, {"type": "output_text", "text": "b"}]
    item = {"type": "message", "role": "user", "content": parts}
    assert sent(item) == [{"role": "user", "content": "ab"}]


def test_7_1_a_message_without_parts_is_an_empty_string() -> None:
    """It is sent all the same."""
    assert sent(message("user")) == [{"role": "user", "content": ""}]


def test_7_2_a_repeated_assistant_text_is_left_out() -> None:
    """The second of two equal messages in a row is not sent."""
    twice = message("assistant", "done"), message("assistant", "do", "ne")
    assert sent(*twice) == [{"role": "assistant", "content": "done"}]


def test_7_2_the_repetition_counts_across_other_items() -> None:
    """What stands between the two does not matter, as long as no other assistant text does."""
    items = message("assistant", "ok"), USER, message("assistant", "ok")
    assert sent(*items) == [
        {"role": "assistant", "content": "ok"},
        {"role": "user", "content": "go"},
    ]


def test_7_2_another_text_between_ends_the_repetition() -> None:
    """Only the last assistant text is remembered."""
    items = [message("assistant", text) for text in ("a", "b", "a")]
    assert [each["content"] for each in sent(*items)] == ["a", "b", "a"]


def test_7_2_the_first_assistant_message_may_be_empty() -> None:
    """An empty text equals nothing said before it; the next empty one is a repetition."""
    empty = message("assistant", "")
    assert sent(empty, empty) == [{"role": "assistant", "content": ""}]


def test_7_2_other_roles_may_repeat_themselves() -> None:
    """The rule is for the assistant alone."""
    assert sent(USER, USER) == [{"role": "user", "content": "go"}] * 2


def test_7_2_reasoning_of_a_left_out_message_goes_with_it() -> None:
    """It was attached to that message, and to no other."""
    items = USER, message("assistant", "ok"), call("a"), message("assistant", "ok"), thought("why")
    assert sent(*items)[1:] == [
        {"role": "assistant", "content": "ok"},
        {"role": "assistant", "content": None, "tool_calls": [sent_call("a")]},
    ]


def test_7_3_an_image_makes_the_content_a_list() -> None:
    """Text and images as parts, in their order."""
    parts = [
        {"type": "input_image", "image_url": "data:image/png;base64,AA=="},
        {"type": "input_text", "text": "what is it?"},
    ]
    assert sent({"type": "message", "role": "user", "content": parts}) == [
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
                {"type": "text", "text": "what is it?"},
            ],
        }
    ]


def test_7_3_an_assistants_content_is_always_a_string() -> None:
    """Its images are left out."""
    parts = [
        {"type": "output_text", "text": "see"},
        {"type": "input_image", "image_url": "data:image/png;base64,AA=="},
    ]
    item = {"type": "message", "role": "assistant", "content": parts}
    assert sent(item) == [{"role": "assistant", "content": "see"}]


@pytest.mark.parametrize("role", ["user", "developer", "system"])
def test_7_3_roles_are_sent_as_they_are(role: str) -> None:
    """No role is translated."""
    assert sent(message(role, "x")) == [{"role": role, "content": "x"}]


def test_7_4_an_assistant_message_carries_its_reasoning() -> None:
    """In a field of its own, after the content."""
    assert sent(USER, thought("why"), message("assistant", "so"))[1] == {
        "role": "assistant",
        "content": "so",
        "reasoning": "why",
    }


def test_7_4_a_message_without_reasoning_has_no_such_field() -> None:
    """Not even an empty one."""
    assert sent(message("assistant", "so")) == [{"role": "assistant", "content": "so"}]


def test_8_1_a_function_call_is_sent_by_its_call_id() -> None:
    """Its arguments stay a string."""
    item = {
        "type": "function_call",
        "id": "fc_1",
        "name": "shell",
        "arguments": '{"cmd":"ls"}',
        "call_id": "call_1",
    }
    assert sent(item) == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "shell", "arguments": '{"cmd":"ls"}'},
                }
            ],
        }
    ]


@pytest.mark.parametrize(
    ("ids", "sent_id"),
    [
        ({"id": "lsh_1", "call_id": "call_1"}, "lsh_1"),
        ({"call_id": "call_1"}, ""),
        ({"id": None, "call_id": "call_1"}, ""),
    ],
)
def test_8_2_a_local_shell_call_is_sent_by_its_id(ids: Item, sent_id: str) -> None:
    """Not by its call id; without an id, by an empty string."""
    action = {"type": "exec", "command": ["ls"]}
    item = {"type": "local_shell_call", **ids, "status": "completed", "action": action}
    assert sent(item) == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": sent_id,
                    "type": "local_shell_call",
                    "status": "completed",
                    "action": {"type": "exec", "command": ["ls"]},
                }
            ],
        }
    ]


def test_8_3_a_custom_call_is_sent_by_its_id() -> None:
    """Its input stays what it is."""
    assert sent(CUSTOM) == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "ctc_1",
                    "type": "custom",
                    "custom": {"name": "apply_patch", "input": "*** Begin Patch"},
                }
            ],
        }
    ]


def test_8_3_a_custom_call_without_an_id_has_none() -> None:
    """No stand-in is made up, neither an empty string nor the call id."""
    item = {key: value for key, value in CUSTOM.items() if key != "id"}
    calls = sent(item)[0]["tool_calls"]
    assert isinstance(calls, list)
    assert calls[0]["id"] is None


def test_8_4_calls_in_a_row_share_one_message() -> None:
    """Whatever their kinds, in their order."""
    shell = {"type": "local_shell_call", "id": "s", "status": "completed", "action": {}}
    (group,) = sent(call("a"), shell, CUSTOM, call("b"))
    assert group["content"] is None
    calls = group["tool_calls"]
    assert isinstance(calls, list)
    assert [each["id"] for each in calls] == ["a", "s", "ctc_1", "b"]


@pytest.mark.parametrize(
    "between",
    [thought("why"), {"type": "web_search_call"}, {"type": "ghost_snapshot"}],
)
def test_8_4_items_that_are_not_sent_do_not_part_calls(between: Item) -> None:
    """What counts is the last message sent."""
    calls = sent(call("a"), between, call("b"))[0]["tool_calls"]
    assert calls == [sent_call("a"), sent_call("b")]


def test_8_4_a_left_out_message_does_not_part_calls() -> None:
    """A repeated assistant text is not sent either."""
    said = message("assistant", "ok")
    assert sent(said, call("a"), said, call("b"))[1:] == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [sent_call("a"), sent_call("b")],
        }
    ]


@pytest.mark.parametrize(
    "between",
    [
        USER,
        {"type": "message", "role": "assistant", "content": []},
        {"type": "function_call_output", "call_id": "a", "output": "ok"},
    ],
)
def test_8_4_anything_sent_parts_calls(between: Item) -> None:
    """The call after it opens a new message."""
    first, _, second = sent(call("a"), between, call("b"))
    assert first["tool_calls"] == [sent_call("a")]
    assert second["tool_calls"] == [sent_call("b")]


def test_8_4_a_group_opens_with_its_reasoning() -> None:
    """The first call's reasoning stands in the message."""
    assert sent(USER, thought("why"), call("a"))[1] == {
        "role": "assistant",
        "content": None,
        "tool_calls": [sent_call("a")],
        "reasoning": "why",
    }


def test_8_4_reasoning_of_further_calls_is_joined_by_a_newline() -> None:
    """Unlike reasonings that meet at one anchor."""
    (_, group) = sent(USER, thought("why"), call("a"), thought("and"), call("b"))
    assert group["reasoning"] == "why\nand"
    assert group["tool_calls"] == [sent_call("a"), sent_call("b")]


def test_8_4_the_first_reasoning_may_come_with_a_later_call() -> None:
    """Then it stands alone, without a newline before it."""
    (_, group) = sent(USER, call("a"), thought("why"), call("b"))
    assert group["reasoning"] == "why"


def test_9_1_a_string_output_stays_a_string() -> None:
    """Under the call's id, in a message of the tool."""
    item = {"type": "function_call_output", "call_id": "a", "output": "ok"}
    assert sent(item) == [{"role": "tool", "tool_call_id": "a", "content": "ok"}]


def test_9_1_output_items_become_parts() -> None:
    """Texts and images, in their order."""
    output = [
        {"type": "input_text", "text": "see"},
        {"type": "input_image", "image_url": "data:image/png;base64,AA=="},
    ]
    assert sent({"type": "function_call_output", "call_id": "a", "output": output}) == [
        {
            "role": "tool",
            "tool_call_id": "a",
            "content": [
                {"type": "text", "text": "see"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
            ],
        }
    ]


def test_9_1_output_items_may_be_none() -> None:
    """An empty list is a list, not an empty string."""
    item = {"type": "function_call_output", "call_id": "a", "output": []}
    assert sent(item) == [{"role": "tool", "tool_call_id": "a", "content": []}]


@pytest.mark.parametrize("output", ["ok", {"exit": 0}, [1, 2], None])
def test_9_2_a_custom_output_is_sent_as_it_is(output: object) -> None:
    """Whatever JSON it holds."""
    item = {"type": "custom_tool_call_output", "call_id": "a", "output": output}
    assert sent(item) == [{"role": "tool", "tool_call_id": "a", "content": output}]


@pytest.mark.parametrize(
    "kind",
    [
        "ghost_snapshot",
        "reasoning",
        "web_search_call",
        "compaction",
        "compaction_summary",
        "from_the_future",
    ],
)
def test_10_other_items_are_not_sent(kind: str) -> None:
    """Neither those the client knows to leave out, nor those it does not know."""
    item = {"type": kind, "encrypted_content": "x", "content": []}
    assert sent(USER, item) == [{"role": "user", "content": "go"}]


FILE: Item = {"type": "input_file", "file_id": "f"}
REFUSED: list[tuple[Item, str]] = [
    ({"role": "user"}, "(without a type): it has no type that is a string"),
    ({"type": "message", "content": []}, "(message): it has no role that is a string"),
    (
        {"type": "message", "role": "user", "content": "hi"},
        "(message): its content is not a list",
    ),
    (
        {"type": "message", "role": "user", "content": [FILE]},
        "(message): its content holds a part of type 'input_file'",
    ),
    (
        {"type": "message", "role": "user", "content": [{"type": "input_image"}]},
        "(input_image): it has no image_url that is a string",
    ),
    (
        {"type": "function_call", "name": "shell", "arguments": "{}"},
        "(function_call): it has no call_id that is a string",
    ),
    (
        {"type": "local_shell_call", "status": "completed"},
        "(local_shell_call): it has no action",
    ),
    (
        {"type": "function_call_output", "call_id": "a", "output": 1},
        "(function_call_output): it has no output that is a string",
    ),
    (
        {
            "type": "function_call_output",
            "call_id": "a",
            "output": [{"type": "output_text", "text": "x"}],
        },
        "(function_call_output): its output holds a part of type 'output_text'",
    ),
]


@pytest.mark.parametrize(("item", "complaint"), REFUSED)
def test_an_item_that_the_client_could_not_hold_is_refused(item: Item, complaint: str) -> None:
    """With the item's type and what is wrong with it, instead of being sent in part."""
    with pytest.raises(CannotExpress) as refusal:
        chat_messages("inst", [item])
    assert str(refusal.value) == f"No chat message can carry this item {complaint}."


def test_the_items_are_not_changed() -> None:
    """Grouping and joining happen in the messages only."""
    items = [USER, thought("why"), call("a"), thought("and"), call("b"), CUSTOM]
    as_they_were = deepcopy(items)
    chat_messages("inst", items)
    assert items == as_they_were
