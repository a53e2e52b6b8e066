"""Runs the wrapped command as if we were not there.

It keeps the terminal, gets each signal once, and its exit code becomes ours.
"""

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType
from typing import Any, Final, Self

from gateway.limits import raise_file_limit
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
    do is not cut short. A signal that is ignored stays so, for the command too (see nohup(1)).
    """

    def __init__(self) -> None:
        self.in_foreground = _in_foreground()
        self._shared = _shared() if self.in_foreground else frozenset()
        self._before: dict[signal.Signals, Any] = {}
        self._waiting: list[signal.Signals] = []
        self._deliver: Callable[[signal.Signals], None] = self._waiting.append

    def __enter__(self) -> Self:
        for number in (*_SENT, *_TYPED):
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._receive)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def give_to(self, process: asyncio.subprocess.Process) -> None:
        """From now on the signals are for ``process``."""

        def pass_on(number: signal.Signals) -> None:
            if number not in self._shared:
                _send(process, number)

        self._deliver = pass_on
        for number in self._waiting:
            _send(process, number)

    async def told_to_stop(self) -> None:
        """Waits for the first signal, where there is no command to give it to."""
        stop = asyncio.Event()

        def end_the_wait(_: signal.Signals) -> None:
            stop.set()

        self._deliver = end_the_wait
        with waking_the_loop():
            if not self._waiting:
                await stop.wait()
        self._deliver = self._waiting.append

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        self._deliver(signal.Signals(number))


@contextmanager
def waking_the_loop() -> Iterator[None]:
    """Wakes the running event loop for each signal.

    Python runs a signal's handler between two steps of its own. A signal that arrives on another
    thread, or right before the loop falls asleep, would wait for whatever wakes the loop next.
    """
    loop = asyncio.get_running_loop()
    ours, systems = socket.socketpair()
    with ours, systems:
        ours.setblocking(False)
        systems.setblocking(False)
        loop.add_reader(ours, lambda: ours.recv(4096))
        before = signal.set_wakeup_fd(systems.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            loop.remove_reader(ours)


def _send(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    # Not the process's own way: in Python 3.12 it may take the exit code from whoever waits for it.
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, number)


def _shared() -> frozenset[signal.Signals]:
    """The signals that the terminal sends to the command too, if it is in our group."""
    if os.getsid(0) == os.getpid():
        # A terminal that is closed tells the leader of its session, and nobody else.
        return frozenset(_TYPED) - {signal.SIGHUP}
    return frozenset(_TYPED)


async def run_child(
    command: Sequence[str], environment: Mapping[str, str], signals: Signals
) -> int:
    """Runs ``command`` to its end and returns its exit code as a shell would give it.

    Raises:
        CommandError: the command cannot be started.
    """
    process = await started(
        command, env=dict(environment), process_group=None if signals.in_foreground else 0
    )
    with waking_the_loop():
        signals.give_to(process)
        raise_file_limit()
        code = await process.wait()
    return code if code >= 0 else 128 - code


async def started(command: Sequence[str], **options: Any) -> asyncio.subprocess.Process:
    """``command`` as a process; ``options`` are those of :class:`subprocess.Popen`.

    Raises:
        CommandError: the command cannot be started.
    """
    try:
        return await asyncio.create_subprocess_exec(*command, **options)
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
