"""The ``wiretape`` command: finds its subcommands through entry points, loads one when asked.

So the core needs no import of the other rooms, and ``wiretape ls`` never pays for mitmproxy.
"""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, override

import click

from wiretape import __version__
from wiretape.commands.telling import tell
from wiretape.errors import UsageError, WiretapeError

_GROUP = "wiretape.commands"


class _OutputEnded(Exception):
    """Nobody can take what a command prints."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


class LazyCommands(click.Group):
    """A group whose commands are entry points of ``wiretape.commands``."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        with _output_watched():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        with _output_watched():
            return super().invoke(ctx)

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_found())

    @override
    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        entry = _found().get(name)
        if entry is None:
            return None
        command = entry.load()
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _found():
            raise click.UsageError(
                f"there is no command {args[0]!r}: `wiretape --help` lists them.", ctx
            )
        return super().resolve_command(ctx, args)


def _found() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=_GROUP)}


@click.group(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="wiretape")
def wiretape() -> None:
    """Record what a coding agent and its model API say to each other, replay it offline into
    the same client, and look at it.

    \b
    wiretape record -- codex exec "say hello"     record a run
    wiretape ls                                   list the tapes
    wiretape show TAPE                            look at one
    wiretape replay TAPE -- codex exec "say hello"   run it again, offline
    """


_OUTPUT_TROUBLES: Final = (errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""What a write to a pipe, a terminal or a file ends with, and nothing else that goes uncaught."""


@contextmanager
def _output_watched() -> Iterator[None]:
    """Takes an output that cannot be written from click, which would end with 1: a finding."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno not in _OUTPUT_TROUBLES:
            raise
        # What is left in the buffer would be tried once more, and complained of, at the exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise _OutputEnded(error) from error


def _sentence(error: click.ClickException) -> str:
    message = error.format_message()
    if not isinstance(error, click.UsageError) or error.ctx is None or "`" in message:
        return message
    if not message.endswith("?"):
        message = message.rstrip(".") + "."
    if isinstance(error, click.NoSuchOption) and _wraps_a_command(error.ctx.command):
        message += " An option of the wrapped command stands behind ` -- `."
    return f"{message} See `{error.ctx.command_path} --help`."


def _wraps_a_command(command: click.Command) -> bool:
    return any(parameter.name == "command" for parameter in command.params)


def main(arguments: list[str] | None = None) -> Any:
    """Runs the command line; every refusal is one sentence on stderr and an exit code."""
    try:
        code = wiretape.main(arguments, prog_name="wiretape", standalone_mode=False)
    except WiretapeError as error:
        tell(str(error))
        code = error.exit_code
    except click.exceptions.Abort:
        tell("stopped.")
        code = 130
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = error.exit_code
    except click.ClickException as error:
        tell(_sentence(error))
        code = error.exit_code
    except _OutputEnded as ended:
        # Whoever read our output has had enough, as `wiretape show TAPE | head` has.
        code = 0
        if not isinstance(ended.error, BrokenPipeError):
            tell(f"the output cannot be written ({ended.error.strerror}).")
            code = UsageError.exit_code
    sys.exit(code if isinstance(code, int) else 0)
