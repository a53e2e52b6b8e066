"""``wiretape record``."""

import os
from pathlib import Path

import click

from gateway.codex import codex_config
from gateway.env_word import past_env
from recorder.routing import Routing, Scope, configured_hosts, parse_upstream
from wiretape.commands.options import listen_option
from wiretape.commands.places import at_new_tape_path, recordings_folder
from wiretape.commands.summary import summary_line
from wiretape.commands.telling import tell
from wiretape.errors import WiretapeError
from wiretape.scope import MODEL_HOSTS


class HostPattern(click.ParamType[str]):
    """The name of a host, or a pattern of names. Ports, paths and schemes are none of it."""

    name = "PATTERN"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        pattern = str(value)
        # An IPv6 address has several colons.
        if not pattern or "/" in pattern or pattern.count(":") == 1:
            self.fail(
                f"{pattern!r} is no host: give a name or a pattern of names, like "
                "models.example.com or *.example.com.",
                param,
                ctx,
            )
        return pattern


@click.command(context_settings={"allow_interspersed_args": False})
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The tape to make. Without it: a name with the time and the command, in "
    "$WIRETAPE_RECORDINGS, else ./recordings where it exists, else your data folder.",
)
@click.option(
    "--scope",
    type=click.Choice([scope.value for scope in Scope]),
    default=Scope.RESPONSES.value,
    show_default=True,
    help="Record the agent's requests to its model, or everything that is opened.",
)
@click.option(
    "--host",
    "hosts",
    type=HostPattern(),
    multiple=True,
    help="Open TLS to these hosts too (* stands for anything). Repeatable.",
)
@listen_option
@click.option(
    "--upstream",
    metavar="URL",
    help="Send what is recorded to this scheme, host and port instead of its own. Without a "
    "command: be a reverse proxy for it.",
)
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def record(
    output: Path | None,
    scope: str,
    hosts: tuple[str, ...],
    listen: tuple[str, int],
    upstream: str | None,
    command: tuple[str, ...],
) -> int:
    """Record what COMMAND and its model say to each other.

    COMMAND runs as if wiretape were not there: it keeps the terminal, its signals and its exit
    code. Without COMMAND, wiretape listens as a proxy until you stop it.

    \b
    wiretape record -- codex exec "say hello"
    wiretape record -o bug.db -- codex
    wiretape record --listen 127.0.0.1:8080
    wiretape record --listen 127.0.0.1:8080 --upstream https://api.openai.com
    """
    # mitmproxy takes half a second to import; `wiretape --help` need not wait for it.
    from gateway.child import Signals
    from recorder.run import Outcome, Recording, Surroundings
    from recorder.run import record as run_recording

    target = None if upstream is None else parse_upstream(upstream)
    is_reverse = target is not None and not command
    runs, found = past_env(command, os.environ)
    configured = configured_hosts(codex_config(found), found, runs)
    routing = Routing(
        # Whoever talks to a reverse proxy means us.
        hosts=("*",) if is_reverse else (*MODEL_HOSTS, *hosts, *configured),
        scope=Scope(scope),
        upstream=None if is_reverse else target,
    )
    host, port = listen
    with Signals() as signals:

        def run(tape: Path) -> Outcome:
            reverse = target if is_reverse else None
            recording = Recording(tape, host, port, routing, command, reverse)
            return run_recording(recording, Surroundings(os.environ, tell, click.echo, signals))

        if output is not None:
            outcome = run(output)
        else:
            outcome = at_new_tape_path(recordings_folder(os.environ), command, run)
        tell(_last_line(outcome.tape, outcome.unwritten_gaps, outcome.unopened))
    return outcome.exit_code


def _last_line(tape: Path, unwritten_gaps: int, unopened: tuple[str, ...]) -> str:
    try:
        return summary_line(tape, unwritten_gaps, unopened)
    except WiretapeError as error:
        # The command's own outcome stands, whatever became of the tape.
        return str(error)
