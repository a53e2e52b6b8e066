"""``wiretape show``."""

import json
from pathlib import Path
from typing import Any

import click

from wiretape.commands.options import json_option, session_option
from wiretape.commands.show_text import gap_line, tape_lines, unfinished_words
from wiretape.commands.tape_json import tape_as_json
from wiretape.crossings import Crossing, all_crossings
from wiretape.facts import Sender
from wiretape.store_reader import TapeReader
from wiretape.words import printable, size


@click.command()
@click.argument("tape", type=click.Path(path_type=Path))
@session_option
@click.option("--events", is_flag=True, help="Every event that crossed, in order.")
@json_option
def show(tape: Path, session: str | None, events: bool, as_json: bool) -> int:
    """Show what is on TAPE.

    Its sessions, requests and attempts, or with --events everything that crossed. Works on a tape
    that is still being written, and on one that was cut off.

    \b
    wiretape show bug.db
    wiretape show bug.db --events
    wiretape show bug.db --events --json | jq .type
    """
    found = tape_as_json(tape, with_requests=True, sessions=() if session is None else (session,))
    if events:
        wanted = _exchanges(found) if session is not None else None
        with TapeReader(tape) as reader:
            for crossing in all_crossings(reader):
                if wanted is None or crossing.exchange in wanted:
                    click.echo(_event_json(crossing) if as_json else _event_line(crossing))
        _tell_what_is_missing(found)
    elif as_json:
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        for line in tape_lines(found):
            click.echo(line)
    return 0


def _tell_what_is_missing(found: dict[str, Any]) -> None:
    for gap in found["gaps"]:
        click.echo(f"wiretape: {gap_line(gap)}.", err=True)
    if unfinished := unfinished_words(found):
        click.echo(f"wiretape: {found['tape']} is {unfinished}.", err=True)


def _exchanges(found: dict[str, Any]) -> set[int]:
    return {
        attempt["exchange"]
        for session in found["sessions"]
        for request in session["requests"]
        for attempt in request["attempts"]
    }


def _event_json(crossing: Crossing) -> str:
    return json.dumps(
        {
            "at_us": crossing.at_us,
            "exchange": crossing.exchange,
            "direction": _DIRECTIONS[crossing.sender],
            "type": crossing.type,
            "size_bytes": crossing.size_bytes,
            "summary": crossing.summary,
        },
        ensure_ascii=False,
    )


_DIRECTIONS = {Sender.CLIENT: "to_server", Sender.SERVER: "to_client"}


def _event_line(crossing: Crossing) -> str:
    arrow = "→" if crossing.sender is Sender.CLIENT else "←"
    line = (
        f"{crossing.at_us / 1e6:12.6f}  {crossing.exchange:>4} {arrow} "
        f"{size(crossing.size_bytes):>9}  {printable(crossing.type)}"
    )
    return f"{line}  {printable(crossing.summary)}".rstrip()
