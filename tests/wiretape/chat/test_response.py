"""A chat response that was not streamed becomes items and a finish (document 003)."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiretape.chat.aggregate import AggregateMode, Aggregator
from wiretape.chat.items import Skipped, SkipReason
from wiretape.chat.response import ChatResponse, read_response
from wiretape.chat.stream import ChatStream
from wiretape.client.events import Item, OutputItemDone, TokenUsage
from wiretape.sse import SseDecoder, SseEvent, encode

ONE_CALL = r"""
{
  "id": "chatcmpl-abc123",
  "object": "chat.completion",
  "created": 1699896916,
  "model": "gpt-4",
  "choices": [
    {
      "index": 0,
      "message": {
        "role": "assistant",
        "content": null,
        "tool_calls": [
          {
            "id": "call_abc123",
            "type": "function",
            "function": {
              "name": "get_weather",
              "arguments": "{\"city\":\"北京\",\"unit\":\"celsius\"}"
            }
          }
        ]
      },
      "finish_reason": "tool_calls"
    }
  ],
  "usage": {
    "prompt_tokens": 82,
    "completion_tokens": 17,
    "total_tokens": 99
  }
}
"""

THREE_CALLS = r"""
{
  "choices": [
    {
      "message": {
        "role": "assistant",
        "content": null,
        "tool_calls": [
          {
            "id": "call_abc123",
            "type": "function",
            "function": {
              "name": "get_weather",
              "arguments": "{\"city\":\"北京\"}"
            }
          },
          {
            "id": "call_def456",
            "type": "function",
            "function": {
              "name": "get_time",
              "arguments": "{\"timezone\":\"Asia/Shanghai\"}"
            }
          },
          {
            "id": "call_ghi789",
            "type": "function",
            "function": {
              "name": "search_news",
              "arguments": "{\"query\":\"今日新闻\",\"limit\":5}"
            }
          }
        ]
      },
      "finish_reason": "tool_calls"
    }
  ]
}
"""


def body(**message: object) -> str:
    """The body of a response with one choice."""
    return json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]})


def read(text: str) -> ChatResponse:
    """The response in ``text``, which is one."""
    response = read_response(text)
    assert isinstance(response, ChatResponse)
    return response


def call(call_id: str, name: str, arguments: str) -> Item:
    """A function call item."""
    return {"type": "function_call", "name": name, "arguments": arguments, "call_id": call_id}


def test_003_step_1_the_calls_of_a_message_are_found() -> None:
    """The document's first response, word for word."""
    assert read_response(ONE_CALL) == ChatResponse(
        response_id="chatcmpl-abc123",
        items=(call("call_abc123", "get_weather", '{"city":"北京","unit":"celsius"}'),),
        finish_reason="tool_calls",
        usage=TokenUsage(
            input_tokens=82,
            cached_input_tokens=0,
            output_tokens=17,
            reasoning_output_tokens=0,
            total_tokens=99,
        ),
    )


def test_003_note_4_calls_stand_in_their_order() -> None:
    """The document's second response, word for word: three calls in their order."""
    assert read_response(THREE_CALLS) == ChatResponse(
        response_id="",
        items=(
            call("call_abc123", "get_weather", '{"city":"北京"}'),
            call("call_def456", "get_time", '{"timezone":"Asia/Shanghai"}'),
            call("call_ghi789", "search_news", '{"query":"今日新闻","limit":5}'),
        ),
        finish_reason="tool_calls",
        usage=None,
    )


def test_003_note_2_an_answer_finishes_for_another_reason() -> None:
    """With the reason that it finished for."""
    response = read(body(role="assistant", content="hi"))
    assert response.items == (
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "hi"}],
        },
    )
    assert response.finish_reason == "stop"


@pytest.mark.parametrize("content", [None, "", []])
def test_003_note_1_no_content_is_no_message(content: object) -> None:
    """Null or the empty string beside calls."""
    entry = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    assert read(body(content=content, tool_calls=[entry])).items == (call("a", "f", "{}"),)


