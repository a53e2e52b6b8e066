"""What each exchange tried, and what came of it."""

import json
from pathlib import Path

import pytest
from attempted import attempts, observed, the_attempt
from timed_tapes import (
    JSON_BODY,
    NEW_CODEX,
    OLD_CODEX,
    TapeMaker,
    ask,
    call,
    completed,
    created,
    delta,
    failed,
    output,
    session,
    sse,
)

from wiretape.asked import RequestKind
from wiretape.attempt import Attempt, Transport
from wiretape.events import Usage
from wiretape.facts import EndKind, PieceKind, Sender
from wiretape.origins import Role
from wiretape.said import Outcome


def test_a_post_is_one_attempt(maker: TapeMaker) -> None:
    """What was asked, when what came, and how it ended."""
    body = ask("hi")
    post = maker.post(1, body, session("s1"), connection=7)
    post.head(11)
    post.events(21, created("resp_9"), delta())
    post.events(51, completed("resp_9", given=120, made=34))
    post.end(61)
    sent = sum(len(sse(event)) for event in (created("resp_9"), delta())) + len(
        sse(completed("resp_9", given=120, made=34))
    )
    assert the_attempt(maker) == Attempt(
        exchange=1,
        message=None,
        connection=7,
        transport=Transport.HTTP,
        kind=RequestKind.CREATE,
        role=Role.TURN,
        session="s1",
        turn_id=None,
        model="gpt-5.2-codex",
        at_us=1000,
        opened_us=1000,
        previous_response_id=None,
        is_whole_input=True,
        input_items=1,
        answers_tools=False,
        request_bytes=len(json.dumps(body)),
        until_us=61_000,
        head_at_us=11_000,
        first_byte_us=11_000,
        first_event_us=21_000,
        last_event_us=51_000,
        longest_silence_us=30_000,
        silent_from_us=21_000,
        signs_of_life=0,
        events=3,
        response_bytes=sent,
        status=200,
        response_id="resp_9",
        usage=Usage(120, 0, 34, 0, 154),
        outcome=Outcome.COMPLETED,
        ended_by="response.completed",
        ended_at_us=51_000,
        error_code=None,
        detail="",
    )


def test_each_request_on_a_socket_is_an_attempt(maker: TapeMaker) -> None:
    """Warm-up, create, append: each with its own answer, the last with the socket's end."""
    socket = maker.socket(0, session("s1"))
    socket.ask(5, ask("hi", generate=False))
    socket.say(6, created("resp_1"), completed("resp_1"))
    socket.ask(10, ask("hi", previous_response_id="resp_1"))
    socket.say(14, created("resp_2"))
    socket.say(20, completed("resp_2"))
    socket.ask(30, ask("more"), kind="response.append")
    socket.say(32, created("resp_3"))
    socket.close(40, 1011, "broken")
    warm_up, create, append = attempts(maker)
    assert [each.kind for each in (warm_up, create, append)] == [
        RequestKind.WARM_UP,
        RequestKind.CREATE,
        RequestKind.APPEND,
    ]
    assert [(each.message, each.at_us, each.until_us) for each in (warm_up, create, append)] == [
        (0, 5000, 6000),
        (1, 10_000, 20_000),
        (2, 30_000, 40_000),
    ]
    assert [each.response_id for each in (warm_up, create, append)] == [
        "resp_1",
        "resp_2",
        "resp_3",
    ]
    assert warm_up.role is Role.WARM_UP
    assert (create.previous_response_id, create.is_whole_input) == ("resp_1", False)
    assert append.is_whole_input is False
    assert (append.outcome, append.detail) == (Outcome.CUT, "websocket_closed 1011 broken")
    assert (create.status, create.head_at_us, create.first_byte_us) == (None, None, 14_000)


def test_a_socket_that_goes_on_is_no_end(maker: TapeMaker) -> None:
    """The next request on it leaves an unfinished one open."""
    socket = maker.socket(0)
    socket.ask(5, ask("hi"))
    socket.say(6, created("resp_1"))
    socket.ask(10, ask("stop that"))
    socket.say(11, completed("resp_2"))
    first, second = attempts(maker)
    assert (first.outcome, first.until_us) == (Outcome.OPEN, 6000)
    assert second.outcome is Outcome.COMPLETED


