"""Faults and the real client: what it does about each is what the model of it foretells.

One answer is recorded over each transport, with each version; then it is replayed with one fault
after the other. The model is given a provider that fails in the same way.
"""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from cells import WIRETAPE, Cell
from codex_run import CodexRun, normalised, run_codex
from fault_cells import FAULTS, SETTINGS, FaultCell
from prediction import predict
from situations import ANSWER, PROMPT, SITUATIONS, Transport, Version

from replayer.faults.actions import ACTIONS
from replayer.faults.spec import read_fault
from wiretape.client.dialects import dialect_of

pytestmark = pytest.mark.codex

UNKNOWN_MODEL = (
    "Model metadata for `gpt-5.2-codex` not found. Defaulting to fallback metadata; "
    "this can degrade performance and cause issues."
)
CELLS = [
    pytest.param(cell, version, transport, id=f"{version}-{transport}-{cell}")
    for version in Version
    for transport in Transport
    for cell in FAULTS
    if transport in cell.transports
]
type Record = Callable[[Version, Transport], Cell]


@pytest.fixture(scope="module")
def record(codex: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Record:
    """Records one answer, once for each version and transport."""
    cells: dict[tuple[Version, Transport], Cell] = {}

    def recorded(version: Version, transport: Transport) -> Cell:
        if (version, transport) not in cells:
            situation = replace(SITUATIONS["answer"], settings=SETTINGS)
            folder = tmp_path_factory.mktemp("answer")
            cell = cells[version, transport] = Cell(situation, codex(version), transport, folder)
            assert cell.recorded().codex.final_message == ANSWER
        return cells[version, transport]

    return recorded


def answered(version: Version, transport: Transport) -> str:
    """The number of the request that is answered: the newer client warms a socket up first."""
    return "2" if (version, transport) == (Version.NEW, Transport.WEBSOCKET) else "1"


def replayed(cell: Cell, *options: str) -> CodexRun:
    for left in cell.folder.glob(f"{cell.replay_tape.name}*"):
        left.unlink()
    return cell.replayed(*options)[0]


@pytest.mark.parametrize(("fault", "version", "transport"), CELLS)
def test_the_consequence_of_a_fault(
    fault: FaultCell, version: Version, transport: Transport, record: Record
) -> None:
    """What is printed, what the agent says, and the exit code are the model's."""
    cell = record(version, transport)
    major, minor, _ = version.split(".")
    foretold = predict(
        fault.script(transport),
        dialect_of((int(major), int(minor))),
        base_url=cell.recorded_base_url(),
        transport=transport,
        settings=SETTINGS,
    )
    # A handshake is the first request's on its socket, warm-up or not.
    is_handshake = fault.refuses is not None and transport is Transport.WEBSOCKET
    request = "1" if is_handshake else answered(version, transport)
    run = replayed(cell, "--fault", f"{request}{fault.fault}")
    said = [
        event["item"]["text"]
        for event in run.events
        if event["type"] == "item.completed" and event["item"]["type"] == "agent_message"
    ]
    complaints = [each for each in run.complaints if each != UNKNOWN_MODEL]
    assert (complaints, said, run.exit_code) == (
        list(foretold.complaints),
        list(foretold.messages),
        foretold.exit_code,
    )


@pytest.mark.parametrize(
    ("version", "retries"), [(Version.OLD, ["1/2", "2/2"]), (Version.NEW, ["2/2"])]
)
def test_a_message_that_is_too_long_is_not_taken(
    version: Version, retries: list[str], record: Record
) -> None:
    """The client drops the connection and asks again; today's keeps its first retry to itself."""
    cell = record(version, Transport.WEBSOCKET)
    # A busy machine takes its time over so many bytes, which is not to be taken for a silence.
    patient = {**SETTINGS, "stream_idle_timeout_ms": 50_000}
    waiting = replace(cell, situation=replace(cell.situation, settings=patient))
    run = replayed(waiting, "--fault", f"{answered(version, Transport.WEBSOCKET)}x2.1:oversize")
    complaints = [re.sub(r"\d{8} >", "N >", each) for each in run.complaints]
    assert [each for each in complaints if each != UNKNOWN_MODEL] == [
        f"Reconnecting... {retry} (stream disconnected before completion: "
        "Space limit exceeded: Message too long: N > 16777216)"
        for retry in retries
    ]
    assert (run.final_message, run.exit_code) == (ANSWER, 0)


def test_no_action_is_left_out() -> None:
    """The consequence of each is seen above."""
    tried = {read_fault(f"1{cell.fault}").name for cell in FAULTS}
    assert tried | {"oversize"} == ACTIONS.keys()


@pytest.mark.parametrize("transport", Transport)
@pytest.mark.parametrize("version", Version)
def test_a_stall_of_minutes_ends_within_seconds(
    version: Version, transport: Transport, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """A client that waits for five minutes, as it does unless told otherwise, waits for one second
    in a silence that lasts until it leaves; what it says and does is what it would be."""
    patient = {**SETTINGS, "stream_idle_timeout_ms": 300_000}
    situation = replace(SITUATIONS["hang-then-answer"], settings=SETTINGS)
    cell = Cell(situation, codex(version), transport, tmp_path)
    recorded = cell.recorded().codex
    waiting = replace(cell, situation=replace(situation, settings=patient))
    for speed in ("max", "1"):
        run = replayed(waiting, "--longest-silence", "1", "--speed", speed)
        assert "stream_idle_timeout_ms = 300000" in (tmp_path / "home/config.toml").read_text()
        assert normalised(run.events) == normalised(recorded.events)
        assert run.exit_code == recorded.exit_code == 0


STALLED = """\
wiretape_script: 1
exchanges:
- request: POST /v1/responses
  steps:
  - {"type": "response.created", "response": {"id": "resp_1"}}
  - wait_ms: SILENCE
  - {"type": "response.completed", "response": {"id": "resp_1"}}
- request: POST /v1/responses
  steps:
  - {"type": "response.created", "response": {"id": "resp_2"}}
  - {"type": "response.completed", "response": {"id": "resp_2"}}
"""


@pytest.mark.parametrize("speed", ["max", "1"])
@pytest.mark.parametrize("version", Version)
@pytest.mark.parametrize(("silence_ms", "asked"), [(299_000, 1), (301_000, 2)])
def test_a_silence_does_within_seconds_what_it_did(
    silence_ms: int,
    asked: int,
    version: Version,
    speed: str,
    codex: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    """One that a client with its usual patience would bear it bears; on one that it would not, it
    gives up."""
    script, report = tmp_path / "stalled.script", tmp_path / "report.json"
    script.write_text(STALLED.replace("SILENCE", str(silence_ms)))
    options = ["--longest-silence", "2", "--speed", speed, "--report", str(report)]
    run = run_codex(
        codex(version),
        PROMPT,
        base_url="http://127.0.0.1:8642/v1",
        transport=Transport.SSE,
        home=tmp_path / "home",
        cwd=tmp_path / "cwd",
        settings={**SETTINGS, "stream_idle_timeout_ms": 300_000},
        environment={"WIRETAPE_CA_DIR": str(tmp_path / "ca")},
        command_prefix=[WIRETAPE, "replay", str(script), *options, "--"],
    )
    assert run.exit_code == 0
    assert json.loads(report.read_text())["counts"]["requests"] == asked


@pytest.mark.parametrize("version", Version)
def test_faults_of_two_requests_are_met_once_each(
    version: Version, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """Also where the second follows the first on the socket of its retry."""
    cell = Cell(
        replace(SITUATIONS["tool-round"], settings=SETTINGS),
        codex(version),
        Transport.WEBSOCKET,
        tmp_path,
    )
    assert cell.recorded().codex.exit_code == 0
    first = int(answered(version, Transport.WEBSOCKET))
    faults = [f"{first}.1:close=1009,big", f"{first + 1}.1:reset"]
    run, report = cell.replayed(*(word for fault in faults for word in ("--fault", fault)))
    assert run.exit_code == 0
    assert [note for note in report["notes"] if note.startswith("the fault ")] == [
        f"the fault {fault} was met 1 time" for fault in faults
    ]


@pytest.mark.parametrize("version", Version)
def test_the_matrix(version: Version, record: Record, tmp_path: Path) -> None:
    """A row for each fault, with what the client did about it."""
    cell = record(version, Transport.WEBSOCKET)
    request = answered(version, Transport.WEBSOCKET)
    faults = tmp_path / "mine.faults"
    faults.write_text(f"{request}.1:cut\n{request}x20.1:cut\n{request}:status=500\n")
    table = tmp_path / "table.json"
    matrix = [WIRETAPE, "matrix", str(cell.tape), "--faults", str(faults), "--json", "--"]
    run_codex(
        cell.binary,
        PROMPT,
        base_url=cell.recorded_base_url(),
        transport=Transport.WEBSOCKET,
        home=tmp_path / "home",
        cwd=tmp_path / "cwd",
        settings=SETTINGS,
        environment={"WIRETAPE_CA_DIR": str(tmp_path / "ca")},
        command_prefix=["sh", "-c", 'exec "$@" > "$0"', str(table), *matrix],
        timeout_s=150.0,
    )
    found = json.loads(table.read_text())
    warm_up = int(version is Version.NEW)
    rows = [
        [each[name] for name in ("exit_code", "attempts", "retries", "fallbacks", "final_message")]
        for each in found["rows"]
    ]
    assert rows == [
        [0, 1 + warm_up, 0, 0, ANSWER],
        [0, 2 + warm_up, 1, 0, ANSWER],
        [0, 4 + warm_up, 2, 1, ANSWER],
    ]
    assert list(found["impossible"]) == [f"{request}:status=500"]
    assert not list((tmp_path / "home").glob("sessions"))
