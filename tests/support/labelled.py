"""Recordings of known cause, written out: what went wrong in each, as the kinds to be found.

Healthy ones are among them, with everything that is out of the ordinary and no fault: long pauses
of the tools, recordings that begin or stop in the middle, sockets that end between requests.
"""

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from timed_tapes import (
    EVENT_STREAM,
    JSON_BODY,
    NEW_CODEX,
    OLD_CODEX,
    SocketMaker,
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
    sse,
)

from wiretape.diagnosis.kinds import Kind
from wiretape.facts import EndKind, Headers, PieceKind, Sender

S1 = session("s1")
MINUTE_MS = 60_000.0


@dataclass(frozen=True, slots=True)
class Labelled:
    """A recording that ``make`` writes, and the kinds of finding that it deserves."""

    name: str
    make: Callable[[TapeMaker], None]
    expected: frozenset[Kind]
    agent: str | None


LABELLED: list[Labelled] = []


def labelled(
    *expected: Kind, agent: str | None = OLD_CODEX
) -> Callable[[Callable[[TapeMaker], None]], Callable[[TapeMaker], None]]:
    """Adds a recording to the set."""

    def add(make: Callable[[TapeMaker], None]) -> Callable[[TapeMaker], None]:
        name = make.__name__.strip("_").replace("_", "-")
        LABELLED.append(Labelled(name, make, frozenset(expected), agent))
        return make

    return add


def answer(
    maker: TapeMaker,
    at_ms: float,
    body: dict[str, Any],
    *items: dict[str, Any],
    headers: Headers = S1,
    name: str = "resp_1",
    given: int = 100,
) -> None:
    """A POST that is answered well, with these items."""
    post = maker.post(at_ms, body, headers)
    post.answer(at_ms + 10, created(name), *map(done, items), completed(name, given=given))


def say(socket: SocketMaker, at_ms: float, *items: dict[str, Any], name: str = "resp_1") -> None:
    """A whole answer on a socket."""
    socket.say(at_ms, created(name), *map(done, items), completed(name))


def cut(maker: TapeMaker, at_ms: float, body: dict[str, Any]) -> None:
    """A POST whose answer is cut."""
    post = maker.post(at_ms, body, S1)
    post.head(at_ms + 5)
    post.events(at_ms + 6, created(), delta())
    post.end(at_ms + 7, EndKind.SERVER_CLOSED, Sender.SERVER)


# Healthy.


