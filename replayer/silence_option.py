"""``--longest-silence``: shorter silences, and a client that is as much less patient."""

from collections.abc import Callable, Mapping
from typing import Any

import click

from gateway.codex import codex_config
from gateway.env_word import past_env
from replayer.patience import Hurried, less_patient, read_codex_config


def longest_silence_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--longest-silence``, in seconds."""
    return click.option(
        "--longest-silence",
        type=click.FloatRange(min=0.1, max=86_400),
        metavar="SECONDS",
        help="Let no silence last longer, and let Codex wait no longer in one: a stall of minutes "
        "ends in the same way within seconds.",
    )(command)


def with_patience(
    command: tuple[str, ...],
    environment: Mapping[str, str],
    longest_silence_s: float | None,
    tell: Callable[[str], None],
) -> Hurried | None:
    """The command that waits no longer than that in silence; ``None`` where it is to stay as it
    is, or runs no Codex that could be told."""
    if longest_silence_s is None or not command:
        return None
    _, found_by_codex = past_env(command, environment)
    config = read_codex_config(codex_config(found_by_codex))
    base_url = found_by_codex.get("OPENAI_BASE_URL") or config.get("openai_base_url")
    hurried = less_patient(command, config, base_url, round(longest_silence_s * 1000))
    if hurried is None:
        tell(
            "the command is no Codex whose provider can be told to wait less, so it waits in "
            "silence as long as it likes."
        )
    return hurried
