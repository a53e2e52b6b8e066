"""A tape in, a diagnosis out."""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from wiretape.attempts import Outcome
from wiretape.diagnosis.case import Case, case_of
from wiretape.diagnosis.kinds import Finding, Kind, Severity
from wiretape.diagnosis.rules import RULES
from wiretape.diagnosis.sighting import Sighting
from wiretape.origins import Role
from wiretape.store_reader import TapeReader
from wiretape.words import counted


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What went wrong: in one line, and finding by finding, the worst and earliest first."""

    verdict: str
    findings: tuple[Finding, ...]


def diagnose(reader: TapeReader) -> Diagnosis:
    """The diagnosis of everything on a tape."""
    case = case_of(reader)
    findings = [_finding(kind, seen) for kind, rule in RULES.items() for seen in rule(case)]
    findings.sort(key=lambda finding: (finding.severity is not Severity.BROKEN, _at_us(finding)))
    return Diagnosis(_verdict(case, findings), tuple(findings))


def _finding(kind: Kind, seen: Sighting) -> Finding:
    return Finding(
        kind,
        _severity(seen),
        None if seen.session is None else seen.session.number,
        None if seen.session is None else seen.session.id,
        None if seen.request is None else seen.request.number,
        seen.what,
        seen.evidence,
    )


def _severity(seen: Sighting) -> Severity:
    request = seen.request
    is_fine = request is None or request.last.outcome in _FINE
    if seen.session is not None and request is not None and request.role is Role.WARM_UP:
        # Nobody misses a warm-up when the request that it was for went well.
        is_fine = is_fine or seen.session.requests[-1].last.outcome in _FINE
    return Severity.RECOVERED if is_fine else Severity.BROKEN


_FINE: Final = (Outcome.COMPLETED, Outcome.CONNECTED, Outcome.OPEN)


def _at_us(finding: Finding) -> int:
    return min((spot.at_us for spot in finding.evidence), default=0)


def _verdict(case: Case, findings: list[Finding]) -> str:
    requests = sum(len(session.requests) for session in case.sessions)
    looked_at = (
        f"{counted(len(case.sessions), 'session')}, {counted(requests, 'request')}"
        if case.sessions
        else "no sessions"
    )
    if not findings:
        return f"nothing wrong: {looked_at}."
    severities = Counter(finding.severity for finding in findings)
    how_bad = ", ".join(f"{severities[each]} {each}" for each in Severity if severities[each])
    said = counted(len(findings), "finding")
    return f"{said} ({how_bad}) in {looked_at}: {findings[0].what}."
