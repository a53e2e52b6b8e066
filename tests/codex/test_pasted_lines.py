"""The command lines that the inspector gives, pasted into a shell, with the real client."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from codex_run import clean_environment, run_codex
from provider import Provider
from provider_script import Script
from situations import OPEN, PROMPT, RUN, SAY, Transport, Version

from inspector_web.access import Access
from inspector_web.app import create_app
from inspector_web.library import Library
from wiretape.store_reader import TapeReader

pytestmark = pytest.mark.codex

BIN = Path(sys.executable).parent
REPLIES = (*RUN[:2], *SAY)


def recorded(binary: Path, transport: Transport, folder: Path) -> Path:
    """The tape of a run with a tool call; its provider is gone."""
    tape = folder / "tapes" / "it's mine.db"
    with Provider(Script(posts=REPLIES, upgrades=OPEN, messages=REPLIES)) as provider:
        run = run_codex(
            binary,
            PROMPT,
            base_url=provider.base_url,
            transport=transport,
            home=folder / "home",
            cwd=folder / "my work",
            command_prefix=[str(BIN / "wiretape"), "record", "-o", str(tape), "--"],
            environment={"WIRETAPE_CA_DIR": str(folder / "ca")},
        )
    assert run.exit_code == 0, run.stderr
    return tape


def groups(tape: Path, place: str = "") -> dict[str, list[str]]:
    """The lines of the page, by the title of their group."""
    app = create_app(Library([tape.parent]), Access("127.0.0.1", None), patience_s=60)
    answer = app.test_client().get(f"/tapes/{tape.stem}/sessions/1/again.json{place}")
    assert answer.status_code == 200, answer.text
    told: Any = json.loads(answer.text)["groups"]
    return {group["title"]: [each["line"] for each in group["commands"]] for group in told}


def pasted(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The line in a shell of somebody who is elsewhere, whose own settings are others."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    environment = clean_environment(elsewhere) | {
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "WIRETAPE_CA_DIR": str(folder / "ca"),
    }
    return subprocess.run(
        ["sh", "-c", line],
        cwd=elsewhere,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def made(tape: Path) -> set[Path]:
    """What lies beside the tape."""
    return {each for each in tape.parent.iterdir() if each.suffix in (".db", ".json")} - {tape}


@pytest.mark.parametrize("version", Version)
@pytest.mark.parametrize("transport", Transport)
def test_a_replay_does_what_was_recorded_from_anywhere(
    transport: Transport, version: Version, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """In the recorded folder, with the recorded settings: every request is asked as recorded, and
    each run leaves a tape of its own."""
    tape = recorded(codex(version), transport, tmp_path)
    plain, paced, strict, *_ = groups(tape)["This session"]
    for line, files in ((plain, [".db"]), (paced, [".db"]), (strict, [".db", ".json"])):
        before = made(tape)
        ran = pasted(line, tmp_path)
        assert ran.returncode == 0, (line, ran.stderr)
        assert " 0 different, 0 unexpected, 0 not asked, " in ran.stderr
        assert sorted(each.suffix for each in made(tape) - before) == files
    (report,) = (each for each in made(tape) if each.suffix == ".json")
    counts = json.loads(report.read_text())["counts"]
    assert counts["requests"] == counts["exact"] > 0
    assert (counts["unexpected"], counts["not_asked"]) == (0, 0)


def test_each_fault_is_met_where_its_line_says(
    codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """At an event and at a whole answer; what the client makes of it is on a tape of its own."""
    tape = recorded(codex(Version.OLD), Transport.SSE, tmp_path)
    for place in ("?request=2", "?request=2&event=3"):
        for line in groups(tape, place)["With a fault here"]:
            before = made(tape)
            ran = pasted(line, tmp_path)
            assert "was not met" not in ran.stderr, (line, ran.stderr)
            (replay,) = made(tape) - before
            with TapeReader(replay) as reader:
                assert reader.label().source == str(tape)
                (fault,) = json.loads(reader.label().faults or "[]")
            assert f" {shlex.quote(fault)} " in line