@labelled()
def _one_answer(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"))


@labelled()
def _client_hangs_up_after_the_end(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    post.events(6, created(), delta(), completed())
    post.end(7, EndKind.CLIENT_CLOSED, Sender.CLIENT)


@labelled()
def _tools_take_ten_minutes_and_fail(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), reasoning(), call("c1"), call("c2"))
    history = ["hi", reasoning(), call("c1"), call("c2"), output("c1", "Exit code: 1\nx")]
    answer(maker, 10 * MINUTE_MS, ask(*history, output("c2", "unsupported call: nothing")))


@labelled()
def _a_model_that_thinks_for_minutes(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    post.events(6, created())
    post.events(4 * MINUTE_MS, delta())
    post.events(8 * MINUTE_MS, completed())
    post.end(8 * MINUTE_MS)


@labelled()
def _pings_while_a_model_thinks_for_long(maker: TapeMaker) -> None:
    socket = maker.socket(0, S1)
    socket.ask(5, ask("hi"))
    socket.say(6, created())
    for minute in range(1, 8):
        socket.frame(minute * MINUTE_MS, PieceKind.PING)
    socket.say(8 * MINUTE_MS, delta(), completed())


@labelled(agent=NEW_CODEX)
def _socket_is_replaced_between_requests(maker: TapeMaker) -> None:
    socket = maker.socket(0, S1)
    socket.ask(5, ask("rules", generate=False))
    say(socket, 6)
    socket.ask(10, ask("hi", previous_response_id="resp_1"))
    say(socket, 20, call("c1"), name="resp_2")
    socket.close(30 * MINUTE_MS, 1001, "going away")
    again = maker.socket(31 * MINUTE_MS, S1)
    again.ask(31 * MINUTE_MS + 5, ask("rules", "hi", call("c1"), output("c1")))
    say(again, 31 * MINUTE_MS + 9, name="resp_3")
    again.end(31 * MINUTE_MS + 10, EndKind.CLIENT_CLOSED, Sender.CLIENT)


@labelled(agent=NEW_CODEX)
def _unknown_events_and_signs_of_life(maker: TapeMaker) -> None:
    socket = maker.socket(0, S1)
    socket.ask(5, ask("hi"))
    socket.say(6, {"type": "codex.rate_limits", "plan_type": "plus"}, created())
    socket.frame(7, PieceKind.PING)
    socket.frame(8, PieceKind.PONG, b"", Sender.CLIENT)
    socket.say(9, {"type": "responsesapi.websocket_timing", "timing": {}}, delta(), completed())


@labelled()
def _comments_and_a_sentinel(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    post.chunk(6, b": alive\n\n")
    post.events(7, created(), completed(), "[DONE]")
    post.end(8)


@labelled()
def _an_older_client_takes_done_for_the_end(maker: TapeMaker) -> None:
    maker.post(0, ask("hi"), S1).answer(5, created(), {"type": "response.done", "response": {}})


@labelled()
def _failed_and_then_completed(maker: TapeMaker) -> None:
    maker.post(0, ask("hi"), S1).answer(5, created(), failed("server_error"), completed())


@labelled()
def _appends_on_one_socket(maker: TapeMaker) -> None:
    socket = maker.socket(0, S1)
    socket.ask(1, ask("hi"))
    say(socket, 2, call("c1"))
    socket.ask(5, ask(call("c1"), output("c1")), kind="response.append")
    say(socket, 6, name="resp_2")
    socket.end(7, EndKind.CLIENT_CLOSED, Sender.CLIENT)


@labelled()
def _an_output_between_its_call_and_what_was_said_with_it(maker: TapeMaker) -> None:
    said = message("I look.", "assistant")
    answer(maker, 0, ask("hi"), call("c1"), said)
    answer(maker, 50, ask("hi", call("c1"), output("c1"), said))


@labelled(agent=NEW_CODEX)
def _a_socket_that_speaks_while_a_tool_runs(maker: TapeMaker) -> None:
    socket = maker.socket(0, S1)
    socket.ask(5, ask("hi"))
    say(socket, 6, call("c1"))
    socket.say(12 * MINUTE_MS, {"type": "codex.rate_limits", "rate_limits": {}})
    history = [output("c1")]
    socket.ask(20 * MINUTE_MS, ask(*history, previous_response_id="resp_1"))
    say(socket, 20 * MINUTE_MS + 5, call("c2"), name="resp_2")
    limit = {"code": "websocket_connection_limit_reached", "message": "60 minutes"}
    socket.say(60 * MINUTE_MS, {"type": "error", "status": 400, "error": limit})
    socket.close(60 * MINUTE_MS + 1, 1000)
    again = maker.socket(61 * MINUTE_MS, S1)
    again.ask(61 * MINUTE_MS + 5, ask("hi", call("c1"), *history, call("c2"), output("c2")))
    say(again, 61 * MINUTE_MS + 9, name="resp_3")
    again.end(61 * MINUTE_MS + 10, EndKind.CLIENT_CLOSED, Sender.CLIENT)


@labelled()
def _two_sessions_at_once(maker: TapeMaker) -> None:
    for at_ms, name in ((0, "s1"), (1, "s2")):
        answer(maker, at_ms, ask("hi"), call("c1"), headers=session(name))
        history = ask("hi", call("c1"), output("c1"))
        answer(maker, at_ms + 50, history, headers=session(name))


@labelled()
def _the_recording_begins_in_the_middle(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi", call("c1"), output("c1")), call("c2"))
    answer(maker, 50, ask("hi", call("c1"), output("c1"), call("c2"), output("c2")))


@labelled(agent=NEW_CODEX)
def _the_recording_begins_within_a_chain(maker: TapeMaker) -> None:
    socket = maker.socket(0, S1)
    socket.ask(1, ask(output("c1"), previous_response_id="resp_0"))
    say(socket, 2)
    socket.end(3, EndKind.CLIENT_CLOSED, Sender.CLIENT)


@labelled()
def _the_recording_stops_within_an_answer(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    post.events(6, created(), delta())
    post.end(7, EndKind.RECORDER_STOPPED)


@labelled(agent=NEW_CODEX)
def _the_recording_stops_while_a_tool_runs(maker: TapeMaker) -> None:
    socket = maker.socket(0, S1)
    socket.ask(1, ask("hi"))
    say(socket, 2, call("c1"))
    socket.end(900, EndKind.RECORDER_STOPPED)


@labelled()
def _a_resumed_session(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi", reasoning(), message("hello", "assistant"), "more"))


@labelled()
def _the_user_says_the_same_again(maker: TapeMaker) -> None:
    answer(maker, 0, ask("go on"))
    answer(maker, 50, ask("go on", message("done", "assistant"), "go on"))


@labelled()
def _a_session_that_grows_step_by_step(maker: TapeMaker) -> None:
    history: list[Any] = ["hi"]
    for at in range(12):
        history.append("x" * 30_000)
        answer(maker, at * 50, ask(*history), given=9_000 * (at + 1))


@labelled()
def _a_compaction_within_a_turn(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c1"), given=100_000)
    history = ["hi", call("c1"), output("c1")]
    prompt = "You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary"
    answer(maker, 50, ask(*history, prompt), given=101_000)
    summary = "Another language model started to solve this problem and produced a summary of it"
    answer(maker, 90, ask("hi", summary), given=4_000)


@labelled(agent=None)
def _an_answer_that_is_not_streamed(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"))
    body = {"object": "response", "id": "resp_1", "status": "completed", "output": []}
    post.refuse(2 * MINUTE_MS, 200, body)


@labelled(agent=None)
def _a_chat_with_a_tool(maker: TapeMaker) -> None:
    target = "/v1/chat/completions"
    function = {"name": "n", "arguments": "{}"}
    chunk = {"tool_calls": [{"index": 0, "id": "c1", "function": function}]}
    history: list[Any] = [{"role": "user", "content": "hi"}]
    post = maker.post(0, {"model": "m", "messages": history}, target=target)
    post.answer(
        5,
        {"id": "x", "choices": [{"delta": chunk, "finish_reason": None}]},
        {"id": "x", "choices": [{"delta": {}, "finish_reason": "tool_calls"}]},
        {"id": "x", "choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 6}},
        "[DONE]",
    )
    history += [
        {"role": "assistant", "tool_calls": [{"id": "c1", "function": function}]},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]
    post = maker.post(50, {"model": "m", "messages": history}, target=target)
    post.answer(
        55,
        {"id": "y", "choices": [{"delta": {"content": "ok"}, "finish_reason": "stop"}]},
        "[DONE]",
    )


@labelled(agent=None)
def _a_chain_of_responses(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c1"), headers=())
    body = ask(output("c1"), previous_response_id="resp_1")
    answer(maker, 50, body, headers=(), name="resp_2")


@labelled(agent=None)
def _a_call_that_is_the_answer(maker: TapeMaker) -> None:
    answer(maker, 0, ask("Read this invoice.", tool_choice="required"), call("c1"), headers=())


@labelled(agent=None)
def _a_response_in_the_background(maker: TapeMaker) -> None:
    body = {"object": "response", "id": "resp_1", "status": "queued", "output": []}
    maker.post(0, ask("hi", background=True)).refuse(5, 200, body)


@labelled()
def _six_tools_that_give_much(maker: TapeMaker) -> None:
    calls = [call(f"c{at}") for at in range(6)]
    answer(maker, 0, ask("hi"), *calls, given=12_000)
    outputs = [output(f"c{at}", "x" * 40_000) for at in range(6)]
    answer(maker, 90, ask("hi", *calls, *outputs), given=72_000)


@labelled()
def _a_compacted_history(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c1"))
    answer(maker, 50, ask({"type": "compaction", "encrypted_content": "x"}, output("c1")))


@labelled()
def _a_connection_that_is_used_again(maker: TapeMaker) -> None:
    for at_ms, text in ((0, "hi"), (5000, "more")):
        post = maker.post(at_ms, ask("hi", text), S1, connection=7)
        post.answer(at_ms + 5, created(), completed())


# Silence and heads.


@labelled(Kind.SILENCE)
def _silent_until_the_idle_timeout(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    post.events(6, created(), delta())
    post.end(5 * MINUTE_MS + 6, EndKind.CLIENT_CLOSED, Sender.CLIENT)
    answer(maker, 5 * MINUTE_MS + 200, ask("hi"))


@labelled(Kind.SILENCE, agent=NEW_CODEX)
def _pings_through_a_short_idle_timeout(maker: TapeMaker) -> None:
    socket = maker.socket(0, S1)
    socket.ask(5, ask("hi"))
    socket.say(6, created())
    for at_ms in range(1000, 5000, 1000):
        socket.frame(at_ms, PieceKind.PING)
    socket.end(5006, EndKind.CLIENT_CLOSED, Sender.CLIENT)
    again = maker.socket(5200, S1)
    again.ask(5205, ask("hi"))
    say(again, 5206)


@labelled(Kind.SILENCE)
def _a_silence_that_was_borne(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    post.events(6, created())
    post.events(9 * MINUTE_MS, completed())
    post.end(9 * MINUTE_MS)


@labelled(Kind.NO_HEAD, Kind.HTTP_ERROR)
def _a_head_after_sixteen_minutes(maker: TapeMaker) -> None:
    maker.post(0, ask("hi"), S1).refuse(16 * MINUTE_MS, 408, "timed out")


@labelled(Kind.NO_HEAD)
def _no_head_until_the_client_gave_up(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.end(10 * MINUTE_MS, EndKind.CLIENT_CLOSED, Sender.CLIENT)


@labelled(Kind.NO_HEAD, Kind.FALLBACK)
def _a_handshake_that_is_not_answered(maker: TapeMaker) -> None:
    upgrade = maker.upgrade(0, S1)
    upgrade.end(15_000, EndKind.CLIENT_CLOSED, Sender.CLIENT)
    answer(maker, 15_100, ask("hi"))


# Ends.


@labelled(Kind.TERMINAL_MISSING)
def _a_stream_without_its_end(maker: TapeMaker) -> None:
    maker.post(0, ask("hi"), S1).answer(5, created(), delta())
    answer(maker, 200, ask("hi"))


@labelled(Kind.TERMINAL_MISSING, agent=NEW_CODEX)
def _done_is_no_end_to_a_newer_client(maker: TapeMaker) -> None:
    maker.post(0, ask("hi"), S1).answer(5, created(), {"type": "response.done", "response": {}})
    answer(maker, 200, ask("hi"))


@labelled(Kind.CLOSED_EARLY)
def _cut_by_the_server(maker: TapeMaker) -> None:
    cut(maker, 0, ask("hi"))
    answer(maker, 200, ask("hi"))


@labelled(Kind.CLOSED_EARLY)
def _reset_within_an_answer(maker: TapeMaker) -> None:
    socket = maker.socket(0, S1)
    socket.ask(5, ask("hi"))
    socket.say(6, created(), delta())
    socket.end(7, EndKind.RESET, Sender.SERVER)
    again = maker.socket(200, S1)
    again.ask(205, ask("hi"))
    say(again, 206)


@labelled(Kind.CLOSED_EARLY, Kind.FALLBACK)
def _closed_1011_until_the_fallback(maker: TapeMaker) -> None:
    for at_ms in (0, 200, 600):
        socket = maker.socket(at_ms, S1)
        socket.ask(at_ms + 5, ask("hi"))
        socket.close(at_ms + 6, 1011, "broken")
    answer(maker, 700, ask("hi"))


@labelled(Kind.CLOSED_EARLY, Kind.RETRY_STORM, Kind.FALLBACK)
def _a_whole_budget_of_retries(maker: TapeMaker) -> None:
    for at_ms in (0, 200, 600, 1400, 3000, 6200):
        socket = maker.socket(at_ms, S1)
        socket.ask(at_ms + 5, ask("hi"))
        socket.close(at_ms + 6, 1011)
    answer(maker, 6300, ask("hi"))


@labelled(Kind.CLOSED_EARLY, Kind.RETRY_STORM)
def _a_budget_that_did_not_help(maker: TapeMaker) -> None:
    for at_ms in (0, 200, 600, 1400, 3000, 6200):
        cut(maker, at_ms, ask("hi"))


@labelled(Kind.DEAD_SOCKET)
def _a_dead_pooled_connection(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1, connection=7)
    post.answer(5, created(), done(call("c1")), completed())
    history = ask("hi", call("c1"), output("c1"))
    post = maker.post(20 * MINUTE_MS, history, S1, connection=7)
    post.end(20 * MINUTE_MS + 42, EndKind.RESET, Sender.SERVER)
    answer(maker, 20 * MINUTE_MS + 300, history)


@labelled(Kind.DEAD_SOCKET, agent=NEW_CODEX)
def _a_half_open_socket(maker: TapeMaker) -> None:
    socket = maker.socket(0, S1)
    socket.ask(5, ask("hi"))
    say(socket, 6, call("c1"))
    at_ms = 20 * MINUTE_MS
    socket.ask(at_ms, ask(output("c1"), previous_response_id="resp_1"))
    socket.end(at_ms + 5 * MINUTE_MS, EndKind.CLIENT_CLOSED, Sender.CLIENT)
    again = maker.socket(at_ms + 5 * MINUTE_MS + 300, S1)
    again.ask(at_ms + 5 * MINUTE_MS + 305, ask("hi", call("c1"), output("c1")))
    say(again, at_ms + 5 * MINUTE_MS + 400, name="resp_2")


@labelled(Kind.DEAD_SOCKET)
def _a_connection_kept_from_the_model_list(maker: TapeMaker) -> None:
    models = maker.get(0, "/v1/models", connection=7)
    models.refuse(5, 200, {"models": []})
    maker.post(90_000, ask("hi"), S1, connection=7).end(90_001, EndKind.SERVER_CLOSED)
    answer(maker, 90_300, ask("hi"))


@labelled(Kind.CLOSED_EARLY, agent=NEW_CODEX)
def _a_close_frame_for_an_answer(maker: TapeMaker) -> None:
    socket = maker.socket(0, S1)
    socket.ask(5, ask("rules", generate=False))
    say(socket, 6)
    socket.ask(10, ask("hi", previous_response_id="resp_1"))
    socket.close(12, 1011, "broken")
    again = maker.socket(200, S1)
    again.ask(205, ask("rules", "hi"))
    say(again, 206, name="resp_2")


@labelled(Kind.SOCKET_LIMIT, agent=NEW_CODEX)
def _a_socket_of_sixty_minutes(maker: TapeMaker) -> None:
    socket = maker.socket(0, S1)
    at_ms = 60 * MINUTE_MS
    socket.ask(at_ms, ask("hi"))
    code = "websocket_connection_limit_reached"
    socket.say(at_ms + 5, {"type": "error", "status": 400, "error": {"code": code}})
    socket.end(at_ms + 6, EndKind.CLIENT_CLOSED, Sender.CLIENT)
    again = maker.socket(at_ms + 20, S1)
    again.ask(at_ms + 25, ask("hi"))
    say(again, at_ms + 30)


@labelled(Kind.CLIENT_LEFT)
def _interrupted_by_the_user(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    post.events(6, created(), delta())
    post.events(600, delta())
    post.end(700, EndKind.CLIENT_CLOSED, Sender.CLIENT)


@labelled(Kind.UNREACHABLE)
def _nothing_listens(maker: TapeMaker) -> None:
    for at_ms in (0, 300):
        maker.post(at_ms, ask("hi"), S1).end(at_ms + 1, EndKind.REFUSED)


@labelled(Kind.UNEXPECTED_BINARY)
def _a_binary_message(maker: TapeMaker) -> None:
    socket = maker.socket(0, S1)
    socket.ask(5, ask("hi"))
    socket.say(6, created())
    socket.frame(7, PieceKind.BINARY, b"\x00\x01")
    socket.end(8, EndKind.CLIENT_CLOSED, Sender.CLIENT)
    again = maker.socket(200, S1)
    again.ask(205, ask("hi"))
    say(again, 206)


# What the server said.


@labelled(Kind.FATAL, Kind.FAILURE_MASKED)
def _a_failure_held_until_a_timeout(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    post.events(6, created(), failed("context_length_exceeded", "too long"))
    post.end(5 * MINUTE_MS + 6, EndKind.CLIENT_CLOSED, Sender.CLIENT)


@labelled(Kind.RESPONSE_FAILED, Kind.FAILURE_MASKED)
def _a_failure_held_for_seconds(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    post.events(6, created(), failed("server_error"))
    post.end(4000)
    answer(maker, 4300, ask("hi"))


@labelled(Kind.RATE_LIMITED, agent=NEW_CODEX)
def _a_delay_that_was_kept(maker: TapeMaker) -> None:
    said = failed("rate_limit_exceeded", "Please try again in 1.5s.")
    maker.post(0, ask("hi"), S1).answer(5, created(), said)
    answer(maker, 1600, ask("hi"))


@labelled(Kind.RATE_LIMITED, agent=NEW_CODEX)
def _a_delay_that_was_not_kept(maker: TapeMaker) -> None:
    busy = {"error": {"code": "rate_limit_exceeded", "message": "slow down"}}
    maker.post(0, ask("hi"), S1).refuse(5, 429, busy, (("retry-after", "20"),))
    answer(maker, 250, ask("hi"))


@labelled(Kind.FATAL)
def _no_quota(maker: TapeMaker) -> None:
    maker.post(0, ask("hi"), S1).answer(5, created(), failed("insufficient_quota"))


@labelled(Kind.FATAL, agent=NEW_CODEX)
def _a_usage_limit(maker: TapeMaker) -> None:
    error = {"error": {"type": "usage_limit_reached", "plan_type": "plus"}}
    maker.post(0, ask("hi"), S1).refuse(5, 429, error)


@labelled(Kind.HTTP_ERROR)
def _a_wrong_key(maker: TapeMaker) -> None:
    maker.post(0, ask("hi"), S1).refuse(5, 401, {"error": {"message": "no such key"}})


@labelled(Kind.HTTP_ERROR)
def _a_gateway_that_is_down_for_a_moment(maker: TapeMaker) -> None:
    maker.post(0, ask("hi"), S1).refuse(5, 502, "<html>Bad Gateway</html>")
    answer(maker, 300, ask("hi"))


@labelled(Kind.INCOMPLETE, agent=NEW_CODEX)
def _out_of_output_tokens(maker: TapeMaker) -> None:
    details = {"id": "resp_1", "incomplete_details": {"reason": "max_output_tokens"}}
    event = {"type": "response.incomplete", "response": details}
    maker.post(0, ask("hi"), S1).answer(5, created(), event)


@labelled(Kind.INCOMPLETE)
def _out_of_output_tokens_unheeded(maker: TapeMaker) -> None:
    details = {"id": "resp_1", "incomplete_details": {"reason": "max_output_tokens"}}
    event = {"type": "response.incomplete", "response": details}
    maker.post(0, ask("hi"), S1).answer(5, created(), event)
    answer(maker, 300, ask("hi"))


@labelled(Kind.PREVIOUS_RESPONSE_UNKNOWN, agent=NEW_CODEX)
def _a_response_that_is_forgotten(maker: TapeMaker) -> None:
    socket = maker.socket(0, S1)
    socket.ask(1, ask("hi"))
    say(socket, 2)
    socket.ask(10, ask("more", previous_response_id="resp_1"))
    error = {"code": "previous_response_not_found", "message": "not found"}
    socket.say(11, {"type": "error", "status": 400, "error": error})
    socket.end(12, EndKind.CLIENT_CLOSED, Sender.CLIENT)
    again = maker.socket(200, S1)
    again.ask(205, ask("hi", message("hello", "assistant"), "more"))
    say(again, 206, name="resp_2")


@labelled(Kind.SWALLOWED)
def _events_that_cannot_be_read(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.answer(
        5,
        created(),
        '{"type": "response.output_text.delta", "delta": ',
        {"type": "response.output_item.done", "item": {"type": "function_call", "name": "n"}},
        completed(),
    )


@labelled(Kind.RESPONSE_FAILED, agent=NEW_CODEX)
def _a_completion_without_an_id(maker: TapeMaker) -> None:
    bad = {"type": "response.completed", "response": {"usage": None}}
    maker.post(0, ask("hi"), S1).answer(5, created(), bad)
    answer(maker, 300, ask("hi"))


# Transports.


@labelled(Kind.FALLBACK, agent=NEW_CODEX)
def _upgrade_refused_with_426(maker: TapeMaker) -> None:
    maker.upgrade(0, S1).refuse(5, 426)
    answer(maker, 60, ask("hi"))


@labelled(Kind.NO_POST_AFTER_426, agent=NEW_CODEX)
def _nothing_after_426(maker: TapeMaker) -> None:
    maker.upgrade(0, S1).refuse(5, 426)


@labelled(Kind.HTTP_ERROR, Kind.FALLBACK)
def _upgrade_refused_with_500(maker: TapeMaker) -> None:
    for at_ms in (0, 200, 600):
        maker.upgrade(at_ms, S1).refuse(at_ms + 5, 500, "broken")
    answer(maker, 700, ask("hi"))


# Tools.


@labelled(Kind.OUTPUT_WITHOUT_CALL)
def _a_conversation_without_the_call(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c1"))
    answer(maker, 50, ask("hi", output("c1")))


@labelled(Kind.OUTPUT_WITHOUT_CALL, agent=None)
def _an_output_that_nobody_asked_for(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), headers=())
    answer(maker, 50, ask(output("c9"), previous_response_id="resp_1"), headers=(), name="resp_2")


@labelled(Kind.CALL_UNANSWERED)
def _a_call_that_is_left_out(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c1"), call("c2"))
    history = ["hi", call("c1"), call("c2"), output("c1")]
    answer(maker, 50, ask(*history))


@labelled(Kind.CALL_REPEATED, Kind.CLOSED_EARLY)
def _a_tool_that_ran_twice(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c1"))
    cut(maker, 50, ask("hi", call("c1"), output("c1", "Wall time: 1 seconds")))
    answer(maker, 300, ask("hi", call("c1"), output("c1", "Wall time: 2 seconds")))


@labelled(Kind.CALL_REPEATED)
def _an_output_that_is_sent_twice(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c1"))
    answer(maker, 50, ask("hi", call("c1"), output("c1"), output("c1")))


@labelled(Kind.ONE_FOLLOW_UP)
def _a_loop_of_one_round(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c1"))
    answer(maker, 50, ask("hi", call("c1"), output("c1")), call("c2"))


@labelled(Kind.CALL_UNANSWERED)
def _a_call_and_then_nothing(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c1"))


@labelled(Kind.TOOL_LOOP)
def _a_loop_near_its_end(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c0"))
    for at in range(240):
        history = ["hi", call(f"c{at}"), output(f"c{at}")]
        answer(maker, 50 + at * 20, ask(*history), *([call(f"c{at + 1}")] if at < 239 else []))


@labelled(Kind.TOOL_LOOP)
def _a_fixture_that_says_the_same_for_ever(maker: TapeMaker) -> None:
    history: list[Any] = ["hi"]
    for at in range(4):
        answer(maker, at * 50, ask(*history), call("c1"))
        history += [call("c1"), output("c1", f"run {at}")]
    answer(maker, 300, ask(*history))


# Growth and gaps.


@labelled(Kind.GROWTH)
def _tokens_that_leap(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), given=12_000)
    answer(maker, 50, ask("hi", message("hello", "assistant"), "this file"), given=150_000)


@labelled(Kind.GROWTH)
def _a_request_that_leaps(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"))
    answer(maker, 50, ask("hi", message("hello", "assistant"), "x" * 2_000_000))


@labelled(Kind.RECORDER_GAP)
def _a_gap_in_the_recording(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"))
    maker.gap(30, 40)


@labelled(Kind.RECORDER_GAP)
def _a_gap_that_took_the_end(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    post.chunk(6, b'data: {"type": "response.created", "resp')
    maker.gap(7, 8, exchange=1)
    post.chunk(9, b'onse": {}}\n\n')
    post.end(10)
    answer(maker, 300, ask("hi", message("hello", "assistant"), "more"))


@labelled(Kind.RECORDER_GAP, agent=NEW_CODEX)
def _a_gap_that_took_a_call(maker: TapeMaker) -> None:
    socket = maker.socket(0, S1)
    socket.ask(1, ask("hi"))
    socket.say(2, created())
    maker.gap(3, 4, exchange=1)
    socket.say(5, completed())
    socket.ask(10, ask(output("c1"), previous_response_id="resp_1"))
    say(socket, 11, name="resp_2")


@labelled(Kind.HTTP_ERROR, agent=None)
def _an_sdk_meets_an_error_page(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"))
    post.head(5, 503, JSON_BODY)
    post.chunk(6, b'{"error": {"message": "down for maintenance"}}')
    post.end(6)


@labelled(Kind.RECORDER_GAP)
def _a_gap_that_took_an_output(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c1"))
    post = maker.post(50, b"", S1)
    maker.gap(51, 52, exchange=2)
    post.answer(60, created(), completed())


@labelled(Kind.RECORDER_GAP)
def _a_gap_that_took_the_end_of_a_cut_stream(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    post.events(6, created())
    maker.gap(7, 8, exchange=1)
    post.end(9, EndKind.SERVER_CLOSED, Sender.SERVER)


@labelled(Kind.RECORDING_CUT)
def _killed_within_an_answer(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    post.events(6, created(), delta())
    maker.is_cut_off = True


@labelled(Kind.RECORDING_CUT)
def _killed_while_a_tool_ran(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c1"))
    maker.is_cut_off = True


@labelled(Kind.RECORDING_CUT)
def _killed_after_an_upgrade_was_refused(maker: TapeMaker) -> None:
    maker.upgrade(0, S1).refuse(5, 426)
    maker.is_cut_off = True


@labelled(Kind.RECORDING_CUT, Kind.RATE_LIMITED)
def _killed_before_the_next_try(maker: TapeMaker) -> None:
    maker.post(0, ask("hi"), S1).refuse(5, 429, "", (("retry-after", "2"),))
    maker.is_cut_off = True


@labelled(Kind.NOT_TRUSTED)
def _a_client_that_does_not_trust_the_recorder(maker: TapeMaker) -> None:
    for at_ms in (0, 20):
        tunnel = maker.get(at_ms, "api.openai.com:443")
        tunnel.end(at_ms + 5, EndKind.TLS_FAILURE, Sender.CLIENT)


@labelled()
def _a_stream_that_is_called_json(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.head(5, 200, JSON_BODY)
    post.events(6, created(), delta())
    post.events(7, completed())
    post.end(8)


@labelled(Kind.TERMINAL_MISSING)
def _a_stream_that_was_compressed_unasked(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.head(5, 200, (*EVENT_STREAM, ("content-encoding", "gzip")))
    post.chunk(6, gzip.compress(sse(created()) + sse(completed())))
    post.end(8)
    answer(maker, 200, ask("hi"))


@labelled()
def _a_stream_that_was_compressed_as_asked(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), (*S1, ("accept-encoding", "br, gzip;q=0.5")))
    post.head(5, 200, (*EVENT_STREAM, ("content-encoding", "gzip")))
    post.chunk(6, gzip.compress(sse(created()) + sse(completed())))
    post.end(8)


def _second_request_unheard(maker: TapeMaker, quiet_ms: float) -> None:
    socket = maker.socket(0, S1)
    socket.ask(5, ask("rules", generate=False))
    say(socket, 6)
    socket.ask(6 + quiet_ms, ask("hi", previous_response_id="resp_1"))
    socket.end(9000 + quiet_ms, EndKind.CLIENT_CLOSED, Sender.CLIENT)
    again = maker.socket(9100 + quiet_ms, S1)
    again.ask(9105 + quiet_ms, ask("rules", "hi"))
    say(again, 9106 + quiet_ms, name="resp_2")


@labelled(Kind.SILENCE, agent=NEW_CODEX)
def _unheard_on_a_socket_that_was_busy(maker: TapeMaker) -> None:
    _second_request_unheard(maker, 59_999)


@labelled(Kind.DEAD_SOCKET, agent=NEW_CODEX)
def _unheard_on_a_socket_that_was_quiet(maker: TapeMaker) -> None:
    _second_request_unheard(maker, 60_000)
