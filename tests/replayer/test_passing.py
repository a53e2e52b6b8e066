"""Services of this machine are reached during a replay: what they are asked leaves no machine."""

import json
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import httpx
from raw_sockets import RawServer, connect, read_request, see, tunnelled
from replay_runs import Ran, child, conversation
from replaying import Replaying
from tapes import Recording, create

from wiretape.facts import RequestHead

type Serve = Callable[..., AbstractContextManager[Replaying]]
type Run = Callable[..., Ran]

ANSWER = b"HTTP/1.1 202 Yes\r\nX-Odd: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"


class Service:
    """A service that answers each connection once, and keeps what it was asked."""

    def __init__(self, answer: bytes = ANSWER) -> None:
        self.asked: list[bytes] = []
        self._answer = answer

    def __call__(self, wire: socket.socket) -> None:
        self.asked.append(read_request(wire))
        wire.sendall(self._answer)


def test_a_request_is_passed_on_whole(serve: Serve) -> None:
    """Method, path, headers and body; the answer comes back as it is, and both are told of."""
    service = Service()
    with RawServer(service) as server, serve(conversation("a")) as replay:
        url = f"http://127.0.0.1:{server.port}/mcp?a=1"
        with httpx.Client(proxy=replay.url) as client:
            first = client.post(url, content=b"{}", headers={"X-Mine": "é".encode()})
            second = client.request("PUT", url, content=iter([b"in ", b"chunks"]))
    assert [(each.status_code, each.text) for each in (first, second)] == [(202, "ok")] * 2
    assert first.reason_phrase == "Yes"
    head, _, body = service.asked[0].partition(b"\r\n\r\n")
    assert body == b"{}"
    assert head.startswith(b"POST /mcp?a=1 HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % server.port)
    assert "X-Mine: é".encode() in head
    assert head.endswith(b"connection: close\r\ncontent-length: 2")
    assert service.asked[1].endswith(b"content-length: 9\r\n\r\nin chunks")
    assert dict(replay.report.passed_on) == {
        f"POST 127.0.0.1:{server.port}/mcp": 1,
        f"PUT 127.0.0.1:{server.port}/mcp": 1,
    }
    assert not replay.report.blocked


def test_an_upgraded_connection_is_passed_on(serve: Serve) -> None:
    """Bytes go both ways, through a tunnel too, until a side has no more."""

    def service(wire: socket.socket) -> None:
        assert b"Connection: Upgrade" in read_request(wire)
        wire.sendall(b"HTTP/1.1 101 Yes\r\n\r\n")
        wire.sendall(wire.recv(100).upper())

    with (
        RawServer(service) as server,
        serve(conversation("a")) as replay,
        tunnelled((replay.host, replay.port), "127.0.0.1", server.port) as wire,
    ):
        wire.sendall(
            b"GET /live HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
        )
        assert wire.recv(100).startswith(b"HTTP/1.1 101 Yes\r\n")
        wire.sendall(b"frame")
        assert see(wire).data.endswith(b"FRAME")


def test_a_name_of_this_machine_is_not_looked_up(serve: Serve) -> None:
    """Whatever stands before ``localhost``, it is this machine (RFC 6761), not a resolver's."""
    with (
        RawServer(Service()) as server,
        serve(conversation("a")) as replay,
        httpx.Client(proxy=replay.url) as client,
    ):
        assert client.get(f"http://my.localhost:{server.port}/").text == "ok"


def test_a_service_that_is_not_there(serve: Serve) -> None:
    """The client finds its connection closed; it is told of all the same."""
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with serve(conversation("a")) as replay, connect((replay.host, replay.port)) as wire:
        wire.sendall(b"GET http://localhost:%d/ HTTP/1.1\r\nHost: x\r\n\r\n" % port)
        assert see(wire).data == b""
    assert dict(replay.report.passed_on) == {f"GET localhost:{port}/": 1}


def test_the_recorded_model_is_not_asked(serve: Serve) -> None:
    """A model that was on this machine may be there still, and a gateway sends on what it gets."""
    service = Service()
    with RawServer(service) as server:
        recording = Recording()
        recording.post(create("a"), (b"a",))
        asked = recording.facts[0]
        assert isinstance(asked, RequestHead)
        at = {"scheme": "http", "host": "127.0.0.1", "port": server.port}
        recording.facts[0] = replace(asked, **at)
        with serve(recording) as replay, httpx.Client(proxy=replay.url) as client:
            base = f"http://127.0.0.1:{server.port}"
            assert client.get(f"{base}/v1/files").status_code == 403
            other = f"http://127.0.0.1:{server.port + 1}/v1/responses"
            assert client.post(other, json=create("a")).text == "a"
    assert service.asked == []
    assert not replay.report.passed_on


def test_the_report(run: Run, tape: Path, tmp_path: Path) -> None:
    """It counts them apart from what was blocked."""
    report = tmp_path / "report.json"
    with RawServer(Service()) as server:
        url = f"http://127.0.0.1:{server.port}/mcp"
        ran = run(tape, "--report", report, *child(("GET", url, None), ("GET", url, None)))
    assert ran.answers == [[202, "ok"], [202, "ok"]]
    document = json.loads(report.read_text())
    assert document["passed_on"] == [{"what": f"GET 127.0.0.1:{server.port}/mcp", "times": 2}]
    assert document["counts"]["blocked"] == 0
    assert "wiretape:   passed on: 2 requests to services of this machine\n" in ran.stderr
