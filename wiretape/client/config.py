"""The client's configuration, as far as it decides what crosses the wire.

Read from the text of a Codex ``config.toml``. Source: document 002 §1.1 and §5.1, document 000
§3.1; defaults and caps are the published client's.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from wiretape.client.dialect import Dialect
from wiretape.errors import UsageError

CHAT_REMOVED = """\
`wire_api = "chat"` is no longer supported.
How to fix: set `wire_api = "responses"` in your provider config.
More info: https://github.com/openai/codex/discussions/7782"""
"""What the client says of a provider that speaks the old wire. Word for word (000 §3.1)."""

WEBSOCKET_FEATURE = "responses_websockets"
MOST_RETRIES = 100

_OPENAI_NAME = "OpenAI"
_OPENAI_BASE_URL = "https://api.openai.com/v1"


class WireApi(StrEnum):
    """The ``wire_api`` of a provider, as its configuration spells it."""

    RESPONSES = "responses"
    CHAT = "chat"


@dataclass(frozen=True, slots=True)
class Provider:
    """A model provider, with the client's defaults for what the configuration leaves out."""

    name: str
    base_url: str
    supports_websockets: bool = False
    request_max_retries: int = 4
    """Retries of one POST that is answered 5xx or reaches nobody."""
    stream_max_retries: int = 5
    """Retries of a request whose stream failed; on each transport."""
    stream_idle_timeout_ms: int = 300_000
    websocket_connect_timeout_ms: int = 15_000

    @property
    def is_openai(self) -> bool:
        """The built-in provider, or one that goes by its name."""
        return self.name == _OPENAI_NAME

    @property
    def post_url(self) -> str:
        """Where responses are asked for over HTTP."""
        base, question, query = self.base_url.partition("?")
        return f"{base.rstrip('/')}/responses{question}{query}"

    @property
    def websocket_url(self) -> str:
        """The same over WebSocket (§4.1): ``http`` becomes ``ws``, ``https`` ``wss``."""
        url = self.post_url
        return f"ws{url.removeprefix('http')}" if url.startswith("http") else url


@dataclass(frozen=True, slots=True)
class Config:
    """What the client was told: the provider it uses, all it knows, and features by name."""

    provider: Provider
    providers: Mapping[str, Provider]
    features: Mapping[str, bool]
    model: str | None = None

    def is_websocket_configured(self, dialect: Dialect) -> bool:
        """Whether requests may go over WebSocket, as far as the configuration goes (§1.1)."""
        has_feature = self.features.get(WEBSOCKET_FEATURE, False)
        return self.provider.supports_websockets and (has_feature or not dialect.needs_feature)


BUILT_IN: Mapping[str, Provider] = {
    "openai": Provider(_OPENAI_NAME, _OPENAI_BASE_URL, supports_websockets=True),
    "ollama": Provider("gpt-oss", "http://localhost:11434/v1"),
    "lmstudio": Provider("gpt-oss", "http://localhost:1234/v1"),
}


def read_config(text: str) -> Config:
    """The configuration in this TOML. ``UsageError`` for one that the client refuses.

    A provider that still speaks the chat wire is refused in the client's own words (000 §3.1),
    even where another provider is the one in use.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"This is no TOML ({error}): give the text of a config.toml.") from error
    tables = _table(raw, "model_providers")
    configured = {name: _provider(name, _table(tables, name)) for name in tables}
    providers = {**configured, **BUILT_IN}
    chosen = raw.get("model_provider", "openai")
    if chosen not in providers:
        raise UsageError(
            f"The configuration uses the provider {chosen!r} and does not say what it is: "
            f"add [model_providers.{chosen}] to it."
        )
    return Config(
        provider=providers[chosen],
        providers=providers,
        features={
            name: is_on
            for name, is_on in _table(raw, "features").items()
            if isinstance(is_on, bool)
        },
        model=raw.get("model"),
    )


def _provider(key: str, raw: Mapping[str, Any]) -> Provider:
    wire_api = raw.get("wire_api", WireApi.RESPONSES)
    if wire_api == WireApi.CHAT:
        raise UsageError(CHAT_REMOVED)
    if wire_api != WireApi.RESPONSES:
        raise UsageError(
            f"The provider {key!r} has the wire_api {wire_api!r}: the only one is `responses`."
        )
    plain = Provider(name=raw.get("name", key), base_url=_base_url(raw))
    return Provider(
        name=plain.name,
        base_url=plain.base_url,
        supports_websockets=raw.get("supports_websockets", False),
        request_max_retries=_count(raw, "request_max_retries", plain, MOST_RETRIES),
        stream_max_retries=_count(raw, "stream_max_retries", plain, MOST_RETRIES),
        stream_idle_timeout_ms=_count(raw, "stream_idle_timeout_ms", plain),
        websocket_connect_timeout_ms=_count(raw, "websocket_connect_timeout_ms", plain),
    )


def _base_url(raw: Mapping[str, Any]) -> str:
    base_url: str = raw.get("base_url", _OPENAI_BASE_URL)
    query = "&".join(f"{name}={value}" for name, value in _table(raw, "query_params").items())
    return f"{base_url}?{query}" if query else base_url


def _count(raw: Mapping[str, Any], name: str, default: Provider, most: int | None = None) -> int:
    value = raw.get(name, getattr(default, name))
    if type(value) is not int or value < 0:
        raise UsageError(f"{name} is {value!r}: it must be a count.")
    return value if most is None else min(value, most)


def _table(raw: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The table of this name, empty where there is none. ``UsageError`` for something else."""
    table = raw.get(name, {})
    if not isinstance(table, dict):
        raise UsageError(f"{name} is {table!r}: it must be a table.")
    return table
