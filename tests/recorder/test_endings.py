"""How an exchange ended, judged from what the proxy tells: every cell written out."""

import os

import pytest

from recorder.endings import Trouble, ending_of, in_short, told
from wiretape.facts import EndKind, Sender

CLIENT, SERVER = Sender.CLIENT, Sender.SERVER
EOF = "HTTP/1 protocol error: peer closed connection without sending complete message body"


@pytest.mark.parametrize(
    ("trouble", "how", "side"),
    [
        (Trouble(CLIENT, "Client disconnected."), EndKind.CLIENT_CLOSED, CLIENT),
        (Trouble(CLIENT, EOF), EndKind.CLIENT_CLOSED, CLIENT),
        (Trouble(CLIENT, "stream reset by client (CANCEL)"), EndKind.CLIENT_CLOSED, CLIENT),
        (Trouble(CLIENT, "peer closed connection"), EndKind.CLIENT_CLOSED, CLIENT),
        (Trouble(CLIENT, "Client disconnected.", is_reset=True), EndKind.RESET, CLIENT),
        (Trouble(CLIENT, "HTTP/1 protocol error: illegal"), EndKind.PROTOCOL_ERROR, CLIENT),
        (Trouble(SERVER, EOF), EndKind.SERVER_CLOSED, SERVER),
        (Trouble(SERVER, "server closed connection"), EndKind.SERVER_CLOSED, SERVER),
        (Trouble(SERVER, "unexpected server response: b'HT'"), EndKind.SERVER_CLOSED, SERVER),
        (Trouble(SERVER, "stream reset by client (CANCEL)"), EndKind.SERVER_CLOSED, SERVER),
        (Trouble(SERVER, "HTTP/2 connection closed: <...>"), EndKind.SERVER_CLOSED, SERVER),
        (Trouble(SERVER, EOF, is_reset=True), EndKind.RESET, SERVER),
        (Trouble(SERVER, "Cannot parse HTTP response"), EndKind.PROTOCOL_ERROR, SERVER),
        (Trouble(SERVER, "[Errno 111]", is_unreached=True), EndKind.REFUSED, None),
        (Trouble(SERVER, "bad", is_unreached=True, is_tls=True), EndKind.TLS_FAILURE, SERVER),
        (Trouble(SERVER, "connection closed", is_tls=True), EndKind.TLS_FAILURE, SERVER),
    ],
    ids=repr,
)
def test_the_ending(trouble: Trouble, how: EndKind, side: Sender | None) -> None:
    """From side, words and what is known of the connections follows one ending."""
    assert ending_of(trouble) == (how, side)


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("Client disconnected.", "Client disconnected."),
        (
            "unexpected server response: b'HTTP/1.1 200 OK\\r\\nset-cookie: s3cr3t'",
            "unexpected server response",
        ),
        ('Cannot parse HTTP response: Invalid: b"it\'s"', "Cannot parse HTTP response: Invalid"),
    ],
)
def test_the_bytes_of_the_wire_are_not_quoted(words: str, kept: str) -> None:
    """The proxy quotes what it could not parse; a header in it may be a secret."""
    assert told(words) == kept


@pytest.mark.parametrize(
    ("words", "short"),
    [
        ("[Errno 111] Connect call failed ('127.0.0.1', 80)", os.strerror(111)),
        ("Multiple exceptions: [Errno 111] a, [Errno 111] b", os.strerror(111)),
        ("[Errno -2] Name or service not known", "Name or service not known"),
        ("TLS handshake failed", "TLS handshake failed"),
    ],
)
def test_a_person_is_told_in_short(words: str, short: str) -> None:
    """An error of the system's in the system's words, without addresses and numbers."""
    assert in_short(words) == short
