"""The ``wiretape`` command: finds its subcommands through entry points, loads one when asked.

So the core needs no import of the other rooms, and ``wiretape ls`` never pays for mitmproxy.
"""

import sys
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import click

from wiretape import __version__
from wiretape.errors import WiretapeError

_GROUP = "wiretape.commands"


class LazyCommands(click.Group):
    """A group whose commands are entry points of ``wiretape.commands``."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(_found())

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
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
        click.echo(f"wiretape: {error}", err=True)
        code = error.exit_code
    except click.exceptions.Abort:
        click.echo("wiretape: stopped.", err=True)
        code = 130
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        code = error.exit_code
    except click.ClickException as error:
        click.echo(f"wiretape: {_sentence(error)}", err=True)
        code = error.exit_code
    except BrokenPipeError:
        # Whoever read our output has had enough, as `wiretape show TAPE | head` has.
        sys.stderr.close()
        code = 0
    sys.exit(code if isinstance(code, int) else 0)
