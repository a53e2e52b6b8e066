"""The real client, whose tools print what they gave when they were recorded."""

from collections.abc import Callable
from pathlib import Path

import pytest
from cells import Cell
from codex_run import normalised
from provider_script import Reply, Run, Script
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


def outputs(events: tuple[dict[str, object], ...]) -> list[object]:
    """What the commands gave, and how they ended."""
    items = [event["item"] for event in normalised(events) if "item" in event]
    return [
        (item["aggregated_output"], item["exit_code"], item["status"])
        for item in items
        if item["type"] == "command_execution"
    ]
