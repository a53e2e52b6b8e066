"""``wiretape show``."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from wiretape.commands.options import json_option
from wiretape.commands.tape_json import tape_as_json
from wiretape.crossings import Crossing, all_crossings
from wiretape.errors import NoSuchSession
from wiretape.facts import Sender
from wiretape.store_reader import TapeReader
from wiretape.words import counted, duration, moment, printable, size


@click.command()
@click.argument("tape", type=click.Path(path_type=Path))
@click.option(
    "--session",
    "session",
    metavar="ID",
    help="Only this session (a start of its id is enough).",
)
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
    found = tape_as_json(tape, with_requests=True)
    if session is not None:
        found["sessions"] = _only(found, session)
    if events:
        wanted = _exchanges(found) if session is not None else None
        with TapeReader(tape) as reader:
            for crossing in all_crossings(reader):
                if wanted is None or crossing.exchange in wanted:
                    click.echo(_event_json(crossing) if as_json else _event_line(crossing))
    elif as_json:
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        for line in _lines(found):
            click.echo(line)
    return 0


def _only(found: dict[str, Any], start: str) -> list[dict[str, Any]]:
    sessions = [each for each in found["sessions"] if (each["id"] or "").startswith(start)]
    if not sessions:
        raise NoSuchSession(
            f"{found['tape']} has no session {start!r}: "
            f"`wiretape ls {found['tape']}` lists its sessions."
        )
    return sessions


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


def _lines(found: dict[str, Any]) -> Iterator[str]:
    yield f"{found['tape']}  {moment(found['started_at_us'])}  {size(found['size_bytes'])}"
    yield f"  made by wiretape {found['wiretape_version']} {found['made_by']}" + (
        f" of {printable(' '.join(json.loads(found['command'])))}" if found["command"] else ""
    )
    for session in found["sessions"]:
        yield ""
        yield f"session {printable(session['id'] or 'unnamed')}"
        yield (
            f"  {printable(session['client'] or 'unknown client')}, "
            f"{printable(session['model'] or 'unknown model')}, "
            f"{counted(len(session['requests']), 'request')}, "
            f"{counted(session['attempts'], 'attempt')}, {duration(session['duration_us'])}"
        )
        went = f", sent to {session['upstream']}" if session["upstream"] else ""
        yield f"  {printable(session['url'])}{went}"
        for request in session["requests"]:
            yield f"  request {request['number']}"
            for attempt in request["attempts"]:
                yield from _attempt_lines(attempt)
    for gap in found["gaps"]:
        yield (
            f"gap at {gap['at_us'] / 1e6:.3f} s: {counted(gap['lost_facts'], 'fact')}, "
            f"{size(gap['lost_bytes'])} lost, because {printable(gap['reason'])}"
        )


def _attempt_lines(attempt: dict[str, Any]) -> Iterator[str]:
    place = f"exchange {attempt['exchange']}"
    if attempt["message"] is not None:
        place += f", message {attempt['message']}"
    until_us = attempt["until_us"]
    took = "not over" if until_us is None else f"in {duration(until_us - attempt['at_us'])}"
    outcome = f"{attempt['outcome']} {attempt['detail']}".strip()
    yield (
        f"    {attempt['why']:<14} {attempt['transport']} {attempt['kind']} ({place})"
        f" at {attempt['at_us'] / 1e6:.3f} s: {printable(outcome)} {took},"
        f" {counted(attempt['events'], 'event')},"
        f" sent {size(attempt['request_bytes'])}, got {size(attempt['response_bytes'])}"
    )
    if attempt["first_event_us"] is not None:
        waited = duration(attempt["first_event_us"] - attempt["at_us"])
        silence = duration(attempt["longest_silence_us"])
        yield f"      first event after {waited}, longest silence {silence}"
    if attempt["why"] in ("retry", "fallback"):
        yield f"      inferred: {printable(attempt['evidence'])}"
