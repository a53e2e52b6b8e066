"""Runs of the real client beside each other: equal where they are, else parted where they part."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cells import WIRETAPE, Cell
from situations import OTHER_TRANSPORT_FEATURES, SITUATIONS, Transport, Version

pytestmark = pytest.mark.codex


def diff(*arguments: str | Path) -> tuple[int, dict[str, Any]]:
    """What ``wiretape diff --json`` gives."""
    ran = subprocess.run([WIRETAPE, "diff", "--json", *arguments], stdout=subprocess.PIPE)
    return ran.returncode, json.loads(ran.stdout)


def cell(name: str, version: Version, transport: Transport, binary: Path, folder: Path) -> Cell:
    return Cell(SITUATIONS[name], binary, transport, folder, OTHER_TRANSPORT_FEATURES[version])


@pytest.mark.parametrize(
    ("name", "transport"),
    [
        ("three-rounds", Transport.SSE),
        ("three-rounds", Transport.WEBSOCKET),
        ("error-then-answer", Transport.SSE),
        ("closed-until-fallback", Transport.WEBSOCKET),
        ("upgrade-500", Transport.WEBSOCKET),
    ],
)
@pytest.mark.parametrize("version", Version)
def test_a_recording_and_its_replay_are_equal(
    name: str,
    transport: Transport,
    version: Version,
    codex: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    """Everything that was asked and answered; nothing is left out but ids, times and the like."""
    one = cell(name, version, transport, codex(version), tmp_path / "one")
    one.recorded()
    one.replayed()
    code, found = diff(one.tape, one.replay_tape)
    assert [each["divergences"] for each in found["sessions"]] == [[]]
    assert (code, found["equal"]) == (0, True)


@pytest.mark.parametrize("version", Version)
def test_two_recordings_of_the_same_are_equal(
    version: Version, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """Though ids, ports and times are others."""
    one = cell("three-rounds", version, Transport.SSE, codex(version), tmp_path / "one")
    one.recorded()
    first = one.tape.rename(tmp_path / "first.db")
    one.recorded()
    assert diff(first, one.tape) == (0, diff(first, one.tape)[1])


@pytest.mark.parametrize("version", Version)
def test_where_two_runs_part_is_told_first(
    version: Version, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """One is asked to run three commands, the other only the first of them."""
    binary, folder = codex(version), tmp_path / "one"
    longer, shorter = (
        cell(name, version, Transport.SSE, binary, folder)
        for name in ("three-rounds", "tool-round")
    )
    longer.recorded()
    first = longer.tape.rename(tmp_path / "first.db")
    shorter.recorded()
    code, found = diff(first, shorter.tape)
    ((first_divergence, *_),) = (each["divergences"] for each in found["sessions"])
    assert (code, found["equal"]) == (1, False)
    assert first_divergence["at"]["a"]["request"] == 2
    assert first_divergence["path"].startswith("answer.output[1]")


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("three-rounds", "three-rounds"),
        ("cut-then-answer", "cut-then-answer"),
        ("error-then-answer", "error-then-answer"),
        ("answer", "upgrade-426"),
    ],
)
@pytest.mark.parametrize("version", Version)
def test_the_same_over_both_transports_is_equal(
    name: str, other: str, version: Version, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """Recorded over SSE, and as a client that begins with a WebSocket."""
    binary, folder = codex(version), tmp_path / "one"
    over_sse = cell(name, version, Transport.SSE, binary, folder)
    over_sse.recorded()
    first = over_sse.tape.rename(tmp_path / "first.db")
    over_websocket = cell(other, version, Transport.WEBSOCKET, binary, folder)
    over_websocket.recorded()
    code, found = diff(first, over_websocket.tape)
    assert [each["divergences"] for each in found["sessions"]] == [[]]
    assert "transport" in found["sessions"][0]["left_out"]
    assert code == 0
