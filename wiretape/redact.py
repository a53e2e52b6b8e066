"""Decides what never reaches a tape: credentials, cookies and account ids.

A secret is replaced whole, never shortened: a prefix of a key is still a part of it. The
placeholder says what was removed. Bodies are not touched; they hold the conversation, and a tape
that changed them could not be replayed.
"""

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import unquote

from wiretape.facts import Headers

_SECRET_HEADERS: Final = frozenset(
    {
        "authorization",
        "proxy-authorization",
        "www-authenticate",
        "proxy-authenticate",
        "authentication-info",
        "cookie",
        "set-cookie",
        "openai-organization",
        "openai-project",
        "chatgpt-account-id",
        "x-amz-security-token",
        "x-goog-iam-authorization-token",
    }
)
_SECRET_HEADER_PARTS: Final = re.compile(
    r"api-?key|apikey|access-?token|auth-?token|id-?token|refresh-?token|csrf|xsrf|secret"
    r"|password|credential|account-?id|organization-?id|attestation|session-token|bearer",
    re.IGNORECASE,
)
_SECRET_PARAMETERS: Final = re.compile(
    r"^(api[-_]?key|key|.*token|sig|signature|secret|password|code|auth.*)$", re.IGNORECASE
)
_SECRET_WORDS: Final = re.compile(
    r"\b(?:(?:sk|pk|rk|sess|glpat|xox[abprs])-|gh[opsu]_|AIza|eyJ)[-_A-Za-z0-9.]{12,}"
)
_SECRET_ASSIGNMENT: Final = re.compile(
    r"^(-{0,2}[^=\s]*(?:key|token|secret|password|credential)[^=\s]*)=(.+)$",
    re.IGNORECASE | re.DOTALL,
)
_SECRET_OPTION: Final = re.compile(
    r"^-{1,2}[\w-]*(?:key|token|secret|password|credential)[\w-]*$", re.IGNORECASE
)
_USERINFO: Final = re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^/@\s]+@", re.IGNORECASE)


def is_secret_header(name: str) -> bool:
    """Whether the value of this header must not be kept."""
    lowered = name.lower()
    return lowered in _SECRET_HEADERS or _SECRET_HEADER_PARTS.search(lowered) is not None


def redact_headers(headers: Headers) -> Headers:
    """``headers`` with each secret value replaced by a placeholder; order and names are kept."""
    return tuple(
        (name, f"[removed: {name.lower()}]" if is_secret_header(name) else value)
        for name, value in headers
    )


def redact_target(target: str) -> str:
    """A request target with the values of secret query parameters replaced."""
    path, mark, query = target.partition("?")
    if not mark:
        return target
    parameters = [
        f"{name}=removed" if equals and _SECRET_PARAMETERS.match(unquote(name)) else parameter
        for parameter in query.split("&")
        for name, equals, _ in [parameter.partition("=")]
    ]
    return path + mark + "&".join(parameters)


def redact_command(arguments: Iterable[str]) -> list[str]:
    """A command line with what looks like credentials replaced."""
    kept = []
    value_is_secret = False
    for argument in arguments:
        if value_is_secret:
            kept.append("[removed]")
        elif assignment := _SECRET_ASSIGNMENT.match(argument):
            kept.append(f"{assignment[1]}=[removed]")
        else:
            kept.append(_SECRET_WORDS.sub("[removed]", _USERINFO.sub(r"\1[removed]@", argument)))
        value_is_secret = not value_is_secret and _SECRET_OPTION.match(argument) is not None
    return kept
