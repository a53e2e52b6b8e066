"""Sessions, requests and attempts as JSON, the same wherever they are printed."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from wiretape.commands.summary import count
from wiretape.reconstruct import Session, Try, Why, sessions_of
from wiretape.store_reader import TapeReader


def tape_as_json(path: Path, *, with_requests: bool) -> dict[str, Any]:
    """What is on the tape at ``path``; times are microseconds since it began.

    Raises:
        TapeError: the tape cannot be used.
    """
    with TapeReader(path) as reader:
        label = reader.label()
        sessions = sessions_of(reader)
        gaps = reader.gaps()
    return {
        "tape": str(path),
        "size_bytes": path.stat().st_size,
        **asdict(label),
        **asdict(count(sessions, len(gaps))),
        "sessions": [_session(session, with_requests=with_requests) for session in sessions],
        "gaps": [asdict(gap) for gap in gaps] if with_requests else len(gaps),
    }


def _session(session: Session, *, with_requests: bool) -> dict[str, Any]:
    last = session.requests[-1].last
    found: dict[str, Any] = {
        "id": session.id,
        "client": session.client,
        "model": session.model,
        "at_us": session.at_us,
        "duration_us": session.until_us - session.at_us,
        "requests": len(session.requests),
        "attempts": len(session.tries),
        "retries": session.count(Why.RETRY),
        "fallbacks": session.count(Why.FALLBACK),
        "transports": [str(transport) for transport in session.transports],
        "events": session.events,
        "outcome": str(last.outcome),
        "detail": last.detail,
    }
    if with_requests:
        found["requests"] = [
            {"number": request.number, "attempts": [_attempt(each) for each in request.tries]}
            for request in session.requests
        ]
    return found


def _attempt(each: Try) -> dict[str, Any]:
    return {"why": str(each.why), "evidence": each.evidence, **asdict(each.attempt)}
