"""HTTP on the wire: what a client receives is what was recorded, byte for byte."""

import gzip
import json
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import httpx
import pytest
from raw_client import Over, RawClient, raw_client, request_bytes
from replaying import Replaying
from tapes import (
    COMPLETE,
    CUT,
    JSON_HEADERS,
    LEFT,
    REFUSED,
    RESET,
    STREAM_HEADERS,
    Ending,
    Recording,
    answer,
    create,
    error_body,
    sse,
)

from replayer.report import Verdict
from wiretape.facts import End, EndKind, Piece, PieceKind, Sender

type Serve = Callable[..., AbstractContextManager[Replaying]]

BODY = json.dumps(create("a")).encode()
ASKED = request_bytes("POST", "/v1/responses", BODY, "Content-Type: application/json")
CHUNKS = (
    b"event: response.created\nda",
    b'ta: {"type": "response.created", "text": "\xe2\x80',
    b'\xa8 stays"}\n\n',
    b": a comment\r\n\r\n",
    b"data: \xff not UTF-8\n\n",
    b"\n",
)
"""Chunks that end anywhere: in a line, in a character, and with bytes that are no text."""


def recorded(*chunks: bytes, ending: Ending = COMPLETE, **head: Any) -> Recording:
    """One request, answered with these chunks."""
    recording = Recording()
    recording.post(create("a"), chunks, ending, session=None, **head)
    return recording


def asked(server: Replaying) -> AbstractContextManager[RawClient]:
    return raw_client(server.host, server.port)


@pytest.mark.parametrize("factor", [None, 1.0])
def test_a_stream_is_the_recorded_one_chunk_by_chunk(serve: Serve, factor: float | None) -> None:
    """Every chunk comes again as it was cut, at full speed and at the recorded pace."""
    with serve(recorded(*CHUNKS), factor=factor) as server, asked(server) as client:
        client.send(ASKED)
        assert client.read_head() == (
            "HTTP/1.1 200 OK",
            [
                ("content-type", "text/event-stream; charset=utf-8"),
                ("transfer-encoding", "chunked"),
            ],
        )
        assert client.read_chunks() == list(CHUNKS)
    assert [request.verdict for request in server.report.requests] == [Verdict.EXACT]
    assert [fact.data for fact in server.facts if isinstance(fact, Piece)] == list(CHUNKS)
    assert server.ends() == [(EndKind.COMPLETE, None)]


def test_full_speed_waits_for_nothing(serve: Serve) -> None:
    """An answer that took an hour comes at once: with an hour's wait, this test would not end."""
    recording = Recording()
    recording.post(create("a"), (b"first",), session=None)
    end = recording.facts.pop()
    recording.pause(3600_000_000)
    assert isinstance(end, End)
    recording.end(end.exchange, COMPLETE)
    with serve(recording) as server, asked(server) as client:
        client.send(ASKED)
        client.read_head()
        assert client.read_chunks() == [b"first"]


def test_at_its_pace_a_chunk_comes_before_the_next_is_due(serve: Serve) -> None:
    """A client sees the first event while the server waits for the second: here it waits so long
    that the client leaves first."""
    recording = Recording()
    recording.post(create("a"), (b"first",), LEFT, session=None)
    end = recording.facts.pop()
    assert isinstance(end, End)
    recording.facts.append(
        Piece(1, end.at_us + 3600_000_000, Sender.SERVER, PieceKind.CHUNK, b"later")
    )
    with serve(recording, factor=1.0) as server:
        with asked(server) as client:
            client.send(ASKED)
            client.read_head()
            assert client.read_chunk() == b"first"
        assert server.ends() == [(EndKind.CLIENT_CLOSED, Sender.CLIENT)]


