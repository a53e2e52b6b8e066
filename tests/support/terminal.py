"""Runs a command in the foreground of a terminal of its own."""

import os
import pty
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

# Makes standard input the controlling terminal of the new session, then becomes the command.
LEAD = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""


class Terminal:
    """The other end of the terminal: what is typed, and what is shown."""

    def __init__(self, process: subprocess.Popen[bytes], descriptor: int) -> None:
        self.process = process
        self.shown = ""
        self._descriptor = descriptor

    def type(self, keys: str) -> None:
        os.write(self._descriptor, keys.encode())

    def wait_for(self, text: str) -> None:
        """Reads what is shown until ``text`` is among it."""
        while text not in self.shown:
            assert self._read(), f"{text!r} was never shown, but {self.shown!r}"

    def wait(self) -> int:
        """Reads to the end, and gives the exit code."""
        while self._read():
            pass
        return self.process.wait(30)

    def hang_up(self) -> None:
        """Closes the terminal, as a person closes its window."""
        os.close(self._descriptor)
        self._descriptor = -1

    def _read(self) -> bool:
        # The end of a terminal is an error on Linux, and an empty reading elsewhere.
        with suppress(OSError):
            data = os.read(self._descriptor, 65536)
            self.shown += data.decode(errors="replace").replace("\r\n", "\n")
            return bool(data)
        return False


@contextmanager
def in_a_terminal(
    command: Sequence[str], environment: Mapping[str, str], cwd: Path
) -> Iterator[Terminal]:
    """Starts ``command`` as a shell does in the foreground."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", LEAD, *command],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=dict(environment),
        cwd=cwd,
        start_new_session=True,
    )
    os.close(theirs)
    terminal = Terminal(process, ours)
    try:
        yield terminal
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        with suppress(OSError):
            terminal.hang_up()
