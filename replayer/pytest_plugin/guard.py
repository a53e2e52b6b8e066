"""Keeps a test on this machine: what would leave it raises, and says what to do.

Stands where every socket of this process passes, whatever library opens it: Python's audit
events. (A library that opens sockets without Python is not seen.)
"""

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any, Final

from wiretape.errors import WiretapeError


class NetworkRefused(WiretapeError):
    """A test reached for something that is not on this machine."""


_ADDRESS_AT: Final = {
    "socket.connect": 1,
    "socket.sendto": 1,
    "socket.sendmsg": 1,
    "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0,
    "socket.gethostbyaddr": 0,
}
"""Audit events by which a program reaches out, and where in their arguments it says whereto."""

_LOOKS_UP: Final = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})
"""Those that only ask what a name stands for: to read an address asks nobody."""

_guards: list[list[str]] = []
_is_installed = False


@contextmanager
def only_this_machine() -> Iterator[list[str]]:
    """Refuses, while the context lasts, to reach anything but loopback; gives the list of what
    was refused.
    """
    global _is_installed
    if not _is_installed:
        sys.addaudithook(_hook)
        _is_installed = True
    refused: list[str] = []
    _guards.append(refused)
    try:
        yield refused
    finally:
        _guards.remove(refused)


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    __tracebackhide__ = True
    # It is called for everything that a program does: this must be over soon.
    if not _guards or event not in _ADDRESS_AT:
        return
    address = arguments[_ADDRESS_AT[event]]
    asks_only = event in _LOOKS_UP
    if not asks_only and arguments[0].family not in _INTERNET:
        return
    host = address if asks_only else address[0]
    if not isinstance(host, str | bytes | bytearray):
        return
    name = host if isinstance(host, str) else bytes(host).decode("ascii", "replace")
    if not _stays(name, asks_only=asks_only):
        where = name if asks_only else f"{name}:{address[1]}"
        _guards[-1].append(where)
        raise NetworkRefused(
            f"the test reaches for {where}, which is not on this machine: give its client "
            "wiretape_replay.base_url, or let it go through wiretape_replay.proxy."
        )


_INTERNET: Final = (socket.AF_INET, socket.AF_INET6)


def _stays(host: str, *, asks_only: bool) -> bool:
    """Whether it is on this machine, or nobody else has to be asked about it."""
    name = host.lower().rstrip(".")
    if name in ("", "localhost", socket.gethostname().lower()) or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return asks_only or address.is_loopback or address.is_unspecified
