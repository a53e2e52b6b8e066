"""Writes the help of every command into README.md, between its two marks.

``.venv/bin/python docs/write_help.py`` is to be run after a change to a command;
``tests/test_docs.py`` fails until it was.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from wiretape.cli import wiretape

README: Final = Path(__file__).resolve().parents[1] / "README.md"
WIDTH: Final = 78
"""What click makes of a terminal of 80 columns."""

_SECTION: Final = re.compile(r"(<!-- help: .*? -->\n).*?(<!-- end of help -->)", re.DOTALL)


def with_help(text: str) -> str:
    """``text`` with its help section as the commands have it now."""
    return _SECTION.sub(lambda marks: f"{marks[1]}\n{help_section()}\n{marks[2]}", text)


def help_section() -> str:
    """A heading and the help of each command, as Markdown."""
    return (
        "\n".join(f"### `{name}`\n\n```text\n{text}\n```\n" for name, text in helps()).rstrip("\n")
        + "\n"
    )


def helps() -> Iterator[tuple[str, str]]:
    """What each command is called, and what its ``--help`` prints in a terminal of 80 columns."""
    group = wiretape.make_context("wiretape", [], resilient_parsing=True, terminal_width=WIDTH)
    yield "wiretape", group.get_help()
    for name in wiretape.list_commands(group):
        command = wiretape.get_command(group, name)
        assert command is not None
        yield f"wiretape {name}", click.Context(command, group, name).get_help()


if __name__ == "__main__":
    README.write_text(with_help(README.read_text("utf-8")), "utf-8")
