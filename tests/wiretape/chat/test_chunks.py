"""What one chunk says by itself."""

import json
from typing import Any

import pytest
from chat_talk import chat_call, chat_chunk

from wiretape.chat.chunks import ChunkText, chunk_in
from wiretape.client.events import TokenUsage
from wiretape.events import Channel


@pytest.mark.parametrize(
    ("delta", "texts"),
    [
        ({"content": "Be"}, (ChunkText(Channel.TEXT, "Be"),)),
        ({"role": "assistant", "content": ""}, ()),
        ({"reasoning": "hm"}, (ChunkText(Channel.REASONING, "hm"),)),
        ({"reasoning_content": "hm"}, (ChunkText(Channel.REASONING, "hm"),)),
        ({"refusal": "no"}, (ChunkText(Channel.REFUSAL, "no"),)),
        (chat_call("c1", "shell", '{"a"'), (ChunkText(Channel.ARGUMENTS, '{"a"', 0, "shell"),)),
        (
            {"tool_calls": [{"index": 2, "function": {"arguments": ":1}"}}]},
            (ChunkText(Channel.ARGUMENTS, ":1}", 2),),
        ),
    ],
)
def test_the_texts_of_a_delta(delta: dict[str, Any], texts: tuple[ChunkText, ...]) -> None:
    """Each with its channel; a call with its index, and its name where that is told."""
    chunk = chunk_in(json.dumps(chat_chunk(delta)))
    assert chunk is not None
    assert (chunk.texts, chunk.finish_reason, chunk.usage) == (texts, None, None)


def test_the_end_and_the_cost_of_an_answer() -> None:
    """Its finish reason, and the usage, which comes with no choices."""
    finished = chunk_in(json.dumps(chat_chunk({}, "stop")))
    usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
    told = chunk_in(json.dumps({"choices": [], "usage": usage}))
    assert finished is not None and told is not None
    assert (finished.finish_reason, told.usage) == ("stop", TokenUsage(7, 0, 2, 0, 9))


@pytest.mark.parametrize("text", ["[DONE]", '{"choices": ', '{"choices": 1}', '{"error": {}}', "7"])
def test_what_is_no_chunk(text: str) -> None:
    """The sentinel, JSON that is cut, and JSON that is something else."""
    assert chunk_in(text) is None
