"""What a fact says of itself."""

import pytest
from tape_facts import head

from wiretape.facts import Headers, RequestHead


@pytest.mark.parametrize(
    ("scheme", "host", "target", "url"),
    [
        ("http", "model.example", "/v1/responses?a=1", "http://model.example:81/v1/responses?a=1"),
        ("http", "::1", "/v1/responses", "http://[::1]:81/v1/responses"),
        ("https", "model.example", "model.example:81", "https://model.example:81"),
        ("http", "model.example", "*", "http://model.example:81"),
    ],
)
def test_the_address_of_a_request(scheme: str, host: str, target: str, url: str) -> None:
    """With brackets where it needs them, and each part once."""
    assert RequestHead(1, 0, 1, "POST", scheme, host, 81, target, "HTTP/1.1", ()).url == url


@pytest.mark.parametrize(
    ("headers", "answer"),
    [
        ((("upgrade", "websocket"),), True),
        ((("Upgrade", "WebSocket"),), True),
        ((("upgrade", "h2c"),), False),
        ((("connection", "upgrade"),), False),
        ((), False),
    ],
)
def test_a_request_for_a_websocket(headers: Headers, answer: bool) -> None:
    """By its header, in whatever case a client writes it."""
    assert head(headers=headers).is_upgrade is answer
