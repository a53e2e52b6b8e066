"""TLS: opened for model hosts, left alone for all others, and every failure told on its side."""

import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from certificates import loopback_certificate
from provider import Provider
from provider_script import Accept, Reply, Say, Script
from raw_sockets import RawServer, connect, read_request, reset, see, tunnelled
from recorded import Recorder, recorded, recording, wait_for
from websockets.sync.client import connect as connect_websocket

from recorder import tunnels
from recorder.routing import Routing, Upstream
from wiretape.facts import EndKind, PieceKind, Sender

CLIENT, SERVER = Sender.CLIENT, Sender.SERVER
OPENED = Routing(hosts=("127.0.0.1",))
REQUEST = (
    b'POST /v1/responses HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 12\r\n\r\n{"tools":[]}'
)
SSE = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n"


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 and its key."""
    return loopback_certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def server_tls(certificate: tuple[Path, Path]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    return context


def secured(
    recorder: Recorder, port: int, trusted: Path | None = None, host: str = "127.0.0.1"
) -> ssl.SSLSocket:
    """A TLS connection through the recorder, by a client that trusts one authority only."""
    context = ssl.create_default_context(cafile=trusted or recorder.authority)
    wire = tunnelled(recorder.address, host, port)
    try:
        return context.wrap_socket(wire, server_hostname=host)
    except BaseException:
        wire.close()
        raise


def test_a_model_host_is_opened(certificate: tuple[Path, Path], tmp_path: Path) -> None:
    """The client talks to our certificate, the upstream is checked, and all of it is told."""
    trusting = {"SSL_CERT_FILE": str(certificate[0])}
    script = Script(posts=(Reply(Say("hello")),))
    with (
        Provider(script, tls=certificate) as provider,
        recording(tmp_path, OPENED, environment=trusting) as recorder,
    ):
        with secured(recorder, provider.port) as client:
            client.sendall(REQUEST)
            seen = b""
            while not seen.endswith(b"0\r\n\r\n"):
                seen += client.recv(65536)
        recorder.settle()
    (found,) = recorded(recorder.tape)
    assert b"response.completed" in seen
    assert found.exchange.request.scheme == "https"
    assert found.exchange.request.port == provider.port
    assert b"response.completed" in found.data
    assert found.end.how is EndKind.COMPLETE
    assert recorder.told == []


def test_any_other_host_is_left_alone(certificate: tuple[Path, Path], tmp_path: Path) -> None:
    """Its own certificate reaches the client, and nothing reaches the tape."""
    script = Script(posts=(Reply(Say("hello")),))
    with (
        Provider(script, tls=certificate) as provider,
        recording(tmp_path) as recorder,
        secured(recorder, provider.port, trusted=certificate[0]) as client,
    ):
        shown = client.getpeercert(binary_form=True)
        client.sendall(REQUEST)
        assert client.recv(65536).startswith(b"HTTP/1.1 200 OK")
    assert shown == ssl.PEM_cert_to_DER_cert(certificate[0].read_text())
    assert recorded(recorder.tape) == []


def test_a_client_that_does_not_trust_us(certificate: tuple[Path, Path], tmp_path: Path) -> None:
    """Told on stderr once, and on the tape for each connection, as the client's failure."""
    script = Script()
    with Provider(script, tls=certificate) as provider, recording(tmp_path, OPENED) as recorder:
        for _ in range(2):
            with pytest.raises(ssl.SSLCertVerificationError):
                secured(recorder, provider.port, trusted=certificate[0])
        wait_for(lambda: len(recorded(recorder.tape)) == 2)
        recorder.settle()
    (told,) = recorder.told
    assert told.startswith("TLS with the client failed for 127.0.0.1 (")
    for found in recorded(recorder.tape):
        request = found.exchange.request
        assert (found.end.how, found.end.side) == (EndKind.TLS_FAILURE, CLIENT)
        assert (request.method, request.target) == ("CONNECT", f"127.0.0.1:{provider.port}")
        assert (request.scheme, request.host) == ("https", "127.0.0.1")


