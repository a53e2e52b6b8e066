"""What the inspector makes of a tape, for tests that look at one stage of it."""

from pathlib import Path

from inspector_web.marks import marks_of
from inspector_web.timeline import Timeline, timeline_of
from wiretape.crossings import crossings_of
from wiretape.reconstruct import sessions_of
from wiretape.store_reader import TapeReader


def timeline_on(path: Path) -> Timeline:
    """The timeline of the first session on a tape."""
    with TapeReader(path) as reader:
        exchanges = {exchange.id: exchange for exchange in reader.exchanges()}
        marks = {n: marks_of(crossings_of(reader, each)) for n, each in exchanges.items()}
        return timeline_of(sessions_of(reader)[0], exchanges, marks)