def test_a_message_that_asks_for_nothing_is_no_attempt(maker: TapeMaker) -> None:
    """It is counted, so that messages keep their numbers."""
    socket = maker.socket(0)
    socket.ask(1, {"response_id": "resp_0"}, kind="response.processed")
    socket.ask(2, ask("hi"))
    socket.say(3, created("resp_1"))
    socket.ask(4, {"response_id": "resp_1"}, kind="response.processed")
    socket.say(5, completed("resp_1"))
    attempt = the_attempt(maker)
    assert (attempt.message, attempt.events, attempt.outcome) == (1, 2, Outcome.COMPLETED)


def test_a_socket_is_over_with_its_close_frame(maker: TapeMaker) -> None:
    """How long TCP takes to go afterwards is no silence of the server's."""
    socket = maker.socket(0)
    socket.ask(5, ask("hi"))
    socket.frame(13, PieceKind.CLOSE, (1011).to_bytes(2) + b"busy")
    socket.end(218, EndKind.WEBSOCKET_CLOSED, Sender.SERVER, 1011, "busy")
    attempt = the_attempt(maker)
    assert (attempt.outcome, attempt.detail) == (Outcome.CUT, "websocket_closed 1011 busy")
    assert (attempt.until_us, attempt.longest_silence_us) == (13_000, 8000)
    assert (attempt.ended_by, attempt.ended_at_us) == ("websocket.close", 13_000)


def test_the_first_close_frame_counts(maker: TapeMaker) -> None:
    """The other side's only answers it."""
    socket = maker.socket(0)
    socket.ask(5, ask("hi"))
    socket.frame(9, PieceKind.CLOSE, (1000).to_bytes(2), Sender.CLIENT)
    socket.frame(15, PieceKind.CLOSE, (1000).to_bytes(2))
    socket.end(20, EndKind.WEBSOCKET_CLOSED, Sender.CLIENT, 1000, "")
    attempt = the_attempt(maker)
    assert (attempt.outcome, attempt.until_us) == (Outcome.ABANDONED, 9000)


def test_what_is_asked_after_a_close_frame_is_over_at_once(maker: TapeMaker) -> None:
    """The two crossed on the way: no answer can come, and none took less than no time."""
    socket = maker.socket(0)
    socket.frame(9, PieceKind.CLOSE, (1001).to_bytes(2))
    socket.ask(10, ask("hi"))
    socket.end(20, EndKind.WEBSOCKET_CLOSED, Sender.SERVER, 1001, "")
    attempt = the_attempt(maker)
    assert (attempt.at_us, attempt.until_us, attempt.longest_silence_us) == (10_000, 10_000, 0)


def test_a_socket_on_which_nothing_was_asked(maker: TapeMaker) -> None:
    """It was connected, from the handshake to the end."""
    socket = maker.socket(1, session("s1"))
    socket.end(9, EndKind.CLIENT_CLOSED, Sender.CLIENT)
    attempt = the_attempt(maker)
    assert (attempt.kind, attempt.outcome) == (RequestKind.UPGRADE, Outcome.CONNECTED)
    assert (attempt.at_us, attempt.until_us, attempt.status) == (1000, 9000, 101)


def test_a_refused_upgrade(maker: TapeMaker) -> None:
    """Its status is what came of it; its page is no event."""
    upgrade = maker.upgrade(0, session("s1"))
    upgrade.refuse(5, 426, {"error": {"type": "no_websocket", "message": "no"}})
    attempt = the_attempt(maker)
    assert (attempt.transport, attempt.kind) == (Transport.WEBSOCKET, RequestKind.UPGRADE)
    assert (attempt.outcome, attempt.detail) == (
        Outcome.HTTP_ERROR,
        "426 Upgrade Required: no_websocket: no",
    )
    assert (attempt.status, attempt.error_code, attempt.events) == (426, "no_websocket", 0)


def test_what_is_for_no_model_is_no_attempt(maker: TapeMaker) -> None:
    """The model list, and anything else."""
    maker.get(0, "/v1/models").answer(1)
    maker.post(5, {}, target="/v1/files").answer(6)
    assert attempts(maker) == []