def test_a_head_is_the_recorded_one(serve: Serve) -> None:
    """Status, reason and headers in their order; nothing added but how the body is framed."""
    headers = (
        ("X-Codex-Turn-State", "state"),
        ("content-type", "text/event-stream"),
        ("set-cookie", "[removed: set-cookie]"),
        ("x-reasoning-included", "na\xefve"),
        ("Content-Length", "7"),
        ("connection", "keep-alive"),
        ("X-Codex-Turn-State", "again"),
    )
    recording = recorded(b"hello", headers=headers, status=209, reason="Fine By Me")
    with serve(recording) as server, asked(server) as client:
        client.send(ASKED)
        assert client.read_head() == (
            "HTTP/1.1 209 Fine By Me",
            [
                ("X-Codex-Turn-State", "state"),
                ("content-type", "text/event-stream"),
                ("x-reasoning-included", "na\xefve"),
                ("X-Codex-Turn-State", "again"),
                ("transfer-encoding", "chunked"),
            ],
        )
        assert client.read_chunks() == [b"hello"]


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
def test_an_error_keeps_its_length(serve: Serve, status: int) -> None:
    """A body of a stated length is sent as it is, and what tells a client to wait is kept."""
    content = error_body("no")
    headers = (*JSON_HEADERS, ("Content-Length", str(len(content))), ("retry-after", "7"))
    recording = recorded(content, headers=headers, status=status, reason="")
    with serve(recording) as server, asked(server) as client:
        client.send(ASKED)
        assert client.read_head() == (f"HTTP/1.1 {status} ", [*headers])
        assert client.read_exactly(len(content)) == content


def test_a_compressed_body_is_sent_as_it_was(serve: Serve) -> None:
    """A content coding is the recorded server's and the client's business."""
    plain = b"".join(sse(*answer("yes")))
    coded = gzip.compress(plain)
    headers = (*STREAM_HEADERS, ("content-encoding", "gzip"))
    recording = recorded(coded[:20], coded[20:], headers=headers)
    recording.post(create("b"), (coded,), session=None, headers=headers)
    with serve(recording) as server:
        with asked(server) as client:
            client.send(ASKED)
            client.read_head()
            assert client.read_chunks() == [coded[:20], coded[20:]]
        assert httpx.post(f"{server.url}/v1/responses", json=create("b")).content == plain


def test_a_cut_stream_ends_without_its_last_chunk(serve: Serve) -> None:
    """FIN in the middle of a body, as it was."""
    with serve(recorded(b"one", b"two", ending=CUT)) as server, asked(server) as client:
        client.send(ASKED)
        client.read_head()
        assert client.read_to_end() == (b"3\r\none\r\n3\r\ntwo\r\n", Over.FIN)
    assert server.ends() == [(EndKind.SERVER_CLOSED, Sender.SERVER)]


@pytest.mark.parametrize("size", [3, 5_000_000])
def test_a_reset_comes_after_everything_before_it(serve: Serve, size: int) -> None:
    """RST, when the client has all that was sent before."""
    with serve(recorded(b"x" * size, ending=RESET)) as server, asked(server) as client:
        client.send(ASKED)
        client.read_head()
        data, over = client.read_to_end()
        assert data == b"%x\r\n%b\r\n" % (size, b"x" * size)
        assert over is Over.RESET
    assert server.ends() == [(EndKind.RESET, Sender.SERVER)]


@pytest.mark.parametrize(
    ("ending", "over"), [(REFUSED, Over.FIN), (CUT, Over.FIN), (RESET, Over.RESET)]
)
def test_without_an_answer_there_is_none(serve: Serve, ending: Ending, over: Over) -> None:
    """Not even a head, where the recording has none."""
    with serve(recorded(status=None, ending=ending)) as server, asked(server) as client:
        client.send(ASKED)
        assert client.read_to_end() == (b"", over)


@pytest.mark.parametrize("chunks", [(), (b"one",)])
def test_silence_lasts_until_the_client_leaves(serve: Serve, chunks: tuple[bytes, ...]) -> None:
    """A server that hung does so again; the client's leaving is noted."""
    with serve(recorded(*chunks, ending=LEFT)) as server:
        with asked(server) as client:
            client.send(ASKED)
            client.read_head()
            for chunk in chunks:
                assert client.read_chunk() == chunk
            client.connection.settimeout(0.05)
            with pytest.raises(TimeoutError):
                client.connection.recv(1)
            assert server.ends(0) == []
        assert server.ends() == [(EndKind.CLIENT_CLOSED, Sender.CLIENT)]


