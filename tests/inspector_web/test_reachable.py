"""By which addresses what listens here is reached."""

import re
import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from inspector_web.reachable import reachable_by
from inspector_web.serve import listening


@pytest.fixture
def anywhere() -> Iterator[socket.socket]:
    """A listener that takes what comes to any address."""
    with closing(listening("0.0.0.0", 0)) as listener:
        yield listener


def test_one_address_is_itself() -> None:
    """Whatever it was called."""
    with closing(listening("localhost", 0)) as listener:
        assert reachable_by(listener) in (("127.0.0.1",), ("::1",))


def test_any_address_is_none_to_open(anywhere: socket.socket) -> None:
    """What is told leads here: every number is one that can be listened on, ours or loopback."""
    *_, own = hosts = reachable_by(anywhere)
    assert own == "127.0.0.1"
    for host in hosts:
        assert host != "0.0.0.0"
        if re.fullmatch(r"[\d.]+", host):
            listening(host, 0).close()


@pytest.mark.parametrize(
    ("name", "told"), [("Workshop", True), ("localhost", False), ("<b>", False), ("", False)]
)
def test_the_name_of_the_machine_is_told(
    anywhere: socket.socket, monkeypatch: pytest.MonkeyPatch, name: str, told: bool
) -> None:
    """In lower case, as browsers send it; not where it leads nowhere."""
    monkeypatch.setattr(socket, "gethostname", lambda: name)
    assert (name.lower() in reachable_by(anywhere)) is told


def test_a_machine_without_a_network_has_itself(
    anywhere: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And its name."""

    def unreachable(*_: object) -> None:
        raise OSError("Network is unreachable")

    monkeypatch.setattr("inspector_web.reachable.socket.socket.connect", unreachable)
    monkeypatch.setattr(socket, "gethostname", lambda: "workshop")
    assert reachable_by(anywhere) == ("workshop", "127.0.0.1")
