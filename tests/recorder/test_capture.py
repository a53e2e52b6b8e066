"""Capturing: numbers, secrets, and exactly one end for each exchange."""

from typing import Any

import pytest

import recorder.capture
from recorder.capture import Capture, OpenExchange
from wiretape.facts import (
    End,
    EndKind,
    Fact,
    Gap,
    Piece,
    PieceKind,
    RequestBody,
    RequestHead,
    ResponseHead,
    Sender,
)


def begun(capture: Capture, connection: str = "a", **more: Any) -> OpenExchange:
    asked: dict[str, Any] = {
        "method": "POST",
        "scheme": "https",
        "host": "api.openai.com",
        "port": 443,
        "target": "/v1/responses",
        "http_version": "HTTP/1.1",
        "headers": (),
    }
    return capture.begin(10, connection=connection, **(asked | more))


def test_an_exchange_from_head_to_end() -> None:
    """Every fact in order, with its time."""
    facts: list[Fact] = []
    exchange = begun(Capture(facts.append), upstream="http://127.0.0.1:1")
    exchange.request_data(11, b"{")
    exchange.request_data(12, b"}")
    exchange.request_end(13)
    exchange.response_head(14, 200, "OK", "HTTP/1.1", (("a", "1"),))
    exchange.chunk(15, b"data")
    exchange.response_end(16)
    assert facts == [
        RequestHead(
            1,
            10,
            1,
            "POST",
            "https",
            "api.openai.com",
            443,
            "/v1/responses",
            "HTTP/1.1",
            (),
            "http://127.0.0.1:1",
        ),
        RequestBody(1, 13, b"{}"),
        ResponseHead(1, 14, 200, "OK", "HTTP/1.1", (("a", "1"),)),
        Piece(1, 15, Sender.SERVER, PieceKind.CHUNK, b"data"),
        End(1, 16, EndKind.COMPLETE),
    ]


def test_secrets_are_removed_on_the_way() -> None:
    """From both heads, the target and the detail of the end."""
    facts: list[Fact] = []
    exchange = begun(
        Capture(facts.append),
        target="/v1/responses?api-key=s3cr3t",
        headers=(("Authorization", "Bearer s3cr3t"),),
    )
    exchange.response_head(11, 200, "OK", "HTTP/1.1", (("Set-Cookie", "s3cr3t"),))
    exchange.end(12, EndKind.REFUSED, detail="http://me:s3cr3t@host is away")
    assert "s3cr3t" not in repr(facts)
    assert "http://[removed]@host is away" in repr(facts)


def test_only_the_first_end_is_heard() -> None:
    """And nothing that comes after it, but for what is lost."""
    facts: list[Fact] = []
    exchange = begun(Capture(facts.append))
    exchange.end(11, EndKind.CLIENT_CLOSED, Sender.CLIENT)
    exchange.end(12, EndKind.COMPLETE)
    exchange.chunk(13, b"late")
    exchange.socket_bytes(Sender.CLIENT, 14, b"late")
    assert facts[1:] == [End(1, 11, EndKind.CLIENT_CLOSED, Sender.CLIENT)]


def test_a_request_that_stops_is_kept_as_a_part() -> None:
    """At the end, what came of its body is told, and that it is not whole."""
    facts: list[Fact] = []
    exchange = begun(Capture(facts.append))
    exchange.request_data(11, b"part")
    exchange.end(12, EndKind.CLIENT_CLOSED)
    assert facts[1] == RequestBody(1, 12, b"part", is_whole=False)


def test_an_answer_that_comes_early() -> None:
    """The exchange is over when its request is too, which is on the tape whole."""
    facts: list[Fact] = []
    exchange = begun(Capture(facts.append))
    exchange.request_data(11, b"some")
    exchange.response_end(12)
    exchange.request_data(13, b" more")
    exchange.request_end(14)
    assert facts[1:] == [RequestBody(1, 14, b"some more"), End(1, 14, EndKind.COMPLETE)]


