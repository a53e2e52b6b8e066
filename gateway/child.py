"""Runs the wrapped command as if we were not there.

It keeps the terminal, gets each signal once, and its exit code becomes ours.
"""

import asyncio
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from wiretape.errors import CommandError

_FORWARDED: Final = (signal.SIGTERM, signal.SIGHUP)
_FROM_TERMINAL: Final = (signal.SIGINT, signal.SIGQUIT)


async def run_child(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Runs ``command`` to its end and returns its exit code as a shell would give it.

    In the foreground of a terminal the command shares our process group: the terminal sends
    Ctrl-C to both, and we ignore ours. Elsewhere it gets a group of its own, and what we are
    sent we pass on; either way each signal reaches it once.

    Raises:
        CommandError: the command cannot be started.
    """
    in_foreground = _in_foreground()
    try:
        process = await asyncio.create_subprocess_exec(
            *command, env=dict(environment), process_group=None if in_foreground else 0
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
    with _signals_for(process, in_foreground=in_foreground):
        code = await process.wait()
    return code if code >= 0 else 128 - code


@contextmanager
def _signals_for(process: asyncio.subprocess.Process, *, in_foreground: bool) -> Iterator[None]:
    loop = asyncio.get_running_loop()

    def pass_on(number: signal.Signals) -> None:
        if process.returncode is None:
            process.send_signal(number)

    for number in _FORWARDED:
        loop.add_signal_handler(number, pass_on, number)
    for number in _FROM_TERMINAL:
        if in_foreground:
            loop.add_signal_handler(number, lambda: None)
        else:
            loop.add_signal_handler(number, pass_on, number)
    try:
        yield
    finally:
        for number in (*_FORWARDED, *_FROM_TERMINAL):
            loop.remove_signal_handler(number)


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
