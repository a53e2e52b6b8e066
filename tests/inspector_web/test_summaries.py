"""What an event says, in one line."""

import json
from typing import Any

import pytest
from chat_talk import chat_call, chat_chunk
from timed_tapes import ask, call, completed, created, delta, done, failed, output

from inspector_web.summaries import summary_of
from wiretape.crossings import Crossing
from wiretape.facts import Sender

LIMITS = {
    "type": "codex.rate_limits",
    "rate_limits": {"primary": {"used_percent": 12.5}, "secondary": {"used_percent": 3}},
}


CHAT_COST = {
    "choices": [],
    "usage": {
        "prompt_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 3},
        "completion_tokens": 2,
    },
}


def crossing(event: Any, sender: Sender = Sender.SERVER) -> Crossing:
    text = event if isinstance(event, str) else json.dumps(event)
    kind = event.get("type", "unknown") if isinstance(event, dict) else "unknown"
    return Crossing(0, 1, sender, kind, len(text), text)


@pytest.mark.parametrize(
    ("event", "line", "is_unknown"),
    [
        (created("resp_7"), "resp_7", False),
        (delta("a  word\n"), "a word", False),
        (completed(given=7, made=3), "7 tokens in, 3 out", False),
        (failed("server_error", "try later"), "server_error: try later", False),
        (
            done(call("c", "shell", '{"cmd":"ls"}')),
            'function_call shell {"cmd":"ls"}',
            False,
        ),
        ({"type": "error", "status": 400, "error": {"message": "no"}}, "400 no", False),
        (
            {"type": "response.content_part.added", "part": {"type": "output_text"}},
            "text",
            False,
        ),
        ({"type": "response.output_text.delta"}, "no delta in it", True),
        (LIMITS, "primary 12.5 % used, secondary 3 % used", False),
        (
            {"type": "codex.rate_limits", "rate_limits": {}},
            '{"type": "codex.rate_limits", "rate_limits": {}}',
            True,
        ),
        (chat_chunk({"content": "Be"}), "Be", False),
        (chat_chunk(chat_call("c", "shell", '{"a"')), 'shell {"a"', False),
        (chat_chunk({"content": "."}, "stop"), "., finished: stop", False),
        (CHAT_COST, "7 tokens in (3 cached), 2 out", False),
        ({"type": "codex.new"}, '{"type": "codex.new"}', True),
        ("not json", "not json", True),
    ],
)
def test_events_of_the_server(event: Any, line: str, is_unknown: bool) -> None:
    """The text streamed, the item, the error, the cost; what is not known, as it stands."""
    assert summary_of(crossing(event)) == (line, is_unknown)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ({"type": "response.create", **ask("a", "b")}, "gpt-5.2-codex, 2 input items"),
        (
            {"type": "response.create", "generate": False, **ask("a")},
            "warm-up, gpt-5.2-codex, 1 input item",
        ),
        (
            {"type": "response.create", **ask("a", previous_response_id="resp_1")},
            "gpt-5.2-codex, 1 input item, after resp_1",
        ),
        ({"type": "response.append", "input": [output("c")]}, "1 input item"),
    ],
)
def test_messages_of_the_client(body: dict[str, Any], line: str) -> None:
    """What was asked: model, new input, and what it goes on from."""
    assert summary_of(crossing(body, Sender.CLIENT)) == (line, False)


def test_what_has_a_summary_keeps_it() -> None:
    """Heads, closes and ends say themselves what they are."""
    closed = Crossing(0, 1, Sender.SERVER, "websocket.close", 6, summary="1011 no luck")
    assert summary_of(closed) == ("1011 no luck", False)


def test_a_huge_event_is_not_taken_apart() -> None:
    """Its start will do for a line."""
    line, is_unknown = summary_of(crossing(delta("x" * 2_000_000)))
    assert line.startswith('{"type": "response.output_text.delta"')
    assert len(line) == 201
    assert not is_unknown
