"""Chat exchanges as exchanges of the Responses API."""

import json

import pytest
from bent_scripts import bent_script, script

from replayer.chats.bending import as_responses
from wiretape.chat.aggregate import AggregateMode

OFFER = ["- request: websocket https://api.openai.com/v1/responses", "  answer: 426"]
ASK = ["- request: POST /v1/chat/completions", '  body: {"model":"m","messages":[]}']


def chunk(delta: str, finish: str = "null") -> str:
    return f'  - data: {{"id":"chat-7","choices":[{{"delta":{delta},"finish_reason":{finish}}}]}}'


def answered(*lines: str) -> list[str]:
    """What the exchange becomes, without the refusals of WebSockets behind it."""
    found, _ = bent_script(script(*ASK, *lines), [as_responses()])
    return found[: found.index(OFFER[0])]


def said(*lines: str, mode: AggregateMode | None = None) -> list[str]:
    """The types of the events that a stream becomes, with the texts in them."""
    found, _ = bent_script(script(*ASK, *lines), [as_responses(mode)])
    events = [json.loads(line[4:]) for line in found if line.startswith('  - {"type"')]
    return [_short(event) for event in events]


def _short(event: dict[str, object]) -> str:
    item = event.get("item", {})
    assert isinstance(item, dict)
    told = event.get("delta") or item.get("arguments") or ""
    if content := item.get("content"):
        told = "|".join(part["text"] for part in content)
    return f"{str(event['type']).removeprefix('response.')} {told}".rstrip()


HELLO = [chunk('{"content":"Hel"}'), chunk('{"content":"lo"}'), chunk("{}", '"stop"')]
END = "  - data: '[DONE]'"


def test_a_text_is_a_message() -> None:
    """Piece by piece, and then whole."""
    assert said("  steps:", *HELLO, END) == [
        "created",
        "output_item.added",
        "output_text.delta Hel",
        "output_text.delta lo",
        "output_item.done Hello",
        "completed",
    ]


def test_a_text_may_be_gathered() -> None:
    """As the documented client did unless it was told otherwise."""
    found = said("  steps:", *HELLO, END, mode=AggregateMode.AGGREGATED_ONLY)
    assert found == ["created", "output_item.added", "output_item.done Hello", "completed"]


def test_pieces_of_a_call_are_one_call() -> None:
    """With the reasoning before it."""
    first = '{"reasoning":"hm","tool_calls":[{"index":0,"id":"c","function":{"name":"run",'
    assert said(
        "  steps:",
        chunk(first + '"arguments":"{\\"a\\""}}]}'),
        chunk('{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}'),
        chunk("{}", '"tool_calls"'),
        END,
    ) == [
        "created",
        "output_item.added",
        "reasoning_text.delta hm",
        "output_item.done hm",
        'output_item.done {"a":1}',
        "completed",
    ]


def test_an_answer_that_is_too_long_fails() -> None:
    """To the documented client it is a context window that is full."""
    found = said("  steps:", chunk('{"content":"Hel"}'), chunk("{}", '"length"'), END)
    assert found[-1] == "failed"


@pytest.mark.parametrize("end", ["server_closed", "reset", "client_closed"])
def test_a_cut_stays_a_cut(end: str) -> None:
    """Nothing that was not whole becomes whole."""
    lines = ["  steps:", HELLO[0], f"  end: {end}"]
    assert said(*lines) == ["created", "output_item.added", "output_text.delta Hel"]
    assert answered(*lines)[-1] == f"  end: {end}"


def test_a_proper_end_completes_the_answer() -> None:
    """Even without the last words."""
    assert said("  steps:", *HELLO[:2])[-2:] == ["output_item.done Hello", "completed"]


def test_a_refusal_stays_one() -> None:
    """Status, headers and body."""
    refused = ['  answer: {status: 429, headers: {retry-after: "1"}}', "  steps:", "  - chunk: hm"]
    assert answered(*refused)[-5:] == [
        "    status: 429",
        "    headers:",
        '      retry-after: "1"',
        "  steps:",
        "  - chunk: hm",
    ]


def test_an_answer_in_one_piece_becomes_a_stream() -> None:
    """With what it cost."""
    body = (
        '{"id":"chat-7","choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}],'
        '"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}'
    )
    found = answered(
        "  answer: {status: 200, headers: {content-type: application/json}}",
        "  steps:",
        f"  - chunk: {body}",
    )
    completed = json.loads(found[-1][4:])["response"]
    assert completed == {
        "id": "chat-7",
        "usage": {
            "input_tokens": 3,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 2,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 5,
        },
    }


def test_what_is_asked_is_left_open() -> None:
    """And a client that wants a WebSocket is sent on to HTTP, if it asks."""
    found, told = bent_script(script(*ASK, "  steps:", *HELLO), [as_responses()])
    requests = [line for line in found if line.startswith("- request:")]
    assert requests == [
        "- request: POST https://api.openai.com/v1/responses",
        OFFER[0],
        OFFER[0],
    ]
    assert not any("messages" in line for line in found)
    assert told == [
        "1 chat request answered as responses: compared are the user's last words and what was "
        "said and done since, not instructions, context, tools and settings"
    ]
