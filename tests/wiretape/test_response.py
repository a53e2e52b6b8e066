"""The fold of a response: each cell of its tables, whole streams, and streams gone wrong."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from response_events import (
    COMPLETED,
    CREATED,
    LATE,
    added,
    delta,
    done,
    kinds,
    lifecycle,
    of,
    text_done,
)
from streams import ANSWER, TOOL_CALL

from wiretape.events import Channel, ErrorInfo, Event, UnknownEvent, Usage, parse_event
from wiretape.jsontext import Unparsable
from wiretape.output import AnomalyKind, ItemState, ItemText, OutputItem
from wiretape.response import ResponseFold, ResponseState, Status


def test_an_answer_is_put_together() -> None:
    """The golden answer: one message, its text from two deltas, its usage, nothing wrong."""
    text = "Grüße, 世界\u2028🙂"
    item = json.loads(ANSWER[8])["item"]
    assert of(*ANSWER) == ResponseState(
        status=Status.COMPLETED,
        ended_by="response.completed",
        response_id="resp_1",
        items=(
            OutputItem(
                item_id="msg_1",
                output_index=0,
                state=ItemState.DONE,
                texts=(ItemText(Channel.TEXT, 0, text, is_done=True),),
                raw=item,
            ),
        ),
        usage=Usage(120, 64, 9, 0, 129),
        error=None,
        incomplete_reason=None,
        event_count=10,
        unknown=(),
        anomalies=(),
    )
    assert of(*ANSWER).text() == text


def test_a_tool_call_is_put_together() -> None:
    """The golden tool call: a summary, then a call with its name, id and arguments."""
    state = of(*TOOL_CALL)
    reasoning, call = state.items
    assert (reasoning.type, reasoning.text(Channel.SUMMARY)) == ("reasoning", "**Listing files**")
    assert (call.type, call.name, call.call_id) == ("function_call", "shell", "call_1")
    assert call.text(Channel.ARGUMENTS) == '{"command":["ls"]}'
    assert call.texts == (ItemText(Channel.ARGUMENTS, 0, '{"command":["ls"]}', is_done=True),)
    assert state.usage == Usage(200, 128, 40, 24, 240)
    assert state.anomalies == ()


@pytest.mark.parametrize("payloads", [ANSWER, TOOL_CALL])
def test_a_stream_that_is_cut_stays_open(payloads: tuple[str, ...]) -> None:
    """At every place before the end the response is open, and nothing is wrong with it."""
    for end in range(1, len(payloads)):
        state = of(*payloads[:end])
        assert (state.status, state.ended_by, kinds(state)) == (Status.OPEN, None, [])


def test_text_can_be_read_while_it_streams() -> None:
    """Before the whole is given, the text is what the deltas make."""
    state = of(CREATED, added(), delta("Hel"), delta("lo"))
    assert state.items[0].texts == (ItemText(Channel.TEXT, 0, "Hello", is_done=False),)
    assert state.text() == "Hello"


def test_an_empty_part_is_a_part() -> None:
    """A part that was added and has no text yet stands in its place."""
    part = {"type": "response.content_part.added", "item_id": "msg_1", "content_index": 1}
    state = of(
        CREATED, added(), part | {"part": {"type": "refusal"}}, part | {"part": {"type": "x"}}
    )
    assert state.items[0].texts == (ItemText(Channel.REFUSAL, 1, "", is_done=False),)


def test_texts_stand_in_order_of_channel_and_part() -> None:
    """Parts that stream in any order are given in theirs; a summary's are paragraphs."""
    summary = {"type": "response.reasoning_summary_text.delta", "item_id": "rs_1"}
    state = of(
        CREATED,
        added(id="rs_1", type="reasoning"),
        summary | {"summary_index": 1, "delta": "then"},
        summary | {"summary_index": 0, "delta": "first"},
        {"type": "response.reasoning_text.delta", "item_id": "rs_1", "delta": "hm"},
    )
    texts = [(text.channel, text.part_index, text.text) for text in state.items[0].texts]
    assert texts == [
        (Channel.REASONING, 0, "hm"),
        (Channel.SUMMARY, 0, "first"),
        (Channel.SUMMARY, 1, "then"),
    ]
    assert state.items[0].text(Channel.SUMMARY) == "first\n\nthen"


