"""Document 002 §2 and §4.4: what the client asks, and what it leaves out on a socket."""

from collections.abc import Sequence
from typing import Any

import pytest

from wiretape.client.config import Provider
from wiretape.client.dialect import Dialect
from wiretape.client.dialects import DOCUMENTED, dialect_of
from wiretape.client.requests import (
    Compression,
    Request,
    SocketRequests,
    compression,
    session_headers,
    text_controls,
)

OPENAI = Provider("OpenAI", "https://api.openai.com/v1")
OTHER = Provider("local", "http://localhost/v1")
SCHEMA = {"type": "object"}
LATER, TODAY = dialect_of((0, 100)), dialect_of((0, 169))


def message(text: str) -> dict[str, Any]:
    """A user's message."""
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


HELLO, CALL, OUTPUT = (
    message("hello"),
    {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"},
    {"type": "function_call_output", "call_id": "c1", "output": "done"},
)


def request(*items: dict[str, Any], model: str = "m") -> Request:
    """A request with these items as its input."""
    return Request(model=model, instructions="inst", input=items, conversation_id="thread-1")


def test_2_1_the_cache_key_is_the_conversation_id() -> None:
    """``prompt_cache_key`` is the conversation's id as text."""
    assert request().body()["prompt_cache_key"] == "thread-1"


@pytest.mark.parametrize("is_upgrade", [True, False])
def test_2_1_the_conversation_id_is_a_header(is_upgrade: bool) -> None:
    """The id goes into ``session_id``, of a POST and of an upgrade."""
    headers = session_headers("thread-1", None, DOCUMENTED, is_upgrade=is_upgrade)
    assert ("session_id", "thread-1") in headers


def test_later_clients_name_the_conversation_in_other_headers() -> None:
    """0.169 says the id three times, and names its WebSocket wire by a later date."""
    assert session_headers("t", None, TODAY, is_upgrade=True) == (
        ("session-id", "t"),
        ("thread-id", "t"),
        ("x-client-request-id", "t"),
        ("openai-beta", "responses_websockets=2026-02-06"),
    )


def test_4_1_the_turn_state_is_sent_back() -> None:
    """What the server gave as turn state comes back as a header within the turn."""
    assert session_headers("t", "state-1", DOCUMENTED, is_upgrade=False) == (
        ("session_id", "t"),
        ("x-codex-turn-state", "state-1"),
    )


def test_2_2_without_verbosity_and_schema_there_are_no_text_controls() -> None:
    """``text`` is left out where neither of its parts is asked for."""
    assert text_controls(None, None) is None
    assert "text" not in request().body()


def test_2_2_verbosity_alone_makes_text_controls() -> None:
    """Verbosity is ``text.verbosity``."""
    assert text_controls("low", None) == {"verbosity": "low"}


def test_2_2_an_output_schema_is_strict_and_has_a_fixed_name() -> None:
    """The schema is ``text.format``, strict, by the name ``codex_output_schema``."""
    assert text_controls(None, SCHEMA) == {
        "format": {
            "type": "json_schema",
            "strict": True,
            "schema": {"type": "object"},
            "name": "codex_output_schema",
        }
    }


def test_2_2_both_stand_side_by_side() -> None:
    """Verbosity and schema make one ``text``, which the body carries."""
    asked = Request(
        model="m",
        instructions="i",
        input=(),
        conversation_id="t",
        verbosity="high",
        output_schema=SCHEMA,
    )
    assert asked.body()["text"].keys() == {"verbosity", "format"}


def test_2_3_a_reasoning_model_is_asked_for_its_encrypted_reasoning() -> None:
    """With ``reasoning`` comes ``include: ["reasoning.encrypted_content"]``."""
    asked = Request(
        model="m",
        instructions="i",
        input=(),
        conversation_id="t",
        reasoning={"effort": "medium", "summary": "auto"},
    )
    assert asked.body()["reasoning"] == {"effort": "medium", "summary": "auto"}
    assert asked.body()["include"] == ["reasoning.encrypted_content"]


def test_2_3_without_reasoning_nothing_is_included() -> None:
    """A model without reasoning is asked for nothing besides."""
    body = request().body()
    assert body["reasoning"] is None
    assert body["include"] == []


@pytest.mark.parametrize(
    ("provider", "is_feature_on", "is_chatgpt_login", "encoding"),
    [
        (OPENAI, True, True, Compression.ZSTD),
        (OPENAI, True, False, Compression.NONE),
        (OPENAI, False, True, Compression.NONE),
        (OPENAI, False, False, Compression.NONE),
        (OTHER, True, True, Compression.NONE),
        (OTHER, True, False, Compression.NONE),
        (OTHER, False, True, Compression.NONE),
        (OTHER, False, False, Compression.NONE),
    ],
)
def test_2_4_zstd_needs_feature_chatgpt_login_and_openai(
    provider: Provider, is_feature_on: bool, is_chatgpt_login: bool, encoding: Compression
) -> None:
    """The body is compressed only where all three conditions hold."""
    found = compression(provider, is_feature_on=is_feature_on, is_chatgpt_login=is_chatgpt_login)
    assert found is encoding


def ask_twice(
    dialect: Dialect,
    first: Request,
    second: Request,
    *,
    answer: Sequence[dict[str, Any]] = (),
    ended_with_done: bool = False,
) -> dict[str, Any]:
    """The message for the second request on a socket, after the first was answered."""
    socket = SocketRequests(dialect)
    socket.ask(first)
    socket.completed("resp_1", answer, ended_with_done=ended_with_done)
    return socket.ask(second)


def test_4_4_the_first_request_is_a_create() -> None:
    """With nothing said before, everything is said: the body with its ``type``."""
    asked = request(HELLO)
    expected = {"type": "response.create", **asked.body()}
    assert SocketRequests(DOCUMENTED).ask(asked) == expected


def test_4_4_a_longer_input_with_the_same_beginning_is_appended() -> None:
    """``response.append`` carries the new items and nothing else."""
    said = ask_twice(DOCUMENTED, request(HELLO), request(HELLO, CALL, OUTPUT))
    assert said == {"type": "response.append", "input": [CALL, OUTPUT]}


def test_4_4_each_append_counts_from_the_request_before() -> None:
    """A third request leaves out what the first two said."""
    socket = SocketRequests(DOCUMENTED)
    socket.ask(request(HELLO))
    socket.ask(request(HELLO, CALL))
    assert socket.ask(request(HELLO, CALL, OUTPUT)) == {
        "type": "response.append",
        "input": [OUTPUT],
    }


@pytest.mark.parametrize(
    "second",
    [
        pytest.param((HELLO,), id="same"),
        pytest.param((), id="shorter"),
        pytest.param((message("other"), CALL, OUTPUT), id="another beginning"),
        pytest.param((CALL, HELLO, OUTPUT), id="another order"),
    ],
)
def test_4_4_any_other_input_is_created_whole(second: tuple[dict[str, Any], ...]) -> None:
    """Without the same beginning, or without anything new, everything is said again."""
    said = ask_twice(DOCUMENTED, request(HELLO), request(*second))
    assert said == {"type": "response.create", **request(*second).body()}


def test_4_4_the_input_alone_decides() -> None:
    """A request with a longer input is appended, whatever else is other."""
    second = request(HELLO, OUTPUT, model="other")
    said = ask_twice(DOCUMENTED, request(HELLO), second)
    assert said == {"type": "response.append", "input": [OUTPUT]}


def test_today_another_model_is_created_whole() -> None:
    """A later client says a request whole that differs in more than its input."""
    second = request(HELLO, CALL, OUTPUT, model="other")
    said = ask_twice(TODAY, request(HELLO), second, answer=[CALL])
    assert said == {"type": "response.create", **second.body()}


@pytest.mark.parametrize(
    ("ended_with_done", "said"),
    [
        (True, {"type": "response.append", "input": [OUTPUT]}),
        (False, {"type": "response.create", **request(HELLO, CALL, OUTPUT).body()}),
    ],
)
def test_version_0_100_appends_only_after_response_done(
    ended_with_done: bool, said: dict[str, Any]
) -> None:
    """0.100 appends what follows the answer, and only where that ended with ``response.done``."""
    second = request(HELLO, CALL, OUTPUT)
    found = ask_twice(LATER, request(HELLO), second, answer=[CALL], ended_with_done=ended_with_done)
    assert found == said


def test_today_a_request_names_the_response_before() -> None:
    """0.169 creates with ``previous_response_id``, the new items and everything else."""
    second = request(HELLO, CALL, OUTPUT)
    assert ask_twice(TODAY, request(HELLO), second, answer=[CALL]) == {
        "type": "response.create",
        **second.body(),
        "previous_response_id": "resp_1",
        "input": [OUTPUT],
    }


def test_today_a_response_without_an_id_cannot_be_named() -> None:
    """Without an id everything is said again."""
    socket = SocketRequests(TODAY)
    socket.ask(request(HELLO))
    socket.completed("", [CALL])
    assert "previous_response_id" not in socket.ask(request(HELLO, CALL, OUTPUT))


def test_today_a_warm_up_wants_no_answer_and_is_then_named() -> None:
    """The warm-up is a create with ``generate: false``; the request after it says what is new."""
    socket = SocketRequests(TODAY)
    assert socket.warm_up(request()) == {
        "type": "response.create",
        **request().body(),
        "generate": False,
    }
    socket.completed("resp_0", [])
    said = socket.ask(request(HELLO))
    assert (said["previous_response_id"], said["input"]) == ("resp_0", [HELLO])
    assert "generate" not in said