def test_an_upstream_that_is_not_trusted(certificate: tuple[Path, Path], tmp_path: Path) -> None:
    """The client's connection fails without an answer; tape and stderr say why."""
    with (
        Provider(Script(), tls=certificate) as provider,
        recording(tmp_path, OPENED) as recorder,
    ):
        with secured(recorder, provider.port) as client:
            client.sendall(REQUEST)
            assert received(client) == b""
        recorder.settle()
    (found,) = recorded(recorder.tape)
    assert (found.status, found.end.how, found.end.side) == (None, EndKind.TLS_FAILURE, SERVER)
    assert found.end.detail == "Certificate verify failed: self-signed certificate"
    assert found.body == b'{"tools":[]}'
    (told,) = recorder.told
    assert told.startswith("TLS with 127.0.0.1 failed (Certificate verify failed: self-signed")


def received(connection: ssl.SSLSocket) -> bytes:
    """Everything up to the end, whichever it is."""
    data = b""
    with suppress(ConnectionError, ssl.SSLError):
        while more := connection.recv(65536):
            data += more
    return data


@pytest.mark.parametrize(
    "serve",
    [
        lambda wire: wire.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        lambda wire: wire.recv(10),
        lambda wire: (wire.recv(10), reset(wire)),
    ],
    ids=["speaks plain http", "hangs up", "resets"],
)
def test_an_upstream_that_fails_in_the_handshake(
    tmp_path: Path, serve: Callable[[socket.socket], object]
) -> None:
    """However it fails, it is a TLS failure of the server's side."""
    with (
        RawServer(lambda wire: serve(wire) and None) as server,
        recording(tmp_path, OPENED) as recorder,
    ):
        with secured(recorder, server.port) as client:
            client.sendall(REQUEST)
            assert received(client) == b""
        recorder.settle()
    (found,) = recorded(recorder.tape)
    assert (found.status, found.end.how, found.end.side) == (None, EndKind.TLS_FAILURE, SERVER)


def test_a_client_of_tls_can_be_sent_to_a_plain_upstream(tmp_path: Path) -> None:
    """``--upstream http://…``: the tape keeps the address that was asked for, and where it went."""
    with Provider(Script(posts=(Reply(Say("hello")),))) as provider:
        upstream = Upstream("http", "127.0.0.1", provider.port)
        with recording(tmp_path, Routing(upstream=upstream)) as recorder:
            with secured(recorder, 443, host="api.openai.com") as client:
                client.sendall(REQUEST)
                assert client.recv(65536).startswith(b"HTTP/1.1 200 OK")
            recorder.settle()
    (found,) = recorded(recorder.tape)
    request = found.exchange.request
    assert (request.scheme, request.host, request.port) == ("https", "api.openai.com", 443)
    assert request.upstream == f"http://127.0.0.1:{provider.port}"


def test_a_plain_client_can_be_sent_to_an_upstream_of_tls(
    certificate: tuple[Path, Path], tmp_path: Path
) -> None:
    """The other way round, with the upstream's certificate checked."""
    with Provider(Script(posts=(Reply(Say("hello")),)), tls=certificate) as provider:
        upstream = Upstream("https", "127.0.0.1", provider.port)
        trusting = {"SSL_CERT_FILE": str(certificate[0])}
        with recording(tmp_path, Routing(upstream=upstream), environment=trusting) as recorder:
            with connect(recorder.address) as client:
                client.sendall(REQUEST.replace(b"POST /", b"POST http://models.example/"))
                assert client.recv(65536).startswith(b"HTTP/1.1 200 OK")
            recorder.settle()
    (found,) = recorded(recorder.tape)
    assert found.exchange.request.host == "models.example"
    assert found.exchange.request.upstream == f"https://127.0.0.1:{provider.port}"


def close_notify(wire: ssl.SSLSocket) -> None:
    """Ends TLS properly, and leaves TCP to the other side."""
    with suppress(OSError, ssl.SSLError):
        wire.unwrap()


