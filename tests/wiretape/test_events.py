"""The typed events: each type that is known, what is not, and text that is no JSON."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streams import ANSWER, TOOL_CALL

from wiretape.events import (
    Channel,
    Delta,
    ErrorEvent,
    ErrorInfo,
    Event,
    ItemAdded,
    ItemDone,
    Lifecycle,
    PartAdded,
    PartDone,
    Phase,
    TextDone,
    UnknownEvent,
    Usage,
    event_type,
    parse_event,
)
from wiretape.jsontext import Unparsable


def event(raw: dict[str, Any]) -> Event:
    """The event of a JSON object that is sent as text."""
    parsed = parse_event(json.dumps(raw))
    assert isinstance(parsed, Event)
    return parsed


@pytest.mark.parametrize("phase", list(Phase))
def test_a_lifecycle_event_tells_what_its_response_states(phase: Phase) -> None:
    """Id, status, usage, error and reason come from the ``response`` object."""
    raw = {
        "type": phase.value,
        "response": {
            "id": "resp_1",
            "status": "incomplete",
            "usage": {
                "input_tokens": 10,
                "input_tokens_details": {"cached_tokens": 4},
                "output_tokens": 5,
                "output_tokens_details": {"reasoning_tokens": 2},
                "total_tokens": 15,
            },
            "error": {"code": "rate_limit_exceeded", "message": "Slow down."},
            "incomplete_details": {"reason": "max_output_tokens"},
        },
    }
    assert event(raw) == Lifecycle(
        type=phase.value,
        raw=raw,
        phase=phase,
        response_id="resp_1",
        status="incomplete",
        usage=Usage(10, 4, 5, 2, 15),
        error=ErrorInfo(code="rate_limit_exceeded", message="Slow down."),
        incomplete_reason="max_output_tokens",
    )


@pytest.mark.parametrize(
    "response", [{}, {"response": None}, {"response": {"usage": 1, "error": None}}]
)
def test_a_lifecycle_event_needs_no_response(response: dict[str, Any]) -> None:
    """Whatever is missing or of another kind is ``None``; the phase is known all the same."""
    raw = {"type": "response.done", **response}
    expected = Lifecycle("response.done", raw, Phase.DONE, None, None, None, None, None)
    assert event(raw) == expected


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"input_tokens": 1, "output_tokens": 2}, Usage(1, 0, 2, 0, 3)),
        ({"input_tokens": 1, "output_tokens": 2, "total_tokens": 9}, Usage(1, 0, 2, 0, 9)),
        ({"input_tokens": 1, "output_tokens": 2, "input_tokens_details": []}, Usage(1, 0, 2, 0, 3)),
        ({"input_tokens": 1}, None),
        ({"input_tokens": True, "output_tokens": 2}, None),
        ({"input_tokens": -1, "output_tokens": 2}, None),
        ({"input_tokens": 1 << 63, "output_tokens": 2}, None),
        ({"input_tokens": 1.0, "output_tokens": 2}, None),
    ],
)
def test_usage_is_counts_or_nothing(usage: dict[str, Any], expected: Usage | None) -> None:
    """Input and output have to be counts; details and total may be missing."""
    completed = event({"type": "response.completed", "response": {"usage": usage}})
    assert isinstance(completed, Lifecycle)
    assert completed.usage == expected


def test_an_item_event_carries_its_item() -> None:
    """The item is given as it is on the wire, with its id and place."""
    item = {"id": "msg_1", "type": "message", "new_field": [1, None]}
    for kind, made in (("added", ItemAdded), ("done", ItemDone)):
        raw = {"type": f"response.output_item.{kind}", "output_index": 3, "item": item}
        assert event(raw) == made(raw["type"], raw, "msg_1", 3, item)


TEXT_STREAMS = [
    ("response.output_text", Channel.TEXT, "content_index", "text"),
    ("response.refusal", Channel.REFUSAL, "content_index", "refusal"),
    ("response.reasoning_text", Channel.REASONING, "content_index", "text"),
    ("response.reasoning_summary_text", Channel.SUMMARY, "summary_index", "text"),
    ("response.function_call_arguments", Channel.ARGUMENTS, "", "arguments"),
    ("response.mcp_call_arguments", Channel.ARGUMENTS, "", "arguments"),
    ("response.custom_tool_call_input", Channel.INPUT, "", "input"),
]


@pytest.mark.parametrize(("stem", "channel", "part_key", "text_key"), TEXT_STREAMS)
def test_text_streams_in_deltas_and_a_whole(
    stem: str, channel: Channel, part_key: str, text_key: str
) -> None:
    """Each kind of text has its channel, its key for the part and its key for the whole."""
    place = {"item_id": "it_1", "output_index": 2} | ({part_key: 4} if part_key else {})
    part_index = 4 if part_key else 0
    delta = {"type": f"{stem}.delta", "delta": "ab", **place}
    whole = {"type": f"{stem}.done", text_key: "abc", **place}
    assert event(delta) == Delta(delta["type"], delta, "it_1", 2, part_index, channel, "ab")
    assert event(whole) == TextDone(whole["type"], whole, "it_1", 2, part_index, channel, "abc")


@pytest.mark.parametrize(
    ("stem", "part_key", "part", "channel", "text"),
    [
        ("content_part", "content_index", {"type": "output_text", "text": "a"}, Channel.TEXT, "a"),
        (
            "content_part",
            "content_index",
            {"type": "refusal", "refusal": "b"},
            Channel.REFUSAL,
            "b",
        ),
        (
            "content_part",
            "content_index",
            {"type": "reasoning_text", "text": "c"},
            Channel.REASONING,
            "c",
        ),
        (
            "reasoning_summary_part",
            "summary_index",
            {"type": "summary_text", "text": "d"},
            Channel.SUMMARY,
            "d",
        ),
        ("content_part", "content_index", {"type": "output_image", "text": "e"}, None, None),
        ("content_part", "content_index", None, None, None),
    ],
)
def test_a_part_tells_its_channel_and_text(
    stem: str, part_key: str, part: Any, channel: Channel | None, text: str | None
) -> None:
    """The part's type says which text it holds, if any."""
    place = {"item_id": "it_1", "output_index": 2, part_key: 4, "part": part}
    added = {"type": f"response.{stem}.added", **place}
    done = {"type": f"response.{stem}.done", **place}
    assert event(added) == PartAdded(added["type"], added, "it_1", 2, 4, channel)
    assert event(done) == PartDone(done["type"], done, "it_1", 2, 4, channel, text)


