"""The events of a tape, read again as the client read them."""

import json
from pathlib import Path
from typing import Any

import pytest
from timed_tapes import (
    NEW_CODEX,
    TapeMaker,
    ask,
    completed,
    created,
    delta,
    done,
    failed,
    session,
)

from wiretape.client.failures import FailureKind
from wiretape.diagnosis.reading import Reading, Readings, readings_of
from wiretape.facts import Headers, PieceKind, Sender
from wiretape.spot import Spot

S1 = session("s1")


@pytest.fixture
def maker(tmp_path: Path) -> TapeMaker:
    """An empty tape of the newer client."""
    return TapeMaker(tmp_path / "tape.db", NEW_CODEX)


def readings(maker: TapeMaker) -> Readings:
    """Every reading on the tape."""
    with maker.read() as reader:
        return {
            (exchange.id, message): reading
            for exchange in reader.exchanges()
            for message, reading in readings_of(reader, exchange)
        }


def answered(maker: TapeMaker, *events: dict[str, Any] | str) -> Reading:
    """The reading of one answer over SSE."""
    maker.post(0, ask("hi"), S1).answer(5, *events)
    return readings(maker)[1, None]


def test_a_good_answer_reads_well(maker: TapeMaker) -> None:
    """Nothing of it is noted."""
    assert answered(maker, created(), delta(), completed()) == Reading()


def test_a_failure_is_the_clients_own(maker: TapeMaker) -> None:
    """Of its kind, in its words."""
    found = answered(maker, created(), failed("context_length_exceeded"))
    assert found.failure is not None
    assert found.failure.kind is FailureKind.CONTEXT_WINDOW


@pytest.mark.parametrize(
    ("said", "delay_us"),
    [
        ("Please try again in 1.5s.", 1_500_000),
        ("Please try again in 300ms.", 300_000),
        ("Please try again later.", None),
    ],
)
def test_a_delay_is_read_from_the_words(said: str, delay_us: int | None, maker: TapeMaker) -> None:
    """Of a failure, whatever its code."""
    assert answered(maker, failed("server_error", said)).asked_delay_us == delay_us


def test_a_delay_is_read_from_the_headers_of_an_event(maker: TapeMaker) -> None:
    """Over WebSocket they come inside the event, and are no strings at times."""
    socket = maker.socket(0, S1)
    socket.ask(1, ask("hi"))
    error = {"type": "rate", "message": "no"}
    socket.say(2, {"type": "error", "status": 429, "error": error, "headers": {"retry-after": 7}})
    found = readings(maker)[1, 0]
    assert found.asked_delay_us == 7_000_000
    assert found.failure is not None
    assert found.failure.kind is FailureKind.RETRY_LIMIT


@pytest.mark.parametrize(
    ("headers", "message", "delay_us"),
    [
        ((("Retry-After", "20"),), "no", 20_000_000),
        ((), "Please try again in 2s", 2_000_000),
        ((("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT"),), "no", None),
    ],
)
def test_a_delay_is_read_from_an_answer_with_a_status(
    headers: Headers, message: str, delay_us: int | None, maker: TapeMaker
) -> None:
    """From its header, or for want of one from its words."""
    body = {"error": {"message": message}}
    maker.post(0, ask("hi"), S1).refuse(5, 429, body, headers)
    found = readings(maker)[1, None]
    assert found.asked_delay_us == delay_us
    assert found.failure is not None
    assert found.failure.kind is FailureKind.RETRY_LIMIT


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ("no json", "no JSON object: Expecting value at character 0"),
        ("[1]", "no JSON object: not a JSON object"),
        (done({"type": "function_call", "name": "n"}), "unreadable item"),
        ({"type": "response.output_text.delta"}, "missing field"),
        ({"type": "response.output_text.delta", "delta": 7}, "not an event"),
    ],
)
def test_what_the_client_cannot_read_is_swallowed(
    event: dict[str, Any] | str, reason: str, maker: TapeMaker
) -> None:
    """With the reason."""
    found = answered(maker, created(), event, completed())
    assert [why for _, why in found.swallowed] == [reason]
    assert found.swallowed_count == 1


@pytest.mark.parametrize(
    "event",
    [
        {"type": "response.dream.delta", "delta": 1},
        {"type": "codex.rate_limits"},
        {"type": "keepalive"},
        {"no": "type"},
        "[DONE]",
    ],
)
def test_what_no_client_needs_is_not_swallowed(
    event: dict[str, Any] | str, maker: TapeMaker
) -> None:
    """Events of types that the client does not know are passed over by right."""
    assert answered(maker, created(), event, completed()).swallowed == []


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"type": "response.done", "response": {"id": "resp_1"}}, ""),
        ({"type": "error", "code": "x", "message": "no"}, "x: no"),
    ],
)
def test_an_end_that_is_none_to_this_client_is_told(
    event: dict[str, Any], words: str, maker: TapeMaker
) -> None:
    """So that a missing end can be explained, with the error in it."""
    reading = answered(maker, created(), event)
    assert reading.unheeded == Spot(1, 6000, event["type"])
    assert reading.unheeded_words == words


def test_each_answer_on_a_socket_is_read_by_itself(maker: TapeMaker) -> None:
    """By the message that asked; messages that ask for nothing are counted and no more."""
    socket = maker.socket(0, S1)
    socket.ask(1, ask("hi"))
    socket.say(2, created(), "no json")
    socket.ask(3, {"response_id": "resp_1"}, kind="response.processed")
    socket.say(4, completed())
    socket.ask(5, ask("more"))
    socket.say(6, created())
    socket.frame(7, PieceKind.BINARY, b"\x00")
    socket.frame(8, PieceKind.BINARY, b"\x00", Sender.CLIENT)
    found = readings(maker)
    assert set(found) == {(1, None), (1, 0), (1, 2)}
    assert found[1, 0].swallowed == [
        (Spot(1, 2000, "unknown", 0), "no JSON object: Expecting value at character 0")
    ]
    assert (found[1, 0].binary, found[1, 2].binary) == (
        None,
        Spot(1, 7000, "websocket.binary", 2),
    )


def test_a_chat_is_read_as_a_chat(maker: TapeMaker) -> None:
    """Chunks without choices are unreadable, unless they tell the usage or an error."""
    post = maker.post(0, {"model": "m", "messages": []}, target="/v1/chat/completions")
    post.answer(5, {"usage": {}}, {"error": {}}, {"x": 1}, "no json", "[DONE]")
    found = readings(maker)[1, None]
    assert [why for _, why in found.swallowed] == ["no_choices", "not_json"]


def test_what_is_for_no_model_is_not_read(maker: TapeMaker) -> None:
    """The model list."""
    maker.get(0, "/v1/models").answer(1, "no json")
    assert readings(maker) == {}


def test_an_error_page_need_not_be_json(maker: TapeMaker) -> None:
    """The status is enough."""
    maker.post(0, ask("hi"), S1).refuse(5, 502, "<html>" + json.dumps("x" * 100))
    found = readings(maker)[1, None]
    assert found.failure is not None
    assert found.failure.kind is FailureKind.STATUS
