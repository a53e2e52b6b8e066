"""Server-sent chat chunks become client events (document 000 §11)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiretape.chat.items import Skipped, SkipReason
from wiretape.chat.stream import ChatEvent, ChatStream
from wiretape.chat.tool_calls import ToolCall
from wiretape.client.events import (
    Completed,
    Item,
    OutputItemAdded,
    OutputItemDone,
    OutputTextDelta,
    ReasoningContentDelta,
)
from wiretape.client.failures import Failure, FailureKind, failure, stream_failure

FULL = failure(FailureKind.CONTEXT_WINDOW)
COMPLETED = Completed(response_id="", token_usage=None)


def message(*texts: str) -> Item:
    """An assistant message as the stream hands it up."""
    parts = [{"type": "output_text", "text": text} for text in texts]
    return {"type": "message", "role": "assistant", "content": parts}


def reasoning(*texts: str) -> Item:
    """A reasoning as the stream hands it up."""
    return {
        "type": "reasoning",
        "id": "",
        "summary": [],
        "content": [{"type": "reasoning_text", "text": text} for text in texts],
        "encrypted_content": None,
    }


def function_call(call_id: str, name: str, arguments: str) -> Item:
    """A function call as the stream hands it up."""
    return {"type": "function_call", "name": name, "arguments": arguments, "call_id": call_id}


def chunk(finish_reason: str | None = None, **delta: object) -> str:
    """The data of a chunk with one choice."""
    return json.dumps({"choices": [{"delta": delta, "finish_reason": finish_reason}]})


def events_of(*data: str) -> list[ChatEvent]:
    """The events of a stream that is still open."""
    stream = ChatStream()
    return [event for each in data for event in stream.feed(each)]


CALLING = chunk(tool_calls=[{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}])
SPOKEN = [OutputItemAdded(message()), OutputTextDelta("hi")]
THOUGHT = [OutputItemAdded(reasoning()), ReasoningContentDelta("why", 0)]


def test_11_1_idle_for_too_long_fails_the_stream() -> None:
    """With the client's words; nothing that was open is handed up."""
    stream = ChatStream()
    stream.feed(chunk(content="hi"))
    assert stream.timed_out() == [stream_failure("idle timeout waiting for SSE")]
    assert stream.close() == []


def test_11_1_a_cut_body_fails_the_stream() -> None:
    """It has no proper end, so nothing that was open is handed up."""
    stream = ChatStream()
    stream.feed(chunk(content="hi"))
    assert stream.broke_off("error decoding response body") == [
        stream_failure("error decoding response body")
    ]
    assert stream.close() == []


def test_11_1_the_end_of_the_body_finishes_what_is_open() -> None:
    """Reasoning first, then the message, then the end."""
    stream = ChatStream()
    stream.feed(chunk(content="hi", reasoning="why"))
    assert stream.close() == [
        OutputItemDone(reasoning("why")),
        OutputItemDone(message("hi")),
        COMPLETED,
    ]


def test_11_1_the_end_of_an_empty_body_completes() -> None:
    """Even when nothing was said."""
    assert ChatStream().close() == [COMPLETED]


def test_11_1_the_end_of_the_body_after_completed_says_nothing() -> None:
    """Neither a second ``Completed`` nor an item begun since the first."""
    stream = ChatStream()
    stream.feed(chunk("stop"))
    stream.feed(chunk(content="late"))
    assert stream.close() == []


@pytest.mark.parametrize("sentinel", ["[DONE]", "DONE", " [DONE]\n", "\tDONE "])
def test_11_2_both_sentinels_end_the_stream_at_once(sentinel: str) -> None:
    """With or without brackets, and white space around; what is open is done."""
    assert events_of(chunk(content="hi", reasoning="why"), sentinel, chunk(content="late")) == [
        *THOUGHT,
        *SPOKEN,
        OutputItemDone(reasoning("why")),
        OutputItemDone(message("hi")),
        COMPLETED,
    ]


@pytest.mark.parametrize("data", ['"[DONE]"', "[done]", "[DONE]!", "done", "DONE DONE"])
def test_11_2_only_the_exact_words_are_sentinels(data: str) -> None:
    """Anything near them is data like any other, and the stream goes on."""
    assert events_of(data, chunk(content="hi")) == SPOKEN


def test_11_2_a_sentinel_after_completed_does_not_complete_again() -> None:
    """The usual stream ends with ``stop`` and then the sentinel."""
    assert events_of(chunk("stop"), "[DONE]") == [COMPLETED]


def test_11_2_a_sentinel_after_completed_finishes_what_began_since() -> None:
    """Text after ``stop`` is no usual stream, but is not lost."""
    assert events_of(chunk("stop"), chunk(content="hi"), "[DONE]") == [
        COMPLETED,
        *SPOKEN,
        OutputItemDone(message("hi")),
    ]


