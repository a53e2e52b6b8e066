"""The smallest recordings that the real client needs to fail as it did."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cells import WIRETAPE, Cell
from provider_events import events
from provider_script import Fin, Reply, Script, Written
from ruamel.yaml import YAML
from situations import OPEN, RUN, SAY, TOO_LONG, Situation, Transport, Version

MANY_RUNS_S = 500.0
"""Some forty runs of the client, on a busy machine."""

pytestmark = [pytest.mark.codex, pytest.mark.timeout(2 * MANY_RUNS_S)]

FAILED = {
    "type": "response.failed",
    "response": {
        "error": {
            "code": "context_length_exceeded",
            "message": "The input is too long for the script.",
        }
    },
}
MALFORMED = {"type": "response.completed", "response": {"id": "resp_9", "usage": "many"}}
WARM_UP = {"type": "response.create", "generate": False, "...": ""}


def minimized(binary: Path, transport: Transport, folder: Path, keep: str, *replies: Reply) -> Any:
    """The script that is left of a recording of these replies."""
    script = Script(posts=replies, upgrades=OPEN, messages=replies)
    cell = Cell(
        Situation("", {transport: script}), binary, transport, folder, timeout_s=MANY_RUNS_S
    )
    cell.recorded()
    smallest = folder / "smallest.script"
    ran = cell.again(
        [WIRETAPE, "minimize", str(cell.tape), "-o", str(smallest), "--keep", keep, "--"]
    )
    assert ran.exit_code == 0, ran.stderr
    # And it replays, to the last request.
    again = cell.again([WIRETAPE, "replay", str(smallest), "--strict", "--"])
    assert keep in again.stdout
    assert " 0 different, 0 unexpected, 0 not asked," in again.stderr
    return YAML(typ="safe").load(smallest.read_text())["exchanges"]


def steps(exchanges: Any) -> list[Any]:
    """What crosses, exchange by exchange."""
    return [exchange.get("steps", []) for exchange in exchanges]


@pytest.mark.parametrize("version", Version)
@pytest.mark.parametrize("transport", Transport)
def test_of_three_rounds_and_a_failure_the_failure_is_left(
    version: Version, transport: Transport, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """With nothing but the error in it; over WebSocket, what is asked and a warm-up too."""
    left = minimized(codex(version), transport, tmp_path, "ran out of room", *RUN, Reply(TOO_LONG))
    if transport is Transport.SSE:
        assert steps(left) == [[FAILED]]
        return
    warmed = version is Version.NEW
    [[*warm_up, asked, failed]] = steps(left)
    assert asked == {"client": "any"}
    assert failed["type"] == FAILED["type"]
    assert failed["response"]["error"] == FAILED["response"]["error"]
    assert [step.get("client") for step in warm_up] == ([WARM_UP, None] if warmed else [])


def test_a_malformed_event_is_left_with_what_ends_the_turn(
    codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """Of five requests and 113 events, two of each."""
    whole = events(RUN[1].content, 9, ("exec_command",))
    broken = Reply(Written((*whole[:-1], MALFORMED)), Fin())
    keep = "failed to parse ResponseCompleted: invalid type: string"
    left = minimized(
        codex(Version.OLD), Transport.WEBSOCKET, tmp_path, keep, RUN[0], broken, *RUN[1:], *SAY
    )
    first, second = steps(left)
    assert first == [{"client": "any"}, MALFORMED]
    asked, completed = second
    assert (asked, completed["type"]) == ({"client": "any"}, "response.completed")
