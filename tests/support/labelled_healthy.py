"""Recordings in which nothing went wrong, with everything that is out of the ordinary and no fault.

Long pauses of the tools, recordings that begin or stop in the middle, sockets that end between
requests.
"""

import gzip
from typing import Any

from chat_talk import CHAT_TARGET, chat_ask, chat_call, chat_chunk
from labelled_recording import MINUTE_MS, S1, answer, labelled, say
from timed_tapes import (
    EVENT_STREAM,
    JSON_BODY,
    NEW_CODEX,
    TapeMaker,
    ask,
    call,
    completed,
    created,
    delta,
    failed,
    message,
    output,
    reasoning,
    session,
    sse,
)

from wiretape.facts import EndKind, PieceKind, Sender


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
    history: list[Any] = [{"role": "user", "content": "hi"}]
    post = maker.post(0, chat_ask(*history), target=CHAT_TARGET)
    post.answer(
        5,
        chat_chunk(chat_call(arguments="{}")),
        chat_chunk({}, "tool_calls"),
        {"id": "x", "choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 6}},
        "[DONE]",
    )
    history += [
        {"role": "assistant", **chat_call(arguments="{}")},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]
    post = maker.post(50, chat_ask(*history), target=CHAT_TARGET)
    post.answer(55, chat_chunk({"content": "ok"}, "stop"), "[DONE]")


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


@labelled()
def _a_stream_that_is_called_json(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.head(5, 200, JSON_BODY)
    post.events(6, created(), delta())
    post.events(7, completed())
    post.end(8)


@labelled()
def _a_stream_that_was_compressed_as_asked(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), (*S1, ("accept-encoding", "br, gzip;q=0.5")))
    post.head(5, 200, (*EVENT_STREAM, ("content-encoding", "gzip")))
    post.chunk(6, gzip.compress(sse(created()) + sse(completed())))
    post.end(8)