def test_003_note_3_arguments_stay_text() -> None:
    """They need not be JSON."""
    entry = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{oops"}}
    assert read(body(tool_calls=[entry])).items == (call("a", "f", "{oops"),)


def test_003_step_2_every_call_is_taken() -> None:
    """Whatever is beside it."""
    entries = [{"id": str(number), "function": {"name": "f"}} for number in range(3)]
    found = read(body(tool_calls=[*entries, "no call"], content="hi")).items
    assert [item["call_id"] for item in found[1:]] == ["0", "1", "2"]


def test_003_step_3_id_name_and_arguments_are_read() -> None:
    """Each from its place in the entry."""
    entry = {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"b": 1}'}}
    assert read(body(tool_calls=[entry])).items == (call("a", "f", '{"b": 1}'),)


def test_items_stand_in_the_order_of_an_answer() -> None:
    """Reasoning, message, calls."""
    entry = {"id": "a", "function": {"name": "f", "arguments": ""}}
    response = read(body(tool_calls=[entry], content="hi", reasoning={"text": "why"}))
    assert [item["type"] for item in response.items] == ["reasoning", "message", "function_call"]
    assert response.items[0]["content"] == [{"type": "reasoning_text", "text": "why"}]


@pytest.mark.parametrize("reasoning", [None, "", {"text": ""}, {}])
def test_no_reasoning_is_no_item(reasoning: object) -> None:
    """Neither is an empty one, as with the content."""
    response = read(body(reasoning=reasoning, content="hi"))
    assert [item["type"] for item in response.items] == ["message"]


def test_content_may_be_a_list() -> None:
    """Each text is a part."""
    response = read(body(content=[{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]))
    assert response.items[0]["content"] == [
        {"type": "output_text", "text": "a"},
        {"type": "output_text", "text": "b"},
    ]


def test_a_call_without_an_id_is_named_after_its_place() -> None:
    """Counted from 0 within its message."""
    entries = [{"id": "a", "function": {"name": "f"}}, {"function": {"name": "g"}}]
    assert read(body(tool_calls=entries)).items[1] == call("tool-call-1", "g", "")


@pytest.mark.parametrize("name", [None, "", 1])
def test_a_call_without_a_name_is_skipped(name: object) -> None:
    """Its arguments are kept, and the other calls."""
    entries = [
        {"id": "a", "function": {"name": name, "arguments": "{}"}},
        {"id": "b", "function": {"name": "f", "arguments": "[]"}},
    ]
    response = read(body(tool_calls=entries))
    assert response.items == (call("b", "f", "[]"),)
    assert response.skipped == (Skipped(SkipReason.NAMELESS_CALL, "{}"),)


def test_every_choice_gives_its_items() -> None:
    """The finish is the first one's."""
    choices = [
        {"message": {"content": "a"}, "finish_reason": "length"},
        {"message": {"content": "b"}, "finish_reason": "stop"},
    ]
    response = read(json.dumps({"choices": choices}))
    assert [item["content"][0]["text"] for item in response.items] == ["a", "b"]
    assert response.finish_reason == "length"


def test_token_details_are_read() -> None:
    """Cached input and reasoning output stand a level deeper."""
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 20,
        "total_tokens": 30,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 5},
    }
    response = read(json.dumps({"choices": [{}], "usage": usage}))
    assert response.usage == TokenUsage(10, 4, 20, 5, 30)


def test_counts_that_are_no_counts_are_zero() -> None:
    """Negative, fractional, or text."""
    usage = {"prompt_tokens": -1, "completion_tokens": 1.5, "total_tokens": "3"}
    response = read(json.dumps({"choices": [{}], "usage": usage}))
    assert response.usage == TokenUsage(0, 0, 0, 0, 0)


def test_what_is_not_json_is_no_response() -> None:
    """An error page, or a body cut short."""
    assert read_response("<html>") == Skipped(SkipReason.NOT_JSON, "<html>")


@pytest.mark.parametrize("text", ["{}", "[]", '{"choices": []}', '{"error": {"message": "no"}}'])
def test_without_choices_there_is_no_response(text: str) -> None:
    """The text is kept."""
    assert read_response(text) == Skipped(SkipReason.NO_CHOICES, text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
MESSAGES = st.fixed_dictionaries(
    {}, optional={"content": JSON, "reasoning": JSON, "tool_calls": st.lists(JSON, max_size=4)}
)


@given(MESSAGES)
def test_any_message_gives_an_item_or_a_skip_for_each_call(message: dict[str, object]) -> None:
    """Never an exception, and no call is lost."""
    response = read(json.dumps({"choices": [{"message": message}]}))
    calls = [item for item in response.items if item["type"] == "function_call"]
    entries = message.get("tool_calls", [])
    assert isinstance(entries, list)
    assert len(calls) + len(response.skipped) == len(entries)


CALLS = st.lists(st.tuples(st.sampled_from("fg"), st.lists(st.text(), max_size=3)), max_size=3)


@given(st.lists(st.text(min_size=1), max_size=3), CALLS, st.lists(st.integers(0, 400)))
def test_an_answer_says_the_same_whole_and_streamed(
    texts: list[str], calls: list[tuple[str, list[str]]], cuts: list[int]
) -> None:
    """Message and calls are equal, however text and arguments are dealt out and bytes are cut."""
    entries = [
        {"id": f"c{at}", "function": {"name": name, "arguments": "".join(pieces)}}
        for at, (name, pieces) in enumerate(calls)
    ]
    whole = read(body(content="".join(texts), tool_calls=entries)).items
    deltas: list[dict[str, object]] = [{"content": text} for text in texts]
    for at, (name, pieces) in enumerate(calls):
        begun = {"index": at, "id": f"c{at}", "function": {"name": name, "arguments": ""}}
        more = [{"index": at, "function": {"arguments": piece}} for piece in pieces]
        deltas += [{"tool_calls": [piece]} for piece in (begun, *more)]
    chunks = [*({"choices": [{"delta": delta}]} for delta in deltas), FINISHED, "[DONE]"]
    data = b"".join(encode(sse(chunk)) for chunk in chunks)
    assert gathered(data, cuts) == [*whole[bool(texts) :], *whole[: bool(texts)]]


FINISHED = {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}


def sse(chunk: object) -> SseEvent:
    """A chunk as a server-sent event."""
    data = chunk if isinstance(chunk, str) else json.dumps(chunk, ensure_ascii=False)
    return SseEvent("message", data, "", None, 0, 0, 0)


def gathered(data: bytes, cuts: list[int]) -> list[Item]:
    """The items of a stream cut at these places, each message of one part; calls come first."""
    decoder, stream = SseDecoder(), ChatStream()
    aggregator = Aggregator(AggregateMode.AGGREGATED_ONLY)
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    events = [event for a, b in pairwise(places) for event in decoder.feed(data[a:b])]
    shown = [
        each
        for event in events
        for said in stream.feed(event.data)
        for each in aggregator.feed(said)
    ]
    return [each.item for each in shown if isinstance(each, OutputItemDone)]
