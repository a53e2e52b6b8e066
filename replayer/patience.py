"""How long Codex waits in silence before it gives up, read and made shorter. Pure.

Codex counts the silence of a stream (``stream_idle_timeout_ms``, 300 s unless its configuration
says otherwise) and, of today, that of an unanswered handshake. Both are settings of the provider
that it uses. Those of the built-in OpenAI provider cannot be set, so another one stands in for it.
Seen with 0.99.0 and 0.169.0.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gateway.codex import place_of_codex

_BUILT_IN: Final = "openai"
_OTHERS_BUILT_IN: Final = frozenset({"amazon-bedrock", "lmstudio", "ollama", "ollama-chat", "oss"})
_STAND_IN: Final = "wiretape"
_IN_AN_ANSWER: Final = "stream_idle_timeout_ms"
_IN_A_HANDSHAKE: Final = "websocket_connect_timeout_ms"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a client waits in silence: for more of an answer, and for that to a handshake."""

    answer_ms: int = 300_000
    handshake_ms: int = 15_000

    def at_most(self, longest_ms: int) -> "Patience":
        """No longer than that anywhere."""
        return Patience(min(self.answer_ms, longest_ms), min(self.handshake_ms, longest_ms))

    @property
    def settings(self) -> Mapping[str, int]:
        """It, as a provider of Codex is told."""
        return {_IN_AN_ANSWER: self.answer_ms, _IN_A_HANDSHAKE: self.handshake_ms}


@dataclass(frozen=True, slots=True)
class Hurried:
    """A command that runs Codex so that it waits no longer than its ``patience``, instead of as
    long as it ``was`` to."""

    command: tuple[str, ...]
    was: Patience
    patience: Patience


def less_patient(
    command: Sequence[str], config: Mapping[str, Any], base_url: str | None, longest_ms: int
) -> Hurried | None:
    """The command that runs Codex so that it waits no longer; ``None`` where it runs none, or one
    whose provider nobody can change.

    ``config`` is Codex's, read; ``base_url`` is another address of its built-in provider.
    """
    at = place_of_codex(command)
    if at is None:
        return None
    settings = dict(_settings(command[at + 1 :]))
    provider = _provider(settings, config)
    if provider in _OTHERS_BUILT_IN:
        return None
    was = _patience(provider, settings, config)
    patience = was.at_most(longest_ms)
    if provider == _BUILT_IN:
        said = [f'model_provider="{_STAND_IN}"', _standing_in(base_url, patience)]
    else:
        said = [
            f"model_providers.{provider}.{name}={value}"
            for name, value in patience.settings.items()
        ]
    options = [word for setting in said for word in ("-c", setting)]
    # Of two that set the same, Codex heeds the last.
    after = at + 1 + max((end for end, _ in _options(command[at + 1 :])), default=0)
    return Hurried((*command[:after], *options, *command[after:]), was, patience)


def read_codex_config(text: str) -> Mapping[str, Any]:
    """The text of a ``config.toml``. One that cannot be read is for Codex to complain of."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def _provider(settings: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """The provider that Codex will use: its options come before its profile, that before the
    rest of its configuration."""
    profile = settings.get("profile") or config.get("profile")
    profiled = config.get("profiles", {}).get(profile, {})
    named = settings.get("model_provider") or profiled.get("model_provider")
    return str(named or config.get("model_provider") or _BUILT_IN)


def _patience(provider: str, settings: Mapping[str, Any], config: Mapping[str, Any]) -> Patience:
    """How long Codex would wait with this provider."""
    place = f"model_providers.{provider}"
    said = {**_table(config.get("model_providers"), provider), **_table(settings, place)}

    def limit_ms(name: str, usual_ms: int) -> int:
        value = settings.get(f"{place}.{name}", said.get(name))
        return value if isinstance(value, int) and value > 0 else usual_ms

    usual = Patience()
    return Patience(
        limit_ms(_IN_AN_ANSWER, usual.answer_ms), limit_ms(_IN_A_HANDSHAKE, usual.handshake_ms)
    )


def _table(members: Any, name: str) -> Mapping[str, Any]:
    table = members.get(name) if isinstance(members, Mapping) else None
    return table if isinstance(table, Mapping) else {}


def _settings(words: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """What the options of Codex set, by its name."""
    for _, (name, value) in _options(words):
        yield name, value


def _options(words: Sequence[str]) -> Iterator[tuple[int, tuple[str, Any]]]:
    """The options of Codex that set something: where each ends, and what it sets."""
    for at, (word, following) in enumerate(zip(words, (*words[1:], ""), strict=True), 1):
        match word:
            case "--":
                return
            case "-c" | "--config":
                yield at + 1, _setting(following)
            case "-p" | "--profile":
                yield at + 1, ("profile", following)
            case _ if word.startswith("--config="):
                yield at, _setting(word.removeprefix("--config="))
            case _ if word.startswith("--profile="):
                yield at, ("profile", word.removeprefix("--profile="))


def _setting(text: str) -> tuple[str, Any]:
    """A name and its value, which is TOML, or else a text as it stands."""
    name, _, value = text.partition("=")
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip().strip("\"'")


def _standing_in(base_url: str | None, patience: Patience) -> str:
    """A provider like the built-in one, but for its patience."""
    members = {
        "name": "OpenAI",
        "wire_api": "responses",
        "requires_openai_auth": True,
        "supports_websockets": True,
        **patience.settings,
        **({} if base_url is None else {"base_url": base_url}),
    }
    told = ", ".join(f"{name} = {json.dumps(value)}" for name, value in members.items())
    return f"model_providers.{_STAND_IN}={{{told}}}"
