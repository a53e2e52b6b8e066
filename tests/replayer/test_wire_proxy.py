"""The same port as a base URL, as a proxy, and as the end of a tunnel with or without TLS."""

import json
import socket
import ssl
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import httpx
import pytest
from raw_client import Over, RawClient, raw_client, request_bytes
from raw_websocket import handshake_bytes
from replaying import Replaying
from tapes import (
    CUT,
    HOST,
    LEFT,
    RESET,
    Ending,
    Recording,
    answer,
    asks,
    create,
    says,
    sse,
    wants,
)
from websockets.sync.client import connect

from replayer.report import Blocked, Verdict
from wiretape.facts import RequestHead

type Serve = Callable[..., AbstractContextManager[Replaying]]

BODY = json.dumps(create("a")).encode()
PLAIN = request_bytes("POST", "/v1/responses", BODY, "Content-Type: application/json")


def recorded(**where: Any) -> Recording:
    """One request over HTTP, one on a socket, and the list of models."""
    recording = Recording(**where)
    recording.post(create("a"), (b"a",), session=None)
    recording.socket(wants(asks("b")), says(*answer("b")), session=None)
    recording.get("/models", b"{}")
    return recording


def asked(server: Replaying) -> AbstractContextManager[RawClient]:
    return raw_client(server.host, server.port)


def trusting(server: Replaying) -> ssl.SSLContext:
    """TLS as a client speaks it that trusts nobody but the replay."""
    context = ssl.create_default_context(cafile=server.authority.certificate)
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context


def verdicts(server: Replaying) -> list[Verdict]:
    return [request.verdict for request in server.report.requests]


def hosts(server: Replaying) -> list[tuple[str, str, int]]:
    """What the requests on the replay's own tape were meant for."""
    return [
        (fact.scheme, fact.host, fact.port)
        for fact in server.facts
        if isinstance(fact, RequestHead)
    ]


def test_a_base_url_is_asked_directly(serve: Serve) -> None:
    """The replay's own address is what such a client means, and the tape says so."""
    with serve(recorded()) as server, asked(server) as client:
        client.send(PLAIN)
        client.read_head()
        assert client.read_chunks() == [b"a"]
    assert verdicts(server) == [Verdict.EXACT]
    assert hosts(server) == [("http", "127.0.0.1", server.port)]
    assert server.report.notes == []


@pytest.mark.parametrize("path", ["/v1/responses", "/v1/files"])
def test_our_own_address_may_be_asked_through_us(serve: Serve, path: str) -> None:
    """A client with us for its base URL and for its proxy asks us all the same."""
    with serve(recorded()) as server:
        with httpx.Client(proxy=server.url, trust_env=False) as client:
            answered = client.post(f"{server.url}{path}", content=BODY)
        assert answered.status_code == (200 if path == "/v1/responses" else 403)
    assert server.report.notes == []
    assert hosts(server) == [("http", "127.0.0.1", server.port)] * len(server.report.requests)


def test_a_proxy_is_asked_with_the_whole_address(serve: Serve) -> None:
    """Plain HTTP goes to a proxy in absolute form."""
    with serve(recorded(scheme="http", host="gateway.example", port=8080)) as server:
        with asked(server) as client:
            client.send(PLAIN.replace(b"/v1", b"http://gateway.example:8080/v1", 1))
            client.read_head()
            assert client.read_chunks() == [b"a"]
        with httpx.Client(proxy=server.url) as other:
            assert other.get("http://gateway.example:8080/v1/models").text == "{}"
    assert verdicts(server) == [Verdict.EXACT]
    assert hosts(server) == [("http", "gateway.example", 8080)] * 2


def test_a_tunnel_may_carry_plain_http(serve: Serve) -> None:
    """Some clients tunnel whatever they have; requests and sockets alike."""
    with serve(recorded(scheme="http", host="gateway.example", port=8080)) as server:
        with asked(server) as client:
            client.open_tunnel("gateway.example:8080")
            client.send(PLAIN)
            client.read_head()
            assert client.read_chunks() == [b"a"]
        with asked(server) as client:
            client.open_tunnel("gateway.example:8080")
            client.send(handshake_bytes())
            assert client.read_head()[0] == "HTTP/1.1 101 Switching Protocols"
    assert hosts(server) == [("http", "gateway.example", 8080)] * 2


