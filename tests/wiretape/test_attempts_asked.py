"""What an attempt asked: its input, whose it is, and the part that it plays."""

import json
from pathlib import Path

import pytest
from attempted import attempts, observed, the_attempt
from timed_tapes import (
    NEW_CODEX,
    TapeMaker,
    ask,
    call,
    completed,
    created,
    done,
    message,
    output,
    reasoning,
    session,
)

from wiretape.origins import Role
from wiretape.said import Outcome


def test_a_call_counts_when_its_item_is_done(maker: TapeMaker) -> None:
    """At that time; repeated in ``response.completed`` it is the same call."""
    post = maker.post(0, ask("hi"))
    post.head(1)
    post.events(5, created(), done(reasoning()), done(call("c1")))
    post.events(9, completed(output=[call("c1"), call("c2")]))
    (seen,) = observed(maker)
    assert [(made.call.call_id, made.at_us) for made in seen.calls] == [("c1", 5000), ("c2", 9000)]


def test_an_input_that_ends_with_an_output_answers_tools(maker: TapeMaker) -> None:
    """Whatever the model said after it, as when an answer broke off."""
    tool_round = [reasoning(), call("c1"), output("c1")]
    maker.post(0, ask("hi", *tool_round))
    maker.post(1, ask("hi", *tool_round, reasoning("b")))
    maker.post(2, ask("hi", *tool_round, "and now this"))
    assert [each.answers_tools for each in attempts(maker)] == [True, True, False]


def test_what_an_input_repeats_is_told_from_what_is_new(maker: TapeMaker) -> None:
    """The outputs after the last item of the model are new; those of the round are at hand."""
    maker.post(
        0,
        ask(
            "hi",
            call("c1"),
            output("c1", "old"),
            reasoning(),
            call("c2"),
            call("c3"),
            output("c2", "new"),
            output("c3", "new too"),
        ),
    )
    (seen,) = observed(maker)
    assert seen.input is not None
    assert [each.call_id for each in seen.input.outputs] == ["c2", "c3"]
    assert seen.input.fresh == 2
    assert [each.call_id for each in seen.repeated] == ["c1", "c2", "c3"]
    assert seen.input.strays == ()


def test_a_stray_output_is_one_without_its_call(maker: TapeMaker) -> None:
    """In the same input."""
    maker.post(0, ask("hi", output("c1"), call("c2"), output("c2")))
    (seen,) = observed(maker)
    assert seen.input is not None
    assert seen.input.strays == ("c1",)


@pytest.mark.parametrize(
    "more",
    [
        {"previous_response_id": "resp_0"},
        {"conversation": "conv_1"},
        {"conversation": {"id": "conv_1"}},
        {"input": [{"type": "item_reference", "id": "msg_1"}]},
        {"input": [{"type": "compaction", "encrypted_content": "x"}]},
    ],
)
def test_an_input_that_goes_on_from_elsewhere_is_not_whole(
    more: dict[str, object], maker: TapeMaker
) -> None:
    """A response, a conversation, or items that the server knows."""
    maker.post(0, ask("hi") | more)
    assert the_attempt(maker).is_whole_input is False


def test_a_body_that_cannot_be_read_is_still_an_attempt(maker: TapeMaker) -> None:
    """Of which only the outside is known."""
    maker.post(0, b"\xff no json", session("s1")).answer(1, created(), completed())
    (seen,) = observed(maker)
    assert seen.input is None
    assert (seen.attempt.input_items, seen.attempt.request_bytes) == (0, 9)
    assert (seen.attempt.session, seen.attempt.outcome) == ("s1", Outcome.COMPLETED)


METADATA = {
    "turn_id": "turn-7",
    "request_kind": "turn",
    "parent_thread_id": "parent-1",
    "subagent_kind": "thread_spawn",
}


def test_the_newer_client_says_where_a_request_comes_from(tmp_path: Path) -> None:
    """Over HTTP, in a header."""
    maker = TapeMaker(tmp_path / "tape.db", NEW_CODEX)
    headers = (
        ("thread-id", "thread-1"),
        ("session-id", "session-1"),
        ("x-codex-turn-metadata", json.dumps(METADATA)),
    )
    maker.post(0, ask("hi"), headers)
    (seen,) = observed(maker)
    assert (seen.attempt.session, seen.attempt.turn_id) == ("thread-1", "turn-7")
    assert (seen.attempt.role, seen.origin.agent) == (Role.SUB_AGENT, "thread_spawn")
    assert seen.origin.parent == "parent-1"


def test_over_websocket_a_message_speaks_for_itself(tmp_path: Path) -> None:
    """Its metadata count before those of the handshake, which may be another turn's."""
    maker = TapeMaker(tmp_path / "tape.db", NEW_CODEX)
    headers = (("x-codex-turn-metadata", json.dumps({"turn_id": "of the handshake"})),)
    socket = maker.socket(0, headers)
    metadata = json.dumps(METADATA | {"turn_id": "of the message"})
    socket.ask(1, ask("hi", client_metadata={"x-codex-turn-metadata": metadata}))
    socket.ask(2, ask("hi", client_metadata={"turn_id": ""}))
    assert [each.turn_id for each in attempts(maker)] == ["of the message", "of the handshake"]


@pytest.mark.parametrize(
    ("headers", "body", "role"),
    [
        ((), ask("hi"), Role.TURN),
        ((("x-openai-subagent", "review"),), ask("hi"), Role.REVIEW),
        ((("x-openai-subagent", "compact"),), ask("hi"), Role.COMPACTION),
        ((("x-openai-subagent", "collab_spawn"),), ask("hi"), Role.SUB_AGENT),
        ((("x-codex-turn-metadata", '{"request_kind":"compaction"}'),), ask("hi"), Role.COMPACTION),
        ((("x-codex-turn-metadata", "no json"),), ask("hi"), Role.TURN),
        (
            (),
            ask("hi", "You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff"),
            Role.COMPACTION,
        ),
    ],
)
def test_the_part_that_a_request_plays(
    headers: tuple[tuple[str, str], ...], body: dict[str, object], role: Role, maker: TapeMaker
) -> None:
    """By header, by metadata, or for the older client by the words that ask for a summary."""
    maker.post(0, body, headers)
    assert the_attempt(maker).role is role


def test_text_alone_is_an_input(maker: TapeMaker) -> None:
    """As the SDK allows."""
    maker.post(0, {"model": "m", "input": "hi"})
    (seen,) = observed(maker)
    assert seen.input is not None
    assert (seen.input.items, seen.input.opening) == (1, "hi")


def test_who_made_an_item(maker: TapeMaker) -> None:
    """What the client, the model and the tools made, item by item."""
    maker.post(
        0,
        ask(
            message("rules", "developer"),
            "hi",
            message("hello", "assistant"),
            {"type": "web_search_call", "id": "ws_1"},
            {"type": "compaction", "encrypted_content": "x"},
            call("c1"),
            output("c1"),
        ),
    )
    (seen,) = observed(maker)
    assert seen.input is not None
    assert [entry.maker for entry in seen.input.tail] == [
        "client",
        "client",
        "model",
        "model",
        "model",
        "model",
        "tool",
    ]