@pytest.mark.parametrize(
    ("item", "channel", "text"),
    [
        ({"type": "message", "content": [{"type": "output_text", "text": "a"}]}, Channel.TEXT, "a"),
        (
            {"type": "message", "content": [{"type": "refusal", "refusal": "b"}]},
            Channel.REFUSAL,
            "b",
        ),
        (
            {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "c"}]},
            Channel.REASONING,
            "c",
        ),
        (
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "d"}]},
            Channel.SUMMARY,
            "d",
        ),
        ({"type": "function_call", "arguments": "{}"}, Channel.ARGUMENTS, "{}"),
        ({"type": "custom_tool_call", "input": "e"}, Channel.INPUT, "e"),
    ],
)
def test_an_item_that_comes_whole_has_its_text(
    item: dict[str, Any], channel: Channel, text: str
) -> None:
    """A server may send no deltas at all: the text is read from the item that is done."""
    state = of(CREATED, added(**item), done(**item))
    assert state.items[0].texts == (ItemText(channel, 0, text, is_done=True),)
    assert state.items[0].text(channel) == text
    assert kinds(state) == []


@pytest.mark.parametrize(
    "item",
    [
        {"content": None, "summary": "x", "arguments": {}},
        {"content": [None, "a", {"type": "output_image"}, {"type": "output_text", "text": 5}]},
    ],
)
def test_an_item_of_strange_shape_has_no_text(item: dict[str, Any]) -> None:
    """What is not a text where one could stand is passed over; the item keeps it in ``raw``."""
    state = of(CREATED, added(), done(**item))
    assert state.items[0].texts == ()
    assert state.items[0].raw == {"id": "msg_1", "type": "message"} | item


@pytest.mark.parametrize(
    "whole",
    [
        text_done("other"),
        {
            "type": "response.content_part.done",
            "item_id": "msg_1",
            "part": {"type": "output_text", "text": "other"},
        },
        done(content=[{"type": "output_text", "text": "other"}]),
    ],
)
def test_a_whole_that_differs_from_the_deltas_is_told(whole: dict[str, Any]) -> None:
    """The whole counts, and the difference is an anomaly at its event."""
    state = of(CREATED, added(), delta("one"), whole)
    assert state.text() == "other"
    (anomaly,) = state.anomalies
    assert (anomaly.kind, anomaly.position) == (AnomalyKind.TEXT_DIFFERS, 3)
    assert isinstance(anomaly.event, Event)
    assert anomaly.event.raw == whole


def test_arguments_that_differ_are_told() -> None:
    """Function-call arguments are checked like any other text."""
    call = {"id": "fc_1", "type": "function_call", "name": "shell", "arguments": ""}
    arguments = {"type": "response.function_call_arguments.delta", "item_id": "fc_1"}
    state = of(
        CREATED, added(**call), arguments | {"delta": '{"a":1'}, done(**call | {"arguments": "{}"})
    )
    assert kinds(state) == [AnomalyKind.TEXT_DIFFERS]
    assert state.items[0].text(Channel.ARGUMENTS) == "{}"


def test_a_second_whole_is_compared_with_the_first() -> None:
    """A whole given twice is no anomaly if it is the same, and one if it is not."""
    assert kinds(of(CREATED, added(), text_done("a"), text_done("a"))) == []
    assert kinds(of(CREATED, added(), text_done("a"), text_done(""))) == [AnomalyKind.TEXT_DIFFERS]


def test_a_delta_after_the_whole_does_not_count() -> None:
    """The text stays as it was given whole; the delta is kept in the anomaly."""
    state = of(CREATED, added(), delta("a"), text_done("a"), delta("b"))
    assert state.text() == "a"
    assert kinds(state) == [AnomalyKind.TEXT_ALREADY_DONE]


def test_a_character_in_two_deltas_is_joined() -> None:
    """A surrogate pair cut between deltas makes its character, equal to the whole's."""
    first = '{"type":"response.output_text.delta","item_id":"msg_1","delta":"\\ud83d"}'
    second = '{"type":"response.output_text.delta","item_id":"msg_1","delta":"\\ude42"}'
    state = of(CREATED, added(), first, second, text_done("🙂"))
    assert (state.text(), kinds(state)) == ("🙂", [])


