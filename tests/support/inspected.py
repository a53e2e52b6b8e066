"""What the inspector makes of a tape, for tests that look at one stage of it."""

from collections.abc import Mapping
from pathlib import Path

from inspector_web.drawing import draw
from inspector_web.index.reader import IndexReader
from inspector_web.marks import Marks, marks_of
from inspector_web.overview import Overview, overview_of
from inspector_web.shapes import Drawing
from inspector_web.stretches import Bar, Silence, Span
from inspector_web.timeline import Lane, Timeline, timeline_of
from inspector_web.window import View, view_of
from wiretape.crossings import crossings_of
from wiretape.reconstruct import sessions_of
from wiretape.store_reader import TapeReader

EVER = Span(0, 1 << 60)
NO_INDEX = Path("/nowhere/index.db")


def overview_on(path: Path) -> Overview:
    """The overview of a tape, not diagnosed."""
    with TapeReader(path) as reader:
        return overview_of(reader, sessions_of(reader))


def timeline_on(path: Path, found_us: Mapping[int, tuple[int, ...]] | None = None) -> Timeline:
    """The timeline of the first session on a tape, with silences that findings are about."""
    overview = overview_on(path)
    return timeline_of(overview.sessions[0], overview.carrier, found_us=found_us)


def marks_on(path: Path, exchange: int) -> Marks:
    """The marks of one exchange on a tape."""
    with TapeReader(path) as reader:
        found = reader.exchange(exchange)
        assert found is not None
        return marks_of(crossings_of(reader, found))


def bars_on(path: Path, lane: Lane, shown: Span = EVER) -> list[Bar]:
    """What a lane's time was spent on."""
    return list(lane.bars(marks_on(path, lane.exchange), shown))


def silences_on(path: Path, lane: Lane, shown: Span = EVER) -> list[Silence]:
    """When nothing came in a lane."""
    return list(lane.silences(marks_on(path, lane.exchange), shown))


def drawing_on(path: Path, view: View | None = None) -> Drawing:
    """The first session on a tape, drawn without an index."""
    timeline = timeline_on(path)
    with TapeReader(path) as reader, IndexReader(NO_INDEX, reader) as index:
        return draw(timeline, view or view_of(timeline.span, None, None), index.marks)
