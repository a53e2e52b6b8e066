"""The options by which a recording is bent, the same in every command that has them."""

import shlex
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any, Final

import click

transport_option = click.option(
    "--transport",
    type=click.Choice(["recorded", "sse", "websocket"]),
    default="recorded",
    show_default=True,
    help="Replay what was recorded on this transport, to tell a fault of the transport from one "
    "of what was said.",
)
wire_api_option = click.option(
    "--wire-api",
    type=click.Choice(["recorded", "responses", "responses-aggregated"]),
    default="recorded",
    show_default=True,
    help="responses: what a chat model said, as a response, for clients that no longer speak "
    "chat; with each text in one piece, aggregated.",
)
tools_option = click.option(
    "--tools",
    type=click.Choice(["run", "recorded"]),
    default="run",
    show_default=True,
    help="recorded: shell calls print what they gave when they were recorded, and do nothing.",
)


def bend_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--transport``, ``--wire-api`` and ``--tools``; what they do,
    :func:`replayer.bends.options.bends_for` says."""
    for option in (tools_option, wire_api_option, transport_option):
        command = option(command)
    return command


_BENDING: Final = frozenset({"sessions", "transport", "wire_api", "tools"})


def bent_words(tape: Path, context: click.Context) -> str:
    """A tape and how it is bent, as another command takes them: what is chosen of it, too."""
    words = [str(tape)]
    for parameter in context.command.params:
        value = context.params[str(parameter.name)]
        if parameter.name in _BENDING and value != parameter.default:
            values = value if isinstance(value, tuple) else (value,)
            words += chain(*((parameter.opts[0], each) for each in values))
    return shlex.join(words)
