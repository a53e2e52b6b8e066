"""What is put in for the tries after a fault meets the client with no fault twice."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from replay_runs import WSS, Ran, child
from tapes import Recording, asks, says, wants

type Run = Callable[..., Ran]
A, B = ({"type": "response.completed", "response": {"id": name}} for name in "ab")
HEARD = {None: None, json.dumps(A): "a", json.dumps(B): "b"}


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    """Two requests on one socket."""
    recording = Recording()
    recording.socket(wants(asks("a")), says(A), wants(asks("b")), says(B))
    return recording.write(tmp_path / "tape.db")


def on_sockets(*sockets: str) -> list[str]:
    """A client that opens one socket after the other, and asks for each letter on it."""
    return child(*(("SOCKET", WSS, [asks(letter) for letter in letters]) for letters in sockets))


def heard(ran: Ran) -> list[list[Any]]:
    return [[HEARD[text] for text in texts] for _, texts in ran.answers]


@pytest.mark.parametrize(
    ("sockets", "expected"),
    [
        # The first request is tried until it is answered; then the second meets its fault.
        (("a", "a", "ab", "b"), [[None], [None], ["a", None], ["b"]]),
        # The client asks at once for what comes next, as if it had been answered.
        (("a", "b", "b"), [[None], [None], ["b"]]),
    ],
)
def test_the_fault_of_the_next_request_is_met_once(
    sockets: tuple[str, ...], expected: list[list[Any]], run: Run, tape: Path
) -> None:
    """Wherever the client comes to it first; its next try is answered."""
    options = ("--fault", "1x2.1:close=1009,big", "--fault", "2.1:reset")
    ran = run(tape, *options, *on_sockets(*sockets))
    assert heard(ran) == expected
    assert "the fault 2.1:reset was met 1 time\n" in ran.stderr
    assert "0 unexpected, 0 not asked" in ran.stderr
