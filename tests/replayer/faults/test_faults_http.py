"""Each fault on the wire, over HTTP: the bytes that a client gets, and how they end."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from faulty import faulty
from raw_client import Over, RawClient, raw_client, request_bytes
from replaying import Replaying
from silence import assert_silent
from tapes import LEFT, SESSION, Recording, answer, create, sse

from wiretape.sse import SseDecoder

type Serve = Callable[..., AbstractContextManager[Replaying]]

CREATED, DELTA, COMPLETED = EVENTS = sse(*answer("hi"))
ASKED = request_bytes(
    "POST", "/v1/responses", json.dumps(create("a")).encode(), f"session_id: {SESSION}"
)
HOUR = 3600


def one_post() -> Recording:
    recording = Recording()
    recording.post(create("a"), EVENTS, LEFT)
    return recording


def chunks_and_end(client: RawClient) -> tuple[list[bytes], Over]:
    """The whole chunks that come, and how the connection ends."""
    data, over = client.read_to_end()
    found = []
    while b"\r\n" in data:
        size, _, data = data.partition(b"\r\n")
        found.append(data[: int(size, 16)])
        data = data[int(size, 16) + 2 :]
    return found, over


@pytest.mark.parametrize(
    ("fault", "heard", "over"),
    [
        ("1:cut", [CREATED, DELTA], Over.FIN),
        ("1.1:cut", [], Over.FIN),
        ("1.response.output_text.delta:cut", [CREATED], Over.FIN),
        ("1:reset", [CREATED, DELTA], Over.RESET),
        ("1.2:reset", [CREATED], Over.RESET),
    ],
)
def test_a_stream_breaks_off(serve: Serve, fault: str, heard: list[bytes], over: Over) -> None:
    """After all that comes before the event, and without the end of the body."""
    with (
        serve(faulty(one_post(), fault)) as server,
        raw_client(server.host, server.port) as client,
    ):
        client.send(ASKED)
        assert client.read_head()[0] == "HTTP/1.1 200 OK"
        assert chunks_and_end(client) == (heard, over)


@pytest.mark.parametrize(("fault", "over"), [("1.0:cut", Over.FIN), ("1.0:reset", Over.RESET)])
def test_a_request_gets_no_answer(serve: Serve, fault: str, over: Over) -> None:
    """Event 0 is the head: nothing comes at all."""
    with (
        serve(faulty(one_post(), fault)) as server,
        raw_client(server.host, server.port) as client,
    ):
        client.send(ASKED)
        assert client.read_to_end() == (b"", over)


@pytest.mark.parametrize(
    ("fault", "heard"),
    [
        ("1:drop", [CREATED, DELTA]),
        ("1.1:drop", [DELTA, COMPLETED]),
        ("1.2:duplicate", [CREATED, DELTA, DELTA, COMPLETED]),
        ("1.2:reorder", [DELTA, CREATED, COMPLETED]),
        ("1:reorder", [CREATED, COMPLETED, DELTA]),
        (
            "1.1:unknown=codex.new",
            [b'event: codex.new\ndata: {"type": "codex.new"}\n\n', *EVENTS],
        ),
    ],
)
def test_events_are_changed(serve: Serve, fault: str, heard: list[bytes]) -> None:
    """Left out, doubled, moved, put in: and the body ends properly."""
    with (
        serve(faulty(one_post(), fault)) as server,
        raw_client(server.host, server.port) as client,
    ):
        client.send(ASKED)
        client.read_head()
        assert client.read_chunks() == heard


def test_an_event_is_corrupt(serve: Serve) -> None:
    """Its name is whole, its JSON breaks off in the middle, and the stream goes on."""
    with (
        serve(faulty(one_post(), "1.2:corrupt")) as server,
        raw_client(server.host, server.port) as client,
    ):
        client.send(ASKED)
        client.read_head()
        first, corrupt, last = client.read_chunks()
    assert (first, last) == (CREATED, COMPLETED)
    [event] = SseDecoder().feed(corrupt)
    whole = json.dumps(answer("hi")[1])
    assert (event.event, event.data) == (
        "response.output_text.delta",
        whole[: len(whole) // 2],
    )


@pytest.mark.parametrize(
    ("fault", "status", "headers"),
    [
        ("1:status=503", "HTTP/1.1 503 Service Unavailable", []),
        (
            "1:status=429,retry-after=2,x-why=a b",
            "HTTP/1.1 429 Too Many Requests",
            [("retry-after", "2"), ("x-why", "a b")],
        ),
        ("1:status=599", "HTTP/1.1 599 ", []),
    ],
)
def test_another_status(
    serve: Serve, fault: str, status: str, headers: list[tuple[str, str]]
) -> None:
    """With these headers, and an error in the shape of the model API's."""
    with (
        serve(faulty(one_post(), fault)) as server,
        raw_client(server.host, server.port) as client,
    ):
        client.send(ASKED)
        said, found = client.read_head()
        assert said == status
        assert found[2:] == headers
        assert found[0] == ("content-type", "application/json")
        body = json.loads(client.read_exactly(int(dict(found)["content-length"])))
        assert body["error"]["type"] == "wiretape_fault"


def test_a_header_of_a_status_stands_in_the_place_of_ours(serve: Serve) -> None:
    """It is said once: a head with two lengths would be another fault."""
    with (
        serve(faulty(one_post(), "1:status=502,Content-Type=text/html")) as server,
        raw_client(server.host, server.port) as client,
    ):
        client.send(ASKED)
        _, found = client.read_head()
        assert [pair for pair in found if pair[0].lower() == "content-type"] == [
            ("Content-Type", "text/html")
        ]


@pytest.mark.parametrize("fault", ["1.2:stall", "1.2:half-open", f"1.2:stall={HOUR}"])
def test_a_stream_falls_silent(serve: Serve, fault: str) -> None:
    """Before the event: the connection stays, and nothing comes."""
    with (
        serve(faulty(one_post(), fault), factor=1.0) as server,
        raw_client(server.host, server.port) as client,
    ):
        client.send(ASKED)
        client.read_head()
        assert client.read_chunk() == CREATED
        assert_silent(client)


@pytest.mark.parametrize("fault", [f"1:slow={HOUR}", "1.0:stall"])
def test_no_first_byte(serve: Serve, fault: str) -> None:
    """Not even the head comes."""
    with (
        serve(faulty(one_post(), fault), factor=1.0) as server,
        raw_client(server.host, server.port) as client,
    ):
        client.send(ASKED)
        assert_silent(client)


def test_the_next_try_is_answered_as_recorded(serve: Serve) -> None:
    """A fault is over after the attempts that it is for."""
    with serve(faulty(one_post(), "1x2.1:cut")) as server:
        for heard in ([], []):
            with raw_client(server.host, server.port) as client:
                client.send(ASKED)
                client.read_head()
                assert chunks_and_end(client) == (heard, Over.FIN)
        with raw_client(server.host, server.port) as client:
            client.send(ASKED)
            client.read_head()
            assert client.read_chunks() == list(EVENTS)
