"""The guard: this machine may be reached, and nothing else. Nobody is really asked: Python's
announcements are made by hand."""

import socket
import sys
from collections.abc import Iterator

import pytest

from replayer.pytest_plugin.guard import NetworkRefused, only_this_machine


@pytest.fixture
def connection() -> Iterator[socket.socket]:
    with socket.socket() as unused:
        yield unused


@pytest.mark.parametrize("event", ["socket.connect", "socket.sendto", "socket.sendmsg"])
@pytest.mark.parametrize(
    ("host", "port"), [("192.0.2.1", 443), ("2001:db8::1", 80), ("api.example.com", 443)]
)
def test_another_machine_is_refused(
    connection: socket.socket, event: str, host: str, port: int
) -> None:
    """Whether it is connected to or sent to; it is named, and so is what to do."""
    with (
        only_this_machine() as refused,
        pytest.raises(NetworkRefused, match=f"reaches for {host}:{port}, which is not on this"),
    ):
        sys.audit(event, connection, (host, port))
    assert refused == [f"{host}:{port}"]


@pytest.mark.parametrize(
    "event", ["socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"]
)
def test_a_name_is_not_looked_up(event: str) -> None:
    """Whoever is asked about it would learn of it."""
    with only_this_machine() as refused, pytest.raises(NetworkRefused):
        sys.audit(event, "api.example.com")
    assert refused == ["api.example.com"]


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.8.8.8", "::1", "localhost", "LOCALHOST.", "model.localhost", "0.0.0.0", ""],
)
def test_this_machine_is_reached(connection: socket.socket, host: str) -> None:
    """By any of its own names."""
    with only_this_machine() as refused:
        sys.audit("socket.connect", connection, (host, 80))
        sys.audit("socket.getaddrinfo", host, 80)
    assert refused == []


@pytest.mark.parametrize("host", ["192.0.2.1", None, b"192.0.2.1", socket.gethostname()])
def test_reading_an_address_asks_nobody(host: str | bytes | None) -> None:
    """Servers do that to find where to listen."""
    with only_this_machine() as refused:
        sys.audit("socket.getaddrinfo", host, 80)
    assert refused == []


def test_a_file_is_on_this_machine() -> None:
    """Sockets of the file system are no network."""
    with only_this_machine() as refused, socket.socket(socket.AF_UNIX) as connection:
        sys.audit("socket.connect", connection, "/run/docker.sock")
    assert refused == []


def test_a_real_socket_passes_the_guard(connection: socket.socket) -> None:
    """Python announces what it does by these names."""
    with only_this_machine() as refused, pytest.raises(NetworkRefused):
        connection.connect(("192.0.2.1", 9))
    assert refused == ["192.0.2.1:9"]


def test_afterwards_nothing_is_refused(connection: socket.socket) -> None:
    """The guard is for the test that asked for it."""
    with only_this_machine():
        pass
    sys.audit("socket.connect", connection, ("192.0.2.1", 80))


def test_guards_may_be_nested(connection: socket.socket) -> None:
    """What the inner one refuses is the inner one's; the outer one goes on."""
    with only_this_machine() as outer:
        with only_this_machine() as inner, pytest.raises(NetworkRefused):
            sys.audit("socket.connect", connection, ("192.0.2.1", 1))
        with pytest.raises(NetworkRefused):
            sys.audit("socket.connect", connection, ("192.0.2.1", 2))
    assert (inner, outer) == (["192.0.2.1:1"], ["192.0.2.1:2"])
