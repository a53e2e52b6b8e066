"""Sessions, turns, requests and attempts, put together from a tape."""

import json
from pathlib import Path
from typing import Any

import pytest
from reconstructed import S1, S2, answer, cut, exchanges, sessions, the_session, whys
from timed_tapes import (
    NEW_CODEX,
    TapeMaker,
    ask,
    call,
    completed,
    created,
    done,
    failed,
    message,
    output,
    reasoning,
)

from wiretape.attempt import Transport
from wiretape.facts import EndKind, Headers, Sender
from wiretape.origins import Role
from wiretape.reasons import Why
from wiretape.said import Outcome
from wiretape.spot import Spot


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
    assert [each.number for each in found.tries] == [None, 1, 2, 3]
    retry = found.tries[1]
    assert retry.evidence == (
        "it asks for the same as request 1, attempt 1, which did not succeed (the server hung up); "
        "its input is the same"
    )
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


def test_a_retry_says_what_it_adds(maker: TapeMaker) -> None:
    """It is not byte for byte the same: the reasoning that had come is sent back."""
    cut(maker, 0, ask("hi"))
    cut(maker, 10, ask("hi", reasoning()))
    answer(maker, 20, ask("hi", reasoning(), reasoning()))
    assert [each.evidence.partition("; ")[2] for each in the_session(maker).tries[1:]] == [
        "its input is the same but for 1 item added",
        "its input is the same but for 1 item added",
    ]


def test_a_retry_says_that_it_sends_everything_again(maker: TapeMaker) -> None:
    """On a new socket nothing can be gone on from; the attempt is named by its request, as one
    socket holds several."""
    socket = maker.socket(0, S1)
    socket.ask(2, ask("hi"))
    socket.say(3, created("resp_1"), done(call("c1")), completed("resp_1"))
    socket.ask(4, ask(output("c1"), previous_response_id="resp_1"))
    socket.close(5, 1011, "busy")
    again = maker.socket(10, S1)
    again.ask(12, ask("hi", call("c1"), output("c1"), reasoning()))
    again.say(13, created("resp_2"), completed("resp_2"))
    found = the_session(maker)
    assert whys(found) == [["first"], ["tool_follow_up", "retry"]]
    assert found.requests[1].tries[0].evidence == (
        "its input ends with the output of a tool, called for in exchange 1, message 0"
    )
    assert found.requests[1].tries[1].evidence == (
        "it asks for the same as request 2, attempt 1, which did not succeed (closed 1011 busy); "
        "it sends the whole conversation, where that sent only what is new after resp_1, "
        "and 1 item more"
    )


def test_a_retry_says_that_it_goes_on_from_nothing(maker: TapeMaker) -> None:
    """After a warm-up, what is new is all there is: the same is sent again on a new socket."""
    socket = maker.socket(0, S1)
    socket.ask(2, ask(generate=False))
    socket.say(3, created("resp_1"), completed("resp_1"))
    socket.ask(4, ask("hi", previous_response_id="resp_1"))
    socket.close(5, 1011, "busy")
    answer(maker, 10, ask("hi"))
    fallback = the_session(maker).requests[1].tries[1]
    assert (fallback.why, fallback.evidence.partition("; ")[2]) == (
        Why.FALLBACK,
        "its input is the same, but it goes on from nothing instead of resp_1",
    )


def test_a_retry_after_a_refused_upgrade_asks_for_what_was_asked_before(maker: TapeMaker) -> None:
    """The refusal says nothing of what was wanted; an attempt before it does."""
    socket = maker.socket(0, S1)
    socket.ask(2, ask("hi"))
    socket.close(3, 1011, "busy")
    maker.upgrade(10, S1).refuse(11, 426)
    answer(maker, 20, ask("hi"))
    assert [each.evidence for each in the_session(maker).tries[1:]] == [
        "it comes right after request 1, attempt 1, which did not succeed (closed 1011 busy)",
        "it comes right after request 1, attempt 2, which did not succeed (426 Upgrade Required), "
        "and asks for the same as attempt 1; its input is the same",
    ]


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
    assert [each.number for each in found.tries] == [None, 1, None, 1]
    assert found.transports == [Transport.WEBSOCKET, Transport.HTTP]
    assert (found.count(Why.RETRY), found.count(Why.FALLBACK)) == (2, 1)


def test_a_refused_upgrade_belongs_to_the_request_that_follows(maker: TapeMaker) -> None:
    """It carried none itself."""
    maker.upgrade(0, S1).refuse(1, 426)
    maker.upgrade(10, S1).refuse(11, 426)
    answer(maker, 20, ask("hi"))
    found = the_session(maker)
    assert whys(found) == [["first", "retry", "fallback"]]
    assert found.tries[0].evidence == "no earlier request without an answer asked for the same"
    assert found.tries[2].evidence == (
        "it comes right after request 1, attempt 2, which did not succeed (426 Upgrade Required)"
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


def test_a_failure_that_nobody_retries_stays_alone(maker: TapeMaker) -> None:
    """A fatal failure, then something new."""
    maker.post(0, ask("hi"), S1).answer(1, created(), failed("invalid_prompt"))
    answer(maker, 10, ask("hi", "something else"))
    assert whys(the_session(maker)) == [["first"], ["first"]]


def test_a_session_begins_with_its_handshake(maker: TapeMaker) -> None:
    """The client waited for it; one on which another session asked first is not its own."""
    socket = maker.socket(10, S1)
    socket.ask(30, ask("hi"))
    socket.say(31, created(), completed())
    (found,) = sessions(maker)
    assert (found.at_us, found.tries[0].attempt.at_us, found.until_us) == (10_000, 30_000, 31_000)


def test_a_session_on_anothers_socket_begins_with_its_request(maker: TapeMaker) -> None:
    """As a sub-agent's, whose parent opened it."""
    socket = maker.socket(10)
    for at_ms, name in ((30, "s1"), (90, "s2")):
        socket.ask(at_ms, ask("hi", client_metadata={"session_id": name}, prompt_cache_key=name))
        socket.say(at_ms + 1, created(), completed())
    assert [found.at_us for found in sessions(maker)] == [10_000, 90_000]


@pytest.mark.parametrize(
    ("beta", "client"),
    [
        ("responses_websockets=2026-02-04", "codex/0.99 (told by its handshake)"),
        ("something=else", None),
    ],
)
def test_a_codex_that_names_no_client_is_known_by_its_handshake(
    beta: str, client: str | None, tmp_path: Path
) -> None:
    """The older one sends no user agent there; nothing is made up for others."""
    maker = TapeMaker(tmp_path / "tape.db", agent=None)
    socket = maker.socket(0, (*S1, ("openai-beta", beta)))
    socket.ask(5, ask("hi"))
    assert the_session(maker).client == client


def test_what_a_client_calls_itself_counts_more(tmp_path: Path) -> None:
    """Though it says so only when it falls back to HTTP."""
    maker = TapeMaker(tmp_path / "tape.db", agent=None)
    beta = ("openai-beta", "responses_websockets=2026-02-04")
    maker.upgrade(0, (*S1, beta)).refuse(5, 426)
    maker.post(60, ask("hi"), (*S1, ("user-agent", "codex_exec/0.99.0 (Debian)")))
    assert the_session(maker).client == "codex_exec/0.99.0 (Debian)"
