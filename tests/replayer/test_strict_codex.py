"""Strict replay and the real client: it gives up at once, and says why."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from codex_run import CodexRun, run_codex
from provider import Provider
from situations import PROMPT, SITUATIONS, Transport, Version

pytestmark = pytest.mark.codex

WIRETAPE = str(Path(sys.executable).with_name("wiretape"))


@pytest.mark.parametrize("version", Version)
@pytest.mark.parametrize("transport", Transport)
def test_a_changed_prompt_ends_a_strict_replay(
    transport: Transport, version: Version, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """One request that differs is answered with an error that the client neither retries nor
    falls back on: the run fails with our sentence, and nothing more is asked."""
    tape, report = tmp_path / "tape.db", tmp_path / "report.json"
    binary = codex(version)

    def run(prompt: str, base_url: str, *wiretape: str) -> CodexRun:
        for name in ("home", "cwd"):
            shutil.rmtree(tmp_path / name, ignore_errors=True)
        return run_codex(
            binary,
            prompt,
            base_url=base_url,
            transport=transport,
            home=tmp_path / "home",
            cwd=tmp_path / "cwd",
            command_prefix=[WIRETAPE, *wiretape, "--"],
            environment={"WIRETAPE_CA_DIR": str(tmp_path / "ca")},
        )

    with Provider(SITUATIONS["tool-round"].scripts[transport]) as provider:
        assert run(PROMPT, provider.base_url, "record", "-o", str(tape)).exit_code == 0
    strict = ("replay", str(tape), "--strict", "--report", str(report))
    assert run(PROMPT, provider.base_url, *strict).exit_code == 0
    changed = run("Do something else.", provider.base_url, *strict)

    assert changed.exit_code == 1
    assert "wiretape: this request is not as it was recorded" in changed.stdout
    found = json.loads(report.read_text())
    assert (found["counts"]["different"], found["counts"]["unexpected"]) == (1, 0)
    (different,) = found["different"]
    assert different["number"] == found["counts"]["requests"]
    assert "Do something else." in str(different["differences"])