def test_a_tunnel_may_carry_tls(serve: Serve) -> None:
    """Ended with a certificate of the host's name, over HTTP/1.1."""
    with serve(recorded()) as server, asked(server) as client:
        client.open_tunnel(f"{HOST}:443")
        client.begin_tls(trusting(server), HOST)
        assert isinstance(client.connection, ssl.SSLSocket)
        assert client.connection.selected_alpn_protocol() == "http/1.1"
        for _ in range(2):
            client.send(request_bytes("GET", "/v1/models"))
            assert client.read_head()[0] == "HTTP/1.1 200 OK"
            assert client.read_exactly(2) == b"{}"
        client.send(PLAIN)
        client.read_head()
        assert client.read_chunks() == [b"a"]
    assert hosts(server) == [("https", HOST, 443)] * 3
    assert (verdicts(server), server.report.notes) == ([Verdict.EXACT], [])


def test_libraries_reach_the_recorded_host_through_us(serve: Serve) -> None:
    """As a child does that is given the proxy and the certificate: over HTTP and WebSocket."""
    with serve(recorded()) as server:
        context = trusting(server)
        with httpx.Client(proxy=server.url, verify=context) as client:
            assert client.post(f"https://{HOST}/v1/responses", json=create("a")).text == "a"
        url = f"wss://{HOST}/v1/responses"
        context.set_alpn_protocols(["http/1.1"])
        with connect(url, proxy=server.url, ssl=context) as mine:
            mine.send(json.dumps(asks("b")))
            assert [json.loads(mine.recv()) for _ in range(3)] == list(answer("b"))
    assert server.report.not_asked == []


def test_large_answers_come_whole_through_tls(serve: Serve) -> None:
    """Records, buffers and a slow reader lose nothing."""
    recording = Recording()
    chunks = [bytes([number]) * 1_000_000 for number in range(20)]
    recording.post(create("a"), chunks, session=None)
    with serve(recording) as server, asked(server) as client:
        client.open_tunnel(f"{HOST}:443")
        client.begin_tls(trusting(server), HOST)
        client.send(PLAIN)
        client.read_head()
        assert client.read_chunks() == chunks


@pytest.mark.parametrize(
    ("ending", "over"), [(CUT, Over.TORN), (RESET, Over.RESET), (Ending(None), Over.FIN)]
)
def test_tls_ends_as_the_recording_does(serve: Serve, ending: Ending, over: Over) -> None:
    """A cut is a FIN without a goodbye, a reset reaches the socket; a stream that said everything
    ends properly."""
    events = sse(*answer("yes"))
    recording = Recording()
    recording.post(create("a"), events, ending, session=None)
    with serve(recording) as server, asked(server) as client:
        client.open_tunnel(f"{HOST}:443")
        client.begin_tls(trusting(server), HOST)
        client.send(PLAIN.replace(b"Host", b"Connection: close\r\nHost"))
        client.read_head()
        for event in events:
            assert client.read_chunk() == event
        assert client.read_to_end() == (b"" if ending.how else b"0\r\n\r\n", over)


def test_a_client_may_leave_through_tls(serve: Serve) -> None:
    """With a goodbye, and without one."""
    recording = Recording()
    for _ in range(2):
        recording.post(create("a"), (b"a",), LEFT, session=None)
    with serve(recording) as server:
        for says_goodbye in (True, False):
            with asked(server) as client:
                client.open_tunnel(f"{HOST}:443")
                client.begin_tls(trusting(server), HOST)
                client.send(PLAIN)
                client.read_head()
                assert client.read_chunk() == b"a"
                if says_goodbye:
                    assert isinstance(client.connection, ssl.SSLSocket)
                    client.connection.unwrap().close()
        assert len(server.ends(2)) == 2


def test_the_certificate_is_for_whom_the_client_asks(serve: Serve) -> None:
    """A client that resolves names itself tunnels to an address and asks for the name in TLS."""
    with serve(recorded(host="127.0.0.1", port=8443)) as server, asked(server) as client:
        client.open_tunnel("127.0.0.1:8443")
        client.begin_tls(trusting(server), HOST)
        client.send(PLAIN)
        assert client.read_head()[0] == "HTTP/1.1 200 OK"


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_host_may_be_an_address(serve: Serve, host: str) -> None:
    """Then nobody is asked for by name, and the certificate is the address's."""
    shown = f"[{host}]" if ":" in host else host
    with serve(recorded(host=host, port=8443)) as server, asked(server) as client:
        client.open_tunnel(f"{shown}:8443")
        client.begin_tls(trusting(server), host)
        client.send(PLAIN)
        client.read_head()
        assert client.read_chunks() == [b"a"]
    assert hosts(server) == [("https", host, 8443)]


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
def test_the_server_may_listen_on_ipv6(serve: Serve) -> None:
    """Its URL can be used as it is."""
    with serve(recorded(), host="::1") as server:
        assert server.url == f"http://[::1]:{server.port}"
        with httpx.Client(trust_env=False) as client:
            assert client.post(f"{server.url}/v1/responses", json=create("a")).text == "a"
    assert hosts(server) == [("http", "::1", server.port)]


