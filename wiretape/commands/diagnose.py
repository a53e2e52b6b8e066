"""``wiretape diagnose``."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from wiretape.commands.options import json_option
from wiretape.diagnosis.diagnose import Diagnosis, diagnose
from wiretape.diagnosis.kinds import Finding
from wiretape.spot import Spot
from wiretape.store_reader import TapeReader
from wiretape.words import printable


@click.command("diagnose")
@click.argument("tape", type=click.Path(path_type=Path))
@json_option
def diagnose_command(tape: Path, as_json: bool) -> int:
    """Say what went wrong on TAPE, with evidence and advice.

    The first line is the verdict. Each finding says what was seen, what it means, what to try,
    and where the tape shows it (look there with `wiretape show TAPE --events`). Ends with 1 when
    there are findings, with 0 when there is none.

    \b
    wiretape diagnose bug.db
    wiretape diagnose bug.db --json | jq .findings[].kind
    """
    with TapeReader(tape) as reader:
        found = diagnose(reader)
    if as_json:
        click.echo(json.dumps(_as_json(tape, found), indent=2, ensure_ascii=False))
    else:
        for line in _lines(tape, found):
            click.echo(line)
    return 1 if found.findings else 0


def _as_json(tape: Path, found: Diagnosis) -> dict[str, Any]:
    return {
        "tape": str(tape),
        "verdict": found.verdict,
        "is_being_written": found.is_live,
        "findings": [
            {
                "kind": str(finding.kind),
                "severity": str(finding.severity),
                "session": finding.session,
                "session_id": finding.session_id,
                "request": finding.request,
                "what": finding.what,
                "meaning": finding.meaning,
                "advice": finding.advice,
                "evidence": [asdict(spot) for spot in finding.evidence],
            }
            for finding in found.findings
        ],
    }


def _lines(tape: Path, found: Diagnosis) -> Iterator[str]:
    so_far = " The recording goes on still." if found.is_live else ""
    yield f"{tape}: {printable(found.verdict)}{so_far}"
    for finding in found.findings:
        yield ""
        yield f"{finding.kind} ({finding.severity.words}), {_whose(finding)}"
        yield f"  {printable(finding.what)}."
        yield f"  It means: {finding.meaning}"
        yield f"  Try: {finding.advice}"
        yield f"  Seen: {'; '.join(map(_seen, finding.evidence))}"


def _whose(finding: Finding) -> str:
    if finding.session is None:
        return "no session in particular"
    session = f"session {finding.session} ({printable(finding.session_id or 'unnamed')})"
    return session if finding.request is None else f"{session}, request {finding.request}"


def _seen(spot: Spot) -> str:
    message = "" if spot.message is None else f", message {spot.message}"
    event = printable(spot.event)
    return f"exchange {spot.exchange}{message}, {event} at {spot.at_us / 1e6:.3f} s"
