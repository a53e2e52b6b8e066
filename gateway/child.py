"""Runs the wrapped command as if we were not there.

It keeps the terminal, gets each signal once, and its exit code becomes ours.
"""

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Final, Self

from wiretape.errors import CommandError

_SENT: Final = (signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)
"""Signals that somebody sends to us, and means the command."""

_TYPED: Final = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)
"""Signals that a terminal sends to its whole foreground: to the command as well as to us."""


class Signals:
    """Keeps signals from us while it is entered, and gives them to the command.

    In the foreground of a terminal the command shares our process group: the terminal sends
    Ctrl-C to both, and we ignore ours. Elsewhere it gets a group of its own, and what we are
    sent we pass on; either way each signal reaches it once. A signal that comes before the
    command runs waits for it. What comes after it is over is not heard, so that what is left to
    do is not cut short.
    """

    def __init__(self) -> None:
        self.in_foreground = _in_foreground()
        self._process: asyncio.subprocess.Process | None = None
        self._waiting: list[signal.Signals] = []

    def __enter__(self) -> Self:
        loop = asyncio.get_running_loop()
        for number in (*_SENT, *_TYPED):
            loop.add_signal_handler(number, self._receive, number)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        loop = asyncio.get_running_loop()
        for number in (*_SENT, *_TYPED):
            loop.remove_signal_handler(number)

    def give_to(self, process: asyncio.subprocess.Process) -> None:
        """From now on the signals are for ``process``."""
        self._process = process
        for number in self._waiting:
            process.send_signal(number)

    def _receive(self, number: signal.Signals) -> None:
        if self._process is None:
            self._waiting.append(number)
        elif self._process.returncode is None and not (self.in_foreground and number in _TYPED):
            self._process.send_signal(number)


async def run_child(
    command: Sequence[str], environment: Mapping[str, str], signals: Signals | None = None
) -> int:
    """Runs ``command`` to its end and returns its exit code as a shell would give it.

    ``signals`` are those that the caller keeps away from more than the run of the command.

    Raises:
        CommandError: the command cannot be started.
    """
    if signals is None:
        with Signals() as signals:
            return await run_child(command, environment, signals)
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            env=dict(environment),
            process_group=None if signals.in_foreground else 0,
        )
    except FileNotFoundError as error:
        raise CommandError(
            f"there is no command {command[0]!r}: check its name, or give its path.",
            exit_code=127,
        ) from error
    except OSError as error:
        raise CommandError(
            f"{command[0]!r} cannot be run ({error.strerror}): check its permissions.",
            exit_code=126,
        ) from error
    signals.give_to(process)
    code = await process.wait()
    return code if code >= 0 else 128 - code


def _in_foreground() -> bool:
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