def test_a_delta_may_name_no_item() -> None:
    """Small servers send deltas without id and place; what is of another kind counts as absent."""
    for place in ({}, {"item_id": 7, "output_index": "0", "content_index": None}):
        raw = {"type": "response.output_text.delta", "delta": "a", **place}
        assert event(raw) == Delta(raw["type"], raw, None, None, 0, Channel.TEXT, "a")


@pytest.mark.parametrize(
    ("raw", "error", "status"),
    [
        (
            {"type": "error", "code": "server_error", "message": "Oops.", "param": None},
            ErrorInfo(code="server_error", message="Oops."),
            None,
        ),
        (
            {
                "type": "error",
                "status": 400,
                "error": {"type": "invalid_request_error", "code": "x"},
            },
            ErrorInfo(code="x", type="invalid_request_error"),
            400,
        ),
        (
            {"type": "error", "status_code": 429, "error": {"message": "m"}},
            ErrorInfo(message="m"),
            429,
        ),
        ({"type": "error"}, ErrorInfo(), None),
    ],
)
def test_an_error_is_read_flat_or_nested(
    raw: dict[str, Any], error: ErrorInfo, status: int | None
) -> None:
    """Over SSE the fields stand in the event, over WebSocket in an ``error`` object."""
    assert event(raw) == ErrorEvent("error", raw, error, status)