def test_a_client_that_listens_on_comes_to_the_end(serve: Serve) -> None:
    """The recorded client hung up on the last event; one that reads to the end gets an end."""
    events = sse(*answer("yes"))
    with serve(recorded(*events, ending=LEFT)) as server:
        response = httpx.post(f"{server.url}/v1/responses", json=create("a"))
    assert response.content == b"".join(events)


def test_a_client_may_leave_early(serve: Serve) -> None:
    """In the middle of a large answer: the server notes it and goes on with others."""
    recording = recorded(*[b"x" * 1_000_000] * 16)
    recording.post(create("b"), (b"b",), session=None)
    with serve(recording) as server:
        with asked(server) as client:
            client.send(ASKED)
            client.read_head()
            client.read_exactly(1_000_000)
        assert httpx.post(f"{server.url}/v1/responses", json=create("b")).content == b"b"
        assert server.ends(2)[0] == (EndKind.CLIENT_CLOSED, Sender.CLIENT)


def test_a_large_answer_waits_for_its_client(serve: Serve) -> None:
    """Sixteen megabytes are more than a connection holds: all of it comes when the client reads."""
    with serve(recorded(*[b"x" * 1_000_000] * 16)) as server, asked(server) as client:
        client.send(ASKED)
        client.read_head()
        assert list(map(len, client.read_chunks())) == [1_000_000] * 16


def two_answers() -> Recording:
    recording = recorded(b"a")
    recording.post(create("b"), (b"b",), session=None)
    return recording


def test_a_connection_is_kept_alive(serve: Serve) -> None:
    """One request after the other on one connection, streams included."""
    with serve(two_answers()) as server, httpx.Client() as client:
        for text in "ab":
            assert client.post(f"{server.url}/v1/responses", json=create(text)).text == text
    assert [request.connection for request in server.report.requests] == [1, 1]


def test_requests_may_be_pipelined(serve: Serve) -> None:
    """Requests that arrive together are answered in their order."""
    second = json.dumps(create("b")).encode()
    with serve(two_answers()) as server, asked(server) as client:
        client.send(ASKED + request_bytes("POST", "/v1/responses", second))
        for text in (b"a", b"b"):
            client.read_head()
            assert client.read_chunks() == [text]


def test_a_request_may_come_while_another_is_answered(serve: Serve) -> None:
    """It waits for its turn: nothing that arrives early is lost."""
    recording = Recording()
    number = recording.post(create("a"), (b"a",), session=None)
    recording.facts.pop()
    recording.pause(100_000)
    recording.end(number, COMPLETE)
    recording.post(create("b"), (b"b",), session=None)
    with serve(recording, factor=1.0) as server, asked(server) as client:
        client.send(ASKED)
        client.read_head()
        assert client.read_chunk() == b"a"
        client.send(request_bytes("POST", "/v1/responses", json.dumps(create("b")).encode()))
        assert client.read_chunk() == b""
        client.read_head()
        assert client.read_chunks() == [b"b"]


def test_a_request_may_come_while_an_answer_is_held(serve: Serve) -> None:
    """It is not answered, as it would not have been; that the client leaves is still seen."""
    with serve(recorded(b"a", ending=LEFT)) as server, asked(server) as client:
        client.send(ASKED)
        client.read_head()
        assert client.read_chunk() == b"a"
        client.send(ASKED)
        client.connection.shutdown(socket.SHUT_WR)
        assert client.read_to_end() == (b"", Over.FIN)
    assert server.ends() == [(EndKind.CLIENT_CLOSED, Sender.CLIENT)]


