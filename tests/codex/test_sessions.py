"""Several sessions on one tape, with the real client: each finds its own recording again."""

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from codex_run import CodexRun, normalised, run_codex
from provider import Provider
from provider_script import Script
from situations import OPEN, PROMPT, RUN, SAY, Transport, Version

pytestmark = pytest.mark.codex

WIRETAPE = str(Path(sys.executable).with_name("wiretape"))
EXEC = "exec --skip-git-repo-check --json"
# Two at once in an empty home would race for what the client puts there.
IN_PARALLEL = f"""
run() {{
  mkdir "$2" && cp "$CODEX_HOME/config.toml" "$2"
  CODEX_HOME="$PWD/$2" "$1" {EXEC} "$2" </dev/null >"$2.jsonl"
}}
run "$1" one & run "$1" two & wait
cat one.jsonl two.jsonl
"""
RESUMED = f'"$1" {EXEC} one </dev/null; "$1" {EXEC} resume --last two </dev/null'
REPLIES = (*RUN[:2], *SAY)


@dataclass(frozen=True, slots=True)
class Runs:
    """What the same script of commands did, recorded and replayed."""

    recorded: CodexRun
    replayed: CodexRun
    report: dict[str, Any]


def record_and_replay(script: str, binary: Path, transport: Transport, folder: Path) -> Runs:
    tape, report = folder / "tape.db", folder / "report.json"

    def run(base_url: str, *wiretape: str) -> CodexRun:
        for name in ("home", "cwd"):
            shutil.rmtree(folder / name, ignore_errors=True)
        return run_codex(
            binary,
            PROMPT,
            base_url=base_url,
            transport=transport,
            home=folder / "home",
            cwd=folder / "cwd",
            command_prefix=[WIRETAPE, *wiretape, "--", "sh", "-c", script, "sh"],
            environment={"WIRETAPE_CA_DIR": str(folder / "ca")},
        )

    upstream = Script(posts=REPLIES, upgrades=OPEN, messages=REPLIES)
    with Provider(upstream) as provider:
        recorded = run(provider.base_url, "record", "-o", str(tape))
    replayed = run(provider.base_url, "replay", str(tape), "--report", str(report))
    return Runs(recorded, replayed, json.loads(report.read_text()))


@pytest.mark.parametrize("version", Version)
@pytest.mark.parametrize("transport", Transport)
@pytest.mark.parametrize("script", [IN_PARALLEL, RESUMED], ids=["in-parallel", "resumed"])
def test_two_runs_on_one_tape_are_replayed(
    script: str,
    transport: Transport,
    version: Version,
    codex: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    """Two sessions at once, or one that is taken up again: each command does in the replay what
    it did in the recording, and everything is asked once."""
    runs = record_and_replay(script, codex(version), transport, tmp_path)
    assert [each["type"] for each in runs.recorded.events].count("turn.completed") == 2
    assert normalised(runs.replayed.events) == normalised(runs.recorded.events)
    counts = runs.report["counts"]
    assert counts["requests"] == counts["exact"] > 0
    assert (counts["unexpected"], counts["not_asked"]) == (0, 0)
