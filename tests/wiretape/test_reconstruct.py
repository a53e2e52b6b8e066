"""Sessions, turns, requests and attempts, put together from a tape."""

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from timed_tapes import (
    NEW_CODEX,
    TapeMaker,
    ask,
    call,
    completed,
    created,
    delta,
    done,
    failed,
    message,
    output,
    reasoning,
    session,
)

from wiretape.attempts import Outcome, Transport
from wiretape.facts import EndKind, Headers, Sender
from wiretape.origins import Role
from wiretape.reconstruct import Session, Why, sessions_of
from wiretape.spot import Spot

S1, S2 = session("s1"), session("s2")


@pytest.fixture
def maker(tmp_path: Path) -> TapeMaker:
    """An empty tape."""
    return TapeMaker(tmp_path / "tape.db")


def sessions(maker: TapeMaker) -> list[Session]:
    """The sessions on the tape."""
    with maker.read() as reader:
        return sessions_of(reader)


def the_session(maker: TapeMaker) -> Session:
    """The only session on the tape."""
    (found,) = sessions(maker)
    return found


def whys(found: Session) -> list[list[str]]:
    """Why each try was made, request by request."""
    return [[str(each.why) for each in request.tries] for request in found.requests]


def exchanges(found: Session) -> list[list[int]]:
    """Which exchange carried each try, request by request."""
    return [[each.attempt.exchange for each in request.tries] for request in found.requests]


def cut(maker: TapeMaker, at_ms: float, body: dict[str, Any], headers: Headers = S1) -> None:
    """A POST whose answer breaks off two milliseconds later."""
    post = maker.post(at_ms, body, headers)
    post.head(at_ms + 1)
    post.events(at_ms + 1, created())
    post.end(at_ms + 2, EndKind.SERVER_CLOSED, Sender.SERVER)


def answer(
    maker: TapeMaker,
    at_ms: float,
    body: dict[str, Any],
    headers: Headers = S1,
    *,
    items: tuple[dict[str, Any], ...] = (),
    response_id: str = "resp_1",
) -> None:
    """A POST that is answered with these items."""
    post = maker.post(at_ms, body, headers)
    post.answer(at_ms + 1, created(response_id), *map(done, items), completed(response_id))


def turn_of(turn_id: str) -> Headers:
    """The header in which the newer client names the turn."""
    return (*S1, ("x-codex-turn-metadata", json.dumps({"turn_id": turn_id})))


def test_a_tool_round_is_two_requests_of_one_turn(maker: TapeMaker) -> None:
    """The second follows up on the call, which is the evidence."""
    answer(maker, 0, ask("hi"), items=(reasoning(), call("c1")))
    answer(maker, 10, ask("hi", reasoning(), call("c1"), output("c1")))
    found = the_session(maker)
    assert whys(found) == [["first"], ["tool_follow_up"]]
    follow_up = found.requests[1].tries[0]
    assert follow_up.evidence == (
        "its input ends with the output of a tool, called for in exchange 1"
    )
    assert follow_up.spot == Spot(1, 2000, "response.output_item.done")
    assert [len(turn.requests) for turn in found.turns] == [2]


def test_a_retry_asks_for_the_same_after_a_failure(maker: TapeMaker) -> None:
    """Each retry is numbered among those of its request."""
    for at_ms in (0, 10, 20):
        cut(maker, at_ms, ask("hi"))
    answer(maker, 30, ask("hi"))
    found = the_session(maker)
    assert whys(found) == [["first", "retry", "retry", "retry"]]
    assert [(each.number, each.of) for each in found.tries] == [
        (None, None),
        (1, 3),
        (2, 3),
        (3, 3),
    ]
    retry = found.tries[1]
    assert retry.evidence == "the same request as exchange 1, which ended as cut (server_closed)"
    assert retry.spot == Spot(1, 2000, "end")


def test_the_same_words_after_an_answer_are_a_new_request(maker: TapeMaker) -> None:
    """What was answered is not tried again."""
    answer(maker, 0, ask("go on"))
    answer(maker, 10, ask("go on", message("done", "assistant"), "go on"))
    assert whys(the_session(maker)) == [["first"], ["first"]]


