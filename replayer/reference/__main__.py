"""``python -m replayer.reference exec PROMPT``: called, configured and printing as Codex is.

Reads ``$CODEX_HOME/config.toml``. It runs no commands: a tool call is answered with what
``--recording`` has for it, or with a text that says that nothing was recorded.
"""

import asyncio
import os
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from gateway.codex import codex_config
from replayer.reference.client import ReferenceClient
from replayer.reference.printing import Printer
from replayer.reference.remembered import recorded_outputs
from replayer.reference.sockets import Address, SocketWire, Timing
from replayer.reference.task import Task, identity
from wiretape.client.config import Config, read_config
from wiretape.client.dialects import dialect_of
from wiretape.errors import WiretapeError
from wiretape.store_reader import TapeReader


class Version(click.ParamType[str]):
    """A version of Codex: ``0.99.0``."""

    name = "VERSION"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        parts = str(value).split(".")
        if len(parts) < 2 or not all(part.isdigit() for part in parts[:2]):
            self.fail(f"{value!r} is no version: give one like 0.99.0.", param, ctx)
        return str(value)


@click.group()
def main() -> None:
    """The documented client, without a person and without tools."""


@main.command("exec")
@click.option(
    "--json",
    is_flag=True,
    expose_value=False,
    help="Print JSON lines; it never prints anything else.",
)
@click.option("--skip-git-repo-check", is_flag=True, expose_value=False, help="Means nothing here.")
@click.option(
    "--behave-as",
    "version",
    type=Version(),
    default="0.99.0",
    show_default=True,
    help="Behave as this version of Codex.",
)
@click.option(
    "--recording",
    type=click.Path(path_type=Path),
    help="Answer tool calls with what this tape has for them.",
)
@click.option(
    "--delays",
    type=click.FloatRange(min=0),
    default=1.0,
    show_default=True,
    help="Scale the pauses before retries; 0 makes none.",
)
@click.argument("prompt")
def execute(
    version: str,
    recording: Path | None,
    delays: float,
    prompt: str,
) -> None:
    """Ask PROMPT, and go on until the model has nothing more to ask for."""
    try:
        ended_well = asyncio.run(_run(version, recording, delays, prompt))
    except WiretapeError as error:
        click.echo(f"reference client: {error}", err=True)
        sys.exit(error.exit_code)
    sys.exit(0 if ended_well else 1)


async def _run(version: str, recording: Path | None, delays: float, prompt: str) -> bool:
    text = codex_config(os.environ)
    config = read_config(text)
    task = Task(prompt, config.model, {} if recording is None else _outputs(recording))
    printer = Printer(task.thread, click.echo)
    major, minor = map(int, version.split(".")[:2])
    client = ReferenceClient(
        config,
        dialect_of((major, minor)),
        identity(version, _key(text, os.environ)),
        task,
        SocketWire(
            Address(config.provider.post_url, config.provider.websocket_url),
            _timing(config, delays),
        ),
        printer.watch,
    )
    return await client.run()


def _timing(config: Config, delays: float) -> Timing:
    provider = config.provider
    return Timing(
        delay_factor=delays,
        connect_s=provider.websocket_connect_timeout_ms / 1000,
        idle_s=provider.stream_idle_timeout_ms / 1000,
    )


def _outputs(tape: Path) -> Mapping[object, Any]:
    with TapeReader(tape) as reader:
        return recorded_outputs(reader)


def _key(config: str, environment: Mapping[str, str]) -> str | None:
    """The key of the provider in use, which the configuration names by its variable."""
    raw = tomllib.loads(config)
    provider = raw.get("model_providers", {}).get(raw.get("model_provider"), {})
    return environment.get(provider.get("env_key", "OPENAI_API_KEY"))


if __name__ == "__main__":
    main(prog_name="python -m replayer.reference")
