"""Decides what never reaches a tape: credentials, cookies and account ids.

A secret is replaced whole, never shortened: a prefix of a key is still a part of it. The
placeholder says what was removed. Secrets are told by the name they stand under, however it is
written (``x-api-key``, ``clientSecret``, ``--auth-token``, ``accountid``), and where the name
says nothing, by their shape (``sk-…``, ``Bearer …``). Bodies are not touched; they hold the
conversation, and a tape that changed them could not be replayed.
"""

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import unquote

from wiretape.facts import Headers

_WORD: Final = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")

_WORDS: Final = r"""auth[nz]?|authenticate|creds?|hmac|keys?|mfa|otps?|pass|pins?|psk|pwds?|sid
    |sigs?|totps?|[cx]srf\w*"""
"""Words that name a secret by themselves, too short to be looked for inside others."""

_ENDINGS: Final = r"""(?:access|api|account|client|master|private|secret|session|signing)keys?
    |assertion|attestation|authentication|authorization|bearer|cookies?2?|credentials?|jwts?
    |oauth\w*|pass(?:code|key|phrase|word)s?|passwd|secrets?|signatures?|token
    |(?:access|api|auth|bearer|id|refresh|session)-?tokens"""
"""Ends of words: they are often written together with what they are for. ``tokens`` alone are
mostly counted."""

_ACCOUNTS: Final = r"""account|customer|email|org|organi[sz]ation|principal|project|tenant|user
    |workspace"""
"""At the end of a name, with or without ``id``: ``openai-project``, ``chatgpt-account-id``."""

_SECRET_NAME: Final = re.compile(
    rf"""(?:^|-)(?:{_WORDS})(?:-|$) | (?:{_ENDINGS})(?:-|$)
    | (?:{_ACCOUNTS})(?:-?(?:ids?|uuids?|names?))*$""",
    re.VERBOSE,
)
"""Of a name's words in lower case, joined by hyphens."""

_SECRET_ON_THE_WIRE: Final = re.compile(r"(?:^|-)session$")
"""As the name of a header or a parameter a secret too; elsewhere it is what it says."""

_NO_SECRETS: Final = frozenset(
    {
        "access-control-allow-credentials",
        "idempotency-key",
        "sec-websocket-key",
        "x-idempotency-key",
    }
)

_SHAPES: Final = re.compile(
    r"""\b(?:sk|pk|rk|sess)[-_][\w.-]{10,}
    | \bgh[opsur]_\w{10,} | \bgithub_pat_\w{10,} | \bglpat-[\w-]{10,} | \bxox[a-z]-[\w-]{10,}
    | \bAIza[\w-]{20,} | \bya29\.[\w-]{10,} | \bhf_\w{10,} | \bnpm_\w{10,}
    | \b(?:AKIA|ASIA)[0-9A-Z]{12,}
    | \beyJ[\w-]{8,}\.[\w.-]+
    | \b(?:[Bb]earer|BEARER)\s+[^\s"',;]{12,}
    | \b(?:[Bb]asic|BASIC)\s+(?=[A-Za-z+/]*[0-9=])[A-Za-z0-9+/]{8,}=*
    | (?<=api-key\.)[^\s"',;]+""",
    re.VERBOSE,
)
"""What looks like a credential wherever it stands. The last is how browsers send a key as the
name of a WebSocket subprotocol."""

_USERINFO: Final = re.compile(r"(\b[a-z][a-z0-9+.-]*:)?//[^/?#@\s\"']+@", re.IGNORECASE)
_PARAMETER: Final = re.compile(r"([?&;#])([^=&;#?\s\"']+)=([^&;#\s\"'<>]+)")
_ASSIGNED: Final = re.compile(r"([A-Za-z][\w.-]*)[\"']?\s*([:=])\s*")
_VALUES: Final = {
    ":": re.compile(r"\"[^\"]*\"|'[^']*'|[^\"'\r\n]+"),
    "=": re.compile(r"\"[^\"]*\"|'[^']*'|[^\s\"',;&}]+"),
}
"""What is given to a name: after a colon, as in a header, up to the end of the line."""

_BARE_HEADERS: Final = frozenset({"authorization", "cookie", "password", "secret", "token"})
"""Words that name a secret before a colon. Others do not: people write "the key: …"."""

_GLUED: Final = re.compile(r"(?<![\w-])-[A-Za-z]$")

