"""Runs a command in the foreground of a terminal of its own."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

# Makes standard input the controlling terminal of the new session, then becomes the command.
LEAD = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""

_PATIENCE_S = 100.0


class Terminal:
    """The other end of the terminal: what is typed, and what is shown.

    ``answers`` are what the terminal itself says when a program asks it something.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], descriptor: int, answers: Mapping[str, str]
    ) -> None:
        self.process = process
        self.shown = ""
        self._descriptor = descriptor
        self._answers = answers
        self._answered = dict.fromkeys(answers, 0)

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
        ready, _, _ = select.select([self._descriptor], [], [], _PATIENCE_S)
        assert ready, f"nothing more was shown after {self.shown!r}"
        # The end of a terminal is an error on Linux, and an empty reading elsewhere.
        with suppress(OSError):
            data = os.read(self._descriptor, 65536)
            self.shown += data.decode(errors="replace").replace("\r\n", "\n")
            self._answer()
            return bool(data)
        return False

    def _answer(self) -> None:
        for question, answer in self._answers.items():
            while self._answered[question] < self.shown.count(question):
                self._answered[question] += 1
                self.type(answer)


@contextmanager
def in_a_terminal(
    command: Sequence[str],
    environment: Mapping[str, str],
    cwd: Path,
    answers: Mapping[str, str] = {},
) -> Iterator[Terminal]:
    """Starts ``command`` as a shell does in the foreground, on a screen of 40 lines."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 40, 120, 0, 0))
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
    terminal = Terminal(process, ours, answers)
    try:
        yield terminal
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        with suppress(OSError):
            terminal.hang_up()
