"""Decides which traffic is opened, which is recorded, and where it goes. Pure."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from wiretape.errors import UpstreamError
from wiretape.facts import host_in_url
from wiretape.redact import redact_text
from wiretape.scope import MODEL_HOSTS, host_matcher, purpose_of


class Scope(StrEnum):
    """What is recorded of the traffic that is opened."""

    RESPONSES = "responses"
    ALL = "all"


class Upstream(NamedTuple):
    """Where requests are sent instead of the address they ask for."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.scheme}://{host_in_url(self.host)}:{self.port}"


@dataclass(frozen=True, slots=True)
class Routing:
    """The rules of one recording.

    ``hosts`` are the patterns of the hosts whose TLS is opened. ``upstream``, where it is given,
    takes the place of the address of every request that is recorded.
    """

    hosts: tuple[str, ...] = MODEL_HOSTS
    scope: Scope = Scope.RESPONSES
    upstream: Upstream | None = None

    def opens(self, host: str) -> bool:
        """Whether a TLS connection to ``host`` is opened; others pass untouched."""
        return host_matcher(self.hosts)(host)

    def records(self, method: str, target: str, *, is_upgrade: bool) -> bool:
        """Whether a request on an opened connection goes to the tape."""
        return self.scope is Scope.ALL or (
            purpose_of(method, target, is_upgrade=is_upgrade) is not None
        )


def parse_upstream(url: str) -> Upstream:
    """Reads the address given with ``--upstream``.

    Raises:
        UpstreamError: it is no URL of a server, or holds more than one.
    """
    said = redact_text(url)
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme, parts.hostname, parts.port
    except ValueError:
        scheme, host, port = "", None, None
    if scheme not in ("http", "https") or not host:
        raise UpstreamError(
            f"{said!r} is not an upstream: give scheme, host and port, like http://127.0.0.1:8080."
        )
    if parts.path not in ("", "/") or parts.query or parts.fragment or parts.username:
        raise UpstreamError(
            f"{said!r} holds more than scheme, host and port: requests keep their own path, "
            f"so give {scheme}://{parts.netloc.rpartition('@')[2]}."
        )
    return Upstream(scheme, host, port or (443 if scheme == "https" else 80))


_BASE_URL: Final = re.compile(r"base_url\s*=\s*['\"]?(https?://[^'\"\s]+)")


def configured_hosts(
    codex_config: str, environment: Mapping[str, str], command: Sequence[str]
) -> tuple[str, ...]:
    """The model hosts that the client's own configuration names.

    ``codex_config`` is the text of Codex's ``config.toml``, empty where there is none; a text
    that is not TOML names nothing (the client will complain about it, not we).
    """
    urls = [environment.get("OPENAI_BASE_URL", "")]
    with suppress(tomllib.TOMLDecodeError):
        urls += _base_urls(tomllib.loads(codex_config))
    for argument in command:
        urls += _BASE_URL.findall(argument)
    return tuple(dict.fromkeys(_hosts(urls)))


def _base_urls(table: Mapping[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _base_urls(value)
        elif key.endswith("base_url") and isinstance(value, str):
            yield value


def _hosts(urls: Iterable[str]) -> Iterator[str]:
    for url in urls:
        try:
            host = urlsplit(url).hostname
        except ValueError:
            continue
        if host:
            yield host