def test_the_same_words_twice_after_a_failure_are_a_new_request(maker: TapeMaker) -> None:
    """The user gave up, and says it again: the input holds it twice."""
    cut(maker, 0, ask("rules", "go on"))
    answer(maker, 10, ask("rules", "go on", "go on"))
    assert whys(the_session(maker)) == [["first"], ["first"]]


def test_another_turn_is_no_retry(maker: TapeMaker) -> None:
    """Where the client names its turns, they count more than words."""
    cut(maker, 0, ask("go on"), turn_of("t1"))
    answer(maker, 10, ask("go on"), turn_of("t2"))
    answer(maker, 20, ask("go on"), turn_of("t2"))
    found = the_session(maker)
    assert whys(found) == [["first"], ["first"], ["first"]]
    assert [(turn.number, turn.id, len(turn.requests)) for turn in found.turns] == [
        (1, "t1", 1),
        (2, "t2", 2),
    ]


def test_a_retry_may_carry_on_with_what_had_come(maker: TapeMaker) -> None:
    """Items of the answer that broke off, and what its calls gave, are no new request."""
    post = maker.post(0, ask("hi"), S1)
    post.head(1)
    post.events(2, created(), done(reasoning()), done(call("c1")))
    post.end(3, EndKind.RESET, Sender.SERVER)
    answer(maker, 10, ask("hi", reasoning(), call("c1"), output("c1")))
    found = the_session(maker)
    assert whys(found) == [["first", "retry"]]
    assert found.tools[0].took_us == 8000


def test_an_id_is_not_what_an_item_says(maker: TapeMaker) -> None:
    """A client may leave it out, or give a new one, when it tries again."""
    cut(maker, 0, ask({"id": "msg_1"} | message("hi")))
    cut(maker, 10, ask(message("hi")))
    answer(maker, 20, ask({"id": "msg_2"} | message("hi")))
    assert whys(the_session(maker)) == [["first", "retry", "retry"]]


def test_an_output_of_another_call_is_a_new_request(maker: TapeMaker) -> None:
    """Only what the failed answer itself called for may be added."""
    cut(maker, 0, ask("hi", call("c1"), output("c1")))
    answer(maker, 10, ask("hi", call("c1"), output("c1"), call("c2"), output("c2")))
    assert whys(the_session(maker)) == [["tool_follow_up"], ["tool_follow_up"]]


def test_a_fallback_is_the_same_request_over_http(maker: TapeMaker) -> None:
    """After the retries over WebSocket; each transport counts its own."""
    for at_ms in (0, 10):
        socket = maker.socket(at_ms, S1)
        socket.ask(at_ms + 2, ask("hi"))
        socket.close(at_ms + 3, 1011)
    cut(maker, 20, ask("hi"))
    answer(maker, 30, ask("hi"))
    found = the_session(maker)
    assert whys(found) == [["first", "retry", "fallback", "retry"]]
    assert [(each.number, each.of) for each in found.tries] == [
        (None, None),
        (1, 1),
        (None, None),
        (1, 1),
    ]
    assert found.transports == [Transport.WEBSOCKET, Transport.HTTP]
    assert (found.count(Why.RETRY), found.count(Why.FALLBACK)) == (2, 1)


def test_a_refused_upgrade_belongs_to_the_request_that_follows(maker: TapeMaker) -> None:
    """It carried none itself."""
    maker.upgrade(0, S1).refuse(1, 426)
    maker.upgrade(10, S1).refuse(11, 426)
    answer(maker, 20, ask("hi"))
    found = the_session(maker)
    assert whys(found) == [["first", "retry", "fallback"]]
    assert found.tries[0].evidence == "nothing unanswered before it asks for the same"
    assert found.tries[2].evidence == (
        "the same request as exchange 2, which ended as http_error (426 Upgrade Required)"
    )
    assert found.tries[2].spot == Spot(2, 11_000, "http.response")


def test_a_refused_upgrade_within_retries_is_one_of_them(maker: TapeMaker) -> None:
    """A new socket is asked for after the old one was closed."""
    socket = maker.socket(0, S1)
    socket.ask(2, ask("hi"))
    socket.close(3, 1011)
    maker.upgrade(10, S1).refuse(11, 500)
    answer(maker, 20, ask("hi"))
    found = the_session(maker)
    assert (whys(found), exchanges(found)) == ([["first", "retry", "fallback"]], [[1, 2, 3]])


