"""How long Codex waits in silence before it gives up, made shorter. Pure.

Codex counts the silence of a stream (``stream_idle_timeout_ms``, 300 s unless its configuration
says otherwise) and, of today, that of an unanswered handshake. Both are settings of the provider
that it uses. Those of the built-in OpenAI provider cannot be set, so another one stands in for it.
Seen with 0.99.0 and 0.169.0.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gateway.codex import place_of_codex

_BUILT_IN: Final = "openai"
_OTHERS_BUILT_IN: Final = frozenset({"amazon-bedrock", "lmstudio", "ollama", "ollama-chat", "oss"})
_STAND_IN: Final = "wiretape"
_SETTINGS: Final = ("stream_idle_timeout_ms", "websocket_connect_timeout_ms")


def less_patient(
    command: Sequence[str], config: Mapping[str, Any], base_url: str | None, longest_ms: int
) -> tuple[str, ...] | None:
    """The command that runs Codex so that it waits no longer; ``None`` where it runs none, or one
    whose provider nobody can change.

    ``config`` is Codex's, read; ``base_url`` is another address of its built-in provider.
    """
    at = place_of_codex(command)
    if at is None:
        return None
    provider = _provider(command[at + 1 :], config)
    if provider in _OTHERS_BUILT_IN:
        return None
    if provider == _BUILT_IN:
        settings = [f'model_provider="{_STAND_IN}"', _standing_in(base_url, longest_ms)]
    else:
        settings = [f"model_providers.{provider}.{each}={longest_ms}" for each in _SETTINGS]
    options = [word for setting in settings for word in ("-c", setting)]
    return (*command[: at + 1], *options, *command[at + 1 :])


def read_codex_config(text: str) -> Mapping[str, Any]:
    """The text of a ``config.toml``. One that cannot be read is for Codex to complain of."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def _provider(words: Sequence[str], config: Mapping[str, Any]) -> str:
    """The provider that Codex will use: its options come before its profile, that before the
    rest of its configuration."""
    settings = dict(_settings(words))
    profile = settings.get("profile") or config.get("profile")
    profiled = config.get("profiles", {}).get(profile, {})
    named = settings.get("model_provider") or profiled.get("model_provider")
    return str(named or config.get("model_provider") or _BUILT_IN)


def _settings(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What the options of Codex set."""
    for word, following in zip(words, (*words[1:], ""), strict=True):
        match word:
            case "-c" | "--config":
                yield _setting(following)
            case "-p" | "--profile":
                yield "profile", following
            case _ if word.startswith("--config="):
                yield _setting(word.removeprefix("--config="))
            case _ if word.startswith("--profile="):
                yield "profile", word.removeprefix("--profile=")


def _setting(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name.strip(), value.strip().strip("\"'")


def _standing_in(base_url: str | None, longest_ms: int) -> str:
    """A provider like the built-in one, but for its patience."""
    members = {
        "name": "OpenAI",
        "wire_api": "responses",
        "requires_openai_auth": True,
        "supports_websockets": True,
        **dict.fromkeys(_SETTINGS, longest_ms),
        **({} if base_url is None else {"base_url": base_url}),
    }
    told = ", ".join(f"{name} = {json.dumps(value)}" for name, value in members.items())
    return f"model_providers.{_STAND_IN}={{{told}}}"
