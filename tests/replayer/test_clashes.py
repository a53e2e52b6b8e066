"""Options that do not go together: each such pair is refused in a sentence, and nothing runs."""

from collections.abc import Callable
from pathlib import Path

import click
import pytest
from replay_runs import Ran, asking

from replayer.clashes import CLASHES
from replayer.cli import replay
from replayer.commands_export import export
from wiretape.cli import main

type Run = Callable[..., Ran]

UNSEEN = "the hook does not show what the client asks; use --via proxy"
AT_ONCE = "through the hook each answer comes whole and at once; use --via proxy"


@pytest.mark.parametrize(
    ("option", "why"),
    [
        (("--strict",), UNSEEN),
        (("--ignore", "tools"), UNSEEN),
        (("--output", "replay.db"), UNSEEN),
        (("--speed", "1"), AT_ONCE),
        (("--longest-silence", "2"), AT_ONCE),
        (("--fault", "1:cut"), AT_ONCE),
    ],
)
def test_what_the_hook_does_not_show_is_not_promised(
    option: tuple[str, ...], why: str, run: Run, tape: Path
) -> None:
    """Options about requests and times need the network."""
    ran = run(tape, "--via", "fixture", *option, *asking("a"))
    assert (ran.exit_code, ran.stdout, ran.stderr) == (
        2,
        "",
        f"wiretape: --via fixture and {option[0]} do not go together: {why}.\n",
    )


def test_the_hook_knows_no_websocket(run: Run, tape: Path) -> None:
    """Asked for one, it does not quietly do something else."""
    ran = run(tape, "--via", "fixture", "--transport", "websocket", *asking("a"))
    assert (ran.exit_code, ran.stderr) == (
        2,
        "wiretape: --via fixture and --transport websocket do not go together: the hook stands "
        "in for HTTP, not for a WebSocket; use --via proxy.\n",
    )


def test_the_hook_needs_a_command(run: Run, tape: Path) -> None:
    """There is nobody else to give the pipe to."""
    ran = run(tape, "--via", "fixture")
    assert (ran.exit_code, ran.stderr) == (
        2,
        "wiretape: --via fixture and no COMMAND do not go together: the hook is in the client; "
        "put its command behind `--`.\n",
    )


def test_nobody_is_told_to_wait_less(run: Run, tape: Path) -> None:
    """Without a pace nothing is silent, and without a command nobody's patience can be set."""
    ran = run(tape, "--longest-silence", "2")
    assert (ran.exit_code, ran.stderr) == (
        2,
        "wiretape: --longest-silence, no --speed and no COMMAND do not go together: without a "
        "speed there are no silences to shorten, and without a COMMAND nobody whose patience "
        "could be; give one of them.\n",
    )


def test_what_is_said_as_it_is_anyway_is_no_choice(run: Run, tape: Path) -> None:
    """An option at its default stands in nothing's way."""
    ran = run(tape, "--via", "fixture", "--speed", "max", *asking("a"))
    assert "do not go together" not in ran.stderr


def test_rules_beside_the_tape_are_for_replays_that_compare(run: Run, tape: Path) -> None:
    """Through the hook nothing is compared, so none of them is called misspelt."""
    tape.with_name("tape.db.ignore").write_text("tools\n")
    ran = run(tape, "--via", "fixture", *asking("a"))
    assert "nothing was ignored" not in ran.stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ("--to", "script", "--lossy"),
            "--to script and --lossy do not go together: a script holds everything; leave "
            "--lossy out.",
        ),
        (
            ("--to", "fixture", "--transport", "websocket"),
            "--to fixture and --transport websocket do not go together: the hook stands in for "
            "HTTP, not for a WebSocket; use --to script.",
        ),
    ],
)
def test_export_refuses_what_would_do_nothing(
    options: tuple[str, ...],
    sentence: str,
    tape: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """And writes no file."""
    with pytest.raises(SystemExit) as left:
        main(["export", str(tape), *options, "-o", str(tmp_path / "out")])
    assert (left.value.code, capfd.readouterr().err) == (2, f"wiretape: {sentence}\n")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", [replay, export], ids=lambda each: str(each.name))
def test_the_table_speaks_of_options_that_there_are(command: click.Command) -> None:
    """A row about another one would never refuse anything."""
    named = {option for parameter in command.params for option in parameter.opts}
    for clash in CLASHES[str(command.name)]:
        for choice in clash.choices:
            assert choice == "no COMMAND" or choice.removeprefix("no ").split()[0] in named