def test_upgrades_that_nothing_followed_are_a_request_of_their_own(maker: TapeMaker) -> None:
    """What it would have been is not known."""
    maker.upgrade(0, S1).refuse(1, 429)
    maker.upgrade(10, S1).refuse(11, 429)
    found = the_session(maker)
    assert whys(found) == [["unknown", "retry"]]
    assert found.requests[0].last.outcome is Outcome.HTTP_ERROR


def test_a_session_of_unused_sockets_is_none(maker: TapeMaker) -> None:
    """A client opens some ahead of need."""
    maker.socket(0, S2).end(5, EndKind.CLIENT_CLOSED, Sender.CLIENT)
    answer(maker, 1, ask("hi"))
    assert [found.id for found in sessions(maker)] == ["s1"]


def test_a_warm_up_is_a_request_of_its_own(maker: TapeMaker) -> None:
    """It goes before the turn's first request, on the same socket or on another one."""
    socket = maker.socket(0, S1)
    socket.ask(1, ask("rules", generate=False))
    socket.close(2, 1011)
    again = maker.socket(10, S1)
    again.ask(11, ask("rules", "hi"))
    again.say(12, created(), completed())
    found = the_session(maker)
    assert whys(found) == [["first"], ["first"]]
    assert [request.role for request in found.requests] == [Role.WARM_UP, Role.TURN]
    assert [len(turn.requests) for turn in found.turns] == [2]


def test_a_warm_up_is_tried_again_as_one(maker: TapeMaker) -> None:
    """By another warm-up, never by a request."""
    for at_ms in (0, 10):
        socket = maker.socket(at_ms, S1)
        socket.ask(at_ms + 1, ask("rules", generate=False))
        socket.close(at_ms + 2, 1011)
    answer(maker, 20, ask("rules"))
    assert whys(the_session(maker)) == [["first", "retry"], ["first"]]


def test_an_append_goes_on_with_the_turn(maker: TapeMaker) -> None:
    """``response.append`` sends only what is new; a retry sends it all."""
    socket = maker.socket(0, S1)
    socket.ask(1, ask("hi"))
    socket.say(2, created(), done(call("c1")), completed())
    socket.ask(5, ask(reasoning(), call("c1"), output("c1")), kind="response.append")
    socket.close(6, 1011)
    again = maker.socket(10, S1)
    again.ask(11, ask("hi", reasoning(), call("c1"), output("c1")))
    again.say(12, created(), completed())
    found = the_session(maker)
    assert whys(found) == [["first"], ["tool_follow_up", "retry"]]
    assert exchanges(found) == [[1], [1, 2]]


def test_a_previous_response_is_gone_on_from(maker: TapeMaker) -> None:
    """``previous_response_id`` with the new items; a fallback sends it all."""
    socket = maker.socket(0, S1)
    socket.ask(1, ask("hi"))
    socket.say(2, created(), done(call("c1")), completed("resp_1"))
    socket.ask(5, ask(output("c1"), previous_response_id="resp_1"))
    socket.close(6, 1011)
    answer(maker, 10, ask("hi", call("c1"), output("c1")))
    assert whys(the_session(maker)) == [["first"], ["tool_follow_up", "fallback"]]


def test_sessions_that_interleave_are_told_apart(maker: TapeMaker) -> None:
    """By the name that the client gives, whatever else is equal."""
    cut(maker, 0, ask("hi"), S1)
    cut(maker, 1, ask("hi"), S2)
    answer(maker, 10, ask("hi"), S2)
    answer(maker, 11, ask("hi"), S1)
    first, second = sessions(maker)
    assert (first.id, first.number, exchanges(first)) == ("s1", 1, [[1, 4]])
    assert (second.id, second.number, exchanges(second)) == ("s2", 2, [[2, 3]])
    assert whys(first) == whys(second) == [["first", "retry"]]


def test_attempts_are_put_in_order_of_time_over_several_sockets(maker: TapeMaker) -> None:
    """A socket that was opened first may carry what was asked last."""
    first, second = maker.socket(0, S1), maker.socket(1, S1)
    second.ask(10, ask("one"))
    second.say(11, created(), completed("resp_1"))
    first.ask(20, ask("two", previous_response_id="resp_1"))
    first.say(21, created(), completed("resp_2"))
    second.ask(30, ask("three", previous_response_id="resp_2"))
    second.say(31, created(), completed("resp_3"))
    assert exchanges(the_session(maker)) == [[2], [1], [2]]