def test_half_a_character_is_the_same_in_delta_and_whole() -> None:
    """A lone surrogate reads as U+FFFD, and is no difference if the whole holds it too."""
    state = of(CREATED, added(), delta("\ud83d"), text_done("\ud83d"))
    assert (state.text(), kinds(state)) == ("\ufffd", [])


def test_items_are_found_by_id_or_by_index() -> None:
    """Events that name only one of the two reach their item; items stand by index."""
    second = {"output_index": 1}
    state = of(
        CREATED,
        added(id="msg_2") | second,
        added(id="msg_1"),
        delta("a", output_index=None),
        delta("b", item_id=None),
        delta("c", item_id=None) | second,
    )
    assert [(item.item_id, item.text()) for item in state.items] == [
        ("msg_1", "ab"),
        ("msg_2", "c"),
    ]
    assert kinds(state) == []


def test_an_event_that_names_no_item_belongs_to_the_last_open_one() -> None:
    """Small servers send neither id nor index."""
    nameless = {"item_id": None, "output_index": None}
    message = {"type": "response.output_item.added", "item": {"type": "message"}}
    call = {"type": "response.output_item.added", "item": {"type": "function_call"}}
    message_done = message | {"type": "response.output_item.done"}
    state = of(CREATED, message, delta("a", **nameless), call, message_done, delta("b", **nameless))
    assert [(item.type, item.state, item.text()) for item in state.items] == [
        ("message", ItemState.DONE, "a"),
        ("function_call", ItemState.OPEN, "b"),
    ]
    assert kinds(state) == []


def test_an_item_that_changes_its_id_is_followed_by_index() -> None:
    """Gateways give an item a new id with each event: told, and it counts."""
    state = of(CREATED, added(), delta("a", item_id="x"), delta("b", item_id="x"), done(id="y"))
    assert kinds(state) == [AnomalyKind.ITEM_ID_CHANGED, AnomalyKind.ITEM_ID_CHANGED]
    assert [(item.item_id, item.text(), item.state) for item in state.items] == [
        ("msg_1", "ab", ItemState.DONE)
    ]


def test_an_item_may_get_its_name_later() -> None:
    """An item added without id, or without index, takes the one that a later event gives it."""
    state = of(
        CREATED,
        added(id=None),
        delta("a"),
        added(id="msg_2") | {"output_index": None},
        delta("b", item_id="msg_2", output_index=1),
    )
    assert [(item.item_id, item.output_index, item.text()) for item in state.items] == [
        ("msg_1", 0, "a"),
        ("msg_2", 1, "b"),
    ]
    assert kinds(state) == []


def test_two_items_may_share_an_index() -> None:
    """An item with another id is another item, whatever its index."""
    state = of(CREATED, added(), added(id="msg_2"), delta("a"), delta("b", item_id="msg_2"))
    assert [(item.item_id, item.text()) for item in state.items] == [("msg_1", "a"), ("msg_2", "b")]


def test_items_without_index_stand_as_they_came() -> None:
    """Where an item has no index the order is that of arrival."""
    unplaced = {"output_index": None}
    state = of(
        CREATED, added(id="b") | {"output_index": 5}, added(id="a") | unplaced, added(id="c")
    )
    assert [item.item_id for item in state.items] == ["b", "a", "c"]


def test_the_first_end_counts() -> None:
    """What comes after the end changes nothing, and is kept in the anomalies."""
    late = [
        lifecycle("completed", usage={"input_tokens": 1, "output_tokens": 1}),
        added(),
        delta("a"),
    ]
    failed = lifecycle("failed", error={"code": "server_error", "message": "Oops."})
    state = of(CREATED, failed, *late)
    assert (state.status, state.ended_by) == (Status.FAILED, "response.failed")
    assert state.error == ErrorInfo(code="server_error", message="Oops.")
    assert (state.items, state.usage) == ((), None)
    assert [(a.kind, a.position) for a in state.anomalies] == [(LATE, 2), (LATE, 3), (LATE, 4)]
    assert [a.event.raw for a in state.anomalies if isinstance(a.event, Event)] == late


