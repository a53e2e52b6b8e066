"""What a client asked, read from heads, bodies and messages of every age and kind."""

import json
from typing import Any

import pytest
import zstandard

from wiretape.asked import (
    Asked,
    RequestKind,
    asked_by_message,
    asked_by_upgrade,
    asked_over_http,
)
from wiretape.facts import Headers
from wiretape.scope import Purpose

BODY = b'{"model": "gpt-5.2-codex", "input": [{"type": "message"}], "prompt_cache_key": "key"}'


def over_http(body: bytes = BODY, *headers: tuple[str, str]) -> Asked:
    return asked_over_http(Purpose.RESPONSES, headers, body)


@pytest.mark.parametrize(
    ("purpose", "kind"),
    [
        (Purpose.RESPONSES, RequestKind.CREATE),
        (Purpose.COMPACT, RequestKind.COMPACT),
        (Purpose.CHAT, RequestKind.CHAT),
        (Purpose.MODELS, RequestKind.MODELS),
        (None, RequestKind.OTHER),
    ],
)
def test_the_purpose_of_an_http_request_is_its_kind(
    purpose: Purpose | None, kind: RequestKind
) -> None:
    """Over HTTP, method and path say what is asked."""
    assert asked_over_http(purpose, (), b"").kind is kind


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (b'{"type": "response.create"}', RequestKind.CREATE),
        (b'{"type": "response.create", "generate": true}', RequestKind.CREATE),
        (b'{"type": "response.create", "generate": false}', RequestKind.WARM_UP),
        (b'{"type": "response.append"}', RequestKind.APPEND),
        (b'{"type": "response.dream"}', RequestKind.OTHER),
        (b"{}", RequestKind.OTHER),
        (b"[1]", RequestKind.OTHER),
        (b"not JSON", RequestKind.OTHER),
    ],
)
def test_the_type_of_a_message_is_its_kind(message: bytes, kind: RequestKind) -> None:
    """On a socket the message itself says what is asked, and nothing in it raises."""
    assert asked_by_message((), message).kind is kind


def test_a_handshake_asks_for_a_socket() -> None:
    """The handshake is a request of its own kind, without a body."""
    assert asked_by_upgrade((("session_id", "s"),)) == Asked(
        RequestKind.UPGRADE, "s", (("session_id", "s"),), None, b""
    )


@pytest.mark.parametrize(
    ("headers", "session"),
    [
        ((), "key"),
        ((("conversation_id", "c"),), "c"),
        ((("conversation_id", "c"), ("session_id", "s")), "s"),
        ((("session_id", "s"), ("session-id", "t")), "t"),
        ((("session-id", "s"), ("Thread-Id", "t")), "t"),
        ((("thread-id", ""),), "key"),
    ],
)
def test_the_most_particular_name_of_the_conversation_counts(
    headers: Headers, session: str
) -> None:
    """A thread is named before a session, any header before the body's key, any name but none."""
    assert over_http(BODY, *headers).session == session


@pytest.mark.parametrize(
    "body", [b"{}", b'{"prompt_cache_key": 7}', b"[]", b"null", b"\xff", b"", b"[" * 100_000]
)
def test_a_client_may_name_no_session(body: bytes) -> None:
    """No name anywhere is no session, whatever the body holds."""
    assert over_http(body).session is None


def test_a_message_names_its_session_through_the_handshake_or_itself() -> None:
    """The headers of the handshake name the session of each message on the socket."""
    message = b'{"type": "response.create", "prompt_cache_key": "key"}'
    assert asked_by_message((("session_id", "s"),), message).session == "s"
    assert asked_by_message((), message).session == "key"


def test_a_message_has_the_headers_of_its_handshake() -> None:
    """They say whose socket it is."""
    headers = (("openai-beta", "one"),)
    assert asked_by_message(headers, b"{}").headers == headers


def test_a_compressed_body_is_read() -> None:
    """The content coding is taken off what was sent."""
    asked = over_http(zstandard.compress(BODY), ("content-encoding", "zstd"))
    assert (asked.raw, asked.model) == (BODY, "gpt-5.2-codex")


@pytest.mark.parametrize(
    ("coding", "body"),
    [("rot13", BODY), ("zstd", b"no zstd"), ("zstd", zstandard.compress(BODY)[:20])],
)
def test_a_body_that_cannot_be_decoded_stays_as_it_was_sent(coding: str, body: bytes) -> None:
    """Two bodies that nobody can read must still be told apart."""
    assert over_http(body, ("content-encoding", coding)).raw == body


@pytest.mark.parametrize(
    ("body", "items"),
    [
        ({"input": [1, 2]}, [1, 2]),
        ({"input": "say hello"}, ["say hello"]),
        ({"messages": [{"role": "user"}]}, [{"role": "user"}]),
        ({"input": []}, []),
        ({}, []),
        ([1], []),
        (None, []),
    ],
)
def test_input_items_are_those_of_either_wire(body: Any, items: list[Any]) -> None:
    """``input``, or a chat's ``messages``; text alone is one item, and no object has none."""
    assert over_http(json.dumps(body).encode()).input_items == items


@pytest.mark.parametrize(
    ("body", "model"), [(BODY, "gpt-5.2-codex"), (b'{"model": 5}', None), (b"[]", None)]
)
def test_the_model_is_a_name_or_none(body: bytes, model: str | None) -> None:
    """What is no text names no model."""
    assert over_http(body).model == model