def test_two_requests_at_once_have_retries_of_their_own(maker: TapeMaker) -> None:
    """The retry of the earlier one is found though another request came between."""
    cut(maker, 0, ask("one"))
    cut(maker, 1, ask("two"))
    answer(maker, 10, ask("one"))
    answer(maker, 11, ask("two"))
    assert exchanges(the_session(maker)) == [[1, 3], [2, 4]]


@pytest.mark.parametrize(
    ("body", "evidence"),
    [
        (
            ask("hi", message("hello", "assistant"), "more"),
            "its input holds answers that are not on the tape",
        ),
        (
            ask("more", previous_response_id="resp_0"),
            "it goes on from response resp_0, which is not on the tape",
        ),
    ],
)
def test_a_session_may_have_begun_before_the_tape(
    body: dict[str, Any], evidence: str, maker: TapeMaker
) -> None:
    """Its first request is a resumption, and says what of."""
    answer(maker, 0, body)
    found = the_session(maker)
    assert whys(found) == [["resumed"]]
    assert found.tries[0].evidence == evidence


def test_an_append_without_its_beginning_is_a_resumption(maker: TapeMaker) -> None:
    """A recording that starts in the middle of a socket's life."""
    socket = maker.socket(0, S1)
    socket.ask(1, ask("more"), kind="response.append")
    found = the_session(maker)
    assert whys(found) == [["resumed"]]
    assert found.tries[0].evidence == "it adds to a request that is not on the tape"


def test_a_recording_may_start_within_a_turn(maker: TapeMaker) -> None:
    """The call is not on the tape, the follow-up is."""
    answer(maker, 0, ask("hi", call("c1"), output("c1")))
    found = the_session(maker)
    assert whys(found) == [["tool_follow_up"]]
    assert found.tries[0].spot is None


def test_a_recording_may_stop_in_the_middle(maker: TapeMaker) -> None:
    """What is open has no end, and the session lasts until the last thing known."""
    answer(maker, 0, ask("hi"), items=(call("c1"),))
    post = maker.post(20, ask("hi", call("c1"), output("c1")), S1)
    post.head(25)
    found = the_session(maker)
    assert found.requests[1].last.outcome is Outcome.OPEN
    assert (found.at_us, found.until_us) == (0, 20_000)


def test_what_cannot_be_read_is_unknown(maker: TapeMaker) -> None:
    """A body that a gap has cut, or that is no JSON."""
    maker.post(0, b'{"model": "m", "input": [', S1).answer(1, created(), completed())
    found = the_session(maker)
    assert whys(found) == [["unknown"]]
    assert found.tries[0].evidence == "what it asks cannot be read"


def test_after_a_compaction_the_history_begins_with_a_summary(maker: TapeMaker) -> None:
    """The turn goes on; the older client names none."""
    prompt = "You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary"
    summary = (
        "Another language model started to solve this problem and produced a summary of its work"
    )
    answer(maker, 0, ask("hi"), items=(call("c1"),))
    answer(maker, 10, ask("hi", call("c1"), output("c1"), prompt))
    answer(maker, 20, ask("hi", summary))
    answer(maker, 30, ask("hi", summary, message("done", "assistant"), "next"))
    found = the_session(maker)
    assert whys(found) == [["first"], ["first"], ["resumed"], ["first"]]
    assert [request.role for request in found.requests] == [
        Role.TURN,
        Role.COMPACTION,
        Role.TURN,
        Role.TURN,
    ]
    assert [len(turn.requests) for turn in found.turns] == [3, 1]


def test_a_compaction_by_its_own_endpoint(maker: TapeMaker) -> None:
    """``/responses/compact`` belongs to the turn in which it happens."""
    answer(maker, 0, ask("hi"))
    post = maker.post(10, ask("hi"), S1, target="/v1/responses/compact")
    post.refuse(11, 200, {"object": "response.compaction", "output": []})
    found = the_session(maker)
    assert [request.role for request in found.requests] == [Role.TURN, Role.COMPACTION]
    assert [len(turn.requests) for turn in found.turns] == [2]


