"""Recordings that are replayed to the real client over the other transport."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

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

OTHER = {Transport.SSE: Transport.WEBSOCKET, Transport.WEBSOCKET: Transport.SSE}
NEVER_ASKED: Final = {"too-many-requests", "bad-request"}
"""Over WebSocket nobody gets as far as to ask for anything."""

OF_A_TRANSPORT: Final = re.compile(r"Reconnecting\.\.\. |Falling back from WebSockets|Under-dev")
"""What the client says of its transport: over which it is, and how often it tries, differs."""

CELLS = [
    (name, version, transport)
    for name in SITUATIONS
    for version in Version
    for transport in SITUATIONS[name].scripts
]


def is_refused(name: str, transport: Transport) -> bool:
    return name in NEVER_ASKED and transport is Transport.WEBSOCKET


def features(version: Version, transport: Transport) -> tuple[str, ...]:
    is_usual = transport is DEFAULT_TRANSPORT[version]
    return () if is_usual else OTHER_TRANSPORT_FEATURES[version]


@pytest.mark.parametrize(
    ("name", "version", "transport"),
    [cell for cell in CELLS if not is_refused(cell[0], cell[2])],
)
def test_the_outcome_is_the_same(
    name: str,
    version: Version,
    transport: Transport,
    codex: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    """Whatever was said ends in the same way, and every request is found to be the recorded one.

    To HTTP a client is brought as it is; for WebSocket it has to be configured.
    """
    cell = Cell(SITUATIONS[name], codex(version), transport, tmp_path, features(version, transport))
    recorded = cell.recorded().codex
    other = OTHER[transport]
    if other is Transport.WEBSOCKET:
        cell = replace(cell, transport=other, features=features(version, other))
    replayed, report = cell.replayed("--transport", other, keeps_tape=False)
    assert seen(replayed) == seen(recorded)
    assert replayed.exit_code == recorded.exit_code
    assert [report[verdict] for verdict in ("different", "unexpected", "not_asked")] == [[]] * 3
    kinds = {each["transport"] for each in report["requests"] if each["kind"] != "upgrade"}
    assert kinds == {"websocket" if other is Transport.WEBSOCKET else "http"}


@pytest.mark.parametrize("name", sorted(NEVER_ASKED))
def test_where_nothing_was_asked_nothing_can_be(
    name: str, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """The command says so, and runs nothing."""
    cell = Cell(SITUATIONS[name], codex(Version.NEW), Transport.WEBSOCKET, tmp_path)
    cell.recorded()
    run = cell.again([WIRETAPE, "replay", str(cell.tape), "--transport", "sse", "--"])
    assert run.exit_code == 1
    assert run.stdout == ""
    assert "was refused, and nothing was asked then" in run.stderr


def seen(run: CodexRun) -> list[dict[str, Any]]:
    """What a person saw, but for what the client says of its transport."""
    return [
        found
        for event in normalised(run.events)
        if not OF_A_TRANSPORT.match((found := _plain(event)).get("message", ""))
        and not OF_A_TRANSPORT.match(found.get("item", {}).get("message", ""))
    ]


def _plain(event: dict[str, Any]) -> dict[str, Any]:
    """The event without numbers that the client's own words shift; of an error in JSON, which
    each transport wraps in its own way, what it says."""
    if "item" in event:
        return {**event, "item": {key: each for key, each in event["item"].items() if key != "id"}}
    found = dict(event)
    if "message" in found:
        found["message"] = _said(found["message"])
    if "error" in found:
        found["error"] = _said(found["error"]["message"])
    return found


def _said(message: str) -> str:
    if not message.startswith("{"):
        return message
    said: str = json.loads(message)["error"]["message"]
    return said
