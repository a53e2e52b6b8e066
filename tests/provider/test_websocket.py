"""The provider over WebSocket: messages, compression, and every way in which a socket ends."""

import contextlib
import json
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from certificates import loopback_certificate
from provider import Provider
from provider_log import Ask, Exit, Left
from provider_script import (
    Accept,
    Close,
    Drop,
    Ending,
    Fin,
    Hang,
    Ping,
    Plain,
    Reply,
    Reset,
    Script,
    Written,
)
from websockets.exceptions import ConnectionClosedError, InvalidMessage, InvalidStatus
from websockets.sync.client import ClientConnection, connect

ONE: dict[str, object] = {"type": "one", "text": "naïve\u2028✓"}
STEPS = Written((ONE, "not json", b"\x00\x01", Ping()))
REQUEST = json.dumps({"type": "response.create", "input": []})
WARM_UP = json.dumps({"type": "response.create", "input": [], "generate": False})


@contextlib.contextmanager
def opened(*messages: Reply, **options: Any) -> Iterator[tuple[Provider, ClientConnection]]:
    """A provider with these replies, and a socket to it."""
    script = Script(upgrades=(Accept(),), messages=messages)
    with Provider(script) as provider, dial(provider, **options) as socket:
        yield provider, socket


def dial(provider: Provider, **options: Any) -> ClientConnection:
    """A socket to the provider's …/responses."""
    address = provider.base_url.replace("http", "ws", 1) + "/responses"
    socket: ClientConnection = connect(address, proxy=None, **options)
    return socket


def read_on(socket: ClientConnection) -> list[str | bytes]:
    """What arrives until the socket ends in an error."""
    messages: list[str | bytes] = []
    with pytest.raises(ConnectionClosedError):
        while True:
            messages.append(socket.recv())
    return messages


@pytest.mark.parametrize("compression", ["deflate", None])
def test_messages_are_what_the_script_says(compression: str | None) -> None:
    """Each event is one message: compact JSON, text as it stands, or binary."""
    with opened(Reply(STEPS), compression=compression) as (_, socket):
        socket.send(REQUEST)
        assert [socket.recv() for _ in range(3)] == [
            '{"type":"one","text":"naïve\u2028✓"}',
            "not json",
            b"\x00\x01",
        ]


@pytest.mark.parametrize(
    ("compression", "names"), [("deflate", ["permessage-deflate"]), (None, [])]
)
def test_compression_is_agreed_when_offered(compression: str | None, names: list[str]) -> None:
    """permessage-deflate is used when the client offers it, and only then."""
    with opened(Reply(STEPS), compression=compression) as (_, socket):
        assert [extension.name for extension in socket.protocol.extensions] == names


def test_several_requests_share_a_socket() -> None:
    """Requests on one socket are answered in turn, and counted over all sockets."""
    replies = [Reply(Written(({"type": str(number)},))) for number in range(3)]
    with opened(*replies) as (provider, socket):
        seen = []
        for _ in range(2):
            socket.send(REQUEST)
            seen.append(socket.recv())
        with dial(provider) as another:
            another.send(REQUEST)
            seen.append(another.recv())
    assert seen == ['{"type":"0"}', '{"type":"1"}', '{"type":"2"}']
    assert provider.summary == "upgrade websocket websocket upgrade websocket"
    assert [asked.connection for asked in provider.requests] == [0, 0, 0, 1, 1]


def test_warm_up_is_answered_apart() -> None:
    """A request that generates nothing is completed, and does not count as a request."""
    with opened(Reply(Written((ONE,)))) as (provider, socket):
        socket.send(WARM_UP)
        warm = [json.loads(socket.recv())["type"] for _ in range(4)]
        socket.send(REQUEST)
        assert json.loads(socket.recv()) == ONE
    assert warm[0] == "codex.rate_limits"
    assert warm[-1] == "response.completed"
    assert provider.summary == "upgrade warm-up websocket"


def test_request_in_fragments_is_one_request() -> None:
    """A message that comes in several frames is read whole."""
    with opened(Reply(Written((ONE,)))) as (provider, socket):
        socket.send([REQUEST[:5], REQUEST[5:]])
        assert json.loads(socket.recv()) == ONE
    assert provider.requests[-1].body == {"type": "response.create", "input": []}


def test_ping_is_answered() -> None:
    """A client's ping gets its pong."""
    with opened(Reply(STEPS)) as (_, socket):
        assert socket.ping(b"x").wait(30)