def test_a_sub_agent_is_a_session_with_a_parent(tmp_path: Path) -> None:
    """With the client's word for what it is."""
    maker = TapeMaker(tmp_path / "tape.db", NEW_CODEX)
    metadata = {"parent_thread_id": "root", "subagent_kind": "thread_spawn", "turn_id": "t9"}
    answer(maker, 0, ask("hi"), (("thread-id", "root"),))
    child = (("thread-id", "child"), ("x-codex-turn-metadata", json.dumps(metadata)))
    answer(maker, 10, ask("say hello"), child)
    root, sub_agent = sessions(maker)
    assert (root.parent, root.agent) == (None, None)
    assert (sub_agent.parent, sub_agent.agent) == ("root", "thread_spawn")
    assert [request.role for request in sub_agent.requests] == [Role.SUB_AGENT]


def test_turns_of_a_client_that_names_none(maker: TapeMaker) -> None:
    """A turn goes on until the user says something."""
    answer(maker, 0, ask("hi"), items=(call("c1"),))
    history = ["hi", call("c1"), output("c1")]
    answer(maker, 10, ask(*history))
    answer(maker, 20, ask(*history, message("done", "assistant"), "next"))
    found = the_session(maker)
    assert [[request.number for request in turn.requests] for turn in found.turns] == [[1, 2], [3]]


def test_words_within_a_named_turn_do_not_end_it(maker: TapeMaker) -> None:
    """The user may say something while the client works."""
    answer(maker, 0, ask("hi"), turn_of("t1"), items=(call("c1"),))
    answer(maker, 10, ask("hi", call("c1"), output("c1"), "hurry"), turn_of("t1"))
    assert [len(turn.requests) for turn in the_session(maker).turns] == [2]


def test_words_after_a_new_output_go_on_with_the_turn(maker: TapeMaker) -> None:
    """The client shows an image that a tool read in a message of its own."""
    answer(maker, 0, ask("look"), items=(call("c1", "view_image"),))
    image = {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}
    shown = {"type": "message", "role": "user", "content": [image]}
    answer(maker, 10, ask("look", call("c1", "view_image"), output("c1", "attached"), shown))
    found = the_session(maker)
    assert [len(turn.requests) for turn in found.turns] == [2]
    follow_up = found.requests[1].tries[0]
    assert follow_up.why is Why.TOOL_FOLLOW_UP
    assert follow_up.evidence == (
        "before its last words, its input holds the new output of a tool, called for in exchange 1"
    )
    assert follow_up.spot == Spot(1, 2000, "response.output_item.done")


@pytest.mark.parametrize("given", ["aborted", "aborted by user after 3.1s"])
def test_words_after_an_interruption_begin_a_turn(maker: TapeMaker, given: str) -> None:
    """The tool's output says only that it was stopped; what follows is a wish of its own."""
    answer(maker, 0, ask("hi"), items=(call("c1"),))
    answer(maker, 10, ask("hi", call("c1"), output("c1", given), "something else"))
    found = the_session(maker)
    assert whys(found) == [["first"], ["first"]]
    assert [len(turn.requests) for turn in found.turns] == [1, 1]


def test_words_after_an_output_that_was_sent_before_begin_a_turn(maker: TapeMaker) -> None:
    """The turn before was given up, and the user asks on."""
    answer(maker, 0, ask("hi"), items=(call("c1"),))
    cut(maker, 10, ask("hi", call("c1"), output("c1")))
    answer(maker, 20, ask("hi", call("c1"), output("c1"), "go on"))
    found = the_session(maker)
    assert whys(found) == [["first"], ["tool_follow_up"], ["first"]]
    assert [len(turn.requests) for turn in found.turns] == [2, 1]


def test_a_new_output_in_another_named_turn_is_no_follow_up(maker: TapeMaker) -> None:
    """The client says itself that the words begin a turn."""
    answer(maker, 0, ask("hi"), turn_of("t1"), items=(call("c1"),))
    answer(maker, 10, ask("hi", call("c1"), output("c1"), "else"), turn_of("t2"))
    assert whys(the_session(maker)) == [["first"], ["first"]]


def test_a_session_says_who_and_what(maker: TapeMaker) -> None:
    """Client, model, events and time."""
    answer(maker, 5, ask("hi"))
    answer(maker, 30, ask("hi", message("hello", "assistant"), "more"))
    found = the_session(maker)
    assert found.client is not None
    assert found.client.startswith("codex_exec/0.99.0")
    assert (found.model, found.events) == ("gpt-5.2-codex", 4)
    assert (found.at_us, found.until_us) == (5000, 33_000)


