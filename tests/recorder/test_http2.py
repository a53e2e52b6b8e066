"""HTTP/2 over TLS: exchanges are streams of a connection, and end one by one."""

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import pytest
from certificates import loopback_certificate
from h2.errors import ErrorCodes
from h2.events import ConnectionTerminated, DataReceived, StreamEnded, StreamReset
from http2_wire import Http2Wire
from raw_sockets import RawServer, read_request, reset, see, tunnelled
from recorded import Recorder, recorded, recording, wait_for

from recorder.routing import Routing
from wiretape.facts import EndKind, Sender

CLIENT, SERVER = Sender.CLIENT, Sender.SERVER


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return loopback_certificate(tmp_path_factory.mktemp("certificate"))


@contextmanager
def talking_to(
    folder: Path,
    certificate: tuple[Path, Path],
    serve: Callable[[socket.socket], None],
    protocol: str,
) -> Iterator[tuple[Recorder, Http2Wire]]:
    """A client's end through a recorder, and a server that speaks ``protocol``."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(*certificate)
    tls.set_alpn_protocols([protocol])
    routing = Routing(hosts=("127.0.0.1",))
    trusting = {"SSL_CERT_FILE": str(certificate[0])}
    with (
        RawServer(serve, tls) as server,
        recording(folder, routing, environment=trusting) as recorder,
    ):
        context = ssl.create_default_context(cafile=recorder.authority)
        context.set_alpn_protocols(["h2", "http/1.1"])
        with (
            tunnelled(recorder.address, "127.0.0.1", server.port) as wire,
            context.wrap_socket(wire, server_hostname="127.0.0.1") as secured,
        ):
            assert secured.selected_alpn_protocol() == "h2"
            yield recorder, Http2Wire(secured, is_client=True)
        recorder.settle()


def talking(
    folder: Path,
    certificate: tuple[Path, Path],
    serve: Callable[[Http2Wire, socket.socket], None],
) -> AbstractContextManager[tuple[Recorder, Http2Wire]]:
    """The same with a server that speaks HTTP/2."""

    def serve_wire(wire: socket.socket) -> None:
        h2 = Http2Wire(wire, is_client=False)
        serve(h2, wire)
        # Closing with bytes unread would be a reset.
        with suppress(OSError):
            h2.next(ConnectionTerminated)

    return talking_to(folder, certificate, serve_wire, "h2")


def test_streams_of_one_connection(certificate: tuple[Path, Path], tmp_path: Path) -> None:
    """Two at once, each an exchange of its own on the same connection."""

    def serve(h2: Http2Wire, _: socket.socket) -> None:
        first = h2.answer(b"first ")
        second = h2.answer(b"second ")
        h2.data(second, b"done", end=True)
        h2.data(first, b"done", end=True)

    with talking(tmp_path, certificate, serve) as (recorder, client):
        client.ask(1, b'{"n":1}')
        client.ask(3, b'{"n":3}')
        for _ in range(2):
            client.next(StreamEnded)
    found = recorded(recorder.tape)
    assert [(each.body, each.data) for each in found] == [
        (b'{"n":1}', b"first done"),
        (b'{"n":3}', b"second done"),
    ]
    request = found[0].exchange.request
    assert (request.http_version, request.scheme, request.target) == (
        "HTTP/2.0",
        "https",
        "/v1/responses",
    )
    assert [each.exchange.request.connection for each in found] == [1, 1]
    assert {each.end.how for each in found} == {EndKind.COMPLETE}


def test_a_client_that_has_had_enough(certificate: tuple[Path, Path], tmp_path: Path) -> None:
    """It cancels its stream, as clients do after the last event; the connection lives on."""

    def serve(h2: Http2Wire, _: socket.socket) -> None:
        h2.answer(b"data: 1\n\n")
        h2.next(StreamReset)
        h2.answer(b"data: 2\n\n", end=True)

    with talking(tmp_path, certificate, serve) as (recorder, client):
        client.ask(1)
        assert client.first_data() == b"data: 1\n\n"
        client.reset(1)
        wait_for(lambda: recorder.capture.is_idle)
        client.ask(3)
        assert client.next(DataReceived).data == b"data: 2\n\n"
        client.next(StreamEnded)
    cancelled, complete = recorded(recorder.tape)
    assert (cancelled.end.how, cancelled.end.side) == (EndKind.CLIENT_CLOSED, CLIENT)
    assert cancelled.data == b"data: 1\n\n"
    assert complete.end.how is EndKind.COMPLETE


@pytest.mark.parametrize(
    ("leave", "how"),
    [
        (lambda h2, _: h2.reset(1, ErrorCodes.INTERNAL_ERROR), EndKind.SERVER_CLOSED),
        (lambda h2, _: h2.go_away(), EndKind.SERVER_CLOSED),
        (lambda _, wire: wire.shutdown(socket.SHUT_RDWR), EndKind.SERVER_CLOSED),
        (lambda _, wire: reset(wire), EndKind.RESET),
    ],
    ids=["stream reset", "goaway", "fin", "tcp reset"],
)
def test_a_server_that_breaks_off(
    certificate: tuple[Path, Path],
    tmp_path: Path,
    leave: Callable[[Http2Wire, socket.socket], None],
    how: EndKind,
) -> None:
    """The client's stream is reset, whichever way it was, and the tape says which way."""

    def serve(h2: Http2Wire, wire: socket.socket) -> None:
        h2.answer(b"data: 1\n\n")
        h2.next(DataReceived)
        leave(h2, wire)

    with talking(tmp_path, certificate, serve) as (recorder, client):
        client.headers(
            1, _method="POST", _scheme="https", _authority="a.example", _path="/v1/responses"
        )
        assert client.first_data() == b"data: 1\n\n"
        client.data(1, b"go ahead")
        assert client.next(StreamReset).stream_id == 1
    (found,) = recorded(recorder.tape)
    assert (found.end.how, found.end.side) == (how, SERVER)
    assert found.data == b"data: 1\n\n"


