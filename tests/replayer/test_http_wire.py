"""Requests out of bytes, at any split, and recorded responses into bytes."""

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replayer.actions import SendHead
from replayer.http_request import HttpRequest, Origin
from replayer.http_wire import NotHttp, RequestReader, ResponseWriter, head_bytes
from wiretape.facts import Headers

SIZED = b"POST /v1/responses HTTP/1.1\r\nHost: x\r\nX-Two: b\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = (
    b"POST /v1/responses HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"2\r\nhe\r\n3;ext=1\r\nllo\r\n0\r\n\r\n"
)
BARE = b"GET /v1/models HTTP/1.0\r\n\r\n"


def read(*pieces: bytes, origin: Origin | None = None) -> list[HttpRequest]:
    """The requests in these pieces."""
    reader = RequestReader(7, origin)
    found = []
    for piece in pieces:
        reader.feed(piece)
        while (request := reader.next_request()) is not None:
            found.append(request)
    return found


def test_a_request_is_read_as_it_was_sent() -> None:
    """Names keep their case, headers their order, and the body its bytes."""
    assert read(SIZED) == [
        HttpRequest(
            "POST",
            "/v1/responses",
            (("Host", "x"), ("X-Two", "b"), ("Content-Length", "5")),
            b"hello",
            7,
        )
    ]


def test_a_chunked_body_is_put_together() -> None:
    """How a body was cut into chunks is not part of the request."""
    (request,) = read(CHUNKED)
    assert request.body == b"hello"


def test_an_older_request_is_read_as_such() -> None:
    """The version counts for the answer's framing."""
    (request,) = read(BARE)
    assert (request.http_version, request.headers) == ("HTTP/1.0", ())


def test_every_split_gives_the_same_requests() -> None:
    """Wherever the bytes are cut in two, pipelined requests come out alike."""
    stream = SIZED + CHUNKED + SIZED
    whole = read(stream)
    assert [request.body for request in whole] == [b"hello"] * 3
    for at in range(1, len(stream)):
        assert read(stream[:at], stream[at:]) == whole


def test_a_request_in_a_tunnel_is_meant_for_its_end() -> None:
    """Where the target names no origin, the tunnel does; where it does, that counts."""
    tunnel = Origin("https", "api.openai.com", 443)
    absolute = b"GET http://example.com/a HTTP/1.1\r\nHost: example.com\r\n\r\n"
    origins = [request.origin for request in read(SIZED + absolute, origin=tunnel)]
    assert origins == [tunnel, Origin("http", "example.com", 80)]


def test_an_absolute_target_is_split() -> None:
    """A proxy is asked with the whole address."""
    (request,) = read(b"GET http://Example.com:81/a?b HTTP/1.1\r\nHost: example.com\r\n\r\n")
    assert (request.target, request.origin) == ("/a?b", Origin("http", "example.com", 81))


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"hello\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        b"GET http://[/ HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /" + b"x" * (1024 * 1024) + b" HTTP/1.1\r\n\r\n",
    ],
)
def test_what_is_no_http_is_told(data: bytes) -> None:
    """A request that makes no sense ends the reading, without a traceback of the library's."""
    with pytest.raises(NotHttp):
        read(data)


def test_a_client_that_asks_first_is_told_to_go_on() -> None:
    """Once, when its head has arrived and its body has not."""
    expecting = SIZED.replace(b"Host", b"Expect: 100-continue\r\nHost")
    reader = RequestReader(1)
    reader.feed(expecting[:-5])
    assert reader.next_request() is None
    assert reader.interim() == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert reader.interim() == b""
    reader.feed(b"hello")
    request = reader.next_request()
    assert request is not None
    assert request.body == b"hello"


def test_a_client_that_does_not_wait_is_told_nothing() -> None:
    """Most clients just send."""
    reader = RequestReader(1)
    reader.feed(SIZED[:-1])
    assert reader.next_request() is None
    assert reader.interim() == b""


def test_what_stands_behind_a_request_is_handed_over() -> None:
    """After a CONNECT or an upgrade the bytes are no HTTP any longer."""
    reader = RequestReader(1)
    reader.feed(b"CONNECT api.openai.com:443 HTTP/1.1\r\nHost: x\r\n\r\n\x16\x03\x01")
    request = reader.next_request()
    assert request is not None
    assert (request.method, request.target) == ("CONNECT", "api.openai.com:443")
    assert reader.rest() == b"\x16\x03\x01"
    assert reader.rest() == b""


