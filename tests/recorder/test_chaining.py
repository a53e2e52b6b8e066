"""Through the proxy that a network demands: reached as its clients reach it, and recorded alike."""

import socket
import ssl
import threading
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from model_hosts import ServerCertificate, model_hosts_certificate
from provider import Provider
from provider_script import Accept, Reply, Say, Script
from raw_sockets import RawServer, read_request, reset, see, tunnelled
from record_command import CLIENT, record
from recorded import Recorder, recorded, recording
from tunnel import Tunnel
from websockets.sync.client import connect as connect_socket

from recorder.routing import Routing, Upstream
from wiretape.facts import EndKind, Sender

PASSWORD = "Zq77vX-corporate"
BASIC = "Basic " + b64encode(f"me:{PASSWORD}".encode()).decode()
MODEL = "model.example"
"""A name that only the proxy knows."""

ANSWERS = Script(posts=(Reply(Say("hello")), Reply(Say("again"))))


@dataclass(frozen=True)
class Behind:
    """A recorder whose environment names a proxy."""

    recorder: Recorder
    proxy: Tunnel


@contextmanager
def behind_a_proxy(
    folder: Path,
    port: int,
    routing: Routing | None = None,
    *,
    hosts: tuple[str, ...] = (MODEL, "api.openai.com"),
    password: str = PASSWORD,
    reverse: Upstream | None = None,
    environment: Mapping[str, str] = {},
) -> Iterator[Behind]:
    with Tunnel(port, hosts, authorization=BASIC) as proxy:
        url = f"http://me:{password}@{proxy.address}"
        named = {"HTTPS_PROXY": url, "HTTP_PROXY": url, **environment}
        with recording(folder, routing, reverse=reverse, environment=named) as recorder:
            yield Behind(recorder, proxy)
    assert password.encode() not in recorder.tape.read_bytes()
    assert b64encode(f"me:{password}".encode()) not in recorder.tape.read_bytes()
    assert password not in "".join(recorder.told)


@pytest.fixture
def certificate(tmp_path: Path) -> ServerCertificate:
    return model_hosts_certificate(tmp_path / "tls")


def test_a_plain_request_is_asked_of_the_proxy(tmp_path: Path) -> None:
    """With its whole address; the upstream sees its own name, and the tape too."""
    with Provider(ANSWERS) as provider, behind_a_proxy(tmp_path, provider.port) as behind:
        url = f"http://{MODEL}:81/v1/responses?a=1"
        with httpx.Client(proxy=behind.recorder.url) as client:
            assert "hello" in client.post(url, json={"input": []}).text
        behind.recorder.settle()
        assert behind.proxy.asked == [f"POST {url} HTTP/1.1"]
    (asked,) = provider.requests
    assert asked.target == "/v1/responses?a=1"
    assert dict(asked.headers)["host"] == f"{MODEL}:81"
    (found,) = recorded(behind.recorder.tape)
    request = found.exchange.request
    assert (request.scheme, request.host, request.port) == ("http", MODEL, 81)
    assert (request.target, found.end.how) == ("/v1/responses?a=1", EndKind.COMPLETE)


def test_tls_that_is_opened(tmp_path: Path, certificate: ServerCertificate) -> None:
    """By a tunnel; the upstream's certificate is checked as ever."""
    tls = (certificate.chain, certificate.key)
    trust = {"SSL_CERT_FILE": str(certificate.authority)}
    with (
        Provider(ANSWERS, tls=tls) as provider,
        behind_a_proxy(tmp_path, provider.port, environment=trust) as behind,
    ):
        context = ssl.create_default_context(cafile=behind.recorder.authority)
        with httpx.Client(proxy=behind.recorder.url, verify=context) as client:
            url = "https://api.openai.com/v1/responses"
            assert "hello" in client.post(url, json={"input": []}).text
            assert "again" in client.post(url, json={"input": []}).text
        behind.recorder.settle()
        assert behind.proxy.asked == ["CONNECT api.openai.com:443 HTTP/1.1"]
    found = recorded(behind.recorder.tape)
    assert [each.exchange.request.host for each in found] == ["api.openai.com"] * 2
    assert [each.end.how for each in found] == [EndKind.COMPLETE] * 2