def test_upgrade_carries_headers() -> None:
    """The 101 carries the headers that the script adds."""
    script = Script(upgrades=(Accept((("x-codex-turn-state", "one"),)),))
    with Provider(script) as provider, dial(provider) as socket:
        assert socket.response is not None
        assert socket.response.headers["x-codex-turn-state"] == "one"


def test_refused_upgrade_has_its_status() -> None:
    """An upgrade is refused with the script's status and body."""
    script = Script(upgrades=(Plain(426, "no"),))
    with Provider(script) as provider, pytest.raises(InvalidStatus) as refused:
        dial(provider)
    assert (refused.value.response.status_code, refused.value.response.body) == (426, b"no")
    assert provider.summary == "upgrade 426"


def test_dropped_upgrade_has_no_head() -> None:
    """An upgrade may get no answer at all."""
    with Provider(Script(upgrades=(Drop(Fin()),))) as provider, pytest.raises(InvalidMessage):
        dial(provider)
    assert provider.summary == "upgrade unanswered"


def test_close_carries_code_and_reason() -> None:
    """A close frame has the script's code and reason, after the events that it lets through."""
    with opened(Reply(STEPS, Close(1011, "scripted"), only=1)) as (provider, socket):
        socket.send(REQUEST)
        assert len(read_on(socket)) == 1
        closed = socket.protocol.close_rcvd
        (left,) = provider.wait_for_departures(1)
    assert closed is not None
    assert (closed.code, closed.reason) == (1011, "scripted")
    assert left == Left(0, left.at_s, Exit.CLOSE_FRAME, 1011, "scripted")


@pytest.mark.parametrize("end", [Fin(), Reset()])
def test_dropped_socket_has_no_close_frame(end: Ending) -> None:
    """FIN and RST end a socket after its events, without a close frame."""
    with opened(Reply(STEPS, end, only=2)) as (_, socket):
        socket.send(REQUEST)
        assert len(read_on(socket)) == 2
        assert socket.protocol.close_rcvd is None


def test_reset_is_a_reset() -> None:
    """RST shows as an error of the connection, which FIN does not."""
    causes = []
    for end in (Fin(), Reset()):
        with opened(Reply(STEPS, end, only=2)) as (_, socket):
            socket.send(REQUEST)
            with pytest.raises(ConnectionClosedError) as ended:
                while True:
                    socket.recv()
        causes.append(type(ended.value.__cause__))
    assert causes == [EOFError, ConnectionResetError]


def test_hang_keeps_the_socket_open() -> None:
    """After a reply that hangs nothing more comes, but the socket lives."""
    with opened(Reply(STEPS, Hang(), only=1)) as (_, socket):
        socket.send(REQUEST)
        socket.recv()
        assert socket.ping().wait(30)
        with pytest.raises(TimeoutError):
            socket.recv(timeout=0)


def test_close_of_the_client_is_answered_and_logged() -> None:
    """A client's close frame is returned to it, and its code and reason are in the log."""
    with opened(Reply(STEPS)) as (provider, socket):
        socket.close(1000, "enough")
        (left,) = provider.wait_for_departures(1)
        closed = socket.protocol.close_rcvd
    assert left == Left(0, left.at_s, Exit.CLOSE_FRAME, 1000, "enough")
    assert closed is not None
    assert closed.code == 1000


def test_dropping_client_is_logged() -> None:
    """A client that drops the socket without a close frame is seen to leave by FIN."""
    with opened(Reply(STEPS)) as (provider, socket):
        socket.socket.shutdown(1)
        (left,) = provider.wait_for_departures(1)
    assert left.how is Exit.FIN


def test_log_has_each_message() -> None:
    """Each message is logged with its raw text, its JSON and the address of its socket."""
    with opened(Reply(Written((ONE,)))) as (provider, socket):
        socket.send(REQUEST)
        socket.recv()
    upgrade, message = provider.requests
    assert (upgrade.kind, upgrade.method, upgrade.status) == (Ask.UPGRADE, "GET", 101)
    assert (message.kind, message.target, message.status) == (Ask.WEBSOCKET, "/v1/responses", None)
    assert message.raw == REQUEST.encode()
    assert message.body == json.loads(REQUEST)


def test_tls_is_served(tmp_path: Path) -> None:
    """With a certificate, sockets open over TLS."""
    certificate, key = loopback_certificate(tmp_path)
    trust = ssl.create_default_context(cafile=str(certificate))
    script = Script(upgrades=(Accept(),), messages=(Reply(Written((ONE,))),))
    with (
        Provider(script, tls=(certificate, key)) as provider,
        dial(provider, ssl=trust) as socket,
    ):
        socket.send(REQUEST)
        assert json.loads(socket.recv()) == ONE
