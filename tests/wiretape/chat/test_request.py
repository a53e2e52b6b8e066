"""A prompt becomes a chat request (document 000 §3.3 and §4)."""

import json

import pytest

from wiretape.chat.request import ChatPrompt, ChatRequest, Subagent, assemble
from wiretape.errors import CannotExpress

PLAIN = ChatPrompt(model="gpt-test", instructions="inst", items=[])


def test_3_3_an_output_schema_is_refused() -> None:
    """The chat wire has no structured output, and says so in the client's words."""
    prompt = ChatPrompt("gpt-test", "inst", [], output_schema={"type": "object"})
    with pytest.raises(CannotExpress) as refusal:
        assemble(prompt)
    assert str(refusal.value) == "output_schema is not supported for Chat Completions API"


def test_3_3_an_empty_output_schema_is_refused_as_well() -> None:
    """Only its absence counts, not whether it says anything."""
    with pytest.raises(CannotExpress):
        assemble(ChatPrompt("gpt-test", "inst", [], output_schema={}))


def test_4_1_a_request_is_a_body_and_headers() -> None:
    """Nothing else is made of a prompt."""
    assert assemble(PLAIN) == ChatRequest(
        body={
            "model": "gpt-test",
            "messages": [{"role": "system", "content": "inst"}],
            "stream": True,
            "tools": [],
        },
        headers=(),
    )


def test_4_2_the_body_has_four_fields() -> None:
    """Model, messages, stream and tools: nothing else, in this order."""
    tools = ({"type": "function", "function": {"name": "shell"}},)
    request = assemble(ChatPrompt("gpt-test", "inst", [], tools))
    assert json.dumps(request.body) == (
        '{"model": "gpt-test", "messages": [{"role": "system", "content": "inst"}],'
        ' "stream": true, "tools": [{"type": "function", "function": {"name": "shell"}}]}'
    )


def test_4_2_no_tools_is_an_empty_list() -> None:
    """``tools`` is there even when there are none."""
    assert assemble(PLAIN).body["tools"] == []


def test_4_3_no_conversation_and_no_subagent_adds_no_header() -> None:
    """What is not known is not sent."""
    assert assemble(PLAIN).headers == ()


def test_4_3_the_conversation_is_the_session_id() -> None:
    """``session_id`` carries the conversation's id."""
    request = assemble(ChatPrompt("gpt-test", "inst", [], conversation_id="conv-1"))
    assert request.headers == (("session_id", "conv-1"),)


@pytest.mark.parametrize(
    ("subagent", "value"),
    [
        (Subagent.REVIEW, "review"),
        (Subagent.COMPACT, "compact"),
        (Subagent.COLLAB_SPAWN, "collab_spawn"),
        ("my-label", "my-label"),
    ],
)
def test_4_3_a_subagent_is_named(subagent: str, value: str) -> None:
    """``x-openai-subagent`` carries the sub-agent's name, or its label."""
    request = assemble(ChatPrompt("gpt-test", "inst", [], subagent=subagent))
    assert request.headers == (("x-openai-subagent", value),)
    assert type(request.headers[0][1]) is str


def test_4_3_both_headers_stand_together() -> None:
    """The sub-agent's header is added to the conversation's."""
    prompt = ChatPrompt("gpt-test", "inst", [], conversation_id="conv-1", subagent="review")
    assert assemble(prompt).headers == (("session_id", "conv-1"), ("x-openai-subagent", "review"))
