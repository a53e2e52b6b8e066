"""Recordings in which a connection failed: silence, no head, ends before the end."""

import gzip

from chat_talk import CHAT_TARGET, chat_ask, chat_chunk
from labelled_recording import MINUTE_MS, S1, answer, cut, labelled, say
from timed_tapes import (
    EVENT_STREAM,
    NEW_CODEX,
    TapeMaker,
    ask,
    call,
    completed,
    created,
    delta,
    done,
    output,
    sse,
)

from wiretape.diagnosis.kinds import Kind
from wiretape.facts import EndKind, PieceKind, Sender


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


@labelled(Kind.TERMINAL_MISSING)
def _a_stream_without_its_end(maker: TapeMaker) -> None:
    maker.post(0, ask("hi"), S1).answer(5, created(), delta())
    answer(maker, 200, ask("hi"))


@labelled(Kind.TERMINAL_MISSING, agent=NEW_CODEX)
def _done_is_no_end_to_a_newer_client(maker: TapeMaker) -> None:
    maker.post(0, ask("hi"), S1).answer(5, created(), {"type": "response.done", "response": {}})
    answer(maker, 200, ask("hi"))


@labelled(Kind.TERMINAL_MISSING, agent=None)
def _a_chat_that_breaks_off(maker: TapeMaker) -> None:
    maker.post(0, chat_ask(), target=CHAT_TARGET).answer(5, chat_chunk({"content": "Because the"}))
    again = maker.post(200, chat_ask(), target=CHAT_TARGET)
    again.answer(205, chat_chunk({"content": "Because."}, "stop"), "[DONE]")


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


@labelled(Kind.TERMINAL_MISSING)
def _a_stream_that_was_compressed_unasked(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"), S1)
    post.head(5, 200, (*EVENT_STREAM, ("content-encoding", "gzip")))
    post.chunk(6, gzip.compress(sse(created()) + sse(completed())))
    post.end(8)
    answer(maker, 200, ask("hi"))


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
