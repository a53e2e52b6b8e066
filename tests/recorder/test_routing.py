"""What is opened, what is recorded, and where it goes: decided from names alone."""

import pytest

from recorder.routing import Routing, Scope, Upstream, configured_hosts, parse_upstream
from wiretape.errors import UpstreamError


@pytest.mark.parametrize(
    ("url", "upstream"),
    [
        ("http://127.0.0.1:8080", Upstream("http", "127.0.0.1", 8080)),
        ("https://gateway.example", Upstream("https", "gateway.example", 443)),
        ("http://gateway.example/", Upstream("http", "gateway.example", 80)),
        ("http://[::1]:8080", Upstream("http", "::1", 8080)),
    ],
)
def test_an_upstream(url: str, upstream: Upstream) -> None:
    """Scheme, host and port, the port from the scheme where it is left out."""
    assert parse_upstream(url) == upstream


@pytest.mark.parametrize(
    "url",
    ["", "gateway", "gateway:80", "ftp://gateway", "http://", "http://gateway:many", "http://[::1"],
)
def test_what_is_no_upstream(url: str) -> None:
    """The sentence says what to give."""
    with pytest.raises(UpstreamError) as refusal:
        parse_upstream(url)
    assert str(refusal.value) == (
        f"{url!r} is not an upstream: give scheme, host and port, like http://127.0.0.1:8080."
    )


@pytest.mark.parametrize(
    ("url", "given"),
    [
        ("http://gateway:81/v1", "http://gateway:81"),
        ("https://gateway?x=1", "https://gateway"),
        ("https://me:s3cr3t@gateway/", "https://gateway"),
    ],
)
def test_an_upstream_with_more_than_an_address(url: str, given: str) -> None:
    """Requests keep their own path; a password is not repeated."""
    with pytest.raises(UpstreamError, match="holds more than scheme, host and port") as refusal:
        parse_upstream(url)
    assert f"so give {given}." in str(refusal.value)
    assert "s3cr3t" not in str(refusal.value)


def test_an_upstream_is_told_as_a_url() -> None:
    """An IPv6 address in brackets."""
    assert str(Upstream("http", "::1", 80)) == "http://[::1]:80"
    assert str(Upstream("https", "a.example", 443)) == "https://a.example:443"


def test_model_hosts_are_opened_and_what_is_added() -> None:
    """Others are not; patterns may hold a star."""
    routing = Routing(hosts=("api.openai.com", "*.corp.example"))
    named = ("api.openai.com", "llm.corp.example", "corp.example", "github.com")
    assert [routing.opens(host) for host in named] == [True, True, False, False]


def test_scope_decides_what_is_recorded() -> None:
    """Agent traffic only, or everything that is opened."""
    asked = (("POST", "/v1/responses"), ("GET", "/simple/"))
    responses, whole = Routing(), Routing(scope=Scope.ALL)
    assert [responses.records(*each, is_upgrade=False) for each in asked] == [True, False]
    assert [whole.records(*each, is_upgrade=False) for each in asked] == [True, True]


CONFIG = """
openai_base_url = "https://proxy.corp.example/openai"
chatgpt_base_url = "https://chat.corp.example/backend-api/"
[model_providers.azure]
base_url = "https://mine.example:8443/openai/v1"
[model_providers.local]
base_url = "http://127.0.0.1:11434/v1"
[profiles.work]
model = "m"
[mcp_servers.docs]
url = "https://mcp.example/"
"""


def test_the_hosts_of_the_clients_configuration() -> None:
    """Base URLs at any depth, and nothing else that looks like a URL."""
    assert configured_hosts(CONFIG, {}, ()) == (
        "proxy.corp.example",
        "chat.corp.example",
        "mine.example",
        "127.0.0.1",
    )


def test_the_hosts_of_environment_and_command() -> None:
    """``OPENAI_BASE_URL``, and settings given with ``-c``, each once."""
    command = (
        "codex",
        "-c",
        'model_providers.a.base_url="https://one.example/v1"',
        "-c",
        "openai_base_url=https://two.example:444",
        "https://no.example",
    )
    environment = {"OPENAI_BASE_URL": "https://two.example/v1"}
    assert configured_hosts("", environment, command) == ("two.example", "one.example")


@pytest.mark.parametrize("config", ["no = toml = at all", 'base_url = "http://[::1"', "base_url=7"])
def test_a_configuration_that_makes_no_sense_names_nothing(config: str) -> None:
    """The client will complain about it, not we."""
    assert configured_hosts(config, {}, ()) == ()
