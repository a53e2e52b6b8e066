"""Findings as a session's page tells them, each with the way to its place."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from inspector_web.health import SEVERITIES, Tone
from inspector_web.overview import Evidence, Told
from inspector_web.timeline import Span, Timeline
from inspector_web.window import View, view_of
from wiretape.diagnosis.kinds import Kind, Severity

MOST_FINDINGS: Final = 20
_MOST_EVIDENCE: Final = 5
_AROUND: Final = 4
"""A finding's window is so many times as long as what it rests on."""
_LEAST_AROUND_US: Final = 200_000


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One finding: what was seen, what it means, what to try, and where it stands.

    ``request`` is its number, if it is about one; ``view`` the window of the timeline around what
    it rests on. ``more`` counts the evidence that is left out.
    """

    kind: Kind
    severity: Severity
    tone: Tone
    request: int | None
    what: str
    meaning: str
    advice: str
    evidence: tuple[Evidence, ...]
    more: int
    view: View | None


def finding_rows(told: Sequence[Told], timeline: Timeline) -> tuple[FindingRow, ...]:
    """The first findings, in their order."""
    return tuple(
        FindingRow(
            each.finding.kind,
            each.finding.severity,
            SEVERITIES[each.finding.severity],
            each.finding.request,
            each.finding.what,
            each.finding.meaning,
            each.finding.advice,
            each.evidence[:_MOST_EVIDENCE],
            max(0, len(each.finding.evidence) - _MOST_EVIDENCE),
            _view(each.evidence, timeline),
        )
        for each in told[:MOST_FINDINGS]
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
    around_us = max((end_us - start_us) // _AROUND, _LEAST_AROUND_US)
    return view_of(timeline.span, max(start_us - around_us, 0), end_us + around_us)


def _is_in(evidence: Evidence, span: Span) -> bool:
    return span.start_us <= evidence.at_us <= span.end_us