@pytest.mark.parametrize(
    ("how", "side", "outcome", "detail"),
    [
        (EndKind.COMPLETE, None, Outcome.CUT, "complete"),
        (EndKind.SERVER_CLOSED, Sender.SERVER, Outcome.CUT, "server_closed"),
        (EndKind.RESET, Sender.SERVER, Outcome.CUT, "reset"),
        (EndKind.RESET, None, Outcome.CUT, "reset"),
        (EndKind.RESET, Sender.CLIENT, Outcome.ABANDONED, "reset"),
        (EndKind.CLIENT_CLOSED, Sender.CLIENT, Outcome.ABANDONED, "client_closed"),
        (EndKind.PROTOCOL_ERROR, Sender.SERVER, Outcome.CUT, "protocol_error"),
        (EndKind.REFUSED, None, Outcome.UNREACHED, "refused"),
        (EndKind.TLS_FAILURE, Sender.SERVER, Outcome.UNREACHED, "tls_failure"),
        (EndKind.RECORDER_STOPPED, None, Outcome.OPEN, "recorder_stopped"),
    ],
)
def test_an_answer_that_did_not_end_is_judged_by_the_exchange(
    how: EndKind, side: Sender | None, outcome: Outcome, detail: str, maker: TapeMaker
) -> None:
    """Without a word of the server about the end, the connection's end counts."""
    post = maker.post(0, ask("hi"))
    post.head(1)
    post.events(2, created())
    post.end(9, how, side)
    attempt = the_attempt(maker)
    assert (attempt.outcome, attempt.detail) == (outcome, detail)
    assert (attempt.ended_by, attempt.until_us) == (None, 9000)


def test_a_recording_may_stop_before_the_end(maker: TapeMaker) -> None:
    """An attempt without an end is open."""
    post = maker.post(0, ask("hi"))
    post.head(1)
    post.events(2, created())
    attempt = the_attempt(maker)
    assert (attempt.outcome, attempt.until_us) == (Outcome.OPEN, None)


def test_a_client_that_leaves_after_the_end_has_what_it_wanted(maker: TapeMaker) -> None:
    """Codex hangs up as soon as it has read ``response.completed``."""
    post = maker.post(0, ask("hi"))
    post.head(1)
    post.events(2, created(), completed())
    post.end(3, EndKind.CLIENT_CLOSED, Sender.CLIENT)
    assert the_attempt(maker).outcome is Outcome.COMPLETED


def test_a_failure_is_kept_with_its_code(maker: TapeMaker) -> None:
    """``response.failed``, when it came, and what it said."""
    post = maker.post(0, ask("hi"))
    post.head(1)
    post.events(2, created(), failed("context_length_exceeded", "too long"))
    post.end(900)
    attempt = the_attempt(maker)
    assert attempt.outcome is Outcome.FAILED
    assert (attempt.ended_by, attempt.ended_at_us) == ("response.failed", 2000)
    assert attempt.error_code == "context_length_exceeded"
    assert attempt.detail == "context_length_exceeded: too long"


def test_over_sse_a_completion_after_a_failure_counts(maker: TapeMaker) -> None:
    """The client holds the failure until the stream ends (document 002 §3.3)."""
    post = maker.post(0, ask("hi"))
    post.answer(1, created(), failed("server_error"), completed())
    assert the_attempt(maker).outcome is Outcome.COMPLETED


def test_over_websocket_a_failure_is_final(maker: TapeMaker) -> None:
    """The client leaves at once (document 002 §4.3)."""
    socket = maker.socket(0)
    socket.ask(1, ask("hi"))
    socket.say(2, created(), failed("server_error"), completed())
    assert the_attempt(maker).outcome is Outcome.FAILED


def test_an_error_event_is_a_failure(maker: TapeMaker) -> None:
    """With the code, or for want of one the type, of its error."""
    socket = maker.socket(0)
    socket.ask(1, ask("hi"))
    error = {"type": "invalid_request_error", "message": "no"}
    socket.say(2, {"type": "error", "status": 400, "error": error})
    attempt = the_attempt(maker)
    assert (attempt.outcome, attempt.ended_by) == (Outcome.FAILED, "error")
    assert (attempt.error_code, attempt.detail) == (
        "invalid_request_error",
        "invalid_request_error: no",
    )


