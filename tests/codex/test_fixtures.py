"""The fixture hook of the real client, beside the situations in depth: no hook, and a file."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cells import WIRETAPE, Cell
from codex_run import normalised
from situations import SITUATIONS, Transport, Version

pytestmark = pytest.mark.codex


def test_a_client_without_the_hook_says_so(codex: Callable[[str], Path], tmp_path: Path) -> None:
    """Today's client asks over the network, where it gets nothing."""
    cell = Cell(SITUATIONS["answer"], codex(Version.NEW), Transport.SSE, tmp_path)
    cell.recorded()
    replayed, report = cell.replayed("--via", "fixture", keeps_tape=False)
    assert replayed.exit_code == 1
    assert any("replay to this one with --via proxy" in note for note in report["notes"])


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
