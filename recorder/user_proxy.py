"""The proxy that the user goes through anyway, as the environment names it. Pure.

What a company's network demands of its programs: ``HTTPS_PROXY``, ``HTTP_PROXY``, ``ALL_PROXY``,
and the exceptions in ``NO_PROXY``, each in lower case first, as curl and most others read them.
"""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from typing import Final
from urllib.parse import unquote, urlsplit

from wiretape.errors import UsageError
from wiretape.redact import redact_text
from wiretape.scope import is_this_machine

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class UserProxy:
    """A forward proxy. ``is_tls``: it is spoken to over TLS. ``authorization`` is secret."""

    host: str
    port: int
    is_tls: bool = False
    authorization: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class UserProxies:
    """The proxy of each scheme, where there is one, and the hosts that do without."""

    by_scheme: Mapping[str, UserProxy] = field(default_factory=dict)
    exceptions: tuple[str, ...] = ()

    def on_the_way_to(self, scheme: str, host: str, port: int) -> UserProxy | None:
        """The proxy that a request goes through.

        This machine needs none to reach itself; but one that runs on it may be there to see that
        too, as ours is.
        """
        proxy = self.by_scheme.get(scheme)
        if proxy is None or (is_this_machine(host) and not is_this_machine(proxy.host)):
            return None
        return None if any(_names(each, host, port) for each in self.exceptions) else proxy

    def at(self, host: str, port: int) -> UserProxy | None:
        """The one at this address."""
        found = self.by_scheme.values()
        return next((each for each in found if (each.host, each.port) == (host, port)), None)


def user_proxies(environment: Mapping[str, str]) -> UserProxies:
    """Reads them from ``environment``.

    Raises:
        UsageError: a proxy is no URL, or one that we cannot speak to.
    """
    by_scheme = {
        scheme: _proxy(variable, environment[variable])
        for scheme in _DEFAULT_PORTS
        if (variable := _first_set(environment, f"{scheme}_proxy", "all_proxy"))
    }
    exceptions = _first_set(environment, "no_proxy")
    listed = environment[exceptions].replace(",", " ").split() if exceptions else ()
    return UserProxies(by_scheme, tuple(listed))


def _first_set(environment: Mapping[str, str], *names: str) -> str | None:
    spelled = (each for name in names for each in (name, name.upper()))
    return next((name for name in spelled if environment.get(name)), None)


def _proxy(variable: str, url: str) -> UserProxy:
    said = redact_text(url)
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host:
        raise UsageError(
            f"{variable} names no proxy ({said!r}): give it a URL like http://proxy.example:3128."
        )
    if parts.scheme not in _DEFAULT_PORTS:
        raise UsageError(
            f"{variable} names a proxy that speaks {parts.scheme} ({said!r}), and wiretape goes "
            "through those that speak HTTP only: name one in HTTPS_PROXY and HTTP_PROXY, or unset "
            f"{variable} for this run."
        )
    authorization = None
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = "Basic " + b64encode(pair.encode()).decode()
    return UserProxy(
        host, port or _DEFAULT_PORTS[parts.scheme], parts.scheme == "https", authorization
    )


def _names(exception: str, host: str, port: int) -> bool:
    """Whether an entry of ``NO_PROXY`` names a host: by name or its end, address or network."""
    if exception == "*":
        return True
    try:
        return ip_address(host) in ip_network(exception.strip("[]"), strict=False)
    except ValueError:
        pass
    name, colon, number = exception.rpartition(":")
    if colon and number.isdecimal():
        if int(number) != port:
            return False
        exception = name
    wanted = exception.lower().removeprefix("*").strip(".")
    name = host.lower().rstrip(".")
    return bool(wanted) and (name == wanted or name.endswith(f".{wanted}"))
