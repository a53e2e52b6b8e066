"""``wiretape ls``."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from wiretape.commands.options import json_option
from wiretape.commands.places import recordings_folder, tapes_at
from wiretape.commands.show_text import unfinished_words
from wiretape.commands.tape_json import tape_as_json
from wiretape.errors import TapeError
from wiretape.words import columns, counted, duration, moment, printable, requests_told, size


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH ...]")
@json_option
def ls(paths: tuple[Path, ...], as_json: bool) -> int:
    """List tapes and their sessions.

    PATH is a tape, or a folder of them. Without it: the folder that `wiretape record` uses.

    \b
    wiretape ls
    wiretape ls bug.db recordings/ --json
    """
    folder = recordings_folder(os.environ)
    found: list[dict[str, Any]] = []
    failed = 0
    for path in tapes_at(paths or ((folder,) if folder.is_dir() else ())):
        try:
            found.append(tape_as_json(path, with_requests=False))
        except TapeError as error:
            failed = error.exit_code
            click.echo(f"wiretape: {error}", err=True)
    if as_json:
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        for tape in found:
            for line in _lines(tape):
                click.echo(line)
        if not found and not failed:
            where = ", ".join(map(str, paths)) or str(folder)
            click.echo(
                f"wiretape: no tapes in {where}: `wiretape record -- COMMAND` makes one.", err=True
            )
    return failed


def _lines(tape: dict[str, Any]) -> Iterator[str]:
    yield (
        f"{tape['tape']}  {moment(tape['started_at_us'])}  {size(tape['size_bytes'])}"
        + (f"  {counted(tape['gaps'], 'gap')}" if tape["gaps"] else "")
        + (f"  {unfinished}" if (unfinished := unfinished_words(tape)) else "")
    )
    if not tape["sessions"]:
        yield "  no sessions"
        return
    rows = [
        [
            printable(session["name"]),
            printable((session["client"] or "unknown client").partition(" ")[0]),
            printable(session["model"] or "unknown model"),
            requests_told(session["requests"], session["warm_ups"]),
            counted(session["attempts"], "attempt"),
            "+".join(session["transports"]),
            counted(session["events"], "event"),
            duration(session["duration_us"]),
            printable(f"{session['outcome']} {session['detail']}".strip()),
        ]
        for session in tape["sessions"]
    ]
    yield from columns(rows, "  ")
