"""``--ignore``, and the files of such rules that lie beside tapes."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from wiretape.errors import UsageError
from wiretape.ignoring import SUFFIX, Ignored, all_rules


def ignore_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--ignore``: what does not count as a difference."""
    return click.option(
        "--ignore",
        "ignore",
        multiple=True,
        metavar="PATH",
        help="Let nothing differ at this place, named as reports name it (input[*].id, tools, "
        f"headers.x-*). Repeatable; TAPE{SUFFIX} holds such paths too, one a line.",
    )(command)


def ignored_beside(tapes: Iterable[Path], paths: Iterable[str]) -> Ignored:
    """The rules of the command line, and of the files beside these tapes.

    Raises:
        UsageError: there is such a file, but it cannot be read.
    """
    files = dict.fromkeys(tape.with_name(tape.name + SUFFIX) for tape in tapes)
    return all_rules(paths, ((_read(file), str(file)) for file in files if file.exists()))


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read ({error}): correct or remove it.") from error
