"""Clients that ask in another order, at the same time, or nonsense: answered or refused, and the
server goes on."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raw_client import RawClient, raw_client, request_bytes
from raw_websocket import TEXT, frame
from replaying import Replaying
from socket_talks import opened
from tapes import OTHER_SESSION, SESSION, Recording, asks, create, says, wants

from replayer.http_wire import NotHttp, RequestReader
from replayer.report import Verdict
from replayer.report_file import write_report
from wiretape.facts import PieceKind
from wiretape.frames import Message

type Serve = Callable[..., AbstractContextManager[Replaying]]

JSON_LINE = "Content-Type: application/json"
NONSENSE = [
    b"",
    b"null",
    b"[]",
    b'"text"',
    b"{",
    b"\xff\xfe\x00",
    b'{"input": "\\ud800", "n": [1e400, NaN]}',
    b'{"input": ' + b"[" * 900 + b"]" * 900 + b"}",
    b"[" * 50_000 + b"]" * 50_000,
    b'{"a": ' * 50_000,
]


def ask(client: RawClient, body: bytes, *lines: str, session: str = SESSION) -> None:
    client.send(
        request_bytes(
            "POST", "/v1/responses", body or b" ", JSON_LINE, f"session_id: {session}", *lines
        )
    )


def told(server: Replaying, folder: Path) -> None:
    """The report can be read by a person and written to a file, whatever was asked."""
    assert all(line.isprintable() for line in server.report.lines())
    write_report(folder / "report.json", Path("t.db"), [], 0, server.report.as_json())
    json.loads((folder / "report.json").read_text("utf-8", "surrogatepass"))


@pytest.mark.parametrize("body", NONSENSE, ids=range(len(NONSENSE)))
@pytest.mark.parametrize("line", ["X-None: 1", "Content-Encoding: zstd", "Content-Encoding: what"])
def test_any_body_is_compared_and_answered(
    serve: Serve, tmp_path: Path, body: bytes, line: str
) -> None:
    """What is no JSON is another text; the connection carries the next request as well."""
    recording = Recording()
    for text in ("a", "b"):
        recording.post(create(text), (text.encode(),))
    with serve(recording) as server, raw_client(server.host, server.port) as client:
        ask(client, body, line)
        assert client.read_head()[0] == "HTTP/1.1 200 OK"
        assert client.read_chunks() == [b"a"]
        ask(client, json.dumps(create("b")).encode())
        client.read_head()
        assert client.read_chunks() == [b"b"]
        told(server, tmp_path)
    verdicts = [each.verdict for each in server.report.requests]
    assert verdicts == [Verdict.DIFFERENT, Verdict.EXACT]


@pytest.mark.parametrize("body", NONSENSE, ids=range(len(NONSENSE)))
def test_any_message_is_compared_and_answered(serve: Serve, tmp_path: Path, body: bytes) -> None:
    """On a socket too, which stays open."""
    recording = Recording()
    recording.socket(*((*wants(asks(text)), *says({"type": text})) for text in "ab"))
    with serve(recording) as server, opened(server) as socket:
        socket.client.send(frame(TEXT, body))
        assert socket.hear() == Message(PieceKind.TEXT, b'{"type": "a"}')
        socket.ask(asks("b"))
        assert socket.hear() == Message(PieceKind.TEXT, b'{"type": "b"}')
        told(server, tmp_path)


@given(
    st.lists(
        st.binary(min_size=1) | st.sampled_from([b"GET / HTTP/1.1\r\n", b"Host: a\r\n", b"\r\n"])
    )
)
def test_any_bytes_are_requests_or_no_http(pieces: list[bytes]) -> None:
    """Nothing that arrives ends a connection with a failure of ours."""
    reader = RequestReader(1)
    try:
        for piece in pieces:
            reader.feed(piece)
            while (request := reader.next_request()) is not None:
                assert request.method
    except NotHttp as error:
        assert "bytearray" not in str(error)


def test_requests_at_the_same_time_get_their_own_answers(serve: Serve) -> None:
    """Of one session or of two, whoever is first: what is asked decides."""
    recording = Recording()
    asked = [("a", SESSION), ("b", SESSION), ("c", OTHER_SESSION), ("d", OTHER_SESSION)]
    for text, session in asked:
        recording.post(create(text), (text.encode(),), session=session)
    with serve(recording) as server, ExitStack() as stack:
        clients = [stack.enter_context(raw_client(server.host, server.port)) for _ in asked]
        for client, (text, session) in zip(clients, reversed(asked), strict=True):
            ask(client, json.dumps(create(text)).encode(), session=session)
        for client, (text, _) in zip(clients, reversed(asked), strict=True):
            client.read_head()
            assert client.read_chunks() == [text.encode()]
    assert {each.verdict for each in server.report.requests} == {Verdict.EXACT}


def test_sockets_at_the_same_time_get_their_own_answers(serve: Serve) -> None:
    """Also where they ask in another order than they were opened in."""
    recording = Recording()
    for text in "ab":
        recording.socket(wants(asks(text)), says({"type": text}))
    with serve(recording) as server, opened(server) as one, opened(server) as other:
        other.ask(asks("a"))
        one.ask(asks("b"))
        assert one.hear() == Message(PieceKind.TEXT, b'{"type": "b"}')
        assert other.hear() == Message(PieceKind.TEXT, b'{"type": "a"}')
    assert {each.verdict for each in server.report.requests} == {Verdict.EXACT}


def test_half_a_request_keeps_nobody_else_waiting(serve: Serve) -> None:
    """One client that never finishes is that client's own affair."""
    recording = Recording()
    recording.post(create("a"), (b"a",))
    with (
        serve(recording) as server,
        raw_client(server.host, server.port) as slow,
        raw_client(server.host, server.port) as client,
    ):
        slow.send(request_bytes("POST", "/v1/responses", b"{}")[:-1])
        ask(client, json.dumps(create("a")).encode())
        client.read_head()
        assert client.read_chunks() == [b"a"]
    assert len(server.report.requests) == 1


@pytest.mark.parametrize(
    "head",
    [
        b"X: " + b"a" * 2_000_000,
        b"X: a\r\n" * 200_000,
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n",
        b"X-\xff: a\r\n\r\n",
    ],
    ids=["long", "many", "negative", "two-lengths", "no-chunk", "no-name"],
)
def test_a_head_that_makes_no_sense_is_refused_in_words(serve: Serve, head: bytes) -> None:
    """One short sentence, in which nothing of it is quoted."""
    recording = Recording()
    recording.post(create("a"), (b"a",))
    with serve(recording) as server, raw_client(server.host, server.port) as client:
        client.send(b"POST /v1/responses HTTP/1.1\r\nHost: a\r\n" + head)
        assert client.read_head()[0] == "HTTP/1.1 400 Bad Request"
        said = client.read_to_end()[0]
        assert said.startswith(b"wiretape: this is no HTTP request: ")
        assert len(said) < 100
    assert server.report.requests == []
