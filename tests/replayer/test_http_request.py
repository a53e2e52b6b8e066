"""Requests and the addresses that they are meant for."""

import pytest

from replayer.http_request import HttpRequest, Origin, origin_of_tunnel, split_target
from wiretape.facts import Headers


@pytest.mark.parametrize(
    ("target", "origin", "seen"),
    [
        ("/v1/responses?a=b", None, "/v1/responses?a=b"),
        ("*", None, "*"),
        ("http://example.com/a?b=c#d", Origin("http", "example.com", 80), "/a?b=c"),
        ("HTTPS://Example.COM./a", Origin("https", "example.com", 443), "/a"),
        ("http://example.com", Origin("http", "example.com", 80), "/"),
        ("http://example.com?a=b", Origin("http", "example.com", 80), "/?a=b"),
        ("http://example.com:8080/", Origin("http", "example.com", 8080), "/"),
        ("http://example.com:/", Origin("http", "example.com", 80), "/"),
        ("http://user:pass@example.com/", Origin("http", "example.com", 80), "/"),
        ("http://[::1]:8080/a", Origin("http", "::1", 8080), "/a"),
        ("http://[::1]/a", Origin("http", "::1", 80), "/a"),
        ("http://127.0.0.1:9/a//b", Origin("http", "127.0.0.1", 9), "/a//b"),
        ("/http://example.com/", None, "/http://example.com/"),
    ],
)
def test_a_target_may_name_its_origin(target: str, origin: Origin | None, seen: str) -> None:
    """A proxy is given the whole address; a server is given the rest of it."""
    assert split_target(target) == (origin, seen)


@pytest.mark.parametrize(
    "target",
    [
        "http:///a",
        "http://:80/",
        "http://example.com:99999/",
        "http://example.com:0/",
        "http://example.com:http/",
        "http://[::1/",
        "http://::1/",
        "http://[example.com]/",
        "http://a b/",
    ],
)
def test_an_origin_may_make_no_sense(target: str) -> None:
    """Such a target is told apart from one that names no origin."""
    assert split_target(target) is None


@pytest.mark.parametrize(
    ("target", "origin"),
    [
        ("example.com:443", Origin("http", "example.com", 443)),
        ("EXAMPLE.com.:8443", Origin("http", "example.com", 8443)),
        ("[::1]:443", Origin("http", "::1", 443)),
        ("10.0.0.1:22", Origin("http", "10.0.0.1", 22)),
        ("example.com", None),
        ("example.com:", None),
        ("", None),
        ("/v1/responses", None),
        ("http://example.com/", None),
        ("::1:443", None),
    ],
)
def test_a_tunnel_leads_to_a_host_and_a_port(target: str, origin: Origin | None) -> None:
    """Both are needed, and nothing else may stand there."""
    assert origin_of_tunnel(target) == origin


@pytest.mark.parametrize(
    ("origin", "text"),
    [
        (Origin("https", "example.com", 443), "example.com:443"),
        (Origin("http", "::1", 80), "[::1]:80"),
    ],
)
def test_an_origin_is_shown_by_host_and_port(origin: Origin, text: str) -> None:
    """Ready to be put into a URL."""
    assert str(origin) == text


def request(method: str, version: str, headers: Headers) -> HttpRequest:
    return HttpRequest(method, "/v1/responses?a=b", headers, b"", 1, None, version)


@pytest.mark.parametrize(
    ("method", "headers", "is_upgrade"),
    [
        ("GET", (("Upgrade", "websocket"),), True),
        ("GET", (("upgrade", "h2c, WebSocket"),), True),
        ("GET", (("upgrade", "h2c"),), False),
        ("GET", (), False),
        ("POST", (("upgrade", "websocket"),), False),
    ],
)
def test_a_websocket_is_asked_for_by_a_get(method: str, headers: Headers, is_upgrade: bool) -> None:
    """The header may name several protocols, in any case."""
    assert request(method, "HTTP/1.1", headers).is_upgrade is is_upgrade


@pytest.mark.parametrize(
    ("version", "headers", "keeps_alive"),
    [
        ("HTTP/1.1", (), True),
        ("HTTP/1.1", (("connection", "keep-alive"),), True),
        ("HTTP/1.1", (("Connection", "te, Close"),), False),
        ("HTTP/1.1", (("connection", "te"), ("connection", "close")), False),
        ("HTTP/1.0", (), False),
        ("HTTP/1.0", (("connection", "keep-alive"),), False),
    ],
)
def test_a_connection_is_kept_unless_the_client_wants_it_closed(
    version: str, headers: Headers, keeps_alive: bool
) -> None:
    """HTTP/1.1 keeps connections by itself; for an older client we never do."""
    assert request("POST", version, headers).keeps_alive is keeps_alive


def test_a_path_has_no_query() -> None:
    """What kind of request it is does not depend on the query."""
    assert request("GET", "HTTP/1.1", ()).path == "/v1/responses"
