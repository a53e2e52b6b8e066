"""Drives the interactive Codex in a terminal, as a person does."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from codex_run import KEY, provider_config
from terminal import Terminal, in_a_terminal

_ANSWERS = {
    "\x1b[6n": "\x1b[1;1R",
    "\x1b[c": "\x1b[?62;c",
    "\x1b[?u": "\x1b[?0u",
}
"""Where the cursor is, what kind of terminal it is, which keys it tells apart."""


@contextmanager
def interactive_codex(
    home: Path, cwd: Path, base_url: str, *command: str | Path
) -> Iterator[Terminal]:
    """Runs ``command``, with what it needs to come to Codex in it, until the context is left.

    ``base_url`` is that of Codex's only provider; ``cwd`` is a folder that it trusts.
    """
    home.mkdir(parents=True, exist_ok=True)
    cwd.mkdir(parents=True, exist_ok=True)
    trusted = f'[projects."{cwd}"]\ntrust_level = "trusted"\n'
    (home / "config.toml").write_text(provider_config(base_url, "sse", {}) + trusted)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "CODEX_HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "LOCAL_KEY": KEY,
        "OPENAI_API_KEY": KEY,
        "WIRETAPE_CA_DIR": str(home.parent / "ca"),
    }
    with in_a_terminal([*map(str, command)], environment, cwd, _ANSWERS) as terminal:
        yield terminal


def leave(terminal: Terminal) -> int:
    """Presses Ctrl-C once the turn is over; gives the exit code of the command."""
    terminal.wait_for("Worked")
    terminal.type("\x03")
    return terminal.wait()
