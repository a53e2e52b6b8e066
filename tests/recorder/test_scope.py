"""Which requests are on the tape, and where they were sent."""

from pathlib import Path

import httpx
from provider import Provider
from provider_script import Reply, Say, Script
from raw_sockets import RawServer, answered
from recorded import recorded, recording

from recorder.routing import Routing, Scope, Upstream


def test_only_agent_traffic_is_recorded(tmp_path: Path) -> None:
    """Other requests pass, streamed as well, and leave nothing on the tape."""
    answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
    with (
        RawServer(answered(answer)) as server,
        recording(tmp_path) as recorder,
        httpx.Client(proxy=recorder.url, base_url=f"http://127.0.0.1:{server.port}") as client,
    ):
        assert [client.get("/simple/").text, client.post("/upload", content=b"x").text] == [
            "ok",
            "ok",
        ]
        client.get("/v1/models")
        recorder.settle()
    assert [each.exchange.request.target for each in recorded(recorder.tape)] == ["/v1/models"]


def test_the_whole_scope_is_everything(tmp_path: Path) -> None:
    """With scope "all", every opened request is on the tape."""
    answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
    with (
        RawServer(answered(answer)) as server,
        recording(tmp_path, Routing(scope=Scope.ALL)) as recorder,
        httpx.Client(proxy=recorder.url, base_url=f"http://127.0.0.1:{server.port}") as client,
    ):
        client.get("/simple/")
        client.put("/upload", content=b"data")
        recorder.settle()
    assert [(each.exchange.request.target, each.body) for each in recorded(recorder.tape)] == [
        ("/simple/", b""),
        ("/upload", b"data"),
    ]


def test_requests_can_be_sent_elsewhere(tmp_path: Path) -> None:
    """With an upstream the tape keeps what the client asked for, and where it went."""
    with Provider(Script(posts=(Reply(Say("hello")),))) as provider:
        upstream = Upstream("http", "127.0.0.1", provider.port)
        with (
            recording(tmp_path, Routing(upstream=upstream)) as recorder,
            httpx.Client(proxy=recorder.url) as client,
        ):
            answer = client.post("http://models.example:81/v1/responses", json={"tools": []})
            recorder.settle()
    (found,) = recorded(recorder.tape)
    request = found.exchange.request
    assert answer.status_code == 200
    assert (request.host, request.port) == ("models.example", 81)
    assert ("Host", "models.example:81") in request.headers
    assert request.upstream == f"http://127.0.0.1:{provider.port}"


def test_a_reverse_proxy_names_the_real_upstream(tmp_path: Path) -> None:
    """The client asks loopback; the tape keeps whom it reached, and the upstream is addressed."""
    with Provider(Script(posts=(Reply(Say("hello")),))) as provider:
        upstream = Upstream("http", "localhost", provider.port)
        with recording(tmp_path, reverse=upstream) as recorder:
            answer = httpx.post(f"{recorder.url}/v1/responses", json={}, trust_env=False)
            recorder.settle()
    (found,) = recorded(recorder.tape)
    request = found.exchange.request
    assert answer.status_code == 200
    assert (request.host, request.port, request.upstream) == ("localhost", provider.port, None)
    assert ("host", f"localhost:{provider.port}") in provider.requests[0].headers
