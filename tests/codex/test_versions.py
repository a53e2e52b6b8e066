"""Several versions of the real client on one tape."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cells import WIRETAPE, Cell
from provider_script import Script
from situations import OPEN, RUN, SAY, Situation, Transport, Version

pytestmark = pytest.mark.codex


def test_a_recording_without_warm_ups_answers_a_client_that_warms_up(
    codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """0.99.0 asks for nothing ahead of its requests; today's client does, and goes on from it."""
    script = Script(upgrades=OPEN, messages=(*RUN, *SAY))
    situation = Situation("", {Transport.WEBSOCKET: script})
    cell = Cell(situation, codex(Version.OLD), Transport.WEBSOCKET, tmp_path)
    cell.recorded()
    ran = subprocess.run(
        [WIRETAPE, "versions", cell.tape, "--json", "--", codex(Version.NEW)],
        env={**os.environ, "WIRETAPE_CA_DIR": str(tmp_path / "ca")},
        capture_output=True,
        text=True,
        check=False,
    )
    (new,) = json.loads(ran.stdout)["versions"]
    assert (new["exit_code"], new["unexpected"], new["not_asked"]) == (0, 0, 0), ran.stderr


def test_versions_are_compared_on_one_tape(codex: Callable[[str], Path], tmp_path: Path) -> None:
    """The recorded one asks exactly what was recorded; another does the same in other words."""
    replies = (*RUN, *SAY)
    cell = Cell(
        Situation("", {Transport.SSE: Script(posts=replies)}),
        codex(Version.OLD),
        Transport.SSE,
        tmp_path,
    )
    cell.recorded()
    ran = subprocess.run(
        [WIRETAPE, "versions", cell.tape, "--json", "--", *map(codex, Version)],
        env={**os.environ, "WIRETAPE_CA_DIR": str(tmp_path / "ca")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1, ran.stderr
    old, new = json.loads(ran.stdout)["versions"]
    assert (old["exit_code"], old["exact"], old["different"]) == (0, 4, 0)
    assert (new["exit_code"], new["exact"] + new["different"], new["unexpected"]) == (0, 4, 0)
    assert new["first_difference"] is not None
    assert old["final_message"] == new["final_message"]
