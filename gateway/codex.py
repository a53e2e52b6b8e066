"""Codex as it stands in a command and on this machine: its word, its folder, its settings."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

_CODEX: Final = re.compile(r"codex([-.@].*)?")


def place_of_codex(command: Sequence[str]) -> int | None:
    """Which word of ``command`` is Codex; ``None`` where none is, or where a shell starts it."""
    return next((at for at, word in enumerate(command) if _CODEX.fullmatch(Path(word).name)), None)


def codex_home(environment: Mapping[str, str]) -> Path:
    """Codex's own folder."""
    named = environment.get("CODEX_HOME")
    return Path(named) if named else Path(environment.get("HOME", "~")).expanduser() / ".codex"


def codex_config(environment: Mapping[str, str]) -> str:
    """The text of its ``config.toml``, empty where there is none that can be read.

    A text that is no TOML is for Codex to complain of.
    """
    try:
        return (codex_home(environment) / "config.toml").read_text("utf-8", "replace")
    except OSError:
        return ""