def test_11_2_text_after_completed_begins_a_new_message() -> None:
    """The first one was done, and is not repeated."""
    assert events_of(chunk("stop", content="a"), chunk(content="hi"), "[DONE]")[2:] == [
        OutputItemDone(message("a")),
        COMPLETED,
        *SPOKEN,
        OutputItemDone(message("hi")),
    ]


def test_11_2_a_sentinel_does_not_release_calls() -> None:
    """Only ``tool_calls`` does; the call stays open for whoever asks."""
    stream = ChatStream()
    stream.feed(CALLING)
    assert stream.feed("[DONE]") == [COMPLETED]
    assert stream.open_calls() == (ToolCall(0, "a", "f", "{}"),)


@pytest.mark.parametrize(
    "data",
    [
        "{",
        "hello",
        '{"choices": NaN}',
        '{"choices": [Infinity]}',
        '{"choices": [{"delta": {"content": "\\ud800"}}]}',
        "[" * 200_000,
        "1" * 5000,
    ],
)
def test_11_3_what_is_not_json_is_skipped(data: str) -> None:
    """The stream goes on, and the data is kept."""
    stream = ChatStream()
    assert stream.feed(data) == []
    assert stream.skipped == [Skipped(SkipReason.NOT_JSON, data)]
    assert stream.feed(chunk(content="hi")) == SPOKEN


def test_11_3_a_whole_surrogate_pair_is_json() -> None:
    """Only half of one is refused."""
    text = events_of('{"choices": [{"delta": {"content": "\\ud83d\\ude00"}}]}')[1]
    assert text == OutputTextDelta("😀")


@pytest.mark.parametrize("data", ["", " ", "\n"])
def test_11_3_blank_data_is_nothing(data: str) -> None:
    """Not even skipped data."""
    stream = ChatStream()
    assert stream.feed(data) == []
    assert stream.skipped == []


@pytest.mark.parametrize(
    "data", ["{}", "[]", "null", "1", '{"choices": {}}', '{"error": {"message": "no"}}']
)
def test_11_4_data_without_choices_is_skipped(data: str) -> None:
    """Anything but a list of them; the data is kept."""
    stream = ChatStream()
    assert stream.feed(data) == []
    assert stream.skipped == [Skipped(SkipReason.NO_CHOICES, data)]


def test_11_4_an_empty_list_of_choices_says_nothing() -> None:
    """As in the chunk that carries the usage; it is not skipped, and counts no tokens."""
    stream = ChatStream()
    assert stream.feed('{"choices": [], "usage": {"total_tokens": 9}}') == []
    assert stream.skipped == []
    assert stream.close() == [COMPLETED]


@pytest.mark.parametrize("choice", [None, 1, "x", [], {}, {"delta": None}, {"delta": "x"}])
def test_11_4_an_odd_choice_says_nothing(choice: object) -> None:
    """And does not stop those beside it."""
    beside = {"delta": {"content": "hi"}}
    assert events_of(json.dumps({"choices": [choice, beside]})) == SPOKEN


def test_11_4_every_choice_is_read() -> None:
    """They all go into one message."""
    choices = [{"delta": {"content": "a"}}, {"delta": {"content": "b"}}]
    assert events_of(json.dumps({"choices": choices}))[1:] == [
        OutputTextDelta("a"),
        OutputTextDelta("b"),
    ]


REASONING_SHAPES = [
    "why",
    {"text": "why"},
    {"content": "why"},
    {"text": "why", "content": "not this"},
    {"text": 1, "content": "why"},
]


@pytest.mark.parametrize("shape", REASONING_SHAPES)
def test_11_4_a_reasoning_is_a_string_or_its_text_or_its_content(shape: object) -> None:
    """In this order of preference."""
    assert events_of(chunk(reasoning=shape)) == THOUGHT


@pytest.mark.parametrize("shape", [None, 1, [], ["why"], {}, {"summary": "why"}])
def test_11_4_a_reasoning_of_any_other_shape_says_nothing(shape: object) -> None:
    """No item begins for it."""
    assert events_of(chunk(reasoning=shape)) == []


def test_11_4_a_the_first_reasoning_begins_an_item() -> None:
    """Once; each text is a part of its own, counted from 0."""
    assert events_of(chunk(reasoning="a"), chunk(reasoning="b")) == [
        OutputItemAdded(reasoning()),
        ReasoningContentDelta("a", 0),
        ReasoningContentDelta("b", 1),
    ]


def test_11_4_b_the_first_text_begins_an_item() -> None:
    """Once; each text is a delta of its own."""
    assert events_of(chunk(content="a"), chunk(content="b")) == [
        OutputItemAdded(message()),
        OutputTextDelta("a"),
        OutputTextDelta("b"),
    ]


