"""How much there is in a recording, in words."""

from replayer.faults.answer import is_event
from replayer.faults.parts import parts_of
from wiretape.recording import Recording
from wiretape.words import counted


def size_told(recording: Recording) -> str:
    """``3 exchanges and 120 events``."""
    events = sum(
        is_event(piece)
        for exchange in recording.exchanges
        for part in parts_of(exchange)
        for piece in part.answer.pieces
    )
    return f"{counted(len(recording.exchanges), 'exchange')} and {counted(events, 'event')}"
