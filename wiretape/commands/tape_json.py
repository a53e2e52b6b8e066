"""Sessions, requests and attempts as JSON, the same wherever they are printed."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from wiretape.choosing import chosen_sessions
from wiretape.commands.summary import count
from wiretape.facts import Gap
from wiretape.lost import lost_from
from wiretape.reasons import Why
from wiretape.reconstruct import sessions_of
from wiretape.sessions import Session, Try
from wiretape.store_presence import log_of
from wiretape.store_reader import TapeReader
from wiretape.tool_uses import ToolUse


def tape_as_json(
    path: Path, *, with_requests: bool, sessions: Collection[str] = ()
) -> dict[str, Any]:
    """What is on the tape at ``path``; times are microseconds since it began.

    ``sessions`` are the names of those to tell of, or starts of them; none means all.

    Raises:
        TapeError: the tape cannot be used.
        NoSuchSession: one of ``sessions`` is not on it.
    """
    with TapeReader(path) as reader:
        label, is_live, is_closed = reader.label(), reader.is_being_written(), reader.is_closed()
        found = sessions_of(reader)
        gaps = reader.gaps()
        told = [
            {**_session(session, gaps, with_requests=with_requests), **_address(reader, session)}
            for session in chosen_sessions(found, sessions, path)
        ]
    return {
        "tape": str(path),
        "size_bytes": _size_bytes(path),
        **asdict(label),
        "is_closed": is_closed,
        "is_being_written": is_live,
        **asdict(count(found, len(gaps))),
        "sessions": told,
        "gaps": [asdict(gap) for gap in gaps] if with_requests else len(gaps),
    }


def _size_bytes(path: Path) -> int:
    """The size of the tape, with what SQLite keeps beside it while it is written."""
    size_bytes = path.stat().st_size
    # It goes when its writer does, also while we look.
    with suppress(FileNotFoundError):
        size_bytes += log_of(path).stat().st_size
    return size_bytes


def _address(reader: TapeReader, session: Session) -> dict[str, str | None]:
    """Where the session's first request was sent to: as asked, and where it really went."""
    exchange = reader.exchange(session.tries[0].attempt.exchange)
    assert exchange is not None
    asked = exchange.request
    return {"url": asked.url.partition("?")[0], "upstream": asked.upstream}


def _session(session: Session, gaps: Sequence[Gap], *, with_requests: bool) -> dict[str, Any]:
    last = session.requests[-1].last
    found: dict[str, Any] = {
        "number": session.number,
        "id": session.id,
        "name": session.name,
        "parent": session.parent,
        "agent": session.agent,
        "client": session.client,
        "model": session.model,
        "at_us": session.at_us,
        "duration_us": session.until_us - session.at_us,
        "turns": len(session.turns),
        "requests": len(session.requests),
        "warm_ups": session.warm_ups,
        "attempts": len(session.tries),
        "retries": session.count(Why.RETRY),
        "fallbacks": session.count(Why.FALLBACK),
        "tools": len(session.tools),
        "transports": [str(transport) for transport in session.transports],
        "events": session.events,
        "outcome": str(last.outcome),
        "detail": last.detail,
    }
    if with_requests:
        found["turns"] = [{"number": turn.number, "id": turn.id} for turn in session.turns]
        found["requests"] = [
            {
                "number": request.number,
                "turn": request.turn,
                "role": str(request.role),
                "attempts": [_attempt(each, gaps) for each in request.tries],
            }
            for request in session.requests
        ]
        found["tools"] = [_tool(use) for use in session.tools]
    return found


def _attempt(each: Try, gaps: Sequence[Gap]) -> dict[str, Any]:
    return {
        "why": str(each.why),
        "number": each.number,
        "evidence": each.evidence,
        **asdict(each.attempt),
        "gaps": len(lost_from(each.attempt, gaps)),
    }


def _tool(use: ToolUse) -> dict[str, Any]:
    """A use of a tool; ``exchange``, ``message`` and ``at_us`` are where it was first called."""
    spot = use.calls[0].spot if use.calls else None
    return {
        "call_id": use.call_id,
        "name": None if use.call is None else use.call.name,
        "server": None if use.call is None else use.call.server,
        "exchange": None if spot is None else spot.exchange,
        "message": None if spot is None else spot.message,
        "at_us": None if spot is None else spot.at_us,
        "outputs": len(use.outputs),
        "took_us": use.took_us,
        "failure": use.failure,
    }
