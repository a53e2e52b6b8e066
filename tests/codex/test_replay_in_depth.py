"""Every situation again, by every way of replaying it: the client comes to the same end.

As a script, on the other transport, and through the client's fixture hook; without any waiting,
and at the recorded pace.
"""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from cells import WIRETAPE, Cell
from codex_run import CodexRun, normalised
from situations import (
    DEFAULT_TRANSPORT,
    OTHER_TRANSPORT_FEATURES,
    SITUATIONS,
    Transport,
    Version,
)

pytestmark = pytest.mark.codex


class Way(StrEnum):
    """How a recording is replayed."""

    SCRIPT = "script"
    OTHER_TRANSPORT = "other transport"
    FIXTURE = "fixture"


@dataclass(frozen=True, slots=True)
class Place:
    """What was recorded: a situation, with one version of the client, over one transport."""

    name: str
    version: Version
    transport: Transport

    def __str__(self) -> str:
        return f"{self.name}-{self.version}-{self.transport}"

    def cell(self, binary: Path, folder: Path) -> Cell:
        """Where it is recorded, and replayed."""
        return Cell(SITUATIONS[self.name], binary, self.transport, folder, self.features())

    def features(self) -> tuple[str, ...]:
        """What an unconfigured client needs to begin over this transport."""
        is_default = self.transport is DEFAULT_TRANSPORT[self.version]
        return () if is_default else OTHER_TRANSPORT_FEATURES[self.version]


PLACES = [
    Place(name, version, transport)
    for name in SITUATIONS
    for version in Version
    for transport in SITUATIONS[name].scripts
]
OTHER = {Transport.SSE: Transport.WEBSOCKET, Transport.WEBSOCKET: Transport.SSE}


NO_FIXTURE = {
    "too-many-requests": "the status 429",
    "busy-then-answer": "the status 429",
    "error-then-answer": "the status 500",
    "no-head-then-answer": "that there is no answer",
    "hang-then-answer": "a silence",
    "bad-request": "the status 400",
}
"""What the hook cannot say, by situation, and why."""

NEVER_ASKED = ("bad-request", "too-many-requests")
"""Over a WebSocket, these refuse it for good."""


def _can_be(place: Place, way: Way, speed: str) -> bool:
    """The hook is the older client's, stands in the place of HTTP, and knows no times. Where the
    client was never let in, there is nothing that it could ask over another transport."""
    if way is Way.OTHER_TRANSPORT and place.transport is Transport.WEBSOCKET:
        return place.name not in NEVER_ASKED
    is_hooked = (place.version, place.transport, speed) == (Version.OLD, Transport.SSE, "max")
    return way is not Way.FIXTURE or (is_hooked and place.name not in NO_FIXTURE)


# A place's runs stand together, so that each is recorded once.
RUNS = [
    pytest.param(place, way, speed, id=f"{place}-{way}-{speed}")
    for place in PLACES
    for way in Way
    for speed in ("max", "1")
    if _can_be(place, way, speed)
]


type Recorded = Callable[[Place], tuple[Cell, Path, CodexRun]]


@pytest.fixture(scope="module")
def recorded(codex: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Records a place, once."""
    done: dict[Place, tuple[Cell, Path, CodexRun]] = {}

    def record(place: Place) -> tuple[Cell, Path, CodexRun]:
        if place not in done:
            cell = place.cell(codex(place.version), tmp_path_factory.mktemp("recorded"))
            run = cell.recorded().codex
            done[place] = cell, cell.tape.rename(cell.folder / "recorded.db"), run
        return done[place]

    return record


@pytest.mark.parametrize(("place", "way", "speed"), RUNS)
def test_it_ends_the_same(place: Place, way: Way, speed: str, recorded: Recorded) -> None:
    """What was run, what was said, and the exit code; and nothing was asked that should not be."""
    cell, tape, before = recorded(place)
    cell.tape.unlink(missing_ok=True)
    options = ["--speed", speed]
    if way is Way.SCRIPT:
        export = [WIRETAPE, "export", tape, "--to", "script", "-o", cell.tape]
        subprocess.run(export, check=True)
    else:
        shutil.copyfile(tape, cell.tape)
    if way is Way.OTHER_TRANSPORT:
        other = replace(place, transport=OTHER[place.transport])
        cell = replace(cell, transport=other.transport, features=other.features())
        options += ["--transport", other.transport]
    elif way is Way.FIXTURE:
        options += ["--via", "fixture"]
    after, report = cell.replayed(*options, keeps_tape=False)
    assert outcome(after) == outcome(before)
    assert (report["unexpected"], report["different"], report["not_asked"]) == ([], [], [])
    if way is Way.SCRIPT:
        assert normalised(after.events) == normalised(before.events)


@pytest.mark.parametrize("name", NO_FIXTURE)
def test_what_the_hook_cannot_say_is_refused(name: str, recorded: Recorded) -> None:
    """With the reason, before the client runs."""
    cell, tape, _ = recorded(Place(name, Version.OLD, Transport.SSE))
    refused = cell.again([WIRETAPE, "replay", str(tape), "--via", "fixture", "--"])
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr.startswith(f"wiretape: a fixture cannot hold {NO_FIXTURE[name]}")


def outcome(run: CodexRun) -> tuple[int | None, list[Any]]:
    """How it ended, and what was done and said on the way.

    How a connection was lost has other words on another transport, and each word of it takes one
    of the numbers by which the client names what it prints.
    """
    items = [event["item"] for event in run.events if event["type"] == "item.completed"]
    return run.exit_code, [
        {name: value for name, value in item.items() if name != "id"}
        for item in items
        if item["type"] != "error"
    ]
