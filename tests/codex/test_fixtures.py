"""The fixture hook of the real client: what it reads is what was recorded."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cells import WIRETAPE, Cell
from codex_run import CodexRun, normalised
from situations import SITUATIONS, Transport, Version

pytestmark = pytest.mark.codex

_HOW_IT_WAS_LOST = re.compile(r" \(stream disconnected before completion: [^)]*\)")


@pytest.mark.parametrize(
    "name",
    [
        "answer",
        "tool-round",
        "three-rounds",
        "cut-then-answer",
        "reset-then-answer",
        "context-length",
        "invalid-prompt",
        "unknown-events",
        "default-provider",
    ],
)
def test_a_session_goes_through_the_hook(
    name: str, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """Tool rounds and failed streams too; only how a connection was lost is not seen."""
    cell = Cell(SITUATIONS[name], codex(Version.OLD), Transport.SSE, tmp_path)
    recorded = cell.recorded().codex
    replayed, report = cell.replayed("--via", "fixture", keeps_tape=False)
    assert seen(replayed) == seen(recorded)
    assert replayed.exit_code == recorded.exit_code
    given = report["fixture"]
    assert given["given"] == given["recorded"] == given["opened"] > 0
    assert (report["unexpected"], report["not_asked"]) == ([], [])


def test_a_client_that_is_set_up_for_websockets_comes_to_the_hook(
    codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """It asks for one all the same, and is sent on to HTTP, where it heeds the hook."""
    cell = Cell(SITUATIONS["answer"], codex(Version.OLD), Transport.WEBSOCKET, tmp_path)
    recorded = cell.recorded().codex
    replayed, report = cell.replayed("--via", "fixture", keeps_tape=False)
    assert seen(replayed) == seen(recorded)
    assert report["fixture"] == {"given": 1, "recorded": 1, "opened": 1}


def test_a_client_without_the_hook_says_so(codex: Callable[[str], Path], tmp_path: Path) -> None:
    """Today's client asks over the network, where it gets nothing."""
    cell = Cell(SITUATIONS["answer"], codex(Version.NEW), Transport.SSE, tmp_path)
    cell.recorded()
    replayed, report = cell.replayed("--via", "fixture", keeps_tape=False)
    assert replayed.exit_code == 1
    assert any("replay to this one with --via proxy" in note for note in report["notes"])


def seen(run: CodexRun) -> object:
    """What a person saw, but for how a connection was lost."""
    return json.loads(_HOW_IT_WAS_LOST.sub("", json.dumps(normalised(run.events))))


def test_one_exported_answer_is_read_from_a_file(
    codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """As the hook was meant, without us."""
    cell = Cell(SITUATIONS["invalid-prompt"], codex(Version.OLD), Transport.SSE, tmp_path)
    recorded = cell.recorded().codex
    file = tmp_path / "answer.sse"
    export = [WIRETAPE, "export", cell.tape, "--to", "fixture", "--lossy", "-o", file]
    subprocess.run(export, check=True)
    again = cell.again([], {"CODEX_RS_SSE_FIXTURE": str(file)})
    assert normalised(again.events) == normalised(recorded.events)
