"""``wiretape replay``."""

import os
from pathlib import Path

import click

from replayer.bend_options import bend_options, bent_words
from replayer.clashes import refuse_clashes
from replayer.new_files import check_new
from replayer.silence_option import longest_silence_option, with_patience
from wiretape.commands.ignore_files import ignore_option, ignored_beside
from wiretape.commands.options import listen_option, sessions_option
from wiretape.commands.telling import tell
from wiretape.errors import UsageError


class Speed(click.ParamType[float | None]):
    """``max``, or a factor of the recorded pace."""

    name = "max|FACTOR"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | None:
        if value == "max" or value is None:
            return None
        try:
            factor = float(str(value))
        except ValueError:
            factor = 0.0
        if not 0 < factor < 1e6:
            self.fail(f"{value!r} is no speed: give max, 1 or another factor.", param, ctx)
        return factor


@click.command()
@click.argument("tape", type=click.Path(path_type=Path))
@sessions_option
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep the replay itself as a tape.",
)
@click.option(
    "--report",
    "report_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the report as JSON to this file.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Answer a request that is not as recorded with an error that the client gives up on. "
    "A --fault that was met excuses what comes after it.",
)
@click.option(
    "--speed",
    type=Speed(),
    default="max",
    show_default=True,
    help="max waits for nothing; 1 keeps the recorded pace, 2 is twice as fast.",
)
@longest_silence_option
@click.option(
    "--via",
    type=click.Choice(["proxy", "fixture"]),
    default="proxy",
    show_default=True,
    help="How the answers reach COMMAND: over the network, or through the CODEX_RS_SSE_FIXTURE "
    "hook of Codex up to about 0.130.",
)
@bend_options
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="SPEC",
    help="Let the server fail: REQUEST[.EVENT]:ACTION[=ARG], like 2.5:cut. Repeatable; "
    "docs/faults.md has them all.",
)
@ignore_option
@listen_option
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def replay(
    tape: Path,
    sessions: tuple[str, ...],
    output: Path | None,
    report_file: Path | None,
    strict: bool,
    speed: float | None,
    longest_silence: float | None,
    via: str,
    transport: str,
    wire_api: str,
    tools: str,
    faults: tuple[str, ...],
    ignore: tuple[str, ...],
    listen: tuple[str, int],
    command: tuple[str, ...],
) -> int:
    """Replay TAPE, offline, to the client that COMMAND runs.

    COMMAND finds the recorded model hosts at our server, whatever its configuration; nothing
    leaves the machine. Its exit code is ours; with --strict, a replay that was not as the
    recording ends with 1 where COMMAND itself is content. Without COMMAND, wiretape serves as a
    base URL until you stop it.

    \b
    wiretape replay bug.db -- codex exec "say hello"
    wiretape replay bug.db --speed 1 --report report.json -- codex exec "say hello"
    wiretape replay bug.db --listen 127.0.0.1:8080
    """
    from gateway.child import Signals
    from replayer.bends.options import bends_for
    from replayer.faults.spec import read_fault
    from replayer.fixtures.via import replay_via_fixture
    from replayer.pacing import Pace
    from replayer.report_file import check_report_file, write_report
    from replayer.run import Replay
    from replayer.run import replay as run_replay
    from replayer.timing import timed

    context = click.get_current_context()
    refuse_clashes(context)
    check_new([] if output is None else [output])
    if report_file is not None:
        check_report_file(report_file)
        if report_file == output:
            raise UsageError(
                f"{output} cannot be both the report and the tape of the replay: name two files."
            )
    # The hook shows nothing that could be compared.
    ignored = ignored_beside([] if via == "fixture" else [tape], ignore)
    host, port = listen
    specs = tuple(map(read_fault, faults))
    hurried = with_patience(command, os.environ, longest_silence, tell)
    pace, paced = timed(Pace(speed), specs, longest_silence, hurried)
    bends = (*bends_for(wire_api, transport, tools), *paced)
    with Signals() as signals:
        outcome = (replay_via_fixture if via == "fixture" else run_replay)(
            Replay(
                tape,
                host,
                port,
                pace,
                strict,
                command if hurried is None else hurried.command,
                frozenset(sessions),
                output,
                bends,
                ignored,
                specs,
            ),
            os.environ,
            tell,
            signals,
        )
        if report_file is not None:
            write_report(report_file, tape, command, outcome.exit_code, outcome.report.as_json())
        for line in outcome.report.lines(report_file):
            tell(line)
        if output is not None and (tools, wire_api) != ("run", "recorded"):
            tell(
                f"{output} holds what was replayed, which is not {tape}: compare it with what "
                f"`wiretape export {bent_words(tape, context)} --to script -o FILE` writes."
            )
        for sentence in ignored.unmatched():
            tell(sentence)
    if strict and outcome.exit_code == 0 and outcome.has_findings:
        return 1
    return outcome.exit_code