def test_11_4_b_each_text_is_a_part_of_its_own() -> None:
    """The finished message keeps them apart."""
    assert events_of(chunk(content="a"), chunk(content="b"), "[DONE]")[-2:] == [
        OutputItemDone(message("a", "b")),
        COMPLETED,
    ]


def test_11_4_b_content_may_be_a_list() -> None:
    """The ``text`` of each item, whatever its type; items without one say nothing."""
    content = [{"type": "text", "text": "a"}, {"type": "image"}, {"text": 1}, "x", {"text": "b"}]
    assert events_of(chunk(content=content)) == [
        OutputItemAdded(message()),
        OutputTextDelta("a"),
        OutputTextDelta("b"),
    ]


def test_11_4_b_an_empty_string_is_text() -> None:
    """The ``content`` that many servers begin with opens an empty message."""
    assert events_of(chunk(role="assistant", content="")) == [
        OutputItemAdded(message()),
        OutputTextDelta(""),
    ]


@pytest.mark.parametrize("content", [None, 1, {}, {"text": "hi"}])
def test_11_4_b_content_of_any_other_shape_says_nothing(content: object) -> None:
    """No item begins for it."""
    assert events_of(chunk(content=content)) == []


@pytest.mark.parametrize("shape", REASONING_SHAPES)
def test_11_4_c_reasoning_may_stand_in_the_message(shape: object) -> None:
    """In the same shapes, and into the same item as the delta's."""
    choice = {"delta": {"reasoning": "so"}, "message": {"reasoning": shape}}
    assert events_of(json.dumps({"choices": [choice]})) == [
        OutputItemAdded(reasoning()),
        ReasoningContentDelta("so", 0),
        ReasoningContentDelta("why", 1),
    ]


def test_11_4_c_nothing_else_of_the_message_is_read() -> None:
    """A whole message inside a stream adds no text and no calls."""
    said = {"content": "hi", "tool_calls": [{"id": "a", "function": {"name": "f"}}]}
    stream = ChatStream()
    assert stream.feed(json.dumps({"choices": [{"message": said}]})) == []
    assert stream.open_calls() == ()


def test_11_4_each_chunk_is_read_in_a_fixed_order() -> None:
    """Delta's reasoning, text, message's reasoning, and the finish last."""
    choice = {
        "finish_reason": "stop",
        "message": {"reasoning": "and"},
        "delta": {"content": "hi", "reasoning": "why"},
    }
    assert events_of(json.dumps({"choices": [choice]})) == [
        *THOUGHT,
        *SPOKEN,
        ReasoningContentDelta("and", 1),
        OutputItemDone(reasoning("why", "and")),
        OutputItemDone(message("hi")),
        COMPLETED,
    ]


def test_11_5_calls_say_nothing_until_they_are_released() -> None:
    """No delta and no begun item."""
    assert events_of(CALLING) == []


def test_11_5_tool_calls_releases_the_calls() -> None:
    """In order, and the stream goes on without being complete."""
    second = chunk(tool_calls=[{"index": 1, "function": {"name": "g", "arguments": "[]"}}])
    assert events_of(CALLING, second, chunk("tool_calls")) == [
        OutputItemDone(function_call("a", "f", "{}")),
        OutputItemDone(function_call("tool-call-1", "g", "[]")),
    ]


def test_11_5_tool_calls_finishes_the_reasoning_first() -> None:
    """The calls stand after the thought that led to them."""
    assert events_of(chunk(reasoning="why"), CALLING, chunk("tool_calls"))[2:] == [
        OutputItemDone(reasoning("why")),
        OutputItemDone(function_call("a", "f", "{}")),
    ]


def test_11_5_tool_calls_leaves_the_message_open() -> None:
    """It is done with the end of the stream, after the calls."""
    assert events_of(chunk(content="hi"), CALLING, chunk("tool_calls"), "[DONE]")[2:] == [
        OutputItemDone(function_call("a", "f", "{}")),
        OutputItemDone(message("hi")),
        COMPLETED,
    ]


def test_11_5_a_nameless_call_is_skipped() -> None:
    """The others are handed up, and its arguments are kept."""
    nameless = chunk(tool_calls=[{"index": 5, "function": {"arguments": '{"x":1}'}}])
    stream = ChatStream()
    stream.feed(nameless)
    stream.feed(CALLING)
    assert stream.feed(chunk("tool_calls")) == [OutputItemDone(function_call("a", "f", "{}"))]
    assert stream.skipped == [Skipped(SkipReason.NAMELESS_CALL, '{"x":1}')]


def test_11_5_a_reasoning_after_the_calls_is_a_new_item() -> None:
    """The first one was done, so the next text begins another."""
    stream = ChatStream()
    stream.feed(chunk("tool_calls", reasoning="why"))
    assert stream.feed(chunk(reasoning="why")) == THOUGHT