def test_a_client_that_has_its_answer_need_not_finish() -> None:
    """What it leaves unsaid does not make the response less than complete."""
    facts: list[Fact] = []
    capture = Capture(facts.append)
    exchange = begun(capture, "a")
    exchange.request_data(11, b"some")
    exchange.response_end(12)
    capture.connection_closed(13, "a", EndKind.CLIENT_CLOSED)
    assert facts[1:] == [
        RequestBody(1, 13, b"some", is_whole=False),
        End(1, 13, EndKind.COMPLETE),
    ]


def test_a_body_after_the_end_is_not_heard() -> None:
    """Whether some of it came before or not; nor is a head."""
    facts: list[Fact] = []
    capture = Capture(facts.append)
    asked, silent = begun(capture), begun(capture)
    asked.request_data(11, b"part")
    for exchange in (asked, silent):
        exchange.end(12, EndKind.COMPLETE)
        exchange.request_data(13, b"late")
        exchange.request_end(14)
        exchange.response_head(15, 200, "OK", "HTTP/1.1", ())
    assert facts[2:] == [
        RequestBody(1, 12, b"part", is_whole=False),
        End(1, 12, EndKind.COMPLETE),
        End(2, 12, EndKind.COMPLETE),
    ]


def test_a_hole_in_a_request_is_one_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first piece that does not fit: with all that follow it, the small ones too."""
    monkeypatch.setattr(recorder.capture, "BODY_LIMIT_BYTES", 5)
    facts: list[Fact] = []
    exchange = begun(Capture(facts.append))
    for at_us, data in ((11, b"1234"), (12, b"5678"), (13, b"9"), (14, b"0")):
        exchange.request_data(at_us, data)
    exchange.request_end(15)
    assert facts[1:] == [
        RequestBody(1, 15, b"1234", is_whole=False),
        Gap(12, 14, 1, 3, 6, "the request's body is too large to keep"),
    ]


def test_what_is_lost_is_a_gap_of_the_exchange() -> None:
    """With its size and why."""
    facts: list[Fact] = []
    begun(Capture(facts.append)).lost(11, 300, "why")
    assert facts[1] == Gap(11, 11, 1, 1, 300, "why")


def test_connections_are_numbered() -> None:
    """Exchanges that share one have its number; a name that comes again is another one."""
    facts: list[Fact] = []
    capture = Capture(facts.append)
    for connection in ("a", "b", "a"):
        begun(capture, connection).end(11, EndKind.COMPLETE)
    capture.connection_closed(12, "a", EndKind.CLIENT_CLOSED)
    begun(capture, "a")
    heads = [fact for fact in facts if isinstance(fact, RequestHead)]
    assert [(head.exchange, head.connection) for head in heads] == [(1, 1), (2, 2), (3, 1), (4, 3)]


def test_a_closed_connection_ends_what_was_open_on_it() -> None:
    """Whatever the proxy forgot to tell; other connections go on."""
    facts: list[Fact] = []
    capture = Capture(facts.append)
    begun(capture, "a")
    begun(capture, "b")
    assert not capture.is_idle
    capture.connection_closed(11, "a", EndKind.CLIENT_CLOSED)
    assert facts[2:] == [End(1, 11, EndKind.CLIENT_CLOSED, Sender.CLIENT)]
    capture.connection_closed(12, "b", EndKind.CLIENT_CLOSED)
    assert capture.is_idle


def test_stopping_ends_everything() -> None:
    """What is still open did not end: the recorder did."""
    facts: list[Fact] = []
    capture = Capture(facts.append)
    begun(capture)
    begun(capture)
    capture.finish(11)
    assert facts[2:] == [
        End(1, 11, EndKind.RECORDER_STOPPED),
        End(2, 11, EndKind.RECORDER_STOPPED),
    ]
    assert capture.is_idle
