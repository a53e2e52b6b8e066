"""Stands where Codex's background server would listen."""

import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CONTROL_SOCKET = Path("app-server-control", "app-server-control.sock")
"""Its place in Codex's home."""


@contextmanager
def a_server(home: Path) -> Iterator[None]:
    """Listens where Codex's own would: by way of a link, since a socket's path must be short."""
    place = home / CONTROL_SOCKET
    place.parent.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="wiretape-") as folder,
        socket.socket(socket.AF_UNIX) as listening,
    ):
        listening.bind(f"{folder}/s")
        listening.listen()
        place.unlink(missing_ok=True)
        place.symlink_to(f"{folder}/s")
        yield


if __name__ == "__main__":
    # Stays, with a Codex's home as its argument, until its input is closed.
    with a_server(Path(sys.argv[1])):
        print("listening", flush=True)
        sys.stdin.read()
