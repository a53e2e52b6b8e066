"""The real client against an upstream that nobody listens for: recorded, and replayed."""

import json
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from cells import WIRETAPE
from codex_run import CodexRun, normalised, run_codex
from situations import PROMPT, Transport, Version

from wiretape.facts import EndKind
from wiretape.store_reader import TapeReader

pytestmark = pytest.mark.codex


@pytest.mark.parametrize("transport", Transport)
@pytest.mark.parametrize("version", Version)
def test_what_was_asked_of_nobody_is_asked_again(
    version: Version, transport: Transport, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """Each body is on the tape, so that each request of the replay is told to be exact."""
    tape, report = tmp_path / "t.db", tmp_path / "report.json"
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))

        def run(*prefix: str | Path) -> CodexRun:
            return run_codex(
                codex(version),
                PROMPT,
                base_url=f"http://127.0.0.1:{closed.getsockname()[1]}/v1",
                transport=transport,
                home=tmp_path / "home",
                cwd=tmp_path / "cwd",
                command_prefix=[WIRETAPE, *map(str, prefix), "--"],
                environment={"WIRETAPE_CA_DIR": str(tmp_path.parent / "ca")},
            )

        recorded = run("record", "-o", tape)
        replayed = run("replay", tape, "--report", report)
    with TapeReader(tape) as reader:
        bodies = [
            json.loads(reader.request_body(each.id))["model"]
            for each in reader.exchanges()
            if each.request.method == "POST"
        ]
        ends = {each.end and each.end.how for each in reader.exchanges()}
        gaps = reader.gaps()
    assert recorded.exit_code == replayed.exit_code == 1
    assert recorded.stderr.count("could not be reached (Connection refused)") == 1
    assert bodies == ["gpt-5.2-codex"] * 9
    assert (ends, gaps) == ({EndKind.REFUSED}, [])
    assert normalised(replayed.events) == normalised(recorded.events)
    counts = json.loads(report.read_text())["counts"]
    asked = 9 if transport is Transport.SSE else 13
    assert (counts["requests"], counts["exact"], counts["not_asked"]) == (asked, asked, 0)