def test_11_5_every_kind_of_call_becomes_a_function_call() -> None:
    """The entry's type is not looked at."""
    entry = {"index": 0, "id": "a", "type": "custom", "function": {"name": "f", "arguments": "x"}}
    assert events_of(chunk("tool_calls", tool_calls=[entry])) == [
        OutputItemDone(function_call("a", "f", "x"))
    ]


def test_11_6_stop_finishes_and_completes() -> None:
    """Reasoning, message, ``Completed``."""
    assert events_of(chunk(reasoning="why", content="hi"), chunk("stop"))[4:] == [
        OutputItemDone(reasoning("why")),
        OutputItemDone(message("hi")),
        COMPLETED,
    ]


def test_11_6_stop_does_not_release_calls() -> None:
    """Calls that were not released by ``tool_calls`` are never made."""
    stream = ChatStream()
    stream.feed(CALLING)
    assert stream.feed(chunk("stop")) == [COMPLETED]
    assert stream.open_calls() == (ToolCall(0, "a", "f", "{}"),)


def test_11_6_a_second_stop_does_not_complete_again() -> None:
    """With several choices each has its own."""
    assert events_of(chunk("stop"), chunk("stop")) == [COMPLETED]


def test_11_6_stop_does_not_end_the_stream() -> None:
    """Calls released after it are still handed up."""
    assert events_of(chunk("stop"), CALLING, chunk("tool_calls")) == [
        COMPLETED,
        OutputItemDone(function_call("a", "f", "{}")),
    ]


def test_11_6_length_means_a_full_context_window() -> None:
    """The stream is over, nothing open is handed up, and nothing more is read."""
    choices = [{"delta": {"content": "hi"}, "finish_reason": "length"}, {"finish_reason": "stop"}]
    stream = ChatStream()
    assert stream.feed(json.dumps({"choices": choices})) == [*SPOKEN, FULL]
    assert stream.feed("[DONE]") == []
    assert stream.close() == []
    assert stream.timed_out() == []


@pytest.mark.parametrize("reason", [None, "content_filter", "function_call", "STOP", ""])
def test_11_6_any_other_finish_reason_waits_for_more(reason: str | None) -> None:
    """Neither an end nor a release."""
    stream = ChatStream()
    stream.feed(CALLING)
    assert stream.feed(chunk(reason, content="hi")) == SPOKEN
    assert stream.feed(chunk(content="!")) == [OutputTextDelta("!")]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
PIECES = st.fixed_dictionaries(
    {},
    optional={
        "index": st.integers(0, 3) | JSON,
        "id": st.sampled_from(["", "a", "b"]) | JSON,
        "function": st.fixed_dictionaries(
            {}, optional={"name": st.sampled_from(["", "f"]) | JSON, "arguments": JSON}
        ),
    },
)
DELTAS = st.fixed_dictionaries(
    {},
    optional={
        "content": JSON,
        "reasoning": JSON | st.fixed_dictionaries({"text": JSON}),
        "tool_calls": st.lists(PIECES, max_size=3) | JSON,
    },
)
FINISHES = st.sampled_from([None, "stop", "length", "tool_calls", "content_filter"])
CHOICES = st.fixed_dictionaries({"delta": DELTAS | JSON, "finish_reason": FINISHES})
CHUNKS = st.fixed_dictionaries({"choices": st.lists(CHOICES | JSON, max_size=3)}).map(json.dumps)
DATA = CHUNKS | st.sampled_from(["[DONE]", "DONE"]) | st.text() | JSON.map(json.dumps)


@given(st.lists(DATA, max_size=8), st.booleans())
def test_any_sequence_of_chunks_ends_once(data: list[str], times_out: bool) -> None:
    """Never an exception, one ``Completed`` at most, and never neither it nor a failure."""
    stream = ChatStream()
    events = [event for each in data for event in stream.feed(each)]
    events += stream.timed_out() if times_out else stream.close()
    completed = [event for event in events if isinstance(event, Completed)]
    failures = [e for e in events if isinstance(e, Failure)]
    assert len(completed) <= 1
    assert len(failures) <= 1
    assert completed or failures


@given(st.lists(DATA, max_size=8))
def test_every_item_that_begins_is_handed_up_whole(data: list[str]) -> None:
    """The texts of the finished items are the deltas, in order, unless the stream failed."""
    stream = ChatStream()
    events = [event for each in [*data, "[DONE]"] for event in stream.feed(each)]
    if FULL in events:
        return
    said = [event.delta for event in events if isinstance(event, OutputTextDelta)]
    items = [event.item for event in events if isinstance(event, OutputItemDone)]
    parts = [part for item in items if item["type"] == "message" for part in item["content"]]
    assert [part["text"] for part in parts] == said
