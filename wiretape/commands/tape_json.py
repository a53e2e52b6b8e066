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
        told = [
            {**_session(session, with_requests=with_requests), **_address(reader, session)}
            for session in sessions
        ]
    return {
        "tape": str(path),
        "size_bytes": _size_bytes(path),
        **asdict(label),
        **asdict(count(sessions, len(gaps))),
        "sessions": told,
        "gaps": [asdict(gap) for gap in gaps] if with_requests else len(gaps),
    }


def _size_bytes(path: Path) -> int:
    """The size of the tape, with what SQLite keeps beside it while it is written."""
    beside = path.with_name(f"{path.name}-wal")
    return path.stat().st_size + (beside.stat().st_size if beside.exists() else 0)


def _address(reader: TapeReader, session: Session) -> dict[str, str | None]:
    """Where the session's first request was sent to: as asked, and where it really went."""
    exchange = reader.exchange(session.tries[0].attempt.exchange)
    assert exchange is not None
    asked = exchange.request
    host = f"[{asked.host}]" if ":" in asked.host else asked.host
    return {
        "url": f"{asked.scheme}://{host}:{asked.port}{asked.target.partition('?')[0]}",
        "upstream": asked.upstream,
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
