"""Findings as a session's page tells them, each with the way to its place."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from inspector_web.folds import Fold
from inspector_web.health import SEVERITIES, Tone, named
from inspector_web.overview import Evidence, Told
from inspector_web.stretches import Span
from inspector_web.timeline import Timeline
from inspector_web.window import View, view_of
from wiretape.diagnosis.kinds import Kind, Severity

MOST_FINDINGS: Final = 20
_MOST_EVIDENCE: Final = 5
_MOST_REQUESTS: Final = 8
_AROUND: Final = 4
"""A finding's window is so many times as long as what it rests on."""
LEAST_AROUND_US: Final = 200_000


@dataclass(frozen=True, slots=True)
class FindingHead:
    """A finding in short: what an address calls it, its kind, and what was seen, in a sentence."""

    name: str
    kind: Kind
    what: str

    @property
    def text(self) -> str:
        """Both in one line: what is called otherwise in the sentence is found by its kind, too."""
        return f"{named(self.kind)}: {self.what}"


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding: what was seen, what it means, what to try, and where it stands.

    ``name`` is what an address calls it. ``requests`` are the numbers of those that it is about,
    the first of them: what was found alike in several is one row, and ``alike`` counts the others.
    ``view`` is the window of the timeline around what the first rests on, ``more`` counts its
    evidence that is left out.
    """

    name: str
    kind: Kind
    severity: Severity
    tone: Tone
    requests: tuple[int, ...]
    alike: int
    what: str
    meaning: str
    advice: str
    evidence: tuple[Evidence, ...]
    more: int
    view: View | None


def finding_rows(told: Sequence[Told], timeline: Timeline) -> tuple[FindingRow, ...]:
    """The first findings, in their order; those that were found alike are one."""
    return tuple(_row(name, group, timeline) for name, group in _named_groups(told))


def finding_heads(told: Sequence[Told]) -> tuple[FindingHead, ...]:
    """The same in short."""
    return tuple(
        FindingHead(name, first.finding.kind, first.finding.what)
        for name, (first, *_) in _named_groups(told)
    )


def _named_groups(told: Sequence[Told]) -> Iterator[tuple[str, list[Told]]]:
    """Those that were found alike, called by their kind and their first request, and their number
    among several."""
    alike: dict[object, list[Told]] = {}
    for each in told:
        finding = each.finding
        alike.setdefault((finding.kind, finding.severity, finding.what), []).append(each)
    seen: Counter[str] = Counter()
    for group in islice(alike.values(), MOST_FINDINGS):
        finding = group[0].finding
        name = f"{Fold.FINDING}-{finding.kind}" + (f"-{finding.request}" if finding.request else "")
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name}.{seen[name]}", group


def _row(name: str, group: Sequence[Told], timeline: Timeline) -> FindingRow:
    first = group[0]
    finding = first.finding
    requests = [each.finding.request for each in group]
    return FindingRow(
        name,
        finding.kind,
        finding.severity,
        SEVERITIES[finding.severity],
        tuple(number for number in requests if number is not None)[:_MOST_REQUESTS],
        len(group) - 1,
        finding.what,
        finding.meaning,
        finding.advice,
        first.evidence[:_MOST_EVIDENCE],
        max(0, len(finding.evidence) - _MOST_EVIDENCE),
        _view(first.evidence, timeline),
    )


def _view(evidence: Sequence[Evidence], timeline: Timeline) -> View | None:
    times = [each.at_us for each in evidence]
    times = [at_us for at_us in times if timeline.span.start_us <= at_us <= timeline.span.end_us]
    if not times:
        return None
    # An attempt that the evidence ended says more than the moment of its end.
    spans = [
        lane.span
        for lane in timeline.lanes
        if any(each.exchange == lane.exchange and _is_in(each, lane.span) for each in evidence)
    ]
    start_us = min([*times, *(span.start_us for span in spans)])
    end_us = max([*times, *(span.end_us for span in spans)])
    around_us = max((end_us - start_us) // _AROUND, LEAST_AROUND_US)
    return view_of(timeline.span, max(start_us - around_us, 0), end_us + around_us)


def _is_in(evidence: Evidence, span: Span) -> bool:
    return span.start_us <= evidence.at_us <= span.end_us
