"""What a ``config.toml`` decides, and what it is refused for."""

import pytest

from wiretape.client.config import BUILT_IN, Provider, read_config
from wiretape.errors import UsageError

LOCAL = """
model = "gpt-5.2-codex"
model_provider = "local"
[features]
responses_websockets = true
[model_providers.local]
name = "Local"
base_url = "http://127.0.0.1:8080/v1/"
env_key = "LOCAL_KEY"
wire_api = "responses"
supports_websockets = true
request_max_retries = 2
stream_max_retries = 3
stream_idle_timeout_ms = 4000
websocket_connect_timeout_ms = 500
"""


def test_a_provider_is_read_with_its_budgets() -> None:
    """The provider in use, its budgets and timeouts, the model and the features."""
    config = read_config(LOCAL)
    assert config.provider == Provider(
        name="Local",
        base_url="http://127.0.0.1:8080/v1/",
        supports_websockets=True,
        request_max_retries=2,
        stream_max_retries=3,
        stream_idle_timeout_ms=4000,
        websocket_connect_timeout_ms=500,
    )
    assert config.features == {"responses_websockets": True}
    assert config.model == "gpt-5.2-codex"


def test_what_is_left_out_has_the_clients_defaults() -> None:
    """4 request retries, 5 stream retries, 300 s of silence, 15 s to connect, no WebSocket."""
    config = read_config('model_provider = "x"\n[model_providers.x]\nname = "X"\n')
    assert config.provider == Provider(
        name="X",
        base_url="https://api.openai.com/v1",
        supports_websockets=False,
        request_max_retries=4,
        stream_max_retries=5,
        stream_idle_timeout_ms=300_000,
        websocket_connect_timeout_ms=15_000,
    )


def test_an_empty_configuration_uses_openai() -> None:
    """Without a word the built-in provider is used, which supports WebSocket."""
    provider = read_config("").provider
    assert (provider.name, provider.supports_websockets) == ("OpenAI", True)
    assert provider.is_openai


def test_a_built_in_provider_cannot_be_replaced() -> None:
    """A table by the name of a built-in provider changes nothing."""
    text = '[model_providers.openai]\nname = "Mine"\nbase_url = "http://localhost/v1"\n'
    assert read_config(text).provider == BUILT_IN["openai"]


@pytest.mark.parametrize("name", ["request_max_retries", "stream_max_retries"])
def test_5_1_retries_are_capped_at_100(name: str) -> None:
    """However many retries are asked for, there are no more than 100."""
    text = f'model_provider = "x"\n[model_providers.x]\nname = "X"\n{name} = 1000\n'
    assert getattr(read_config(text).provider, name) == 100


@pytest.mark.parametrize("chosen", ["old", "openai"])
def test_000_3_1_the_chat_wire_is_refused_word_for_word(chosen: str) -> None:
    """``wire_api = "chat"`` is refused in three lines, whether or not that provider is used."""
    text = f'model_provider = "{chosen}"\n[model_providers.old]\nname = "Old"\nwire_api = "chat"\n'
    with pytest.raises(UsageError) as refused:
        read_config(text)
    assert str(refused.value) == (
        '`wire_api = "chat"` is no longer supported.\n'
        'How to fix: set `wire_api = "responses"` in your provider config.\n'
        "More info: https://github.com/openai/codex/discussions/7782"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model =", "no TOML"),
        ('model_provider = "nobody"', "nobody"),
        ('[model_providers.x]\nwire_api = "morse"', "morse"),
        ("[model_providers.x]\nstream_max_retries = -1", "stream_max_retries"),
        ('[model_providers.x]\nrequest_max_retries = "2"', "request_max_retries"),
        ("[model_providers.x]\nstream_idle_timeout_ms = true", "stream_idle_timeout_ms"),
        ("model_providers = 5", "model_providers"),
        ("[model_providers]\nx = 5", "x is 5"),
        ("features = []", "features"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused(text: str, said: str) -> None:
    """The refusal names what is wrong."""
    with pytest.raises(UsageError, match=said):
        read_config(text)


def test_features_that_are_not_switches_are_left_out() -> None:
    """Only truth values are features that are on or off."""
    assert read_config('[features]\na = false\nb = "x"\n').features == {"a": False}


@pytest.mark.parametrize(
    ("base_url", "post_url", "websocket_url"),
    [
        ("http://host/v1", "http://host/v1/responses", "ws://host/v1/responses"),
        ("https://host/v1//", "https://host/v1/responses", "wss://host/v1/responses"),
        ("wss://host/v1", "wss://host/v1/responses", "wss://host/v1/responses"),
    ],
)
def test_4_1_the_websocket_address_is_derived_from_the_base_url(
    base_url: str, post_url: str, websocket_url: str
) -> None:
    """The path ``responses`` is added, and the scheme becomes that of a WebSocket."""
    provider = Provider("x", base_url)
    assert (provider.post_url, provider.websocket_url) == (post_url, websocket_url)


def test_query_parameters_follow_the_path() -> None:
    """``query_params`` are put behind the whole address."""
    text = (
        'model_provider = "azure"\n[model_providers.azure]\nname = "Azure"\n'
        'base_url = "https://host/openai"\nquery_params = { api-version = "2025-04-01" }\n'
    )
    assert read_config(text).provider.post_url == (
        "https://host/openai/responses?api-version=2025-04-01"
    )