# Clients that name no session.


def test_a_chain_of_responses_is_a_conversation(maker: TapeMaker) -> None:
    """By ``previous_response_id``, though two go on at once."""
    answer(maker, 0, ask("a"), (), response_id="resp_a1")
    answer(maker, 10, ask("b"), (), response_id="resp_b1")
    answer(maker, 20, ask("more", previous_response_id="resp_a1"), (), response_id="resp_a2")
    answer(maker, 30, ask("more", previous_response_id="resp_b1"), ())
    answer(maker, 40, ask("more", previous_response_id="resp_a2"), ())
    first, second = sessions(maker)
    assert (first.id, exchanges(first)) == (None, [[1], [3], [5]])
    assert (second.id, exchanges(second)) == (None, [[2], [4]])


def test_a_longer_input_goes_on_with_a_conversation(maker: TapeMaker) -> None:
    """One that begins as an earlier one does; one that only shares some of it does not."""
    answer(maker, 0, ask("rules", "a"), ())
    answer(maker, 10, ask("rules", "b"), ())
    answer(maker, 20, ask("rules", "a", message("x", "assistant"), "more"), ())
    answer(maker, 30, ask("rules", "b", message("x", "assistant"), "more"), ())
    assert [exchanges(found) for found in sessions(maker)] == [[[1], [3]], [[2], [4]]]


def test_conversations_that_begin_alike_are_told_by_their_answers(maker: TapeMaker) -> None:
    """An input that holds an item of an answer goes on from that answer."""
    said = {"id": "msg_a"} | message("hello", "assistant")
    other = {"id": "msg_b"} | message("hello", "assistant")
    answer(maker, 0, ask("hi"), (), items=(said,))
    answer(maker, 10, ask("hi"), (), items=(other,))
    answer(maker, 20, ask("hi", said, "more"), ())
    answer(maker, 30, ask("hi", other, "more"), ())
    assert [exchanges(found) for found in sessions(maker)] == [[[1], [3]], [[2], [4]]]


def test_an_output_belongs_to_the_conversation_that_called(maker: TapeMaker) -> None:
    """Though the client keeps no ids of items."""
    answer(maker, 0, ask("hi"), (), items=(call("c_a"),))
    answer(maker, 10, ask("hi"), (), items=(call("c_b"),))
    answer(maker, 20, ask("hi", call("c_a"), output("c_a")), ())
    answer(maker, 30, ask("hi", call("c_b"), output("c_b")), ())
    assert [exchanges(found) for found in sessions(maker)] == [[[1], [3]], [[2], [4]]]


def test_an_equal_input_is_a_retry_or_a_new_conversation(maker: TapeMaker) -> None:
    """A retry after a failure, new after an answer."""
    cut(maker, 0, ask("hi"), ())
    answer(maker, 10, ask("hi"), ())
    answer(maker, 20, ask("hi"), ())
    first, second = sessions(maker)
    assert (whys(first), exchanges(first)) == ([["first", "retry"]], [[1, 2]])
    assert (whys(second), exchanges(second)) == ([["first"]], [[3]])


def test_an_empty_input_begins_a_conversation(maker: TapeMaker) -> None:
    """There is nothing by which it could go on with another."""
    answer(maker, 0, ask(), ())
    answer(maker, 10, ask(), ())
    assert [exchanges(found) for found in sessions(maker)] == [[[1]], [[2]]]


def test_what_goes_on_from_a_response_begins_like_nothing_else(maker: TapeMaker) -> None:
    """Its input is not whole, so a longer one that begins alike is another conversation."""
    answer(maker, 0, ask("a"), (), response_id="resp_a")
    answer(maker, 10, ask("more", previous_response_id="resp_a"), ())
    answer(maker, 20, ask("more", "b"), ())
    assert [exchanges(found) for found in sessions(maker)] == [[[1], [2]], [[3]]]


def test_a_conversation_of_the_server_has_its_name(maker: TapeMaker) -> None:
    """``conversation``, as an id or an object."""
    answer(maker, 0, ask("hi", conversation="conv_1"), ())
    answer(maker, 10, ask("more", conversation={"id": "conv_1"}), ())
    found = the_session(maker)
    assert (found.id, exchanges(found)) == ("conv_1", [[1], [2]])


