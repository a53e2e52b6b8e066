"""Tests of the agent: nobody is asked, each answer is on a tape."""

import openai
import pytest
from agent import answer


def test_a_tool_is_used(wiretape_replay):
    """On the tape beside this file: tapes/test_agent/test_a_tool_is_used.db."""
    assert answer("Which day was 2026-01-02?") == "It was a Friday."
    wiretape_replay.assert_attempts(
        "first http create completed", "tool_follow_up http create completed"
    )
    wiretape_replay.assert_as_recorded()


@pytest.mark.wiretape("busy.script")
def test_a_busy_model_is_asked_again(wiretape_replay):
    """On a script, written by hand."""
    assert answer("Are you there?") == "Here I am."
    wiretape_replay.assert_requests(1)
    wiretape_replay.assert_attempts("first http create http_error", "retry http create completed")


@pytest.mark.wiretape("broken.script", strict=True)
def test_a_broken_answer_is_an_error():
    """The marker alone plays the tape; strictly, so all of it must be asked."""
    with pytest.raises(openai.APIError, match="the model fell asleep"):
        answer("Are you there?")
