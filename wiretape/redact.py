"""Decides what never reaches a tape: credentials, cookies and account ids.

A secret is replaced whole, never shortened: a prefix of a key is still a part of it. The
placeholder says what was removed. Secrets are told by the name they stand under, word by word
(``x-api-key``, ``clientSecret``, ``--auth-token``), and where the name says nothing, by their
shape (``sk-…``, ``Bearer …``). Bodies are not touched; they hold the conversation, and a tape
that changed them could not be replayed.
"""

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import unquote

from wiretape.facts import Headers

_SECRET_WORDS: Final = frozenset(
    {
        "assertion",
        "attestation",
        "auth",
        "authenticate",
        "authentication",
        "authorization",
        "bearer",
        "csrf",
        "jwt",
        "key",
        "pass",
        "passcode",
        "passphrase",
        "pwd",
        "sid",
        "sig",
        "signature",
        "xsrf",
    }
)
_SECRET_ENDINGS: Final = (
    "accesskey",
    "apikey",
    "cookie",
    "cookie2",
    "cookies",
    "credential",
    "credentials",
    "jwt",
    "passwd",
    "password",
    "privatekey",
    "secret",
    "secretkey",
    "secrets",
    "token",
)
"""Of a word, because they are often written together with what they are for."""

_ACCOUNT_WORDS: Final = frozenset(
    {
        "account",
        "customer",
        "email",
        "org",
        "organisation",
        "organization",
        "principal",
        "project",
        "tenant",
        "user",
        "workspace",
    }
)
"""At the end of a name, with or without ``id``: ``openai-project``, ``chatgpt-account-id``."""

_NO_SECRETS: Final = frozenset(
    {
        "access-control-allow-credentials",
        "idempotency-key",
        "sec-websocket-key",
        "x-idempotency-key",
    }
)
_WORD: Final = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")

_SHAPES: Final = re.compile(
    r"""\b(?:sk|pk|rk|sess)[-_][\w.-]{10,}
    | \bgh[opsur]_\w{10,} | \bgithub_pat_\w{10,} | \bglpat-[\w-]{10,} | \bxox[a-z]-[\w-]{10,}
    | \bAIza[\w-]{20,} | \bya29\.[\w-]{10,} | \bhf_\w{10,} | \bnpm_\w{10,}
    | \b(?:AKIA|ASIA)[0-9A-Z]{12,}
    | \beyJ[\w-]{8,}\.[\w.-]+
    | \b(?:[Bb]earer|BEARER)\s+[^\s"',;]{12,}
    | (?<=api-key\.)[^\s"',;]+""",
    re.VERBOSE,
)
"""What looks like a credential wherever it stands. The last is how browsers send a key as the
name of a WebSocket subprotocol."""

_USERINFO: Final = re.compile(r"(\b[a-z][a-z0-9+.-]*:)?//[^/?#@\s\"']+@", re.IGNORECASE)
_PARAMETER: Final = re.compile(r"([?&;])([^=&;#?\s\"']+)=([^&;#\s\"'<>]+)")
_ASSIGNED: Final = re.compile(r"([A-Za-z][\w.-]*)[\"']?\s*([:=])\s*")
_VALUES: Final = {
    ":": re.compile(r"\"[^\"]*\"|'[^']*'|[^\"'\r\n]+"),
    "=": re.compile(r"\"[^\"]*\"|'[^']*'|[^\s\"',;&}]+"),
}
"""What is given to a name: after a colon, as in a header, up to the end of the line."""

_BARE_HEADERS: Final = frozenset({"authorization", "cookie", "password", "secret", "token"})
"""Words that name a secret before a colon. Others do not: people write "the key: …"."""

_OPTION: Final = re.compile(r"--?[A-Za-z][\w-]*")
_USER_AND_PASSWORD: Final = re.compile(r"(-u|--user|--proxy-user)")


def is_secret_name(name: str) -> bool:
    """Whether what stands under this name (of a header, parameter, option) must not be kept."""
    lowered = name.lower()
    if lowered in _NO_SECRETS:
        return False
    words = [word.lower() for word in _WORD.findall(name)]
    if any(word in _SECRET_WORDS or word.endswith(_SECRET_ENDINGS) for word in words):
        return True
    while words and words[-1] in ("id", "uuid", "name"):
        words.pop()
    return bool(words) and words[-1] in _ACCOUNT_WORDS


def is_secret_header(name: str) -> bool:
    """Whether the value of this header must not be kept."""
    return is_secret_name(name)


def redact_headers(headers: Headers) -> Headers:
    """``headers`` with each secret value replaced by a placeholder; order and names are kept."""
    return tuple(
        (name, f"[removed: {name.lower()}]" if is_secret_header(name) else redact_text(value))
        for name, value in headers
    )


def redact_target(target: str) -> str:
    """A request target with the values of secret query parameters replaced."""
    return redact_text(target)


def redact_text(text: str) -> str:
    """Any text without what looks like a credential, or is one in a URL."""
    text = _USERINFO.sub(r"\1//[removed]@", text)
    text = _PARAMETER.sub(_without_secret_parameter, text)
    return _SHAPES.sub("[removed]", text)


def redact_command(arguments: Iterable[str]) -> list[str]:
    """A command line with what looks like credentials replaced, inside scripts and settings too."""
    kept: list[str] = []
    option = ""
    for argument in arguments:
        if (option and is_secret_name(option)) or (
            _USER_AND_PASSWORD.fullmatch(option) and ":" in argument
        ):
            kept.append("[removed]")
            option = ""
        else:
            kept.append(_without_secret_assignments(redact_text(argument)))
            option = argument if _OPTION.fullmatch(argument) else ""
    return kept


def _without_secret_parameter(match: re.Match[str]) -> str:
    mark, name, _ = match.groups()
    decoded = unquote(name)
    # In a URL "code" is an authorisation code; elsewhere it may be an error's.
    return f"{mark}{name}=removed" if decoded == "code" or is_secret_name(decoded) else match[0]


def _names_a_secret(assigned: re.Match[str]) -> bool:
    name = assigned[1]
    if not is_secret_name(name):
        return False
    is_quoted = assigned.string[assigned.end(1)] in "\"'"
    is_prose = assigned[2] == ":" and name.isalpha() and not is_quoted
    return not is_prose or name.lower() in _BARE_HEADERS


def _without_secret_assignments(text: str) -> str:
    kept: list[str] = []
    at = 0
    for match in _ASSIGNED.finditer(text):
        if match.start() >= at and _names_a_secret(match):
            value = _VALUES[match[2]].match(text, match.end())
            if value is not None:
                kept += [text[at : match.end()], "[removed]"]
                at = value.end()
    return "".join((*kept, text[at:]))