@pytest.mark.parametrize(
    ("agent", "outcome", "detail"),
    [
        (NEW_CODEX, Outcome.INCOMPLETE, "max_output_tokens"),
        (None, Outcome.INCOMPLETE, "max_output_tokens"),
        (OLD_CODEX, Outcome.CUT, "complete"),
    ],
)
def test_an_incomplete_response_says_why(
    agent: str | None, outcome: Outcome, detail: str, tmp_path: Path
) -> None:
    """``response.incomplete`` with its reason; the older Codex takes no notice of it."""
    maker = TapeMaker(tmp_path / "tape.db", agent)
    details = {"incomplete_details": {"reason": "max_output_tokens"}}
    maker.post(0, ask("hi")).answer(1, {"type": "response.incomplete", "response": details})
    attempt = the_attempt(maker)
    assert (attempt.outcome, attempt.detail) == (outcome, detail)


@pytest.mark.parametrize(
    ("agent", "outcome"), [(NEW_CODEX, Outcome.FAILED), (None, Outcome.COMPLETED)]
)
def test_a_completion_that_the_client_cannot_read_is_a_failure(
    agent: str | None, outcome: Outcome, tmp_path: Path
) -> None:
    """Codex needs an id in it; others need less."""
    maker = TapeMaker(tmp_path / "tape.db", agent)
    maker.post(0, ask("hi")).answer(1, {"type": "response.completed", "response": {}})
    assert the_attempt(maker).outcome is outcome


def test_over_sse_codex_takes_no_notice_of_an_error_event(maker: TapeMaker) -> None:
    """The stream then ends without an end."""
    maker.post(0, ask("hi")).answer(1, {"type": "error", "code": "x", "message": "no"})
    attempt = the_attempt(maker)
    assert (attempt.outcome, attempt.detail, attempt.error_code) == (Outcome.CUT, "complete", None)


@pytest.mark.parametrize(
    ("agent", "outcome"),
    [(OLD_CODEX, Outcome.COMPLETED), (NEW_CODEX, Outcome.CUT), (None, Outcome.COMPLETED)],
)
def test_done_ends_a_response_for_those_who_take_it_so(
    agent: str | None, outcome: Outcome, tmp_path: Path
) -> None:
    """The newer Codex waits for ``response.completed``."""
    maker = TapeMaker(tmp_path / "tape.db", agent)
    maker.post(0, ask("hi")).answer(
        1, created(), {"type": "response.done", "response": {"id": "resp_1"}}
    )
    assert the_attempt(maker).outcome is outcome


def test_the_wait_for_the_first_event_is_a_silence(maker: TapeMaker) -> None:
    """It begins with the request."""
    post = maker.post(100, ask("hi"))
    post.head(150)
    post.events(400, created())
    post.events(410, completed())
    attempt = the_attempt(maker)
    assert (attempt.longest_silence_us, attempt.silent_from_us) == (300_000, 100_000)


def test_the_wait_for_an_end_that_did_not_come_is_a_silence(maker: TapeMaker) -> None:
    """With the signs of life that came meanwhile; the client's own pongs are none."""
    socket = maker.socket(0)
    socket.ask(1, ask("hi"))
    socket.say(3, created())
    for at_ms in (100, 200, 300):
        socket.frame(at_ms, PieceKind.PING)
        socket.frame(at_ms + 1, PieceKind.PONG, b"", Sender.CLIENT)
    socket.end(403, EndKind.CLIENT_CLOSED, Sender.CLIENT)
    attempt = the_attempt(maker)
    assert (attempt.longest_silence_us, attempt.silent_from_us) == (400_000, 3000)
    assert (attempt.signs_of_life, attempt.events) == (3, 1)


def test_after_the_end_nothing_is_a_silence(maker: TapeMaker) -> None:
    """A socket may stay open for long after an answer."""
    socket = maker.socket(0)
    socket.ask(1, ask("hi"))
    socket.say(3, created(), completed())
    socket.end(900_000, EndKind.CLIENT_CLOSED, Sender.CLIENT)
    attempt = the_attempt(maker)
    assert (attempt.longest_silence_us, attempt.until_us) == (2000, 3000)


def test_what_a_socket_says_between_requests_is_no_part_of_an_answer(maker: TapeMaker) -> None:
    """The answer lasts until its end: while tools run, nobody waits for the server."""
    socket = maker.socket(0, session("s1"))
    socket.ask(5, ask("hi"))
    socket.say(10, created())
    socket.say(30, completed())
    socket.say(720_000, {"type": "codex.rate_limits"})
    socket.ask(1_200_000, ask(output("c1")), kind="response.append")
    socket.say(1_200_010, created("resp_2"), completed("resp_2"))
    socket.say(1_800_000, {"type": "codex.rate_limits"})
    socket.end(1_800_001, EndKind.CLIENT_CLOSED, Sender.CLIENT)
    first, last = attempts(maker)
    assert (first.longest_silence_us, first.silent_from_us) == (20_000, 10_000)
    assert (last.longest_silence_us, last.silent_from_us) == (10_000, 1_200_000_000)
    assert (first.until_us, last.until_us) == (30_000, 1_200_010_000)


