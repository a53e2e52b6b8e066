"""A comparison in words: the first place where two sessions part on top."""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Any, Final

from wiretape.attempt import Attempt
from wiretape.comparing.pairs import AttemptPair, Comparison, Divergence, RequestPair
from wiretape.comparing.sessions import SessionPair
from wiretape.quoting import told
from wiretape.sessions import Session
from wiretape.words import counted, printable, requests_told

_SHOWN: Final = 5
"""So many differences of one attempt are told."""


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """Where two sessions part, request by request, and what was left out."""
    divergences = comparison.divergences
    names = [printable(session.name) for session in (comparison.a, comparison.b)]
    yield f"session {names[0]}" + ("" if names[0] == names[1] else f" and session {names[1]}")
    if divergences:
        for (place, _), group in groupby(divergences, key=_place):
            yield from _place_lines(place, list(group))
        requests = len({place for place, _ in map(_place, divergences)})
        yield f"  {counted(len(divergences), 'difference')}, in {counted(requests, 'place')}."
    else:
        yield f"  equal, {_size(comparison.a)}."
    if comparison.is_over_other_transports:
        a, b = map(_carried, (comparison.a, comparison.b))
        yield f"  over other transports: A {a}; B {b}."
    if comparison.left_out:
        yield f"  left out, though it differs: {printable(', '.join(comparison.left_out))}."


def alone_line(pair: SessionPair, a: Path, b: Path) -> str:
    """A session that only one of the tapes has."""
    one, other = pair
    session, tape = (one, a) if one is not None else (other, b)
    assert session is not None
    return f"session {printable(session.name)} is only on {tape}, {_size(session)}."


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """A comparison for machines: whole values, and places on both tapes."""
    return {
        "a": comparison.a.name,
        "b": comparison.b.name,
        "equal": comparison.is_equal,
        "divergences": [_divergence_json(each) for each in comparison.divergences],
        "left_out": list(comparison.left_out),
    }


def _divergence_json(divergence: Divergence) -> dict[str, Any]:
    pair, attempts, difference = divergence.request, divergence.attempt, divergence.difference
    tries = (None, None) if attempts is None else (attempts.a, attempts.b)
    return {
        "path": difference.path,
        "change": str(difference.change),
        "a": difference.recorded,
        "b": difference.replayed,
        "at": {
            side: None
            if request is None
            else {
                "turn": request.turn,
                "request": request.number,
                "exchange": None if each is None else each.attempt.exchange,
                "message": None if each is None else each.attempt.message,
            }
            for side, request, each in zip("ab", (pair.a, pair.b), tries, strict=True)
        },
    }


def _place(divergence: Divergence) -> tuple[str, int]:
    """Where it is, in words; one attempt is one place."""
    attempts = divergence.attempt
    return _told_place(divergence.request, attempts), id(attempts or divergence.request)


def _told_place(pair: RequestPair, attempts: AttemptPair | None) -> str:
    turns, numbers = (
        _both(*(None if each is None else str(getattr(each, name)) for each in (pair.a, pair.b)))
        for name in ("turn", "number")
    )
    tries = (None, None) if attempts is None else (attempts.a, attempts.b)
    spots = _both(*(None if each is None else _spot(each.attempt) for each in tries))
    return f"turn {turns}, request {numbers}" + (f" ({spots})" if spots else "")


def _both(a: str | None, b: str | None) -> str:
    """``2`` where they are the same, else ``A 2, B 3``."""
    if a is not None and a == b:
        return a
    sides = (("A", a), ("B", b))
    return ", ".join(f"{side} {told}" for side, told in sides if told is not None)


def _spot(attempt: Attempt) -> str:
    message = "" if attempt.message is None else f" message {attempt.message}"
    return f"exchange {attempt.exchange}{message}"


def _place_lines(place: str, divergences: list[Divergence]) -> Iterator[str]:
    yield f"  {place}"
    for divergence in islice(divergences, _SHOWN):
        yield f"    {told(divergence.difference)}"
    if len(divergences) > _SHOWN:
        yield f"    and {counted(len(divergences) - _SHOWN, 'more difference')}"


def _carried(session: Session) -> str:
    """How much went over each transport."""
    attempts = Counter(each.attempt.transport for each in session.tries)
    return ", ".join(f"{over} ({counted(attempts[over], 'attempt')})" for over in attempts)


def _size(session: Session) -> str:
    return ", ".join(
        (
            requests_told(len(session.requests), session.warm_ups),
            counted(len(session.tries), "attempt"),
            counted(session.events, "event"),
        )
    )
