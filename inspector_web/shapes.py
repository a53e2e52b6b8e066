"""What a timeline is drawn of: a template writes it down as it stands.

Across, everything is in per cent of the width; down, it is in pixels.
"""

from dataclasses import dataclass

from inspector_web.labels import Label
from inspector_web.stretches import Span
from inspector_web.timeline import Lane, LinkKind
from inspector_web.window import View


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a lane, ``x`` and ``width`` in per cent; ``us`` is how long it really is, but
    for the ``silent_us`` in it."""

    x: float
    width: float
    kind: str
    us: int
    silent_us: int = 0


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
    labels: tuple[Label, ...]
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
    """From the end of an attempt down to the begin of the next one, in per cent and pixels.

    Where they are so close that an arrow's head has no room between them, it comes straight down on
    the next one: ``x1`` is then ``x2``. ``hidden_on`` names the screens that this is not for.
    """

    kind: LinkKind
    x1: float
    y1: int
    x2: float
    y2: int
    hidden_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a template writes down as it stands.

    ``turns`` have rows where there is more than one. ``strip`` is the whole session in one line,
    with the window as its last block; a block of it is as bad as the worst attempt in it. The lanes
    that are not drawn ended before the window, or begin after it, or are left out of it, the last
    of too many.
    """

    view: View
    whole: Span
    height: int
    lanes: tuple[DrawnLane, ...]
    turns: tuple[DrawnTurn, ...]
    arrows: tuple[Arrow, ...]
    axis: tuple[Label, ...]
    gaps: tuple[Block, ...]
    strip: tuple[Block, ...]
    strip_axis: tuple[Label, ...]
    tick_columns: int
    lanes_before: int
    lanes_after: int
    lanes_left_out: int
