"""Attempts at a chat model."""

from pathlib import Path

import pytest
from attempted import observed, the_attempt
from chat_talk import CHAT_TARGET, chat_ask, chat_call, chat_chunk
from reconstructed import the_session, whys
from timed_tapes import TapeMaker

from wiretape.asked import RequestKind
from wiretape.events import Usage
from wiretape.said import Outcome


def test_a_chat_ends_with_its_sentinel(maker: TapeMaker) -> None:
    """With the calls and the usage of its chunks."""
    post = maker.post(0, chat_ask(), target=CHAT_TARGET)
    usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
    post.answer(
        1,
        chat_chunk(chat_call()),
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
    post = maker.post(0, chat_ask(), target=CHAT_TARGET)
    post.answer(1, chat_chunk({"content": "a"}, "length"), "[DONE]")
    attempt = the_attempt(maker)
    assert (attempt.outcome, attempt.detail) == (Outcome.INCOMPLETE, "length")


def test_a_chat_that_was_not_streamed(maker: TapeMaker) -> None:
    """Its calls and usage, and an end when its body is whole."""
    message = {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "n"}}]}
    usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
    body = {"id": "chat_2", "choices": [{"message": message}], "usage": usage}
    post = maker.post(0, chat_ask(), target=CHAT_TARGET)
    post.refuse(1, 200, body)
    (seen,) = observed(maker)
    assert (seen.attempt.outcome, seen.attempt.usage) == (
        Outcome.COMPLETED,
        Usage(7, 0, 2, 0, 9),
    )
    assert [made.call.call_id for made in seen.calls] == ["c1"]


@pytest.mark.parametrize(
    ("finish", "outcome", "detail"),
    [
        ("stop", Outcome.COMPLETED, ""),
        (None, Outcome.COMPLETED, ""),
        ("length", Outcome.INCOMPLETE, "length"),
    ],
)
def test_a_whole_body_tells_how_a_chat_ended(
    finish: str | None, outcome: Outcome, detail: str, maker: TapeMaker
) -> None:
    """By its finish reason, as a stream does; one that gives none is whole all the same."""
    choice = {"message": {"role": "assistant", "content": "a"}, "finish_reason": finish}
    maker.post(0, chat_ask(), target=CHAT_TARGET).refuse(1, 200, {"choices": [choice]})
    attempt = the_attempt(maker)
    assert (attempt.outcome, attempt.detail) == (outcome, detail)


def test_a_chat_that_says_no_end_is_cut(maker: TapeMaker) -> None:
    """The body may end properly all the same: without a length, any end looks so."""
    post = maker.post(0, chat_ask(), target=CHAT_TARGET)
    post.answer(1, chat_chunk({"content": "Because the par"}))
    attempt = the_attempt(maker)
    assert (attempt.outcome, attempt.detail) == (Outcome.CUT, "complete")


@pytest.mark.parametrize("finish", ["tool_calls", "content_filter"])
def test_a_finish_reason_is_an_end_of_a_chat(finish: str, maker: TapeMaker) -> None:
    """Once the body has ended: not every server sends the sentinel."""
    maker.post(0, chat_ask(), target=CHAT_TARGET).answer(1, chat_chunk({}, finish))
    assert the_attempt(maker).outcome is Outcome.COMPLETED


def test_a_chat_asked_again_after_a_cut_is_tried_again(tmp_path: Path) -> None:
    """The same body, though it ends with what a tool gave."""
    maker = TapeMaker(tmp_path / "tape.db", "my-agent/1.2")
    said = {"role": "assistant", "tool_calls": chat_call()["tool_calls"]}
    asked = chat_ask(
        {"role": "user", "content": "hi"},
        said,
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    )
    maker.post(0, asked, target=CHAT_TARGET).answer(1, chat_chunk({"content": "Because"}))
    maker.post(50, asked, target=CHAT_TARGET).answer(51, chat_chunk({"content": "ok"}, "stop"))
    assert whys(the_session(maker)) == [["tool_follow_up", "retry"]]
