"""``wiretape matrix``."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from replayer.bend_options import tools_option, transport_option
from replayer.silence_option import longest_silence_option, with_patience
from replayer.trials.options import deadline_option
from wiretape.commands.options import json_option, session_option
from wiretape.commands.telling import tell
from wiretape.errors import UsageError
from wiretape.redact import redact_command

if TYPE_CHECKING:
    from replayer.matrix.sets import Case
    from wiretape.sessions import Session

_DEFAULT_SILENCE_S = 5.0
_INTERRUPTED = 130


@click.command()
@click.argument("tape", type=click.Path(path_type=Path))
@click.option(
    "--faults",
    "name",
    default="all",
    show_default=True,
    metavar="SET",
    help="all, network, http, events, or a file with a fault on each line.",
)
@click.option(
    "--at",
    metavar="REQUEST",
    help="Which request the faults of a named set are for, like 2 or 2#3; else the first that "
    "was answered.",
)
@session_option
@transport_option
@tools_option
@deadline_option("How long one run may take; then it is ended, and the table says so.")
@longest_silence_option
@json_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def matrix(
    tape: Path,
    name: str,
    at: str | None,
    session: str | None,
    transport: str,
    tools: str,
    deadline_s: float,
    longest_silence: float | None,
    as_json: bool,
    command: tuple[str, ...],
) -> int:
    """Run COMMAND on TAPE with one fault after the other.

    A table says what the client did about each: how it ended, how often it tried, whether it
    fell back from WebSocket to HTTP, and its last words. Each run has a fresh copy of Codex's
    home. Codex waits in silence for 5 seconds, unless --longest-silence says otherwise. Ctrl-C
    ends it with the table so far. Ends with 1 where the client, without a fault, did not do what
    was recorded, or where it never came to one of the faults.

    \b
    wiretape matrix bug.db -- codex exec "say hello"
    wiretape matrix bug.db --faults http --at 2 -- codex exec --json "say hello"
    wiretape matrix bug.db --faults mine.faults --json -- codex exec "say hello"
    """
    from gateway.authority import open_authority
    from gateway.bypass import refuse_bypasses
    from gateway.env_word import past_env
    from replayer.bends.options import bends_for
    from replayer.matrix.rows import Row, shortcomings, table
    from replayer.matrix.runs import Matrix, Silence
    from replayer.opening import all_and_these
    from replayer.trials.trial import Client, Trials

    # An `env` that names Codex's home would take each run past its copy.
    runs, environment = past_env(command, os.environ)
    refuse_bypasses(runs, environment)
    names = () if session is None else (session,)
    recording, sessions = all_and_these(tape, names, bends_for("recorded", transport, tools), tell)
    cases = _cases(name, at, sessions)
    longest_s = longest_silence or _DEFAULT_SILENCE_S
    hurried = with_patience(runs, environment, longest_s, tell)
    client = Client(runs if hurried is None else hurried.command, environment, deadline_s)
    trials = Trials(open_authority(os.environ))
    found = Matrix(recording, sessions, client, trials, Silence(longest_s, hurried))
    rows: list[Row] = []
    is_interrupted = False
    try:
        # Those that came before an interruption stay.
        rows.extend(found.rows(cases, tell))
    except KeyboardInterrupt:
        is_interrupted = True
        tell("interrupted: the table holds what was found by then.")
    missing = list(shortcomings(rows))
    if as_json:
        document = {
            "tape": str(tape),
            "command": redact_command(command),
            "rows": [row.as_json() for row in rows],
            "impossible": found.impossible,
        }
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        for line in table(rows):
            click.echo(line)
        for reason in dict.fromkeys(found.impossible.values()):
            faults = (name for name, why in found.impossible.items() if why == reason)
            tell(f"left out {', '.join(faults)}: {reason}.")
    for sentence in missing:
        tell(sentence)
    return _INTERRUPTED if is_interrupted else int(bool(missing))


def _cases(name: str, at: str | None, sessions: "Sequence[Session]") -> "list[Case]":
    """The cases of a set that has a name, or is a file."""
    from replayer.matrix.sets import SETS, named_set, set_of_lines, usual_place

    if name in SETS:
        return named_set(name, at or usual_place(sessions))
    if at is not None:
        raise UsageError("--at is for a set that has a name: a file names the requests itself.")
    try:
        return set_of_lines(Path(name).read_text("utf-8").split("\n"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"there is no set of faults {name!r} ({', '.join(SETS)}), and it cannot be read as a "
            f"file ({error}): name another one."
        ) from error
