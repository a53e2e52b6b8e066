"""The options by which a recording is bent, the same in every command that has them."""

from collections.abc import Callable
from typing import Any

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
