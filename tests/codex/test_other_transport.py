"""Replays over the other transport that the situations in depth leave out."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from cells import WIRETAPE
from situations import ANSWER, Transport, Version
from ways import NEVER_ASKED, Place

pytestmark = pytest.mark.codex


@pytest.mark.parametrize("name", NEVER_ASKED)
def test_where_nothing_was_asked_nothing_can_be(
    name: str, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """The command says so, and runs nothing."""
    place = Place(name, Version.NEW, Transport.WEBSOCKET)
    cell = place.cell(codex(place.version), tmp_path)
    cell.recorded()
    run = cell.again([WIRETAPE, "replay", str(cell.tape), "--transport", "sse", "--"])
    assert run.exit_code == 1
    assert run.stdout == ""
    assert "was refused, and nothing was asked then" in run.stderr


@pytest.mark.parametrize("version", Version)
def test_a_client_that_speaks_http_alone(
    version: Version, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """It finds over HTTP what was recorded on a WebSocket, without any refusal before."""
    place = Place("tool-round", version, Transport.WEBSOCKET)
    cell = place.cell(codex(version), tmp_path)
    cell.recorded()
    other = replace(cell, transport=Transport.SSE)
    run, report = other.replayed("--transport", "sse", keeps_tape=False)
    assert (run.final_message, run.exit_code) == (ANSWER, 0)
    assert [(each["kind"], each["verdict"]) for each in report["requests"]] == [
        ("create", "exact"),
        ("create", "exact"),
    ]
