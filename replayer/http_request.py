"""A request of the client, as a player is told of it, and the address that it is meant for."""

import re
from dataclasses import dataclass
from typing import Final

from wiretape.facts import Headers, all_headers, host_in_url

_AUTHORITY: Final = re.compile(
    r"(?:[^@/?#]*@)?(?:\[(?P<ipv6>[0-9A-Fa-f:.]+)\]|(?P<name>[^\[\]:@/?#\s]+))(?::(?P<port>\d*))?"
)
_ABSOLUTE: Final = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/?#]*)(?P<rest>.*)", re.I)
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a client means to send a request. ``host`` is in lower case."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        return f"{host_in_url(self.host)}:{self.port}"


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request that has arrived whole.

    ``origin`` is what the client means to reach, ``None`` where it was told to reach the player
    itself. ``connection`` numbers the client's connections to the player.
    """

    method: str
    target: str
    headers: Headers
    body: bytes
    connection: int
    origin: Origin | None = None
    http_version: str = "HTTP/1.1"

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def is_upgrade(self) -> bool:
        """Whether the client asks for a WebSocket."""
        return self.method == "GET" and "websocket" in _tokens(self.headers, "upgrade")

    @property
    def keeps_alive(self) -> bool:
        """Whether the client would send another request on the same connection."""
        return self.http_version == "HTTP/1.1" and "close" not in _tokens(
            self.headers, "connection"
        )


def origin_of_tunnel(target: str) -> Origin | None:
    """What a CONNECT asks for, ``None`` where it makes no sense. Until the client speaks, the
    scheme is taken to be plain HTTP."""
    return _origin("http", target, None)


def split_target(target: str) -> tuple[Origin | None, str] | None:
    """The origin that a request's target names, if any, and the target as a server sees it.

    ``None`` for a target that names an origin which makes no sense.
    """
    found = _ABSOLUTE.fullmatch(target)
    if found is None:
        return None, target
    scheme = found["scheme"].lower()
    origin = _origin(scheme, found["authority"], _DEFAULT_PORTS[scheme])
    if origin is None:
        return None
    rest = found["rest"].partition("#")[0]
    return origin, rest if rest.startswith("/") else f"/{rest}"


def _origin(scheme: str, authority: str, default_port: int | None) -> Origin | None:
    found = _AUTHORITY.fullmatch(authority)
    if found is None:
        return None
    port = int(found["port"]) if found["port"] else default_port
    if port is None or not 0 < port < 65536:
        return None
    host = found["ipv6"] or found["name"]
    return Origin(scheme, host.lower().rstrip("."), port)


def _tokens(headers: Headers, name: str) -> set[str]:
    values = ",".join(all_headers(headers, name))
    return {token.strip().lower() for token in values.split(",")}
