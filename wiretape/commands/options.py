"""Options that several commands share."""

from collections.abc import Callable
from typing import Any, Final

import click


class Address(click.ParamType[tuple[str, int]]):
    """``HOST:PORT``, ``[IPV6]:PORT`` or ``:PORT``; port 0 is any free one."""

    name = "HOST:PORT"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        if isinstance(value, tuple):
            return value
        host, colon, port = str(value).rpartition(":")
        if not colon or not (port.isascii() and port.isdecimal()) or int(port) > 65535:
            self.fail(f"{value!r} is no address: give HOST:PORT, like 127.0.0.1:8080.", param, ctx)
        return host.strip("[]") or "127.0.0.1", int(port)


def listen_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--listen``: where to listen; loopback and a free port unless told otherwise."""
    return click.option(
        "--listen",
        type=Address(),
        default="127.0.0.1:0",
        show_default=True,
        help="Where to listen; port 0 is any free one.",
    )(command)


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--json``: the same as data."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")(command)


_SESSION: Final = "Only this session, as `wiretape ls` names it (a start is enough)."


def session_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--session``: one of the sessions of a tape."""
    return click.option("--session", metavar="ID", help=_SESSION)(command)


def sessions_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--session``, as often as there are sessions that are wanted."""
    return click.option(
        "--session", "sessions", multiple=True, metavar="ID", help=f"{_SESSION} Repeatable."
    )(command)