@pytest.mark.parametrize(
    "raw",
    [
        {"type": "codex.rate_limits", "plan_type": "pro"},
        {"type": "responsesapi.websocket_timing", "timing": {"ms": 1.5}},
        {"type": "response.output_text.annotation.added", "annotation": {}},
        {"type": ""},
    ],
)
def test_an_unknown_type_is_kept_whole(raw: dict[str, Any]) -> None:
    """An event of a type that is not known keeps its type and every field."""
    assert event(raw) == UnknownEvent(raw["type"], raw)


@pytest.mark.parametrize("raw", [{}, {"type": None}, {"type": ["error"]}, {"object": "chunk"}])
def test_an_object_without_type_is_an_unknown_event(raw: dict[str, Any]) -> None:
    """A JSON object that names no type has the empty one."""
    assert event(raw) == UnknownEvent("", raw)


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ({"type": "response.output_text.delta"}, "no delta in it"),
        ({"type": "response.output_text.delta", "delta": 5}, "no delta in it"),
        ({"type": "response.function_call_arguments.done", "arguments": {}}, "no arguments in it"),
        ({"type": "response.output_item.done", "item": "x"}, "no item in it"),
        ({"type": "response.output_item.added"}, "no item in it"),
    ],
)
def test_an_event_without_its_field_says_so(raw: dict[str, Any], problem: str) -> None:
    """A known type that lacks what makes it so is kept whole, with what is missing."""
    assert event(raw) == UnknownEvent(raw["type"], raw, problem)


@pytest.mark.parametrize("payload", ANSWER + TOOL_CALL)
def test_every_event_of_the_golden_streams_is_known(payload: str) -> None:
    """Each event of a Responses stream has a type of its own, and its JSON whole."""
    parsed = parse_event(payload)
    assert isinstance(parsed, Event)
    assert not isinstance(parsed, UnknownEvent)
    assert parsed.raw == json.loads(payload)


@pytest.mark.parametrize("text", ["[DONE]", "", "[1]", "{", '{"type": "error"} x', '{"a": NaN}'])
def test_text_that_is_no_json_object_is_unparsable(text: str) -> None:
    """It is kept as it is, with a reason, and has no type."""
    parsed = parse_event(text)
    assert isinstance(parsed, Unparsable)
    assert parsed.text == text
    assert parsed.reason


SCALARS = st.sampled_from([None, True, 0, -1, 1 << 70, 1.5, "", "a", "\ud800"]) | st.text(
    max_size=5
)
JSON = (
    SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(SCALARS.map(str), SCALARS, max_size=2)
)
KNOWN_KEYS = st.sampled_from(
    ["type", "response", "item", "delta", "text", "part", "error", "output_index", "content_index"]
)
TYPES = st.sampled_from(
    [json.loads(payload)["type"] for payload in ANSWER + TOOL_CALL] + ["error", "response.failed"]
)


@given(TYPES, st.dictionaries(KNOWN_KEYS, JSON))
def test_whatever_an_event_holds_it_is_kept(kind: str, fields: dict[str, Any]) -> None:
    """A known type with any fields of any kind parses, and keeps them all."""
    raw = {**fields, "type": kind}
    assert event(raw).raw == raw


@given(st.text())
def test_any_text_parses_to_something(text: str) -> None:
    """No text raises."""
    assert isinstance(parse_event(text), Event | Unparsable)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"type":"response.created","response":{}}', "response.created"),
        (' {\n "type" :\t"error" }', "error"),
        ('{"sequence_number": 1, "type": "error"}', "error"),
        ('{"type": "a\\u002eb"}', "a.b"),
        ('{"response": {"type": "message"}}', None),
        ('{"type": 5}', None),
        ("[DONE]", None),
    ],
)
def test_the_type_is_read_wherever_it_stands(text: str, kind: str | None) -> None:
    """First, later, escaped, of another kind, or nowhere."""
    assert event_type(text) == kind


@given(st.dictionaries(st.just("type") | st.text(max_size=3), JSON, max_size=4))
def test_the_cheap_type_is_the_type(raw: dict[str, Any]) -> None:
    """For any object the cheap way and the whole way agree."""
    text = json.dumps(raw, ensure_ascii=False)
    assert (event_type(text) or "") == event(raw).type
