"""Which HTTP requests are traffic between an agent and its model."""

from collections.abc import Callable
from enum import StrEnum
from fnmatch import fnmatchcase
from ipaddress import ip_address
from typing import Final


class Purpose(StrEnum):
    """What a request asks of the model API, as far as its method and path tell."""

    RESPONSES = "responses"
    COMPACT = "compact"
    CHAT = "chat"
    MODELS = "models"


_PURPOSES: Final = (
    ("POST", "/responses", Purpose.RESPONSES),
    ("POST", "/responses/compact", Purpose.COMPACT),
    ("POST", "/chat/completions", Purpose.CHAT),
    ("GET", "/models", Purpose.MODELS),
)

MODEL_HOSTS: Final = (
    "api.openai.com",
    "*.api.openai.com",
    "chatgpt.com",
    "*.openai.azure.com",
    "*.cognitiveservices.azure.com",
    "*.services.ai.azure.com",
)
"""Host patterns of the model APIs that everybody uses."""


def purpose_of(method: str, target: str, *, is_upgrade: bool) -> Purpose | None:
    """What the request is for, or ``None`` when it is not for a model API.

    ``target`` is the request's target in origin form, query included.
    """
    path = target.partition("?")[0].rstrip("/")
    if is_upgrade:
        return Purpose.RESPONSES if method == "GET" and path.endswith("/responses") else None
    for wanted_method, ending, purpose in _PURPOSES:
        if method == wanted_method and path.endswith(ending):
            return purpose
    return None


def base_path(target: str, purpose: Purpose) -> str:
    """The path of the base URL below which a client asks for this: ``/v1``."""
    (ending,) = (ending for _, ending, each in _PURPOSES if each is purpose)
    return target.partition("?")[0].rstrip("/").removesuffix(ending)


def is_this_machine(host: str) -> bool:
    """Whether the host is loopback: an address of it, or ``localhost`` and what lies below it.

    Those names are this machine's whatever a resolver says (RFC 6761, section 6.3).
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        name = host.lower().rstrip(".")
        return name == "localhost" or name.endswith(".localhost")


def host_matcher(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    """A test whether a host name matches one of ``patterns`` (``*`` stands for anything)."""
    wanted = tuple(pattern.lower().rstrip(".") for pattern in patterns)

    def matches(host: str) -> bool:
        name = host.lower().rstrip(".")
        return any(fnmatchcase(name, pattern) for pattern in wanted)

    return matches
