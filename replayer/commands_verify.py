"""``wiretape verify``."""

import asyncio
import json
from pathlib import Path

import click

from wiretape.commands.options import json_option, session_option
from wiretape.store_reader import TapeReader


@click.command()
@click.argument("tape", type=click.Path(path_type=Path))
@session_option
@json_option
def verify(tape: Path, session: str | None, as_json: bool) -> int:
    """Hold TAPE against the documented client.

    A client that behaves as the documents say lives through each session again, offline, over
    real sockets. What it sees, does and prints must be what the recording says; else the first
    place where they part is named, and the exit code is 1.

    \b
    wiretape verify bug.db
    wiretape verify bug.db --json
    """
    # The libraries of a real client take long to load; `wiretape --help` need not wait for them.
    from replayer.reference import verdicts
    from replayer.reference.verify import Verdict, verify_tape

    with TapeReader(tape) as reader:
        wanted = () if session is None else (session,)
        found = asyncio.run(verify_tape(reader, wanted, tell=_tell))
        gaps = len(reader.gaps())
    if as_json:
        sessions = [verdicts.as_json(each) for each in found]
        document = {"tape": str(tape), "gaps": gaps, "sessions": sessions}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        for line in verdicts.lines(found, gaps):
            click.echo(line)
    return 1 if any(each.verdict is Verdict.DIVERGES for each in found) else 0


def _tell(sentence: str) -> None:
    click.echo(f"wiretape: {sentence}", err=True)
