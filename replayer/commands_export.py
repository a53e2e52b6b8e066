"""``wiretape export``."""

from pathlib import Path

import click

from replayer.bend_options import bend_options, bent_words
from replayer.clashes import refuse_clashes
from wiretape.commands.options import sessions_option
from wiretape.commands.telling import tell


@click.command()
@click.argument("tape", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "form",
    type=click.Choice(["script", "fixture"]),
    required=True,
    help="script: the recording as text, to read, compare and edit. fixture: each answer as a "
    "file for CODEX_RS_SSE_FIXTURE.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="The file to write; of several answers, a.sse becomes a-1.sse, a-2.sse and so on.",
)
@sessions_option
@bend_options
@click.option(
    "--stable",
    is_flag=True,
    help="Leave out what differs from run to run: times, ids, ports, chunks.",
)
@click.option(
    "--lossy",
    is_flag=True,
    help="Write what the format can hold, and say what it cannot, instead of refusing.",
)
def export(
    tape: Path,
    form: str,
    output: Path,
    sessions: tuple[str, ...],
    transport: str,
    wire_api: str,
    tools: str,
    stable: bool,
    lossy: bool,
) -> int:
    """Write TAPE in another format.

    A script is read wherever a tape is: by replay, show, diagnose and the others. What a replay
    would change with --transport, --wire-api and --tools is written changed.

    \b
    wiretape export bug.db --to script -o bug.script
    wiretape export bug.db --to script --stable -o tests/bug.script
    wiretape export bug.db --to fixture -o answer.sse
    """
    from replayer.bends.options import bends_for
    from replayer.bends.stable import stable as bend_stable
    from replayer.new_files import check_new, write_new
    from replayer.opening import only_these
    from wiretape.fixtures import fixtures
    from wiretape.scripts.writing import write_script

    context = click.get_current_context()
    refuse_clashes(context)
    check_new([output])
    recording, _ = only_these(tape, sessions, bends_for(wire_api, transport, tools), tell)
    if stable:
        recording = bend_stable(recording)
    if form == "script":
        write_new({output: write_script(recording)})
        return 0
    files, losses = fixtures(recording, is_lossy=lossy)
    names = [output] if len(files) == 1 else _numbered(output, len(files))
    write_new(dict(zip(names, files, strict=True)))
    for sentence in losses:
        tell(f"{sentence}.")
    if len(files) > 1:
        tell(
            f"a fixture holds one answer, and these are {len(files)}: {names[0]} to {names[-1]}. "
            f"`wiretape replay {bent_words(tape, context)} --via fixture -- COMMAND` gives them "
            "one after the other."
        )
    return 0


def _numbered(output: Path, count: int) -> list[Path]:
    return [output.with_name(f"{output.stem}-{n}{output.suffix}") for n in range(1, count + 1)]
