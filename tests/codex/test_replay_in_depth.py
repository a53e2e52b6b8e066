"""Every situation again, by every way of replaying it: the client comes to the same end.

As a script, on the other transport, and through the client's fixture hook; without any waiting,
and at the recorded pace. What is equal: all that the client printed, its exit code, the files that
it made, and every request that it made of the model.
"""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cells import WIRETAPE, Cell
from codex_run import CodexRun
from depth_table import TABLE, Row
from gathered import gather
from situations import Transport, Version
from ways import NO_FIXTURE, OTHER, PLACES, Place, Way, can_be, seen

pytestmark = pytest.mark.codex


RUNS = [
    pytest.param(place, way, speed, id=f"{place}-{way}-{speed}")
    for place in PLACES
    for way in Way
    for speed in ("max", "1")
    if can_be(place, way, speed)
]
REFUSED = [
    pytest.param(place, why, id=str(place))
    for (name, transport), why in NO_FIXTURE.items()
    for place in [Place(name, Version.OLD, transport)]
]


type Recorded = Callable[[Place], tuple[Cell, Path, CodexRun, dict[str, bytes]]]


@pytest.fixture(scope="module")
def recorded(codex: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Records a place, once; gives its cell, its tape, the run and the files that it made."""
    done: dict[Place, tuple[Cell, Path, CodexRun, dict[str, bytes]]] = {}

    def record(place: Place) -> tuple[Cell, Path, CodexRun, dict[str, bytes]]:
        if place not in done:
            cell = place.cell(codex(place.version), tmp_path_factory.mktemp("recorded"))
            run = cell.recorded().codex
            done[place] = cell, cell.tape.rename(cell.folder / "recorded.db"), run, cell.files()
        return done[place]

    return record


@pytest.mark.parametrize(("place", "way", "speed"), RUNS)
def test_it_ends_the_same(place: Place, way: Way, speed: str, recorded: Recorded) -> None:
    """What was printed, done and asked; to HTTP a client is brought as it is, for WebSocket it has
    to be configured."""
    cell, tape, before, files = recorded(place)
    cell.tape.unlink(missing_ok=True)
    options = ["--speed", speed]
    if way is Way.SCRIPT:
        export = [WIRETAPE, "export", tape, "--to", "script", "-o", cell.tape]
        subprocess.run(export, check=True)
    else:
        shutil.copyfile(tape, cell.tape)
    if way is Way.OTHER_TRANSPORT:
        other = replace(place, transport=OTHER[place.transport])
        if other.transport is Transport.WEBSOCKET:
            cell = replace(cell, transport=other.transport, features=other.features)
        options += ["--transport", other.transport]
    elif way is Way.FIXTURE:
        options = ["--via", "fixture"]
    after, report = cell.replayed(*options, keeps_tape=False)

    row = Row(place.name, place.version, place.transport, f"{way}, {speed}")
    gather(TABLE, row)
    printed, was_printed = seen(after, place, way), seen(before, place, way)
    row.is_equal = (printed, after.exit_code) == (was_printed, before.exit_code)
    row.exact, row.requests = asked(report)

    assert printed == was_printed
    assert after.exit_code == before.exit_code
    assert cell.files() == files
    assert (report["unexpected"], report["different"], report["not_asked"]) == ([], [], [])
    assert row.exact == row.requests > 0
    if way is Way.OTHER_TRANSPORT:
        kinds = {each["transport"] for each in report["requests"] if each["kind"] != "upgrade"}
        assert kinds == {"http" if options[-1] == Transport.SSE else "websocket"}


def asked(report: dict[str, Any]) -> tuple[int, int]:
    """How many requests were as recorded, and how many there were. Through the hook, which shows
    none: how many answers were taken, each once, and how many there were."""
    if "fixture" not in report:
        return report["counts"]["exact"], report["counts"]["requests"]
    hook = report["fixture"]
    assert hook["opened"] == hook["given"]
    return hook["given"], hook["recorded"]


@pytest.mark.parametrize(("place", "why"), REFUSED)
def test_what_the_hook_cannot_say_is_refused(place: Place, why: str, recorded: Recorded) -> None:
    """With the reason, before the client runs."""
    cell, tape, _, _ = recorded(place)
    refused = cell.again([WIRETAPE, "replay", str(tape), "--via", "fixture", "--"])
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr.startswith(f"wiretape: a fixture cannot hold {why}")
