"""The provider over HTTP: what a script says is on the wire, to the byte, and how it ends."""

import contextlib
import json
import ssl
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import zstandard
from certificates import loopback_certificate
from provider import Provider
from provider_log import Ask, Exit, Left
from provider_models import MODEL_LIST
from provider_script import (
    Drop,
    Fin,
    Hang,
    Ping,
    Plain,
    Reply,
    Reset,
    Run,
    Say,
    Script,
    Written,
)

ONE: dict[str, object] = {"type": "one", "text": "naïve\u2028✓"}
STEPS = Written((ONE, "[DONE]", Ping(b"still here"), b"raw\n\n"))
BODY = (
    'event: one\ndata: {"type":"one","text":"naïve\u2028✓"}\n\n'
    "data: [DONE]\n\n: still here\n\nraw\n\n"
).encode()


@contextlib.contextmanager
def served(*posts: Reply | Plain | Drop) -> Iterator[tuple[Provider, httpx.Client]]:
    """A provider of these POST behaviours, and a client that calls it by relative addresses."""
    with (
        Provider(Script(posts=posts)) as provider,
        httpx.Client(base_url=provider.base_url, trust_env=False) as client,
    ):
        yield provider, client


def test_stream_is_what_the_script_says() -> None:
    """Events, bare data, comments and raw bytes are written as they stand, and nothing else."""
    with served(Reply(STEPS)) as (_, client):
        answer = client.post("/responses", json={})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert "content-length" not in answer.headers
    assert answer.content == BODY


def test_reply_adds_headers() -> None:
    """A reply's headers stand in the response."""
    with served(Reply(STEPS, headers=(("x-codex-turn-state", "one"),))) as (_, client):
        assert client.post("/responses", json={}).headers["x-codex-turn-state"] == "one"


def test_each_event_is_a_write() -> None:
    """Every event arrives as a chunk of its own: what a client sees first is the first event."""
    with (
        served(Reply(STEPS, Hang(), only=1)) as (_, client),
        client.stream("POST", "/responses", json={}) as answer,
    ):
        first = next(answer.iter_raw())
    assert first == BODY[: BODY.index(b"data: [DONE]")]


def test_fin_leaves_the_body_unfinished() -> None:
    """FIN after some events: they arrive, the last chunk does not."""
    with served(Reply(STEPS, Fin(), only=2)) as (_, client):
        body = bytearray()
        with (
            client.stream("POST", "/responses", json={}) as answer,
            pytest.raises(httpx.RemoteProtocolError, match="incomplete chunked read"),
        ):
            for chunk in answer.iter_raw():
                body += chunk
    assert body == BODY[: BODY.index(b": still here")]


def test_reset_is_a_reset() -> None:
    """RST after some events is not an end of the stream but an error of the connection."""
    with (
        served(Reply(STEPS, Reset(), only=2)) as (_, client),
        client.stream("POST", "/responses", json={}) as answer,
        pytest.raises(httpx.ReadError, match="reset by peer"),
    ):
        answer.read()


@pytest.mark.parametrize(
    ("end", "error"), [(Fin(), httpx.RemoteProtocolError), (Reset(), httpx.ReadError)]
)
def test_drop_gives_no_head(end: Fin | Reset, error: type[Exception]) -> None:
    """A dropped request gets no response head at all."""
    with served(Drop(end)) as (provider, client), pytest.raises(error):
        client.post("/responses", json={})
    assert provider.summary == "sse unanswered"


def test_plain_answer_has_status_headers_and_body() -> None:
    """A refusal has the script's status, headers and body."""
    with served(Plain(429, '{"error":{}}', (("retry-after", "7"),))) as (_, client):
        answer = client.post("/responses", json={})
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "7")
    assert answer.text == '{"error":{}}'


def test_behaviours_come_in_order() -> None:
    """The first behaviours answer one request each, the last one all that follow."""
    with served(Plain(500), Plain(503), Reply(STEPS)) as (provider, client):
        for _ in range(4):
            client.post("/responses", json={})
    assert provider.summary == "sse 500 sse 503 sse sse"