def test_a_connection_closes_where_the_client_wants_it(serve: Serve) -> None:
    """The response says so, and FIN follows its end."""
    with serve(recorded(b"a")) as server, asked(server) as client:
        client.send(ASKED.replace(b"Host", b"Connection: close\r\nHost"))
        assert ("connection", "close") in client.read_head()[1]
        assert client.read_to_end() == (b"1\r\na\r\n0\r\n\r\n", Over.FIN)


def test_an_older_client_is_answered_without_chunks(serve: Serve) -> None:
    """The body ends with the connection."""
    with serve(recorded(b"one", b"two")) as server, asked(server) as client:
        client.send(ASKED.replace(b"HTTP/1.1", b"HTTP/1.0"))
        head = client.read_head()[1]
        assert head == [*STREAM_HEADERS, ("connection", "close")]
        assert client.read_to_end() == (b"onetwo", Over.FIN)


def test_a_client_that_asks_before_its_body_is_told_to_go_on(serve: Serve) -> None:
    """Large bodies are announced by some clients."""
    with serve(recorded(b"a")) as server, asked(server) as client:
        head, _, _ = ASKED.partition(b"\r\n\r\n")
        client.send(head + b"\r\nExpect: 100-continue\r\n\r\n")
        assert client.read_until(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.send(BODY)
        assert client.read_head()[0] == "HTTP/1.1 200 OK"
        assert client.read_chunks() == [b"a"]


def test_a_large_request_is_taken(serve: Serve) -> None:
    """Twenty megabytes of conversation, matched and answered."""
    body = json.dumps(create("x" * 20_000_000)).encode()
    recording = Recording()
    recording.post(body, (b"a",), session=None)
    with serve(recording) as server, asked(server) as client:
        client.send(request_bytes("POST", "/v1/responses", body, "Content-Type: application/json"))
        client.read_head()
        assert client.read_chunks() == [b"a"]
    assert [request.verdict for request in server.report.requests] == [Verdict.EXACT]


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"hello\r\n\r\n",
        b"POST /v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n",
        b"GET http://example.com:99999/ HTTP/1.1\r\nHost: x\r\n\r\n",
        b"CONNECT nowhere HTTP/1.1\r\nHost: nowhere\r\n\r\n",
    ],
)
def test_what_is_no_http_is_refused_and_the_connection_closed(serve: Serve, data: bytes) -> None:
    """One sentence to whoever listens; nothing in the report, and no trouble."""
    with serve(recorded(b"a")) as server, asked(server) as client:
        client.send(data)
        assert client.read_head()[0] == "HTTP/1.1 400 Bad Request"
        said, over = client.read_to_end()
        assert said.startswith(b"wiretape: this is no HTTP request: ")
        assert over is Over.FIN
    assert server.report.requests == []


@pytest.mark.parametrize("data", [b"", b"POST /v1", ASKED[:-1]])
def test_a_client_that_leaves_before_it_asked_is_let_go(serve: Serve, data: bytes) -> None:
    """Half a request is none."""
    with serve(recorded(b"a")) as server, asked(server) as client:
        client.send(data)
        client.connection.shutdown(socket.SHUT_WR)
        assert client.read_to_end() == (b"", Over.FIN)
    assert (server.report.requests, server.facts) == ([], [])


def test_a_head_request_gets_no_body(serve: Serve) -> None:
    """The head of what was recorded, or of an error, and nothing behind it."""
    with serve(recorded(b"a")) as server, asked(server) as client:
        client.send(request_bytes("HEAD", "/v1/models") + ASKED)
        assert client.read_head()[0] == "HTTP/1.1 403 Forbidden"


def test_the_end_of_the_server_is_noted(serve: Serve) -> None:
    """A client that still listens is cut off, and the tape says why."""
    with serve(recorded(b"a", ending=LEFT)) as server:
        client = socket.create_connection((server.host, server.port))
        client.sendall(ASKED)
        assert client.recv(5) == b"HTTP/"
    client.close()
    assert server.ends() == [(EndKind.RECORDER_STOPPED, None)]
