"""The OpenAI SDK, unmodified, against a replay: streams, errors, retries, chats and sockets."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import openai
import pytest
from replaying import Replaying
from tapes import JSON_HEADERS, LEFT, Recording, error_body, says, sse, wants

from replayer.report import Verdict

type Serve = Callable[..., AbstractContextManager[Replaying]]

RESPONSE = {
    "id": "resp_1",
    "object": "response",
    "created_at": 0,
    "model": "gpt-5.2",
    "status": "completed",
    "output": [],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
}
DELTA = {
    "type": "response.output_text.delta",
    "item_id": "msg_1",
    "output_index": 0,
    "content_index": 0,
    "delta": "Hallo\u2028Welt",
    "logprobs": [],
    "sequence_number": 1,
}
EVENTS: tuple[dict[str, Any], ...] = (
    {"type": "response.created", "response": RESPONSE, "sequence_number": 0},
    DELTA,
    {"type": "codex.unknown", "sequence_number": 2},
    {"type": "response.completed", "response": RESPONSE, "sequence_number": 3},
)
ASKED: dict[str, Any] = {"model": "gpt-5.2", "input": "say hello"}


@contextmanager
def sdk(server: Replaying, retries: int = 0) -> Iterator[openai.OpenAI]:
    """A client that is only told where its API is."""
    with openai.OpenAI(
        api_key="sk-none", base_url=f"{server.url}/v1", max_retries=retries
    ) as client:
        yield client


def retry_soon(text: str) -> dict[str, Any]:
    """An error that lets the client come back at once."""
    body = error_body(text)
    headers = (*JSON_HEADERS, ("content-length", str(len(body))), ("retry-after-ms", "1"))
    return {"chunks": (body,), "headers": headers, "session": None}


def test_a_stream_is_read_event_by_event(serve: Serve) -> None:
    """Every event, unknown ones too, with what no text library may split."""
    recording = Recording()
    recording.post({**ASKED, "stream": True}, sse(*EVENTS), session=None)
    with serve(recording) as server, sdk(server) as client:
        stream = client.responses.create(**ASKED, stream=True)
        events = list(stream)
    assert [event.type for event in events] == [event["type"] for event in EVENTS]
    assert events[1].delta == "Hallo\u2028Welt"


def test_a_stream_that_its_client_left_is_read_to_the_end(serve: Serve) -> None:
    """Another client had hung up on the last event; this one gets its end."""
    recording = Recording()
    recording.post({**ASKED, "stream": True}, sse(*EVENTS), LEFT, session=None)
    with serve(recording) as server, sdk(server) as client:
        stream = client.responses.create(**ASKED, stream=True)
        assert len(list(stream)) == 4


def test_an_answer_in_one_piece(serve: Serve) -> None:
    """A body of a stated length."""
    body = json.dumps(RESPONSE).encode()
    headers = (*JSON_HEADERS, ("content-length", str(len(body))))
    recording = Recording()
    recording.post(ASKED, (body,), headers=headers, session=None)
    with serve(recording) as server, sdk(server) as client:
        response = client.responses.create(**ASKED)
    assert (response.id, response.status) == ("resp_1", "completed")


def test_the_clients_retries_meet_the_recorded_failures(serve: Serve) -> None:
    """Busy, broken, then an answer: three requests, as it was; the count of retries is part of
    what is asked."""
    recording = Recording()
    recording.post({**ASKED, "stream": True}, status=429, **retry_soon("busy"))
    recording.post({**ASKED, "stream": True}, status=500, **retry_soon("broken"))
    recording.post({**ASKED, "stream": True}, sse(*EVENTS), session=None)
    with serve(recording) as server, sdk(server, retries=2) as client:
        stream = client.responses.create(**ASKED, stream=True)
        assert len(list(stream)) == 4
    assert [request.exchange for request in server.report.requests] == [1, 2, 3]


def test_an_error_is_the_recorded_one(serve: Serve) -> None:
    """With its status and its message."""
    recording = Recording()
    recording.post(ASKED, status=401, **retry_soon("no such key"))
    with (
        serve(recording) as server,
        sdk(server) as client,
        pytest.raises(openai.AuthenticationError, match="no such key"),
    ):
        client.responses.create(**ASKED)


def test_an_unexpected_request_is_given_up_on(serve: Serve) -> None:
    """Whatever its budget of retries: it asks once, and is told what is wrong."""
    recording = Recording()
    with (
        serve(recording) as server,
        sdk(server, retries=5) as client,
        pytest.raises(openai.BadRequestError, match="nothing like this request was recorded"),
    ):
        client.responses.create(**ASKED)
    assert [request.verdict for request in server.report.requests] == [Verdict.UNEXPECTED]


def test_a_chat_is_streamed(serve: Serve) -> None:
    """The older API is replayed as well."""
    chunk = {
        "id": "chat_1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "gpt-5.2",
        "choices": [{"index": 0, "delta": {"content": "Hallo"}, "finish_reason": None}],
    }
    asked: dict[str, Any] = {
        "model": "gpt-5.2",
        "messages": [{"role": "user", "content": "hi"}],
        "stream": True,
    }
    recording = Recording()
    data = f"data: {json.dumps(chunk)}\n\n".encode()
    recording.post(
        asked, (data, data, b"data: [DONE]\n\n"), LEFT, path="/chat/completions", session=None
    )
    with serve(recording) as server, sdk(server) as client:
        stream = client.chat.completions.create(**asked)
        assert [each.choices[0].delta.content for each in stream] == ["Hallo", "Hallo"]


def test_the_list_of_models_is_given_as_often_as_asked_for(serve: Serve) -> None:
    """It is the recorded one each time."""
    models = {"object": "list", "data": [{"id": "m", "object": "model", "created": 0}]}
    recording = Recording()
    recording.get("/models", json.dumps(models).encode())
    with serve(recording) as server, sdk(server) as client:
        assert [[model.id for model in client.models.list()] for _ in range(3)] == [["m"]] * 3


# The SDK opens its socket in a way that the library below it wants to do away with.
@pytest.mark.filterwarnings("ignore:connect\\(\\) must be used as a context manager")
def test_a_socket_is_asked_twice(serve: Serve) -> None:
    """The SDK's own WebSocket client, and its closing."""
    recording = Recording()
    for_b = {**ASKED, "previous_response_id": "resp_1"}
    recording.socket(
        wants({"type": "response.create", **ASKED}), says(*EVENTS),
        wants({"type": "response.create", **for_b}), says(*EVENTS),
        session=None,
    )  # fmt: skip
    with (
        serve(recording) as server,
        sdk(server) as client,
        client.responses.connect() as connection,
    ):
        for asked in (ASKED, for_b):
            connection.response.create(**asked)
            heard = [connection.recv().type for _ in EVENTS]
            assert heard == [event["type"] for event in EVENTS]
    assert [request.verdict for request in server.report.requests][1:] == [Verdict.EXACT] * 2