def test_an_append_stays_on_its_socket(maker: TapeMaker) -> None:
    """Without a name, the socket tells whose it is."""
    one, other = maker.socket(0), maker.socket(1)
    one.ask(10, ask("a"))
    other.ask(11, ask("b"))
    one.ask(20, ask("more"), kind="response.append")
    other.ask(21, ask("more"), kind="response.append")
    assert [exchanges(found) for found in sessions(maker)] == [[[1], [1]], [[2], [2]]]


def test_an_unnamed_upgrade_belongs_to_the_next_unnamed_request(maker: TapeMaker) -> None:
    """Whatever named sessions do meanwhile."""
    maker.upgrade(0).refuse(1, 426)
    answer(maker, 5, ask("other"), S1)
    answer(maker, 10, ask("hi"), ())
    unnamed, named = sessions(maker)
    assert (unnamed.id, exchanges(unnamed)) == (None, [[1, 3]])
    assert (named.id, exchanges(named)) == ("s1", [[2]])


def test_unnamed_upgrades_that_nothing_followed(maker: TapeMaker) -> None:
    """They are a session of which nothing else is known."""
    maker.upgrade(0).refuse(1, 429)
    found = the_session(maker)
    assert (found.id, whys(found)) == (None, [["unknown"]])


def test_a_chat_goes_on_by_its_messages(maker: TapeMaker) -> None:
    """Each request repeats the one before."""
    target = "/v1/chat/completions"
    history = [{"role": "system", "content": "rules"}, {"role": "user", "content": "hi"}]
    maker.post(0, {"model": "m", "messages": history}, target=target).answer(1, "[DONE]")
    history += [
        {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "n"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]
    maker.post(10, {"model": "m", "messages": history}, target=target).answer(11, "[DONE]")
    found = the_session(maker)
    assert (whys(found), exchanges(found)) == ([["first"], ["tool_follow_up"]], [[1], [2]])


# Size.


def many_posts(maker: TapeMaker, count: int) -> None:
    """Answers of a thousand events; each request says the whole conversation again."""
    history: list[Any] = ["hi"]
    for at in range(count // 1000):
        post = maker.post(at * 10, ask(*history), S1)
        post.head(at * 10 + 1)
        post.events(at * 10 + 2, created(), *[delta("word " * 4)] * 997)
        post.events(at * 10 + 3, done(call(f"c{at}")), completed())
        post.end(at * 10 + 3)
        history += [call(f"c{at}"), output(f"c{at}")]


def many_sockets(maker: TapeMaker, count: int) -> None:
    """Sockets with ten answers of a hundred events each, which go on from one another."""
    body = ask("hi")
    for at in range(count // 100):
        if at % 10 == 0:
            socket = maker.socket(at * 10, S1)
        name = f"resp_{at}"
        socket.ask(at * 10 + 2, body)
        socket.say(at * 10 + 3, created(name), *[delta("word " * 4)] * 97)
        socket.say(at * 10 + 4, done(call(f"c{at}")), completed(name))
        if at % 10 == 9:
            socket.end(at * 10 + 5, EndKind.CLIENT_CLOSED, Sender.CLIENT)
        body = ask(output(f"c{at}"), previous_response_id=name)


@pytest.mark.parametrize("fill", [many_posts, many_sockets])
def test_memory_does_not_grow_with_the_events(
    fill: Callable[[TapeMaker, int], None], tmp_path: Path
) -> None:
    """A tape of 100,000 events, 8 MB of them, is read whole with less than 4 MB."""

    def peak_bytes(count: int) -> int:
        maker = TapeMaker(tmp_path / f"{count}.db")
        fill(maker, count)
        maker.write()
        maker.facts.clear()
        with maker.open() as reader:
            tracemalloc.start()
            found = sessions_of(reader)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert sum(each.events for each in found) == count
        return peak

    assert peak_bytes(100_000) < 4_000_000


def test_a_failure_that_nobody_retries_stays_alone(maker: TapeMaker) -> None:
    """A fatal failure, then something new."""
    maker.post(0, ask("hi"), S1).answer(1, created(), failed("invalid_prompt"))
    answer(maker, 10, ask("hi", "something else"))
    assert whys(the_session(maker)) == [["first"], ["first"]]