_OPTION: Final = re.compile(r"--?[A-Za-z][\w-]*")
_OPTION_AND_VALUE: Final = re.compile(
    r"(?<![\w-])(--?[A-Za-z][\w-]*)(\s+)(\"[^\"]*\"|'[^']*'|[^\s\"']+)"
)
_USER_AND_PASSWORD: Final = re.compile(
    r"(?<![\w-])(-u|--(?:proxy-)?user)([\s=]*)(\"?'?)([^\s\"':]+:[^\s\"']+)"
)
"""As curl takes them."""

_USERS: Final = frozenset({"-u", "--user", "--proxy-user"})
_SCRIPT_FOLLOWS: Final = re.compile(r"-[a-z]*c")
_WHOLE_ASSIGNMENT: Final = re.compile(r"-{0,2}([A-Za-z_][\w.-]*)(=).*", re.DOTALL)


def is_secret_name(name: str) -> bool:
    """Whether what is given to this name (an option, a variable, a setting) must not be kept."""
    found = _SECRET_NAME.search(_hyphenated(name))
    return found is not None and name.lower() not in _NO_SECRETS


def is_secret_header(name: str) -> bool:
    """Whether the value of this header must not be kept."""
    return is_secret_name(name) or _SECRET_ON_THE_WIRE.search(_hyphenated(name)) is not None


def _hyphenated(name: str) -> str:
    return "-".join(word.lower() for word in _WORD.findall(name))


def redact_headers(headers: Headers) -> Headers:
    """``headers`` with each secret value replaced by a placeholder; order and names are kept."""
    return tuple(
        (name, f"[removed: {name.lower()}]" if is_secret_header(name) else redact_text(value))
        for name, value in headers
    )


def redact_text(text: str) -> str:
    """Any text (a target, a header's value) without what looks like a credential, or is one in
    a URL."""
    text = _USERINFO.sub(r"\1//[removed]@", text)
    text = _PARAMETER.sub(_without_secret_parameter, text)
    return _SHAPES.sub("[removed]", text)


def redact_command(arguments: Iterable[str]) -> list[str]:
    """A command line with what looks like credentials replaced, inside scripts and settings too."""
    kept: list[str] = []
    option = ""
    for argument in arguments:
        if is_secret_name(option) or (option in _USERS and ":" in argument):
            kept.append("[removed]")
            option = ""
            continue
        is_script = _SCRIPT_FOLLOWS.fullmatch(option) is not None
        kept.append(_without_secrets(argument, is_script=is_script))
        option = argument if _OPTION.fullmatch(argument) else ""
    return kept


def is_redacted(arguments: Iterable[str]) -> bool:
    """Whether something was taken out of a command line."""
    return any("[removed]" in argument for argument in arguments)


def _without_secrets(argument: str, *, is_script: bool) -> str:
    whole = _WHOLE_ASSIGNMENT.fullmatch(argument)
    # In a script the value ends where the next word begins.
    if whole is not None and not is_script and _names_a_secret(whole):
        return f"{argument[: whole.end(2)]}[removed]"
    text = _without_secret_assignments(redact_text(argument))
    text = _OPTION_AND_VALUE.sub(_without_secret_value, text)
    return _USER_AND_PASSWORD.sub(r"\1\2\3[removed]", text)


def _without_secret_value(match: re.Match[str]) -> str:
    option, space, _ = match.groups()
    return f"{option}{space}[removed]" if is_secret_name(option) else match[0]


def _without_secret_parameter(match: re.Match[str]) -> str:
    mark, name, _ = match.groups()
    decoded = unquote(name)
    # In a URL "code" is an authorisation code; elsewhere it may be an error's.
    return f"{mark}{name}=removed" if decoded == "code" or is_secret_header(decoded) else match[0]


def _names_a_secret(assigned: re.Match[str]) -> bool:
    names = [assigned[1]]
    if _GLUED.search(assigned.string, 0, assigned.start(1) + 1):
        # As in -HAuthorization: and -eTOKEN=, behind an option of one letter.
        names.append(assigned[1][1:])
    is_secret = is_secret_header if assigned[2] == ":" else is_secret_name
    is_quoted = assigned.string[assigned.end(1)] in "\"'"
    return any(
        is_secret(name)
        and (assigned[2] == "=" or is_quoted or not name.isalpha() or name.lower() in _BARE_HEADERS)
        for name in names
    )


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
