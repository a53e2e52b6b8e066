"""By which addresses a browser reaches what listens on this machine."""

import re
import socket
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import ip_address
from typing import Final

_FAR: Final = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses that nobody has (RFC 5737, RFC 3849): the way to one begins where others find us."""
_LOOPBACK: Final = {socket.AF_INET: "127.0.0.1", socket.AF_INET6: "::1"}
_NAME: Final = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")


def reachable_by(listener: socket.socket) -> tuple[str, ...]:
    """The hosts, in numbers or by name, that lead to the listener. Where it takes what comes to any
    address: those that others use, then the machine's name, then its own loopback."""
    host: str = listener.getsockname()[0]
    if not ip_address(host).is_unspecified:
        return (host,)
    families = list(_families(listener))
    outer = [address for family in families for address in _outer_address(family)]
    name = socket.gethostname().lower()
    names = [name] if _NAME.fullmatch(name) and name != "localhost" else []
    return (*outer, *names, _LOOPBACK[families[0]])


def _families(listener: socket.socket) -> Iterator[socket.AddressFamily]:
    family = socket.AddressFamily(listener.family)
    yield family
    if family is socket.AF_INET6 and not listener.getsockopt(
        socket.IPPROTO_IPV6, socket.IPV6_V6ONLY
    ):
        yield socket.AF_INET


def _outer_address(family: socket.AddressFamily) -> Iterator[str]:
    """The address that this machine has on its way to others, if it has one; nothing is sent."""
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as asked:
        asked.connect((_FAR[family], 9))
        found: str = asked.getsockname()[0]
        if not ip_address(found).is_loopback:
            yield found
