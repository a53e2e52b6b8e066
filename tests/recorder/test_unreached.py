"""An upstream that cannot be reached: what was asked is on the tape, and nothing is made up."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from h2.events import StreamReset
from http2_wire import Http2Wire
from raw_sockets import connect, see, tunnelled
from recorded import gaps, recorded, recording, wait_for

import recorder.capture
import recorder.unreached
from recorder.capture import OpenExchange
from recorder.routing import Routing, Scope
from wiretape.facts import EndKind

BODY = bytes(range(256)) * 4000
"""More than is read at once, so that it comes in many pieces."""


@contextmanager
def closed_port() -> Iterator[int]:
    """A port that nobody listens on, and nobody else gets."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        yield closed.getsockname()[1]


def head(port: int, *headers: str, host: str = "127.0.0.1", target: str = "/v1/responses") -> bytes:
    return "\r\n".join((f"POST http://{host}:{port}{target} HTTP/1.1", *headers, "", "")).encode()


def test_it_is_told_and_no_answer_is_made_up(tmp_path: Path) -> None:
    """The client's connection ends without a word; the address is said once, however often."""
    with closed_port() as port, recording(tmp_path) as recorder_:
        for _ in range(2):
            with connect(recorder_.address) as client:
                client.sendall(head(port, "content-length: 2") + b"{}")
                assert see(client).data == b""
        recorder_.settle()
    found = recorded(recorder_.tape)
    assert [(each.status, each.end.how, each.end.side) for each in found] == [
        (None, EndKind.REFUSED, None)
    ] * 2
    assert "Connect call failed" in (found[0].end.detail or "")
    assert recorder_.told == [
        f"127.0.0.1:{port} could not be reached (Connection refused): "
        "the client sees its connection closed."
    ]


def test_a_name_that_nobody_knows(tmp_path: Path) -> None:
    """It is refused too, in the resolver's words."""
    with recording(tmp_path) as recorder_, connect(recorder_.address) as client:
        client.sendall(head(80, "content-length: 2", host="nowhere.invalid") + b"{}")
        assert see(client).data == b""
        recorder_.settle()
    (found,) = recorded(recorder_.tape)
    assert (found.status, found.end.how, found.body) == (None, EndKind.REFUSED, b"{}")
    assert found.exchange.request.host == "nowhere.invalid"
    assert "Errno" in (found.end.detail or "")


@pytest.mark.parametrize("framing", ["length", "chunks"])
def test_the_body_is_on_the_tape(tmp_path: Path, framing: str) -> None:
    """Whole, in whatever pieces it comes, and the connection fails only after it."""
    chunks = [BODY[:100_000], BODY[100_000:]]
    if framing == "length":
        headers, parts = f"content-length: {len(BODY)}", chunks
    else:
        headers = "transfer-encoding: chunked"
        parts = [*(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks), b"0\r\n\r\n"]
    with (
        closed_port() as port,
        recording(tmp_path) as recorder_,
        connect(recorder_.address) as client,
    ):
        client.sendall(head(port, headers))
        wait_for(lambda: not recorder_.capture.is_idle)
        for part in parts:
            client.sendall(part)
        assert see(client).data == b""
        recorder_.settle()
    (found,) = recorded(recorder_.tape)
    assert found.body == BODY
    assert found.exchange.request_is_whole
    assert found.end.how is EndKind.REFUSED
    assert gaps(recorder_.tape) == []


def test_the_body_over_http2(tmp_path: Path) -> None:
    """Each of two streams has its own, and is reset when it is there."""
    with (
        closed_port() as port,
        recording(tmp_path, Routing(hosts=("127.0.0.1",))) as recorder_,
        tunnelled(recorder_.address, "127.0.0.1", port) as wire,
    ):
        context = ssl.create_default_context(cafile=recorder_.authority)
        context.set_alpn_protocols(["h2"])
        with context.wrap_socket(wire, server_hostname="127.0.0.1") as secured:
            client = Http2Wire(secured, is_client=True)
            client.ask(1, b'{"n":1}')
            client.ask(3, b'{"n":3}')
            assert {client.next(StreamReset).stream_id for _ in range(2)} == {1, 3}
        recorder_.settle()
    assert [(each.body, each.end.how) for each in recorded(recorder_.tape)] == [
        (b'{"n":1}', EndKind.REFUSED),
        (b'{"n":3}', EndKind.REFUSED),
    ]


def test_a_client_that_leaves_inside_its_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ended the exchange is what came first; the part of the body is marked as one."""
    heard: list[bytes] = []
    hear = OpenExchange.request_data

    def listen(exchange: OpenExchange, at_us: int, data: bytes) -> None:
        hear(exchange, at_us, data)
        heard.append(data)

    monkeypatch.setattr(OpenExchange, "request_data", listen)
    with closed_port() as port, recording(tmp_path) as recorder_:
        client = connect(recorder_.address)
        client.sendall(head(port, "content-length: 10") + b"012345")
        wait_for(lambda: b"".join(heard) == b"012345")
        client.close()
        recorder_.settle()
    (found,) = recorded(recorder_.tape)
    assert (found.body, found.exchange.request_is_whole) == (b"012345", False)
    assert (found.end.how, found.end.side) == (EndKind.REFUSED, None)


def test_a_body_beyond_the_limit_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the tape would not keep cannot hold the client up; the tape has a part and a gap."""
    monkeypatch.setattr(recorder.capture, "BODY_LIMIT_BYTES", 100_000)
    monkeypatch.setattr(recorder.unreached, "BODY_LIMIT_BYTES", 100_000)
    with (
        closed_port() as port,
        recording(tmp_path) as recorder_,
        connect(recorder_.address) as client,
    ):
        client.sendall(head(port, "content-length: 1000000") + bytes(200_000))
        assert see(client).data == b""
        recorder_.settle()
    (found,) = recorded(recorder_.tape)
    assert 30_000 < len(found.body) <= 100_000
    assert not found.exchange.request_is_whole
    (lost,) = gaps(recorder_.tape)
    assert lost.reason == "the request's body is too large to keep"


def test_what_is_not_recorded_fails_at_once(tmp_path: Path) -> None:
    """Its body is nobody's business, and is not waited for."""
    with (
        closed_port() as port,
        recording(tmp_path, Routing(scope=Scope.RESPONSES)) as recorder_,
        connect(recorder_.address) as client,
    ):
        client.sendall(head(port, "content-length: 10", target="/upload"))
        assert see(client).data == b""
    assert recorded(recorder_.tape) == []
    assert recorder_.told == []