def test_tls_that_is_not_opened(tmp_path: Path, certificate: ServerCertificate) -> None:
    """It passes untouched, by a tunnel in the tunnel."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.chain, certificate.key)
    theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    theirs.load_verify_locations(certificate.authority)
    nothing = Routing(hosts=())

    def serve(wire: socket.socket) -> None:
        wire.sendall(wire.recv(100))

    with (
        RawServer(serve, context) as server,
        behind_a_proxy(tmp_path, server.port, nothing) as behind,
        tunnelled(behind.recorder.address, "api.openai.com", 443) as wire,
        theirs.wrap_socket(wire, server_hostname="api.openai.com") as secured,
    ):
        secured.sendall(b"hello")
        assert secured.recv(100) == b"hello"
        assert behind.proxy.asked == ["CONNECT api.openai.com:443 HTTP/1.1"]
    assert recorded(behind.recorder.tape) == []


def test_a_socket_of_plain_http(tmp_path: Path) -> None:
    """A client asks for a tunnel, and so do we."""
    script = Script(upgrades=(Accept(),), messages=(Reply(Say("hello")),))
    with Provider(script) as provider, behind_a_proxy(tmp_path, provider.port) as behind:
        url = f"ws://{MODEL}/v1/responses"
        with connect_socket(url, proxy=behind.recorder.url, close_timeout=0) as wire:
            wire.send('{"type":"response.create","input":[]}')
            assert "codex.rate_limits" in str(wire.recv())
        behind.recorder.settle()
        assert behind.proxy.asked == [f"CONNECT {MODEL}:80 HTTP/1.1"]
    (found,) = recorded(behind.recorder.tape)
    assert (found.exchange.request.host, found.status) == (MODEL, 101)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_reverse_proxy(tmp_path: Path, certificate: ServerCertificate, scheme: str) -> None:
    """Its upstream is reached through the proxy."""
    tls = (certificate.chain, certificate.key) if scheme == "https" else None
    reverse = Upstream(scheme, "api.openai.com", 443)
    trust = {"SSL_CERT_FILE": str(certificate.authority)}
    with (
        Provider(ANSWERS, tls=tls) as provider,
        behind_a_proxy(tmp_path, provider.port, reverse=reverse, environment=trust) as behind,
    ):
        with httpx.Client() as client:
            url = f"{behind.recorder.url}/v1/responses"
            assert "hello" in client.post(url, json={"input": []}).text
        behind.recorder.settle()
        (asked,) = behind.proxy.asked
    assert (
        asked.split()[:2]
        == {
            "http": ["POST", "http://api.openai.com:443/v1/responses"],
            "https": ["CONNECT", "api.openai.com:443"],
        }[scheme]
    )
    (found,) = recorded(behind.recorder.tape)
    assert (found.exchange.request.host, found.end.how) == ("api.openai.com", EndKind.COMPLETE)


def test_this_machine_and_the_exceptions_are_reached_directly(tmp_path: Path) -> None:
    """As clients do that know the proxy."""
    with (
        Provider(ANSWERS) as provider,
        behind_a_proxy(tmp_path, 9, environment={"NO_PROXY": "127.0.0.0/8"}) as behind,
    ):
        with httpx.Client(proxy=behind.recorder.url) as client:
            assert "hello" in client.post(f"{provider.base_url}/responses", json={}).text
        assert behind.proxy.asked == []


@pytest.mark.parametrize(("end", "how"), [("FIN", EndKind.SERVER_CLOSED), ("RST", EndKind.RESET)])
def test_an_end_inside_the_tunnel_is_told(tmp_path: Path, end: str, how: EndKind) -> None:
    """As the proxy hands it on, so do we; the tape says which."""
    is_seen = threading.Event()

    def proxy_and_upstream(wire: socket.socket) -> None:
        assert read_request(wire).startswith(f"CONNECT {MODEL}:80 ".encode())
        wire.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        read_request(wire)
        wire.sendall(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n")
        assert is_seen.wait(10)
        if end == "RST":
            reset(wire)

    with RawServer(proxy_and_upstream) as proxy:
        named = {"HTTPS_PROXY": f"http://127.0.0.1:{proxy.port}"}
        with recording(tmp_path, environment=named) as recorder:
            with tunnelled(recorder.address, MODEL, 80) as wire:
                wire.sendall(b"POST /v1/responses HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n")
                seen = see(wire, lambda data: is_seen.set() if b"abc" in data else None)
            recorder.settle()
    (found,) = recorded(recorder.tape)
    assert (seen.end, found.end.how, found.end.side) == (end, how, Sender.SERVER)


@pytest.mark.parametrize(
    ("password", "host", "words"),
    [
        ("wrong", MODEL, "answered 407 Proxy Authentication Required"),
        (PASSWORD, "elsewhere.example", "answered 502 Bad Gateway"),
    ],
)
def test_a_proxy_that_refuses(tmp_path: Path, password: str, host: str, words: str) -> None:
    """The client's connection fails, and the person is told what the proxy said."""
    with behind_a_proxy(tmp_path, 9, password=password) as behind:
        with tunnelled(behind.recorder.address, host, 80) as wire:
            wire.sendall(b"POST /v1/responses HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n")
            assert see(wire).data == b""
        behind.recorder.settle()
    (found,) = recorded(behind.recorder.tape)
    assert (found.end.how, found.end.side) == (EndKind.REFUSED, None)
    (told,) = behind.recorder.told
    assert told.startswith(f"{host}:80 could not be reached (")
    assert f"the proxy {behind.proxy.address} {words}" in told


def test_a_proxy_that_is_not_there(tmp_path: Path) -> None:
    """Its name is told, since it is the one to look after."""
    with socket.create_server(("127.0.0.1", 0)) as gone:
        address = f"127.0.0.1:{gone.getsockname()[1]}"
    environment = {"HTTPS_PROXY": f"http://{address}"}
    with recording(tmp_path, environment=environment) as recorder:
        with tunnelled(recorder.address, MODEL, 80) as wire:
            wire.sendall(b"POST /v1/responses HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n")
            assert see(wire).data == b""
        recorder.settle()
    (told,) = recorder.told
    assert f"the proxy {address} cannot be reached: Connection refused" in told


def test_the_command_line(tmp_path: Path) -> None:
    """The proxy of the environment is taken; one that cannot be is refused, and nothing is run."""
    with (
        Provider(ANSWERS) as provider,
        Tunnel(provider.port, (MODEL,), authorization=BASIC) as proxy,
    ):
        url = f"http://{MODEL}/v1/responses"
        named = {"http_proxy": f"http://me:{PASSWORD}@{proxy.address}"}
        run = record(tmp_path, "-o", "t.db", "--", *CLIENT, url, environment=named)
    assert run.stdout.startswith("200 event: "), run
    assert PASSWORD.encode() not in (tmp_path / "t.db").read_bytes()
    socks = {"ALL_PROXY": "socks5://127.0.0.1:1080"}
    run = record(tmp_path, "-o", "u.db", "--", "echo", "it ran", environment=socks)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("wiretape: ALL_PROXY names a proxy that speaks socks5 (")
    assert not (tmp_path / "u.db").exists()