def written(
    headers: Headers,
    *chunks: bytes,
    method: str = "POST",
    version: str = "HTTP/1.1",
    status: int = 200,
    asked_with: Headers = (),
) -> tuple[bytes, bytes, bool]:
    """Head and body as they cross the wire, and whether the connection can be used again."""
    writer = ResponseWriter(HttpRequest(method, "/", asked_with, b"", 1, None, version))
    head = writer.head(SendHead(0, status, "OK", headers))
    body = b"".join(map(writer.data, chunks)) + writer.end()
    return head, body, writer.is_reusable


def test_a_body_without_a_length_is_chunked_as_it_was_recorded() -> None:
    """Each recorded chunk is a chunk; an empty one would end the body and is left out."""
    assert written((("X-One", "1"),), b"hello", b"", b"x" * 16) == (
        b"HTTP/1.1 200 OK\r\nX-One: 1\r\ntransfer-encoding: chunked\r\n\r\n",
        b"5\r\nhello\r\n10\r\n" + b"x" * 16 + b"\r\n0\r\n\r\n",
        True,
    )


@given(st.lists(st.binary(max_size=40)))
def test_any_body_is_read_back_as_it_was_cut(chunks: list[bytes]) -> None:
    """Whatever the bytes are, a client finds each chunk where it was, and the end behind the
    last."""
    head, body, _ = written((), *chunks)
    client = h11.Connection(h11.CLIENT)
    client.send(h11.Request(method="POST", target="/", headers=[("Host", "x")]))
    client.send(h11.EndOfMessage())
    client.receive_data(head + body)
    events = list(iter(client.next_event, h11.NEED_DATA))
    assert [bytes(event.data) for event in events if isinstance(event, h11.Data)] == [
        chunk for chunk in chunks if chunk
    ]
    assert isinstance(events[-1], h11.EndOfMessage)


def test_a_body_with_a_length_is_sent_as_it_is() -> None:
    """The head is the recorded one, and nothing is added to the body."""
    assert written((("Content-Length", "5"),), b"he", b"llo") == (
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
        b"hello",
        True,
    )


def test_a_body_shorter_than_its_length_closes_the_connection() -> None:
    """Only that tells the client that no more comes."""
    assert written((("content-length", "5"),), b"he")[1:] == (b"he", False)


def test_a_body_longer_than_its_length_is_cut() -> None:
    """What is beyond would be read as the next response."""
    assert written((("content-length", "2"),), b"hel", b"lo")[1:] == (b"he", True)


@pytest.mark.parametrize("length", ["", "five", "-1", "²"])
def test_a_length_that_is_none_does_not_count(length: str) -> None:
    """A body is never framed by nonsense."""
    assert written((("content-length", length),), b"x")[1] == b"1\r\nx\r\n0\r\n\r\n"


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 204), ("GET", 304)])
def test_some_responses_have_no_body(method: str, status: int) -> None:
    """Whatever was recorded of one, and whatever length the head states."""
    assert written((("content-length", "5"),), b"hello", method=method, status=status)[1:] == (
        b"",
        True,
    )
    assert written((), b"hello", method=method, status=status)[1:] == (b"", True)


def test_an_older_client_gets_its_body_until_the_end_of_the_connection() -> None:
    """HTTP/1.0 knows no chunks."""
    assert written((), b"hello", version="HTTP/1.0") == (
        b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n",
        b"hello",
        False,
    )


def test_a_client_that_wants_to_close_is_told_so() -> None:
    """The connection ends with the response, framed as ever."""
    assert written((), b"x", asked_with=(("connection", "close"),)) == (
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n",
        b"1\r\nx\r\n0\r\n\r\n",
        False,
    )


def test_a_head_keeps_every_byte_of_its_headers() -> None:
    """Header values are Latin-1 all the way through."""
    assert head_bytes(299, "Très bien", (("X-Name", "naïve \x80"),)) == (
        b"HTTP/1.1 299 Tr\xe8s bien\r\nX-Name: na\xefve \x80\r\n\r\n"
    )