def test_a_client_whose_connection_ends(certificate: tuple[Path, Path], tmp_path: Path) -> None:
    """With streams open on it: each is ended by the client."""

    def serve(h2: Http2Wire, _: socket.socket) -> None:
        h2.answer(b"data: 1\n\n")
        h2.answer(b"data: 1\n\n")

    with talking(tmp_path, certificate, serve) as (recorder, client):
        client.ask(1)
        client.ask(3)
        client.first_data()
        client.first_data()
    ends = [(each.end.how, each.end.side) for each in recorded(recorder.tape)]
    assert ends == [(EndKind.CLIENT_CLOSED, CLIENT)] * 2


def test_an_upstream_that_knows_only_http1(certificate: tuple[Path, Path], tmp_path: Path) -> None:
    """The client's HTTP/2 is answered all the same, early as the answer may be."""

    def serve(wire: socket.socket) -> None:
        read_request(wire)
        wire.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello")
        # The body is sent to it all the same, and framed, for HTTP/1.1 needs that.
        assert see(wire).data == b"2\r\n{}\r\n0\r\n\r\n"

    with talking_to(tmp_path, certificate, serve, "http/1.1") as (recorder, client):
        client.headers(
            1, _method="POST", _scheme="https", _authority="a.example", _path="/v1/responses"
        )
        assert client.first_data() == b"hello"
        client.data(1, b"{}", end=True)
        client.next(StreamEnded)
    (found,) = recorded(recorder.tape)
    assert (found.data, found.end.how) == (b"hello", EndKind.COMPLETE)
    assert (found.body, found.exchange.request_is_whole) == (b"{}", True)
    response = found.exchange.response
    assert response is not None
    assert (found.exchange.request.http_version, response.http_version) == ("HTTP/2.0", "HTTP/1.1")


def test_a_length_is_told_to_an_upstream_that_knows_only_http1(
    certificate: tuple[Path, Path], tmp_path: Path
) -> None:
    """A client that states it has its body sent as it is; a chunked answer comes as data."""
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"

    def serve(wire: socket.socket) -> None:
        asked = read_request(wire)
        assert asked.endswith(b"content-length: 2\r\n\r\n{}")
        assert b"transfer-encoding" not in asked
        wire.sendall(chunked)
        see(wire)

    with talking_to(tmp_path, certificate, serve, "http/1.1") as (recorder, client):
        fields = {"_authority": "a.example", "_path": "/v1/responses", "content-length": "2"}
        client.headers(1, _method="POST", _scheme="https", **fields)
        client.data(1, b"{}", end=True)
        assert client.first_data() == b"hello"
        client.next(StreamEnded)
    (found,) = recorded(recorder.tape)
    assert (found.body, found.data) == (b"{}", b"hello")
