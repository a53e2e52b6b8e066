"""Recordings in which the server said that something is wrong, or refused to speak so."""

from labelled_recording import MINUTE_MS, S1, answer, labelled, say
from timed_tapes import JSON_BODY, NEW_CODEX, TapeMaker, ask, completed, created, failed, message

from wiretape.diagnosis.kinds import Kind
from wiretape.facts import EndKind, Sender


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


@labelled(Kind.HTTP_ERROR, agent=None)
def _an_sdk_meets_an_error_page(maker: TapeMaker) -> None:
    post = maker.post(0, ask("hi"))
    post.head(5, 503, JSON_BODY)
    post.chunk(6, b'{"error": {"message": "down for maintenance"}}')
    post.end(6)
