"""The real client, whose tools print what they gave when they were recorded."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cells import WIRETAPE, Cell
from codex_run import normalised
from provider_script import Reply, Run, Script, Written
from situations import (
    DEFAULT_TRANSPORT,
    OPEN,
    OTHER_TRANSPORT_FEATURES,
    SAY,
    Situation,
    Transport,
    Version,
)

pytestmark = pytest.mark.codex

COMMANDS = (
    "echo made > made.txt; printf 'a\\nb it'\\''s \\n\\n'; exit 3",
    "touch other.txt; seq 1 40; echo oops >&2",
    "printf 'no end'",
)
REPLIES = (*(Reply(Run(command)) for command in COMMANDS), *SAY)
MAKES_FILES = Situation(
    "three commands, of which two make files",
    {
        Transport.SSE: Script(posts=REPLIES),
        Transport.WEBSOCKET: Script(upgrades=OPEN, messages=REPLIES),
    },
)


@pytest.mark.parametrize("transport", Transport)
@pytest.mark.parametrize("version", Version)
def test_tools_do_nothing_and_say_the_same(
    version: Version, transport: Transport, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """No file is made, every request is the recorded one, and the outputs are those of the
    recording."""
    is_usual = transport is DEFAULT_TRANSPORT[version]
    features = () if is_usual else OTHER_TRANSPORT_FEATURES[version]
    cell = Cell(MAKES_FILES, codex(version), transport, tmp_path, features)
    recorded = cell.recorded().codex
    made = {path.name for path in (tmp_path / "cwd").iterdir()}
    assert made == {"made.txt", "other.txt"}

    replayed, report = cell.replayed("--tools", "recorded", keeps_tape=False)
    assert list((tmp_path / "cwd").iterdir()) == []
    assert [report[verdict] for verdict in ("different", "unexpected", "not_asked")] == [[]] * 3
    assert replayed.exit_code == recorded.exit_code
    assert outputs(replayed.events) == outputs(recorded.events)
    (note,) = report["notes"]
    assert note.startswith("calls that print what was recorded instead: exec_command (call_")


LONG = tuple(
    Reply(Run(command))
    for command in (
        "seq 1 20000",
        "printf %60000s ''",
        "seq 1 300000 | sed 's/.*/é/'",
        "printf %60001s '' | sed 's/ /😀a/g'; exit 3",
    )
)


@pytest.mark.parametrize("version", Version)
def test_long_outputs_are_shortened_to_the_same(
    version: Version, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """By the client, which counts bytes, characters, tokens and lines of what was left out."""
    situation = Situation("long outputs", {Transport.SSE: Script(posts=(*LONG, *SAY))})
    is_usual = DEFAULT_TRANSPORT[version] is Transport.SSE
    features = () if is_usual else OTHER_TRANSPORT_FEATURES[version]
    cell = Cell(situation, codex(version), Transport.SSE, tmp_path, features)
    cell.recorded()
    _, report = cell.replayed("--tools", "recorded", keeps_tape=False)
    assert [report[verdict] for verdict in ("different", "unexpected", "not_asked")] == [[]] * 3
    (note,) = report["notes"]
    assert note.startswith("calls that print what was recorded instead: exec_command (call_")


SCRIPTS = (
    "const run = await tools.exec_command({cmd: 'echo out; exit 3'});\ntext(run);\n",
    "text({a: [1, 'x']}); text(''); text('naïve \u2028 ✓\\n')",
    "1",
    "text('before'); throw new Error('boom')",
    "this is no script",
    "text('ab'.repeat(40000)); text('é'.repeat(30000) + 'end')",
    "text('é😀a'.repeat(30000)); throw 'after'",
)
CALLED = Written(
    (
        {"type": "response.created", "response": {"id": "resp_1"}},
        *(
            {
                "type": "response.output_item.done",
                "item": {
                    "type": "custom_tool_call",
                    "call_id": f"call_{number}",
                    "name": "exec",
                    "input": script,
                },
            }
            for number, script in enumerate(SCRIPTS)
        ),
        {"type": "response.completed", "response": {"id": "resp_1", "output": []}},
    )
)


def test_scripts_do_nothing_and_show_the_same(codex: Callable[[str], Path], tmp_path: Path) -> None:
    """Those of the tool that runs JavaScript, which the client has by default: whole ones, failed
    ones, and such as showed more than it passes on."""
    situation = Situation(
        "scripts",
        {Transport.WEBSOCKET: Script(upgrades=OPEN, messages=(Reply(CALLED), *SAY))},
        is_default_provider=True,
    )
    cell = Cell(situation, codex(Version.NEW), Transport.WEBSOCKET, tmp_path)
    *_, (said, code, _) = outputs(cell.recorded().codex.events)
    assert (said, code) == ("out\n", 3)
    replayed, report = cell.replayed("--tools", "recorded")
    assert outputs(replayed.events) == []
    assert [report[verdict] for verdict in ("different", "unexpected", "not_asked")] == [[]] * 3
    assert {note.partition(":")[0] for note in report["notes"]} == {
        "calls that print what was recorded instead",
        "what these calls give may differ, because the client had shortened its output",
    }


@pytest.mark.parametrize("version", Version)
def test_a_tape_of_such_a_replay_is_equal_to_the_recording_bent_so(
    version: Version, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """It holds the calls as they were rewritten, and nothing else differs."""
    features = OTHER_TRANSPORT_FEATURES[version]
    cell = Cell(MAKES_FILES, codex(version), Transport.SSE, tmp_path, features)
    cell.recorded()
    cell.replayed("--tools", "recorded")
    bent = tmp_path / "printing.script"
    export = ["export", cell.tape, "--to", "script", "--tools", "recorded", "-o", bent]
    subprocess.run([WIRETAPE, *export], check=True)
    assert subprocess.run([WIRETAPE, "diff", cell.tape, cell.replay_tape]).returncode == 1
    assert subprocess.run([WIRETAPE, "diff", bent, cell.replay_tape]).returncode == 0


PATCH = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\nEOF"


@pytest.mark.parametrize("version", Version)
def test_what_may_differ_is_named(
    version: Version, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """A patch that the client applied by itself. Bytes that are no characters come to the same."""
    replies = (Reply(Run("printf 'a\\377\\376b'")), Reply(Run(PATCH)), *SAY)
    situation = Situation("a patch", {Transport.SSE: Script(posts=replies)})
    features = OTHER_TRANSPORT_FEATURES[version]
    cell = Cell(situation, codex(version), Transport.SSE, tmp_path, features)
    cell.recorded()
    assert cell.files() == {"new.txt": b"hello\n"}
    _, report = cell.replayed("--tools", "recorded", keeps_tape=False)
    assert cell.files() == {}
    (different,) = report["different"]
    assert different["number"] == 3
    (note,) = (each for each in report["notes"] if each.startswith("what these calls"))
    assert note.startswith(
        "what these calls give may differ, because the client had applied a patch by itself: "
        "exec_command (call_"
    )


def outputs(events: tuple[dict[str, Any], ...]) -> list[tuple[str, int, str]]:
    """What the commands gave, and how they ended."""
    items = [event["item"] for event in normalised(events) if "item" in event]
    return [
        (item["aggregated_output"], item["exit_code"], item["status"])
        for item in items
        if item["type"] == "command_execution"
    ]
