"""Attempts at a chat model."""

from attempted import observed, the_attempt
from timed_tapes import TapeMaker

from wiretape.asked import RequestKind
from wiretape.attempts import Outcome
from wiretape.events import Usage


def chat_chunk(delta: dict[str, object], finish: str | None = None) -> dict[str, object]:
    """A chunk of the chat wire."""
    return {"id": "chat_1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


CHAT_CALL = {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "n", "arguments": ""}}]}


def test_a_chat_ends_with_its_sentinel(maker: TapeMaker) -> None:
    """With the calls and the usage of its chunks."""
    post = maker.post(0, {"model": "m", "messages": []}, target="/v1/chat/completions")
    usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
    post.answer(
        1,
        chat_chunk(CHAT_CALL),
        chat_chunk({}, "tool_calls"),
        {"id": "chat_1", "choices": [], "usage": usage},
        "[DONE]",
    )
    (seen,) = observed(maker)
    assert (seen.attempt.kind, seen.attempt.outcome) == (RequestKind.CHAT, Outcome.COMPLETED)
    assert (seen.attempt.response_id, seen.attempt.usage) == ("chat_1", Usage(7, 0, 2, 0, 9))
    assert [made.call.name for made in seen.calls] == ["n"]


def test_a_chat_cut_for_length_is_incomplete(maker: TapeMaker) -> None:
    """``finish_reason: length``, whatever follows."""
    post = maker.post(0, {"model": "m", "messages": []}, target="/v1/chat/completions")
    post.answer(1, chat_chunk({"content": "a"}, "length"), "[DONE]")
    attempt = the_attempt(maker)
    assert (attempt.outcome, attempt.detail) == (Outcome.INCOMPLETE, "length")


def test_a_chat_that_was_not_streamed(maker: TapeMaker) -> None:
    """Its calls and usage, and an end when its body is whole."""
    message = {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "n"}}]}
    usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
    body = {"id": "chat_2", "choices": [{"message": message}], "usage": usage}
    post = maker.post(0, {"model": "m", "messages": []}, target="/v1/chat/completions")
    post.refuse(1, 200, body)
    (seen,) = observed(maker)
    assert (seen.attempt.outcome, seen.attempt.usage) == (
        Outcome.COMPLETED,
        Usage(7, 0, 2, 0, 9),
    )
    assert [made.call.call_id for made in seen.calls] == ["c1"]