def test_everything_else_is_not_found() -> None:
    """Other paths, and what the script has no behaviour for, are answered by 404."""
    with served() as (provider, client):
        answers = [
            client.post("/responses", json={}),
            client.get("/responses"),
            client.get("/models"),
            client.post("/responses/compact", json={}),
        ]
    assert [answer.status_code for answer in answers] == [404, 404, 404, 404]
    assert [asked.kind for asked in provider.requests] == [
        Ask.SSE,
        Ask.OTHER,
        Ask.MODELS,
        Ask.OTHER,
    ]


def test_model_list_is_served_under_any_prefix() -> None:
    """The list is at …/models, whatever stands before it or in the query."""
    with Provider(Script(models=(MODEL_LIST,))) as provider:
        address = provider.base_url.replace("/v1", "/backend-api/codex/models?client_version=1")
        answer = httpx.get(address, trust_env=False)
    assert [model["slug"] for model in answer.json()["models"]] == ["scripted-model"]


def test_request_is_logged() -> None:
    """The log holds method, target, headers, body and connection of a request."""
    with served(Reply(STEPS)) as (provider, client):
        client.post("/responses?a=b", json={"model": "m"}, headers={"X-Own": "Value"})
        client.post("/responses", json={})
    asked, again = provider.requests
    assert (asked.method, asked.target, asked.status) == ("POST", "/v1/responses?a=b", 200)
    assert dict(asked.headers)["x-own"] == "Value"
    assert asked.body == {"model": "m"}
    assert (asked.connection, again.connection) == (0, 0)
    assert asked.at_s <= again.at_s


def test_compressed_request_is_read() -> None:
    """A body in zstd is decoded for the log."""
    body = zstandard.ZstdCompressor().compress(json.dumps({"model": "m"}).encode())
    with served(Reply(STEPS)) as (provider, client):
        client.post("/responses", content=body, headers={"content-encoding": "zstd"})
    assert provider.requests[0].body == {"model": "m"}


def test_chunked_request_is_read() -> None:
    """A body of unknown length is read to its last chunk, and the next request after it."""
    with served(Reply(STEPS)) as (provider, client):
        client.post("/responses", content=iter([b'{"mod', b'el":"m"}']))
        client.post("/responses", json={"model": "n"})
    assert [asked.body for asked in provider.requests] == [{"model": "m"}, {"model": "n"}]
    assert [asked.connection for asked in provider.requests] == [0, 0]


def test_leaving_is_logged() -> None:
    """A client that closes its connection is seen to leave by FIN."""
    with served(Reply(STEPS)) as (provider, client):
        client.post("/responses", json={})
        client.close()
        (left,) = provider.wait_for_departures(1)
    assert left == Left(connection=0, at_s=left.at_s, how=Exit.FIN)


def test_tls_is_served(tmp_path: Path) -> None:
    """With a certificate, the same script is served over TLS."""
    certificate, key = loopback_certificate(tmp_path)
    trust = ssl.create_default_context(cafile=str(certificate))
    with Provider(Script(posts=(Reply(STEPS),)), tls=(certificate, key)) as provider:
        address = f"{provider.base_url}/responses"
        answer = httpx.post(address, json={}, verify=trust, trust_env=False)
    assert address.startswith("https://127.0.0.1:")
    assert answer.content == BODY


def test_senseless_script_is_an_error() -> None:
    """What goes wrong inside the provider comes out of its ``with``."""
    with (
        pytest.raises(ExceptionGroup) as failed,
        served(Reply(Run("echo one"))) as (_, client),
        contextlib.suppress(httpx.TransportError),
    ):
        client.post("/responses", json={"tools": []})
    assert failed.group_contains(LookupError, match="the client offers no tool")


def test_taken_port_is_an_error() -> None:
    """A port in use is refused at once."""
    script = Script(posts=(Reply(Say("ok")),))
    with Provider(script) as first, pytest.raises(OSError, match="in use"):
        Provider(script, port=first.port).__enter__()
