"""What is traffic between an agent and its model, and which hosts are model hosts."""

import pytest

from wiretape.scope import MODEL_HOSTS, Purpose, host_matcher, is_this_machine, purpose_of


@pytest.mark.parametrize(
    ("method", "target", "purpose"),
    [
        ("POST", "/v1/responses", Purpose.RESPONSES),
        ("POST", "/backend-api/codex/responses", Purpose.RESPONSES),
        ("POST", "/openai/responses?api-version=2025-04-01-preview", Purpose.RESPONSES),
        ("POST", "/v1/responses/", Purpose.RESPONSES),
        ("POST", "/v1/responses/compact", Purpose.COMPACT),
        ("POST", "/v1/chat/completions", Purpose.CHAT),
        ("POST", "/openai/deployments/gpt/chat/completions?api-version=1", Purpose.CHAT),
        ("GET", "/v1/models", Purpose.MODELS),
        ("GET", "/backend-api/codex/models?client_version=0.99.0", Purpose.MODELS),
        ("GET", "/v1/responses", None),
        ("GET", "/v1/responses/resp_1", None),
        ("POST", "/v1/models", None),
        ("GET", "/v1/models/gpt-5", None),
        ("POST", "/v1/embeddings", None),
        ("POST", "/v1/myresponses", None),
        ("POST", "/simple/?next=/v1/responses", None),
        ("DELETE", "/v1/responses", None),
        ("CONNECT", "api.openai.com:443", None),
    ],
)
def test_the_purpose_of_a_request(method: str, target: str, purpose: Purpose | None) -> None:
    """Method and path tell; the query never does."""
    assert purpose_of(method, target, is_upgrade=False) is purpose


@pytest.mark.parametrize(
    ("method", "target", "purpose"),
    [
        ("GET", "/v1/responses", Purpose.RESPONSES),
        ("GET", "/v1/responses?model=gpt", Purpose.RESPONSES),
        ("GET", "/v1/models", None),
        ("GET", "/v1/realtime", None),
        ("POST", "/v1/responses", None),
    ],
)
def test_the_purpose_of_an_upgrade(method: str, target: str, purpose: Purpose | None) -> None:
    """A WebSocket is asked for where responses are."""
    assert purpose_of(method, target, is_upgrade=True) is purpose


@pytest.mark.parametrize(
    ("host", "is_opened"),
    [
        ("api.openai.com", True),
        ("API.OpenAI.com.", True),
        ("eu.api.openai.com", True),
        ("chatgpt.com", True),
        ("mine.openai.azure.com", True),
        ("mine.services.ai.azure.com", True),
        ("auth.openai.com", False),
        ("openai.com", False),
        ("ab.chatgpt.com", False),
        ("api.openai.com.evil.example", False),
        ("evil-api.openai.com", False),
        ("github.com", False),
        ("pypi.org", False),
        ("", False),
    ],
)
def test_the_model_hosts(host: str, is_opened: bool) -> None:
    """Everybody's model APIs, in any case, and nothing that only looks like them."""
    assert host_matcher(MODEL_HOSTS)(host) is is_opened


def test_patterns_of_hosts() -> None:
    """A star stands for anything, dots included."""
    matches = host_matcher(("*.Corp.example", "10.0.0.*", "one.example"))
    named = ("llm.corp.example", "a.b.corp.example", "corp.example", "10.0.0.7", "one.example")
    assert [matches(host) for host in named] == [True, True, False, True, True]


@pytest.mark.parametrize(
    ("host", "answer"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("localhost", True),
        ("LocalHost.", True),
        ("model.localhost", True),
        ("0.0.0.0", False),
        ("10.0.0.1", False),
        ("notlocalhost", False),
        ("localhost.example", False),
        ("", False),
    ],
)
def test_the_hosts_that_are_this_machine(host: str, answer: bool) -> None:
    """Loopback by its addresses and by its names, however they are written."""
    assert is_this_machine(host) is answer
