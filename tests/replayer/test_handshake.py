"""The handshake of a replayed socket: the recorded answer, fitted to what the client offers."""

import pytest
from http_requests import upgrade
from websockets.extensions.permessage_deflate import PerMessageDeflate

from replayer.actions import SendHead
from replayer.handshake import shake_hands
from replayer.http_request import HttpRequest
from wiretape.facts import Headers, header

ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
"""The answer to the client's key, by RFC 6455 1.3."""


def recorded(*headers: tuple[str, str]) -> SendHead:
    return SendHead(5, 101, "Switching Protocols", headers)


def offering(extensions: str) -> HttpRequest:
    return upgrade(headers=(("sec-websocket-extensions", extensions),))


def agreed(recorded_extensions: str, offered: str) -> tuple[str | None, PerMessageDeflate | None]:
    """The extensions header of the answer, and the compression that is used."""
    protocol, head, _ = shake_hands(
        offering(offered), recorded(("Sec-WebSocket-Extensions", recorded_extensions))
    )
    used = protocol.extensions[0] if protocol.extensions else None
    assert used is None or isinstance(used, PerMessageDeflate)
    return header(head.headers, "sec-websocket-extensions"), used


def test_the_recorded_head_answers_with_the_clients_key() -> None:
    """Order, names and all other headers are the recording's."""
    protocol, head, why_not = shake_hands(
        upgrade(),
        recorded(
            ("Date", "a long time ago"),
            ("Upgrade", "WebSocket"),
            ("X-Codex-Turn-State", "state"),
            ("Sec-WebSocket-Accept", "another"),
            ("x-codex-turn-state", "again"),
        ),
    )
    assert head == SendHead(
        5,
        101,
        "Switching Protocols",
        (
            ("Date", "a long time ago"),
            ("Upgrade", "websocket"),
            ("X-Codex-Turn-State", "state"),
            ("Sec-WebSocket-Accept", ACCEPT),
            ("x-codex-turn-state", "again"),
            ("connection", "Upgrade"),
        ),
    )
    assert (why_not, protocol.extensions) == (b"", [])


def test_what_a_handshake_needs_is_there_whatever_was_recorded() -> None:
    """A tape may come from somewhere else: without these three there is no socket."""
    _, head, _ = shake_hands(upgrade(), recorded())
    assert head.headers == (
        ("upgrade", "websocket"),
        ("connection", "Upgrade"),
        ("sec-websocket-accept", ACCEPT),
    )


def test_compression_that_was_recorded_is_used_again() -> None:
    """With the recorded settings of the server's side."""
    assert agreed("permessage-deflate", "permessage-deflate")[0] == "permessage-deflate"
    stated, used = agreed(
        "permessage-deflate; server_no_context_takeover; client_no_context_takeover;"
        " server_max_window_bits=10; client_max_window_bits=11",
        "permessage-deflate; client_max_window_bits",
    )
    assert stated == (
        "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
        "server_max_window_bits=10; client_max_window_bits=11"
    )
    assert used is not None
    assert (used.local_no_context_takeover, used.remote_no_context_takeover) == (True, True)
    assert (used.local_max_window_bits, used.remote_max_window_bits) == (10, 11)


def test_the_smallest_window_becomes_the_smallest_there_is() -> None:
    """zlib cannot compress with a window of 8 bits; 9 reads the same to a client."""
    stated, _ = agreed("permessage-deflate; server_max_window_bits=8", "permessage-deflate")
    assert stated == "permessage-deflate; server_max_window_bits=9"


@pytest.mark.parametrize(
    ("was_agreed", "offered"),
    [
        ("", "permessage-deflate"),
        ("permessage-deflate", ""),
        ("x-custom", "permessage-deflate, x-custom"),
        ("permessage-deflate", "permessage-deflate; server_max_window_bits=8"),
    ],
)
def test_compression_needs_both_recording_and_client(was_agreed: str, offered: str) -> None:
    """What was not used then, or is not offered now, is not used, and not stated."""
    assert agreed(was_agreed, offered) == (None, None)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"sec-websocket-key": None}, 400),
        ({"sec-websocket-key": "too short"}, 400),
        ({"sec-websocket-version": "12"}, 400),
        ({"sec-websocket-version": None}, 400),
        ({"connection": "close"}, 426),
    ],
)
def test_a_handshake_that_makes_no_sense_is_refused(
    changes: dict[str, str | None], status: int
) -> None:
    """With the status and the sentence that the library has for it."""
    headers: Headers = tuple(
        (name, value)
        for name, value in (dict(upgrade().headers) | changes).items()
        if value is not None
    )
    request = HttpRequest("GET", "/v1/responses", headers, b"", 1)
    _, head, why_not = shake_hands(request, recorded(("x-recorded", "yes")))
    assert head.status == status
    assert header(head.headers, "x-recorded") is None
    assert why_not.startswith(b"Failed to open a WebSocket connection: ")
    assert header(head.headers, "content-length") == str(len(why_not))
