"""Which proxy the user goes through anyway, as the environment names it."""

import pytest

from recorder.user_proxy import UserProxies, UserProxy, user_proxies
from wiretape.errors import UsageError

CORP = UserProxy("corp.example", 3128)


@pytest.mark.parametrize(
    ("environment", "proxy"),
    [
        ({}, None),
        ({"HTTPS_PROXY": ""}, None),
        ({"HTTP_PROXY": "http://corp.example:3128"}, None),
        ({"HTTPS_PROXY": "http://corp.example:3128"}, CORP),
        ({"https_proxy": "corp.example:3128", "HTTPS_PROXY": "http://other:1"}, CORP),
        ({"ALL_PROXY": "http://corp.example:3128/"}, CORP),
        ({"ALL_PROXY": "socks5://127.0.0.1:1080", "HTTPS_PROXY": "corp.example:3128"}, CORP),
        ({"https_proxy": "http://corp.example"}, UserProxy("corp.example", 80)),
        ({"https_proxy": "https://corp.example"}, UserProxy("corp.example", 443, is_tls=True)),
        ({"https_proxy": "http://[::1]:3128"}, UserProxy("::1", 3128)),
        (
            {"https_proxy": "http://me%40corp:p%3Aw@corp.example:3128"},
            UserProxy("corp.example", 3128, authorization="Basic bWVAY29ycDpwOnc="),
        ),
    ],
)
def test_the_proxy_for_tls(environment: dict[str, str], proxy: UserProxy | None) -> None:
    """Lower case wins, ALL_PROXY stands in, a name alone is one of HTTP."""
    environment = {"http_proxy": "http://plain.example", **environment}
    assert user_proxies(environment).on_the_way_to("https", "api.openai.com", 443) == proxy


@pytest.mark.parametrize(
    ("exceptions", "host", "is_direct"),
    [
        ("", "api.openai.com", False),
        ("*", "api.openai.com", True),
        ("openai.com", "api.openai.com", True),
        (".openai.com", "api.openai.com", True),
        ("*.openai.com", "api.openai.com", True),
        ("a.example, OpenAI.com", "api.openai.com.", True),
        ("penai.com", "api.openai.com", False),
        ("openai.com:443", "api.openai.com", True),
        ("openai.com:8443", "api.openai.com", False),
        ("10.0.0.0/8", "10.1.2.3", True),
        ("10.0.0.0/8", "11.1.2.3", False),
        ("10.1.2.3", "10.1.2.3", True),
        ("fd00::/8", "fd00::1", True),
        ("[fd00::1]", "fd00::1", True),
        (".", "api.openai.com", False),
        ("", "localhost", True),
        ("", "127.0.0.1", True),
        ("", "::1", True),
    ],
)
def test_hosts_that_do_without(exceptions: str, host: str, is_direct: bool) -> None:
    """Those in NO_PROXY, by name, end, address, network or port; and this machine."""
    proxies = user_proxies({"HTTPS_PROXY": "http://corp.example:3128", "NO_PROXY": exceptions})
    assert proxies.on_the_way_to("https", host, 443) == (None if is_direct else CORP)


@pytest.mark.parametrize("address", ["127.0.0.1:3128", "localhost:3128", "[::1]:3128"])
def test_a_proxy_on_this_machine(address: str) -> None:
    """Whoever set it up may want to see what stays on the machine; exceptions hold as ever."""
    proxies = user_proxies({"HTTPS_PROXY": f"http://{address}"})
    assert str(proxies.on_the_way_to("https", "127.0.0.1", 443)) == address.replace("[::1]", "::1")
    proxies = user_proxies({"HTTPS_PROXY": f"http://{address}", "NO_PROXY": "127.0.0.1"})
    assert proxies.on_the_way_to("https", "127.0.0.1", 443) is None


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        (
            {"ALL_PROXY": "socks5h://me:pw@127.0.0.1:1080"},
            "ALL_PROXY names a proxy that speaks socks5h ('socks5h://[removed]@127.0.0.1:1080'), "
            "and wiretape goes through those that speak HTTP only: name one in HTTPS_PROXY and "
            "HTTP_PROXY, or unset ALL_PROXY for this run.",
        ),
        (
            {"https_proxy": "http://:3128"},
            "https_proxy names no proxy ('http://:3128'): give it a URL like "
            "http://proxy.example:3128.",
        ),
        (
            {"HTTP_PROXY": "http://a:b"},
            "HTTP_PROXY names no proxy ('http://a:b'): give it a URL like "
            "http://proxy.example:3128.",
        ),
    ],
)
def test_proxies_that_cannot_be_used(environment: dict[str, str], sentence: str) -> None:
    """Refused before anything is run, without what is secret."""
    with pytest.raises(UsageError) as refusal:
        user_proxies(environment)
    assert str(refusal.value) == sentence


def test_a_password_is_not_shown() -> None:
    """Neither in a log nor in a failure."""
    (proxy,) = user_proxies({"https_proxy": "http://me:secret@corp.example"}).by_scheme.values()
    assert "c2Vj" not in repr(proxy)
    assert str(proxy) == "corp.example:80"


def test_none_is_named() -> None:
    """Then everything is reached directly."""
    assert UserProxies().on_the_way_to("https", "api.openai.com", 443) is None
    assert UserProxies().at("127.0.0.1", 80) is None