def test_comments_are_signs_of_life(maker: TapeMaker) -> None:
    """Over SSE."""
    post = maker.post(0, ask("hi"))
    post.head(1)
    post.chunk(5, b": alive\n\n")
    post.chunk(6, b": alive\n\n")
    post.events(20, completed())
    attempt = the_attempt(maker)
    assert (attempt.longest_silence_us, attempt.signs_of_life) == (20_000, 2)


def test_a_response_that_was_not_streamed(maker: TapeMaker) -> None:
    """One JSON object: completed, with its usage, its id and its calls."""
    body = {
        "id": "resp_5",
        "object": "response",
        "status": "completed",
        "error": None,
        "output": [call("c1")],
        "usage": {"input_tokens": 5, "output_tokens": 6, "total_tokens": 11},
    }
    text = json.dumps(body).encode()
    post = maker.post(0, ask("hi"))
    post.head(1, 200, JSON_BODY)
    post.chunk(2, text[:20])
    post.chunk(3, text[20:])
    post.end(4)
    (seen,) = observed(maker)
    assert (seen.attempt.outcome, seen.attempt.ended_by) == (Outcome.COMPLETED, "http.body")
    assert (seen.attempt.response_id, seen.attempt.usage) == ("resp_5", Usage(5, 0, 6, 0, 11))
    assert (seen.attempt.events, seen.attempt.response_bytes) == (0, len(text))
    assert [made.call.call_id for made in seen.calls] == ["c1"]


def test_a_failed_response_that_was_not_streamed(maker: TapeMaker) -> None:
    """Its status counts, though the HTTP status is 200."""
    error = {"code": "server_error", "message": "sorry"}
    post = maker.post(0, ask("hi"))
    post.refuse(1, 200, {"object": "response", "status": "failed", "error": error})
    attempt = the_attempt(maker)
    assert (attempt.outcome, attempt.error_code) == (Outcome.FAILED, "server_error")


def test_a_response_in_the_background_is_answered_by_its_state(maker: TapeMaker) -> None:
    """That it goes on elsewhere is the whole answer."""
    maker.post(0, ask("hi")).refuse(1, 200, {"object": "response", "status": "queued"})
    attempt = the_attempt(maker)
    assert (attempt.outcome, attempt.detail) == (Outcome.COMPLETED, "queued")


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (
            {"error": {"code": "slow_down", "message": "Not\nso fast."}},
            "slow_down",
            ": slow_down: Not so fast.",
        ),
        ({"error": {"type": "requests", "message": "no"}}, "requests", ": requests: no"),
        ({"error": "too many"}, None, ": too many"),
        ({"detail": "Too many."}, None, ": Too many."),
        ({"code": "busy", "message": "later"}, "busy", ": busy: later"),
        ({"unlike": "any"}, None, ""),
        ("<html>busy</html>", None, ""),
    ],
)
def test_an_error_page_gives_its_code_and_words(
    body: dict[str, object] | str, code: str | None, words: str, maker: TapeMaker
) -> None:
    """The status decides; the rest is the body's, in the shapes that servers write."""
    maker.post(0, ask("hi")).refuse(1, 429, body)
    attempt = the_attempt(maker)
    assert attempt.outcome is Outcome.HTTP_ERROR
    assert (attempt.detail, attempt.error_code) == (f"429 Too Many Requests{words}", code)


def test_a_compaction_is_done_when_its_body_is_whole(maker: TapeMaker) -> None:
    """``/responses/compact`` answers with one JSON object."""
    post = maker.post(0, ask("hi"), target="/v1/responses/compact")
    post.refuse(1, 200, {"object": "response.compaction", "output": []})
    attempt = the_attempt(maker)
    assert (attempt.kind, attempt.role) == (RequestKind.COMPACT, Role.COMPACTION)
    assert attempt.outcome is Outcome.COMPLETED