def fin(wire: ssl.SSLSocket) -> None:
    """Ends TCP, and leaves TLS without a word."""
    wire.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize(
    ("leave", "how"),
    [
        (close_notify, EndKind.SERVER_CLOSED),
        (fin, EndKind.SERVER_CLOSED),
        (reset, EndKind.RESET),
    ],
)
@pytest.mark.parametrize("is_socket", [False, True], ids=["stream", "socket"])
def test_how_the_server_leaves(
    tmp_path: Path,
    certificate: tuple[Path, Path],
    server_tls: ssl.SSLContext,
    leave: Callable[[ssl.SSLSocket], None],
    how: EndKind,
    is_socket: bool,
) -> None:
    """A cut inside TLS is told like one without: its side, and whether it was a reset."""
    sent = UPGRADED + HELLO if is_socket else SSE
    is_seen = threading.Event()

    def serve(wire: socket.socket) -> None:
        assert isinstance(wire, ssl.SSLSocket)
        read_request(wire)
        wire.sendall(sent)
        assert is_seen.wait(10)
        leave(wire)

    trusting = {"SSL_CERT_FILE": str(certificate[0])}
    with (
        RawServer(serve, server_tls) as server,
        recording(tmp_path, OPENED, environment=trusting) as recorder,
    ):
        with secured(recorder, server.port) as client:
            client.sendall(UPGRADE if is_socket else REQUEST)
            got = b""
            while not got.endswith(sent[-4:]):
                got += client.recv(65536)
            is_seen.set()
            received(client)
        recorder.settle()
    (found,) = recorded(recorder.tape)
    assert (found.end.how, found.end.side) == (how, SERVER)


UPGRADE = (
    b"GET /v1/responses HTTP/1.1\r\nhost: 127.0.0.1\r\nupgrade: websocket\r\n"
    b"connection: upgrade\r\n\r\n"
)
UPGRADED = b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n"
HELLO = b"\x81\x05hello"


@pytest.mark.parametrize(
    ("leave", "how"),
    [
        (close_notify, EndKind.CLIENT_CLOSED),
        (fin, EndKind.CLIENT_CLOSED),
        (reset, EndKind.RESET),
    ],
)
@pytest.mark.parametrize("is_socket", [False, True], ids=["stream", "socket"])
def test_how_the_client_leaves(
    tmp_path: Path,
    certificate: tuple[Path, Path],
    server_tls: ssl.SSLContext,
    leave: Callable[[ssl.SSLSocket], None],
    how: EndKind,
    is_socket: bool,
) -> None:
    """The same for the client, which may end TLS, or TCP alone."""
    sent = UPGRADED + HELLO if is_socket else SSE

    def serve(wire: socket.socket) -> None:
        assert isinstance(wire, ssl.SSLSocket)
        read_request(wire)
        wire.sendall(sent)
        received(wire)

    trusting = {"SSL_CERT_FILE": str(certificate[0])}
    with (
        RawServer(serve, server_tls) as server,
        recording(tmp_path, OPENED, environment=trusting) as recorder,
    ):
        with secured(recorder, server.port) as client:
            client.sendall(UPGRADE if is_socket else REQUEST)
            got = b""
            while not got.endswith(sent[-4:]):
                got += client.recv(65536)
            leave(client)
        recorder.settle()
    (found,) = recorded(recorder.tape)
    assert (found.end.how, found.end.side) == (how, CLIENT)


def test_a_websocket_over_tls(certificate: tuple[Path, Path], tmp_path: Path) -> None:
    """``wss``: the same messages as without."""
    trusting = {"SSL_CERT_FILE": str(certificate[0])}
    script = Script(upgrades=(Accept(),), messages=(Reply(Say("hello")),))
    with (
        Provider(script, tls=certificate) as provider,
        recording(tmp_path, OPENED, environment=trusting) as recorder,
    ):
        with (
            secured(recorder, provider.port) as wire,
            connect_websocket("ws://127.0.0.1/v1/responses", sock=wire, proxy=None) as client,
        ):
            client.send('{"type":"response.create","input":[],"tools":[]}')
            while "response.completed" not in str(client.recv()):
                pass
        recorder.settle()
    (found,) = recorded(recorder.tape)
    texts = [piece for piece in found.pieces if piece.kind is PieceKind.TEXT]
    assert found.exchange.request.scheme == "https"
    assert texts[0].sender is CLIENT
    assert b'"type":"response.completed"' in texts[-1].data


def test_a_tunnel_in_which_the_server_speaks_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A greeting (of ssh, of a mail server) is not waited for in vain."""

    def greet(wire: socket.socket) -> None:
        wire.sendall(b"SSH-2.0-there\r\n")
        assert wire.recv(100) == b"SSH-2.0-here\r\n"

    with RawServer(greet) as server, recording(tmp_path) as recorder:
        monkeypatch.setattr(tunnels, "SERVER_SPEAKS_FIRST", {server.port})
        with tunnelled(recorder.address, "127.0.0.1", server.port) as client:
            assert client.recv(100) == b"SSH-2.0-there\r\n"
            client.sendall(b"SSH-2.0-here\r\n")
            assert see(client).data == b""
    assert recorded(recorder.tape) == []