def test_hosts_have_no_case(serve: Serve) -> None:
    """Nor does a dot at their end mean anything."""
    with serve(recorded()) as server, asked(server) as client:
        client.open_tunnel("API.OpenAI.com.:443")
        client.begin_tls(trusting(server), HOST)
        client.send(PLAIN)
        assert client.read_head()[0] == "HTTP/1.1 200 OK"
    assert server.report.notes == []


def test_a_client_that_does_not_trust_us_is_noted(serve: Serve) -> None:
    """Without this note nobody could tell why nothing was asked."""
    with serve(recorded()) as server:
        with asked(server) as client:
            client.open_tunnel(f"{HOST}:443")
            with pytest.raises(ssl.SSLCertVerificationError):
                client.begin_tls(ssl.create_default_context(), HOST)
        with asked(server) as client:
            client.open_tunnel(f"{HOST}:443")
            client.send(b"\x16\x03\x01\xff\xff no hello at all")
            assert client.read_to_end()[1] is Over.FIN
    assert server.report.notes == [
        f"a client did not go on with TLS to {HOST}:443: it must trust the certificate "
        "authority named in SSL_CERT_FILE"
    ]
    assert (server.report.requests, server.facts) == ([], [])


def test_a_tunnel_that_nobody_uses_is_let_go(serve: Serve) -> None:
    """A client may connect ahead, and think better of it."""
    with serve(recorded()) as server, asked(server) as client:
        client.open_tunnel(f"{HOST}:443")
        client.connection.shutdown(socket.SHUT_WR)
        assert client.read_to_end() == (b"", Over.FIN)
    assert server.report.notes == []


def test_a_tunnel_in_a_tunnel(serve: Serve) -> None:
    """A client behind a proxy of its own may nest them."""
    with serve(recorded()) as server, asked(server) as client:
        client.open_tunnel("127.0.0.1:1")
        client.open_tunnel(f"{HOST}:443")
        client.begin_tls(trusting(server), HOST)
        client.send(PLAIN)
        assert client.read_head()[0] == "HTTP/1.1 200 OK"
    assert hosts(server) == [("https", HOST, 443)]


@pytest.mark.parametrize("target", ["github.com:443", "ab.chatgpt.com:443", "[2001:db8::1]:22"])
def test_a_tunnel_elsewhere_is_refused_at_once(serve: Serve, target: str) -> None:
    """Counted, named, and told in one sentence."""
    with serve(recorded()) as server:
        for _ in range(2):
            with asked(server) as client:
                client.send(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
                assert client.read_head()[0] == "HTTP/1.1 403 Forbidden"
                sentence = f"wiretape: {target} was not recorded, and nothing leaves this machine\n"
                assert client.read_to_end() == (sentence.encode(), Over.FIN)
    assert server.report.blocked == {Blocked(target, target): 2}
    assert server.report.requests == []
    assert server.facts == []


def test_a_request_elsewhere_is_refused_at_once(serve: Serve) -> None:
    """In absolute form, whatever its body; its query is not repeated."""
    asking = request_bytes("POST", "http://metrics.example/v1/traces?key=secret", b"{}")
    with serve(recorded()) as server, asked(server) as client:
        client.send(asking)
        assert client.read_head()[0] == "HTTP/1.1 403 Forbidden"
        assert client.read_to_end()[1] is Over.FIN
    assert server.report.blocked == {
        Blocked("metrics.example:80", "POST metrics.example:80/v1/traces"): 1
    }
    assert (server.report.requests, server.facts) == ([], [])


def test_a_request_to_a_model_elsewhere_is_answered(serve: Serve) -> None:
    """A client that is configured for another host asks the same; that it did is noted."""
    asking = PLAIN.replace(b"/v1", b"http://other.example:4000/v1", 1)
    with serve(recorded()) as server, asked(server) as client:
        client.send(asking)
        client.read_head()
        assert client.read_chunks() == [b"a"]
    assert server.report.notes == [
        "what was asked of other.example:4000 was answered with what was recorded from "
        "api.openai.com:443"
    ]


def test_what_was_not_recorded_of_a_known_host_is_refused(serve: Serve) -> None:
    """Within a tunnel too, and nothing of it is kept."""
    with serve(recorded()) as server, asked(server) as client:
        client.open_tunnel(f"{HOST}:443")
        client.begin_tls(trusting(server), HOST)
        client.send(request_bytes("POST", "/v1/files", b"{}"))
        assert client.read_head()[0] == "HTTP/1.1 403 Forbidden"
    assert server.report.blocked == {Blocked(f"{HOST}:443", f"POST {HOST}:443/v1/files"): 1}
    assert server.facts == []
