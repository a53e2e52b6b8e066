"""``wiretape minimize``."""

import os
from dataclasses import replace
from pathlib import Path

import click

from replayer.bend_options import bend_options
from replayer.trials.options import deadline_option
from wiretape.commands.options import sessions_option
from wiretape.commands.telling import tell
from wiretape.errors import UsageError

_INTERRUPTED = 130


@click.command()
@click.argument("tape", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="The script to write.",
)
@click.option(
    "--keep",
    "keeps",
    multiple=True,
    metavar="exit|TEXT",
    default=["exit"],
    show_default=True,
    help="What must stay: how COMMAND ends, or a text that it prints. Repeatable.",
)
@deadline_option(
    "How long the first run may take. Later ones get three times what it took, and 5 s."
)
@sessions_option
@bend_options
@click.option(
    "--same-home",
    is_flag=True,
    help="Give each run the real CODEX_HOME, not a copy of its settings.",
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def minimize(
    tape: Path,
    output: Path,
    keeps: tuple[str, ...],
    deadline_s: float,
    sessions: tuple[str, ...],
    transport: str,
    wire_api: str,
    tools: str,
    same_home: bool,
    command: tuple[str, ...],
) -> int:
    """Reduce TAPE to the smallest script on which COMMAND does the same.

    COMMAND is run again and again, offline, without a terminal, each time on less: fewer
    requests, fewer events, fewer members in them. What it needs stays. Ctrl-C ends the search,
    and what was found by then is written.

    \b
    wiretape minimize bug.db -o bug.script -- codex exec "say hello"
    wiretape minimize bug.db --keep "stream disconnected" -o bug.script -- codex exec "say hello"
    """
    from contextlib import ExitStack

    from gateway.authority import open_authority
    from gateway.bypass import refuse_bypasses
    from gateway.env_word import past_env
    from replayer.bends.options import bends_for
    from replayer.minimizing.search import Search
    from replayer.minimizing.symptom import ending, symptom_of
    from replayer.minimizing.telling import size_told
    from replayer.new_files import check_new, write_new
    from replayer.opening import only_these
    from replayer.trials.homes import fresh_home
    from replayer.trials.trial import Client, Trial, Trials
    from wiretape.commands.summary import PAST_US
    from wiretape.recording import Recording
    from wiretape.scripts.writing import write_script

    check_new([output])
    # An `env` that names Codex's home would take each run past its copy.
    runs, given = past_env(command, os.environ)
    refuse_bypasses(runs, given)
    recording, _ = only_these(tape, sessions, bends_for(wire_api, transport, tools), tell)
    trials = Trials(open_authority(os.environ))
    client = Client(runs, given, deadline_s)

    def run(candidate: Recording) -> Trial:
        with ExitStack() as stack:
            environment = given if same_home else stack.enter_context(fresh_home(given))
            return trials.run(candidate, replace(client, environment=environment))

    first = run(recording)
    symptom = symptom_of(first, keeps)
    if first.asked_for_nothing:
        raise UsageError(
            f"the client asked for nothing of the whole recording ({ending(first)}), so nothing of "
            f"it could be what it needs. {PAST_US}"
        )
    tell(f"the whole recording: {ending(first)}, after {first.took_s:.1f} s.")
    client = replace(client, deadline_s=min(deadline_s, 3 * first.took_s + 5))
    search = Search(recording, symptom, run, lambda sentence: tell(f"  {sentence}"))
    code = 0
    try:
        search.all_levels()
    except KeyboardInterrupt:
        code = _INTERRUPTED
    script = write_script(search.best)
    try:
        write_new({output: script})
    except UsageError:
        # What took so long to find is not to be lost for want of a place.
        click.echo(script, nl=False)
        tell("the script that was found stands on stdout instead.")
        raise
    tell(
        f"{size_told(recording)} became {size_told(search.best)} in {trials.count} runs: {output}."
    )
    return code
