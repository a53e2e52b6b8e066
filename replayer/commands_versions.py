"""``wiretape versions``."""

import json
import os
from pathlib import Path

import click

from replayer.trials.options import deadline_option
from wiretape.commands.options import json_option, session_option
from wiretape.commands.telling import tell
from wiretape.errors import UsageError


@click.command()
@click.argument("tape", type=click.Path(path_type=Path))
@click.option(
    "--prompt",
    metavar="TEXT",
    help="What to ask of each version, instead of what the user asked first on TAPE.",
)
@click.option(
    "-c",
    "--config",
    "configs",
    multiple=True,
    metavar="KEY=VALUE",
    help="A setting for each version, as `codex -c` takes it. Repeatable.",
)
@session_option
@click.option(
    "--tools",
    type=click.Choice(["recorded", "run"]),
    default="recorded",
    show_default=True,
    help="recorded: shell calls print what they gave when recorded, and do nothing. run: they "
    "run, in an empty folder.",
)
@deadline_option("How long one version may take.")
@json_option
@click.argument("versions", nargs=-1, required=True, metavar="VERSION...")
def versions(
    tape: Path,
    prompt: str | None,
    configs: tuple[str, ...],
    session: str | None,
    tools: str,
    deadline_s: float,
    as_json: bool,
    versions: tuple[str, ...],
) -> int:
    """Run several versions of Codex on TAPE, and compare what they make of it.

    A VERSION is fetched from npm, once, into your cache folder ($WIRETAPE_CODEX_CACHE names
    another); one with a slash in it is the path of a Codex that you have. Each runs offline, with
    settings made from TAPE and nothing of yours. Ends with 1 where one of them does not do what
    was recorded.

    \b
    wiretape versions bug.db -- 0.99.0 0.130.0 0.169.0
    wiretape versions bug.db -c model_providers.recorded.stream_max_retries=2 -- 0.169.0 ./codex
    """
    from platformdirs import user_cache_path

    from gateway.authority import open_authority
    from replayer.opening import only_these
    from replayer.tools.rewriting import tools_recorded
    from replayer.trials.trial import Trials
    from replayer.versions.columns import Column, column_of, table
    from replayer.versions.fetching import CACHE_VARIABLE, FetchError, fetched
    from replayer.versions.running import run_version
    from replayer.versions.task import task_of
    from wiretape.commands.summary import PAST_US

    names = () if session is None else (session,)
    bends = (tools_recorded(),) if tools == "recorded" else ()
    recording, _ = only_these(tape, names, bends, tell)
    task = task_of(recording, prompt)
    if task is None:
        raise UsageError(
            f"{tape} does not tell what the user asked: say it with --prompt, on a tape that "
            "holds a request to a model."
        )
    named = os.environ.get(CACHE_VARIABLE)
    cache = Path(named) if named else user_cache_path("wiretape") / "codex"
    trials = Trials(open_authority(os.environ))
    found: list[Column] = []
    for version in versions:
        try:
            own = Path(version).absolute() if "/" in version else None
            binary = own or fetched(version, cache, os.environ, tell)
        except FetchError as error:
            tell(f"{error}.")
            found.append(Column(version, trouble=str(error)))
            continue
        trial = run_version(binary, task, recording, trials, configs, deadline_s)
        found.append(column_of(version, trial))
        if trial.asked_for_nothing:
            tell(f"{version} asked for nothing: is it a Codex, and does it run here? {PAST_US}")
    if as_json:
        document = {"tape": str(tape), "versions": [column.as_json() for column in found]}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        for line in table(found):
            click.echo(line)
    return int(any(column.diverges for column in found))
