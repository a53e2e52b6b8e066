"""A tape in, a diagnosis out."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from wiretape.diagnosis.case import Case, case_of
from wiretape.diagnosis.circumstances import told_of
from wiretape.diagnosis.injected import INJECTED, share_of
from wiretape.diagnosis.kinds import OF_THE_RECORDER, Finding, Kind, Severity
from wiretape.diagnosis.rules import RULES
from wiretape.diagnosis.sighting import Sighting
from wiretape.origins import Role
from wiretape.said import Outcome
from wiretape.sessions import Request, Session
from wiretape.store_reader import TapeReader
from wiretape.words import counted, requests_told


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What went wrong: in one line, and finding by finding, the worst and earliest first.

    ``is_live``: the recording goes on still, and there may be more to find.
    """

    verdict: str
    findings: tuple[Finding, ...]
    is_live: bool = False


def diagnose(reader: TapeReader, sessions: Sequence[Session] | None = None) -> Diagnosis:
    """The diagnosis of everything on a tape; ``sessions`` are those on it, if they are known."""
    case = case_of(reader, sessions)
    findings = [_finding(case, kind, seen) for kind, rule in RULES.items() for seen in rule(case)]
    findings.sort(key=lambda finding: (finding.severity is not Severity.BROKEN, _at_us(finding)))
    return Diagnosis(verdict_on(case.sessions, findings), tuple(findings), case.is_live)


def _finding(case: Case, kind: Kind, seen: Sighting) -> Finding:
    told = told_of(kind, seen.places)
    # The words of a server may end so; whoever shows the sentence ends it.
    what = seen.what.removesuffix(".")
    injected = share_of(seen.places)
    if injected is not None:
        what = f"{what} ({injected.words})"
        told = INJECTED if injected.is_all else told
    return Finding(
        kind,
        _severity(case, kind, seen),
        None if seen.session is None else seen.session.number,
        None if seen.session is None else seen.session.id,
        None if seen.request is None else seen.request.number,
        what,
        told.meaning,
        told.advice,
        seen.evidence,
    )


def _severity(case: Case, kind: Kind, seen: Sighting) -> Severity:
    session, request = seen.session, seen.request
    if kind in OF_THE_RECORDER:
        return Severity.UNSEEN
    if session is None or request is None or _is_fine(request):
        return Severity.RECOVERED
    if request.role is Role.WARM_UP and _is_fine(session.requests[-1]):
        # Nobody misses a warm-up when the request that it was for went well.
        return Severity.GONE_WITHOUT
    is_seen = request.last.outcome is not Outcome.OPEN and not case.is_torn(request.last)
    is_seen = is_seen and not case.may_go_on(session, request)
    return Severity.BROKEN if is_seen else Severity.UNSEEN


def _is_fine(request: Request) -> bool:
    return request.last.outcome in (Outcome.COMPLETED, Outcome.CONNECTED)


def _at_us(finding: Finding) -> int:
    return min((spot.at_us for spot in finding.evidence), default=0)


def verdict_on(sessions: Sequence[Session], findings: Sequence[Finding]) -> str:
    """What the findings about some sessions come to, in one line; the first counts most."""
    requests = [request for session in sessions for request in session.requests]
    warm_ups = sum(session.warm_ups for session in sessions)
    looked_at = (
        f"{counted(len(sessions), 'session')}, {requests_told(len(requests), warm_ups)}"
        if sessions
        else "no sessions"
    )
    if not findings:
        going_on = sum(request.last.outcome is Outcome.OPEN for request in requests)
        but = f", {going_on} going on at the end of the tape" if going_on else ""
        return f"nothing wrong: {looked_at}{but}."
    severities = Counter(finding.severity for finding in findings)
    how_bad = ", ".join(f"{severities[each]} {each.words}" for each in Severity if severities[each])
    said = counted(len(findings), "finding")
    return f"{said} ({how_bad}) in {looked_at}: {findings[0].what}."
