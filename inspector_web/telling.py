"""What a diagnosis found, each finding with the events that it rests on."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from inspector_web.asking import turn_words
from inspector_web.index.reader import IndexReader
from inspector_web.overview import Details, Evidence, Overview, Told
from inspector_web.seen import Seen, seen_in
from inspector_web.spent import spent_on
from inspector_web.timeline import session_timeline
from inspector_web.visible import one_line
from wiretape.diagnosis.kinds import Finding
from wiretape.spot import Spot
from wiretape.store_reader import TapeReader

_TURN_WORDS: Final = 200
_MOST_EVIDENCE: Final = 20
"""Of one finding: what happened over and over is told by its first times."""


def diagnosed(
    overview: Overview, findings: Iterable[Finding], reader: TapeReader, index: IndexReader
) -> Overview:
    """The overview with these findings told, and what the index tells of each session."""
    told = tuple(Told(each, _evidence(overview, each, index)) for each in findings)
    overview = replace(overview, told=told)
    numbers = range(1, len(overview.sessions) + 1)
    details = tuple(_details(overview, number, reader, index) for number in numbers)
    return replace(overview, details=details)


def _details(overview: Overview, number: int, reader: TapeReader, index: IndexReader) -> Details:
    words = (
        one_line(turn_words(reader, turn, index), _TURN_WORDS)
        for turn in overview.session(number).turns
    )
    timeline = session_timeline(overview, number)
    silence_us = timeline.longest_silence_us(index.marks)
    return Details(spent_on(timeline, index.marks), tuple(words), silence_us)


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