def test_an_error_may_be_told_again_by_a_failure() -> None:
    """The ``error`` event ended it; ``response.failed`` adds what it knows."""
    error = {"type": "error", "message": "Slow down."}
    failed = lifecycle("failed", error={"code": "rate_limit_exceeded", "message": "Slow down."})
    assert of(error).error == ErrorInfo(message="Slow down.")
    assert of(error, lifecycle("failed")).error == ErrorInfo(message="Slow down.")
    state = of(error, failed)
    assert (state.status, state.ended_by) == (Status.FAILED, "error")
    assert state.error == ErrorInfo(code="rate_limit_exceeded", message="Slow down.")


def test_an_incomplete_response_says_why() -> None:
    """The reason is the one in ``incomplete_details``."""
    state = of(CREATED, lifecycle("incomplete", incomplete_details={"reason": "max_output_tokens"}))
    assert (state.status, state.incomplete_reason) == (Status.INCOMPLETE, "max_output_tokens")


def test_a_done_after_completed_keeps_the_usage() -> None:
    """``response.done`` may follow with less than ``response.completed`` stated."""
    completed = lifecycle("completed", usage={"input_tokens": 1, "output_tokens": 2})
    state = of(CREATED, completed, {"type": "response.done"})
    assert (state.ended_by, state.usage) == ("response.completed", Usage(1, 0, 2, 0, 3))
    assert kinds(state) == []


def test_another_response_id_is_told() -> None:
    """The first id stays; the event counts."""
    state = of(CREATED, lifecycle("completed", id="resp_2"))
    assert (state.response_id, state.status) == ("resp_1", Status.COMPLETED)
    assert kinds(state) == [AnomalyKind.RESPONSE_ID_CHANGED]


def test_unknown_events_are_kept_and_change_nothing() -> None:
    """Before, inside and after a response."""
    limits, timing = {"type": "codex.rate_limits"}, {"type": "responsesapi.websocket_timing"}
    state = of(limits, CREATED, COMPLETED, timing)
    assert state.unknown == tuple(UnknownEvent(raw["type"], raw) for raw in (limits, timing))
    assert (state.status, state.event_count, kinds(state)) == (Status.COMPLETED, 4, [])


def test_what_is_malformed_or_no_json_is_told() -> None:
    """Both are kept in the anomalies, with their place, and the response goes on."""
    broken = {"type": "response.output_text.delta"}
    state = of(CREATED, broken, "[DONE]", COMPLETED)
    assert [(anomaly.kind, anomaly.position) for anomaly in state.anomalies] == [
        (AnomalyKind.MALFORMED, 1),
        (AnomalyKind.UNPARSABLE, 2),
    ]
    assert state.anomalies[0].event == state.unknown[0]
    assert state.anomalies[1].event == Unparsable("[DONE]", "Expecting value at character 1")
    assert state.status is Status.COMPLETED


def test_a_state_does_not_change_with_later_events() -> None:
    """What ``state()`` gave stays as it was while the fold goes on."""
    folding = ResponseFold()
    for payload in ANSWER[:5]:
        folding.add(parse_event(payload))
    before, text = folding.state(), folding.state().text()
    for payload in ANSWER[5:]:
        folding.add(parse_event(payload))
    assert before.text() == text == "Grüße,"
    assert before.status is Status.OPEN
    assert folding.is_over


SOME_EVENTS = st.sampled_from(
    [*ANSWER, *TOOL_CALL, "[DONE]", '{"type":"error"}', '{"type":"response.failed"}', "{}"]
)


@given(st.lists(SOME_EVENTS, max_size=30))
def test_any_order_of_events_is_folded(payloads: list[str]) -> None:
    """Whatever comes in whatever order, every event is counted and the anomalies are in order."""
    state = of(*payloads)
    positions = [anomaly.position for anomaly in state.anomalies]
    assert state.event_count == len(payloads)
    assert positions == sorted(positions)
    assert all(0 <= position < len(payloads) for position in positions)
