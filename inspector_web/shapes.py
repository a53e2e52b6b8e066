"""What a timeline is drawn of: a template writes it down as it stands.

Across, everything is in per cent of the width; down, it is in pixels.
"""

from dataclasses import dataclass
from enum import StrEnum

from inspector_web.health import Tone
from inspector_web.stretches import Span
from inspector_web.timeline import Lane, LinkKind
from inspector_web.window import AxisMark, View


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a lane, ``x`` and ``width`` in per cent; ``us`` is how long it really is.

    ``is_told``: there is room to write so into it, on a wide screen.
    """

    x: float
    width: float
    kind: str
    us: int
    is_told: bool = False


class Room(StrEnum):
    """How much room there is beside something."""

    ENOUGH = "enough"
    WIDE = "wide"
    """Enough on a wide screen."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Flag:
    """The end of an attempt, and how much room there is for writing to its right."""

    x: float
    tone: Tone
    label: str
    room: Room


@dataclass(frozen=True, slots=True)
class DrawnLane:
    """One row, for the ``number``-th lane of the timeline, from 0.

    ``begins_request``: it is the first of its request that is drawn. ``limits`` are where rate
    limits were told. ``ticks`` and ``control_ticks`` are paths in an image ``tick_columns`` of the
    drawing wide and 8 high.
    """

    number: int
    lane: Lane
    y: int
    begins_request: bool
    socket: Block | None
    left_open: Block | None
    blocks: tuple[Block, ...]
    silences: tuple[Block, ...]
    tools: Block | None
    flags: tuple[Flag, ...]
    limits: tuple[float, ...]
    ticks: str
    control_ticks: str


@dataclass(frozen=True, slots=True)
class DrawnTurn:
    """The row above the lanes of a turn, and the time that it took."""

    number: int
    y: int
    span: Block


@dataclass(frozen=True, slots=True)
class Arrow:
    """From the end of an attempt down to the begin of the next one, in per cent and pixels."""

    kind: LinkKind
    x1: float
    y1: int
    x2: float
    y2: int


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a template writes down as it stands.

    ``turns`` have rows where there is more than one. ``strip`` is the whole session in one line,
    with the window as its last block; a block of it is as bad as the worst attempt in it. The lanes
    that are not drawn ended before the window, or begin after it, or are too many.
    """

    view: View
    whole: Span
    height: int
    lanes: tuple[DrawnLane, ...]
    turns: tuple[DrawnTurn, ...]
    arrows: tuple[Arrow, ...]
    axis: tuple[AxisMark, ...]
    gaps: tuple[Block, ...]
    strip: tuple[Block, ...]
    strip_axis: tuple[AxisMark, ...]
    tick_columns: int
    lanes_before: int
    lanes_after: int
