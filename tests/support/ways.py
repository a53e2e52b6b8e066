"""The ways of replaying a situation to the real client again, and what has to be equal by each.

A place is where something was recorded. What a client prints is the same by every way, but for
what the way itself takes from it: how a connection was lost is not seen through the fixture hook,
and over another transport the client speaks of another one.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from cells import Cell
from codex_run import CodexRun, normalised
from situations import (
    DEFAULT_TRANSPORT,
    OTHER_TRANSPORT_FEATURES,
    SITUATIONS,
    Transport,
    Version,
)


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
        return Cell(SITUATIONS[self.name], binary, self.transport, folder, self.features)

    @property
    def features(self) -> tuple[str, ...]:
        """What an unconfigured client needs to begin over this transport."""
        is_default = self.transport is DEFAULT_TRANSPORT[self.version]
        return () if is_default else OTHER_TRANSPORT_FEATURES[self.version]


PLACES: Final = tuple(
    Place(name, version, transport)
    for name in SITUATIONS
    for version in Version
    for transport in SITUATIONS[name].scripts
)
OTHER: Final = {Transport.SSE: Transport.WEBSOCKET, Transport.WEBSOCKET: Transport.SSE}

NEVER_ASKED: Final = ("bad-request", "too-many-requests")
"""Over a WebSocket these refuse the client for good, so that it asked nothing over it."""

NO_FIXTURE: Final[Mapping[tuple[str, Transport], str]] = {
    ("too-many-requests", Transport.SSE): "the status 429",
    ("busy-then-answer", Transport.SSE): "the status 429",
    ("error-then-answer", Transport.SSE): "the status 500",
    ("no-head-then-answer", Transport.SSE): "that there is no answer",
    ("hang-then-answer", Transport.SSE): "a silence",
    ("bad-request", Transport.SSE): "the status 400",
    ("hang-then-answer", Transport.WEBSOCKET): "a silence",
    # Its error event is one that only a socket has; without it, nothing comes.
    ("error-event", Transport.WEBSOCKET): "a silence",
}
"""What the hook cannot say, by situation, and why."""

_HOW_IT_WAS_LOST: Final = re.compile(r" \(stream disconnected before completion: [^\"]*\)")
_OF_A_TRANSPORT: Final = re.compile(r"Reconnecting\.\.\. |Falling back from WebSockets|Under-dev")
"""What the client says of its transport: over which it is, and how often it tries, differs."""


def can_be(place: Place, way: Way, speed: str) -> bool:
    """Whether a place can be replayed so.

    The hook is the older client's, and knows no times. Where the client was never let in, there is
    nothing that it could ask in another way.
    """
    if way is Way.SCRIPT:
        return True
    was_asked = place.transport is Transport.SSE or place.name not in NEVER_ASKED
    if way is Way.OTHER_TRANSPORT:
        return was_asked
    is_hooked = place.version is Version.OLD and speed == "max"
    return was_asked and is_hooked and (place.name, place.transport) not in NO_FIXTURE


def seen(run: CodexRun, place: Place, way: Way) -> list[dict[str, Any]]:
    """What a person saw, in order, but for what this way takes from what was recorded here."""
    events = normalised(run.events)
    match way:
        case Way.SCRIPT:
            return events
        case Way.FIXTURE if place.transport is Transport.SSE:
            return _without(_HOW_IT_WAS_LOST, events)
        case Way.FIXTURE | Way.OTHER_TRANSPORT:
            return [plain for event in events if not _is_of_a_transport(plain := _plain(event))]


def _without(pattern: re.Pattern[str], events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [json.loads(pattern.sub("", json.dumps(event))) for event in events]


def _is_of_a_transport(event: dict[str, Any]) -> bool:
    messages = (event.get("message", ""), event.get("item", {}).get("message", ""))
    return any(_OF_A_TRANSPORT.match(message) for message in messages)


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
