"""The provider run by hand: it says where it is, serves, and stops by itself."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

PROGRAM = Path(__file__).parents[1] / "support" / "provider.py"


@contextmanager
def started(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The program, and the address that it prints; it is gone when this ends."""
    with subprocess.Popen(
        [sys.executable, str(PROGRAM), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def test_situation_is_served() -> None:
    """The named situation is served at the address printed."""
    with started("--situation", "bad-request") as (_, address):
        answer = httpx.post(f"{address}/responses", json={}, trust_env=False)
    assert (answer.status_code, answer.json()["error"]["message"]) == (400, "A scripted refusal")


def test_end_of_input_stops_it() -> None:
    """It stops when its standard input ends."""
    with started() as (process, address):
        assert address.startswith("http://127.0.0.1:")
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(30) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_stops_it(number: signal.Signals) -> None:
    """It stops on SIGTERM and on Ctrl-C, in order."""
    with started() as (process, _):
        process.send_signal(number)
        assert process.wait(30) == 0


def test_lifetime_stops_it() -> None:
    """It stops when its lifetime is over, whatever becomes of its starter."""
    with started("--lifetime", "0.1") as (process, _):
        assert process.wait(30) == 0


def test_situation_without_the_transport_is_refused() -> None:
    """A situation that makes no sense over the transport is a mistake of usage."""
    refused = subprocess.run(
        [sys.executable, str(PROGRAM), "--situation", "upgrade-426", "--transport", "sse"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 2
    assert "upgrade-426 makes no sense over sse" in refused.stderr
