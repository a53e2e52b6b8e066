"""The documents' own examples, word for word (document 000 §13, document 003)."""

import json
import re

from wiretape.chat.messages import chat_messages
from wiretape.chat.stream import ChatStream
from wiretape.client.events import Completed, Item, OutputItemDone
from wiretape.sse import SseDecoder

LOOK: Item = {
    "type": "message",
    "role": "user",
    "content": [
        {"type": "input_text", "text": "look"},
        {"type": "input_image", "image_url": "https://..."},
    ],
}

LOOK_SENT = """
[
  {"role":"system","content":"inst"},
  {"role":"user","content":[
    {"type":"text","text":"look"},
    {"type":"image_url","image_url":{"url":"https://..."}}
  ]}
]
"""

TWO_CALLS: list[Item] = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "..."}]},
    {"type": "function_call", "name": "...", "arguments": "...", "call_id": "call-a"},
    {"type": "function_call", "name": "...", "arguments": "...", "call_id": "call-b"},
    {"type": "function_call_output", "call_id": "call-a", "output": "..."},
    {"type": "function_call_output", "call_id": "call-b", "output": "..."},
]

TWO_CALLS_SENT = """
[
  {"role":"system","content":"..."},
  {"role":"user","content":"..."},
  {"role":"assistant","content":null,"tool_calls":[
    {"id":"call-a","type":"function","function":{"name":"...","arguments":"..."}},
    {"id":"call-b","type":"function","function":{"name":"...","arguments":"..."}}
  ]},
  {"role":"tool","tool_call_id":"call-a","content":"..."},
  {"role":"tool","tool_call_id":"call-b","content":"..."}
]
"""

STREAMED_CALL = r"""
{
  "id": "chatcmpl-abc123",
  "object": "chat.completion.chunk",
  "created": 1699896916,
  "model": "gpt-4",
  "choices": [
    {
      "index": 0,
      "delta": {
        "role": "assistant",
        "content": null,
        "tool_calls": [
          {
            "index": 0,
            "id": "call_abc123",
            "type": "function",
            "function": {
              "name": "get_weather",
              "arguments": ""
            }
          }
        ]
      },
      "finish_reason": null
    }
  ]
}

{
  "choices": [
    {
      "index": 0,
      "delta": {
        "tool_calls": [
          {
            "index": 0,
            "function": {
              "arguments": "{\"city\""
            }
          }
        ]
      }
    }
  ]
}

{
  "choices": [
    {
      "index": 0,
      "delta": {
        "tool_calls": [
          {
            "index": 0,
            "function": {
              "arguments": ":\"北京\""
            }
          }
        ]
      }
    }
  ]
}

{
  "choices": [
    {
      "index": 0,
      "delta": {
        "tool_calls": [
          {
            "index": 0,
            "function": {
              "arguments": "}"
            }
          }
        ]
      }
    }
  ]
}

{
  "choices": [
    {
      "index": 0,
      "delta": {},
      "finish_reason": "tool_calls"
    }
  ]
}
"""

CHUNKS = re.split(r"\n\n(?={)", STREAMED_CALL.strip())

CALLED = [
    OutputItemDone(
        {
            "type": "function_call",
            "name": "get_weather",
            "arguments": '{"city":"北京"}',
            "call_id": "call_abc123",
        }
    ),
    Completed(response_id="", token_usage=None),
]


def same_bytes(messages: object, example: str) -> bool:
    """Equal with the order of keys, which matters to a server that caches prompts."""
    return json.dumps(messages) == json.dumps(json.loads(example))


def test_13_first_example_an_image_makes_the_content_a_list() -> None:
    """A user's text and image."""
    assert same_bytes(chat_messages("inst", [LOOK]), LOOK_SENT)


def test_13_second_example_calls_in_a_row_share_one_message() -> None:
    """Two calls, then their two outputs."""
    assert same_bytes(chat_messages("...", TWO_CALLS), TWO_CALLS_SENT)


def test_003_note_5_a_streamed_call_is_gathered_by_its_index() -> None:
    """The document's five chunks make one call; the end of the body completes."""
    stream = ChatStream()
    assert len(CHUNKS) == 5
    events = [event for chunk in CHUNKS for event in stream.feed(chunk)]
    assert [*events, *stream.close()] == CALLED


def test_003_note_2_streamed_calls_wait_for_their_finish_reason() -> None:
    """The last of the document's chunks hands the call up."""
    stream = ChatStream()
    events = [stream.feed(chunk) for chunk in CHUNKS]
    assert events == [[], [], [], [], CALLED[:1]]


def test_003_step_4_outputs_are_messages_of_the_tool() -> None:
    """One for each call, with its id, after the calls."""
    outputs = chat_messages("...", TWO_CALLS)[-2:]
    assert outputs == [
        {"role": "tool", "tool_call_id": "call-a", "content": "..."},
        {"role": "tool", "tool_call_id": "call-b", "content": "..."},
    ]


def test_003_note_5_a_streamed_call_is_the_same_at_every_split_of_its_bytes() -> None:
    """From the socket on, with the sentinel at the end."""
    data = [json.dumps(json.loads(chunk), ensure_ascii=False) for chunk in CHUNKS]
    body = "".join(f"data: {line}\n\n" for line in [*data, "[DONE]"]).encode()
    for split in range(len(body) + 1):
        decoder, stream = SseDecoder(), ChatStream()
        received = [*decoder.feed(body[:split]), *decoder.feed(body[split:])]
        assert [event for sse in received for event in stream.feed(sse.data)] == CALLED
