"""What a diagnosis found, each finding with the events that it rests on."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from inspector_web.index.reader import IndexReader
from inspector_web.listing import Seen, seen_in
from inspector_web.overview import Evidence, Overview, Told
from wiretape.diagnosis.kinds import Finding
from wiretape.spot import Spot

_MOST_EVIDENCE: Final = 20
"""Of one finding: what happened over and over is told by its first times."""


def diagnosed(overview: Overview, findings: Iterable[Finding], index: IndexReader) -> Overview:
    """The overview with these findings told."""
    return replace(
        overview, told=tuple(Told(each, _evidence(overview, each, index)) for each in findings)
    )


def _evidence(overview: Overview, finding: Finding, index: IndexReader) -> tuple[Evidence, ...]:
    found = (_found(overview, spot, index) for spot in finding.evidence[:_MOST_EVIDENCE])
    return tuple(dict.fromkeys(each for each in found if each is not None))


def _found(overview: Overview, spot: Spot, index: IndexReader) -> Evidence | None:
    seen = event_at(index, spot)
    if seen is None:
        return None
    under_way = overview.attempt_at(spot.exchange, spot.at_us)
    return Evidence(
        spot.exchange,
        seen.place.position,
        spot.at_us,
        spot.event,
        None if under_way is None else under_way[1],
    )


def event_at(index: IndexReader, spot: Spot) -> Seen | None:
    """The event of that type at that time; else the last one before it."""
    last: Seen | None = None
    for stretch in index.stretches_since(spot.at_us, {spot.exchange}):
        if stretch.at_us > spot.at_us and last is not None:
            break
        for seen in seen_in(index, stretch):
            if last is not None and seen.place.at_us > spot.at_us:
                return last
            last = seen
            if seen.crossing.at_us == spot.at_us and seen.crossing.type == spot.event:
                return seen
    return last
