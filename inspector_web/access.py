"""Who may look: decided from a request's heads alone, before any tape is opened.

The inspector shows what an agent and its model said, so no web page may read it through the
person's browser: not by a name of its own that leads here (DNS rebinding), not from another site,
not in a frame. Loopback needs no more than that; any other address needs a token.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from hmac import compare_digest
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final


@dataclass(frozen=True, slots=True)
class Access:
    """Where we listen, and the token that a browser must bring, ``None`` on loopback.

    ``reachable_by`` are the hosts that were printed as leading here.
    """

    host: str
    token: str | None
    reachable_by: tuple[str, ...] = ()

    @property
    def cookie(self) -> str:
        """The name of the cookie that keeps the token, so that two inspectors do not mix theirs."""
        digest = blake2b((self.token or "").encode(), digest_size=4).hexdigest()
        return f"wiretape-{digest}"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not answered: an HTTP status and a sentence."""

    status: int
    sentence: str


SECURITY_HEADERS: Final = {
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'none'",
            "style-src 'self'",
            "script-src 'self'",
            "img-src 'self'",
            "connect-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""On every answer, refusals included."""


def only_this_machine_reaches(host: str) -> bool:
    """Whether nobody else reaches the address; of names, ``localhost`` alone counts, as a resolver
    may lead what lies below it anywhere."""
    address = _address(host)
    return host.lower() == "localhost" or (address is not None and address.is_loopback)


def refusal(access: Access, headers: Mapping[str, str], cookie: str | None) -> Refusal | None:
    """Why the request with these headers is refused, or ``None``. ``cookie`` is the kept token."""
    name = _host_name(headers.get("Host", ""))
    if not _is_ours(access, name):
        return Refusal(
            403,
            f"this inspector does not answer to the name {name!r}: open the address that "
            "`wiretape inspect` printed.",
        )
    site = headers.get("Sec-Fetch-Site", "none")
    own = f"http://{headers.get('Host', '')}"
    if site not in ("none", "same-origin") or headers.get("Origin", own) != own:
        return Refusal(
            403,
            "this inspector does not answer to other sites: open its address by hand, in a new "
            "tab.",
        )
    if not holds_token(access, cookie):
        return Refusal(
            401, "this inspector needs its token: open the address that `wiretape inspect` printed."
        )
    return None


def holds_token(access: Access, given: str | None) -> bool:
    """Whether ``given`` is the token, where one is needed."""
    if access.token is None:
        return True
    return compare_digest((given or "").encode(), access.token.encode())


def _is_ours(access: Access, name: str) -> bool:
    """Whether the name leads here and nowhere else.

    An address in numbers cannot be rebound, so behind a forwarded port any of them will do; of
    names, only the one listened on, those that were printed, and ``localhost``.
    """
    if name in ("localhost", access.host.lower(), *access.reachable_by):
        return True
    address = _address(name)
    return address is not None and (access.token is not None or address.is_loopback)


def _host_name(host: str) -> str:
    """The name in a ``Host`` header, without its port and brackets, in lower case."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None
