"""The options by which a recording is bent before it is replayed, as data."""

from collections.abc import Mapping
from typing import Final

from replayer.bends.telling import TellingBend
from replayer.chats.bending import as_responses
from replayer.tools.rewriting import tools_recorded
from replayer.transports.bending import over
from wiretape.attempt import Transport
from wiretape.chat.aggregate import AggregateMode
from wiretape.recording import Bend

_WIRES: Final[Mapping[str, TellingBend | None]] = {
    "recorded": None,
    "responses": as_responses(),
    "responses-aggregated": as_responses(AggregateMode.AGGREGATED_ONLY),
}
_TRANSPORTS: Final[Mapping[str, TellingBend | None]] = {
    "recorded": None,
    "sse": over(Transport.HTTP),
    "websocket": over(Transport.WEBSOCKET),
}


def bends_for(wire_api: str, transport: str, tools: str) -> tuple[Bend, ...]:
    """The bends that these options ask for, in the order in which they are done."""
    wire, moved = _WIRES[wire_api], _TRANSPORTS[transport]
    first = tools_recorded(wire, is_asked_for=True) if tools == "recorded" else wire
    return tuple(bend for bend in (first, moved) if bend is not None)
