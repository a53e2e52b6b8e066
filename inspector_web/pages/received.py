"""What the client had received by an instant."""

from collections.abc import Mapping
from dataclasses import dataclass

from inspector_web.addresses import BadAddress, time_in
from inspector_web.index.reader import IndexReader
from inspector_web.overview import Overview
from inspector_web.pages.head import SessionHead, head_of
from inspector_web.received import Answer, received_by
from inspector_web.timeline import Timeline


@dataclass(frozen=True, slots=True)
class ReceivedPage:
    """The answers of a session as they stood ``at_us``, which may lie outside of it.

    It is on the tape from ``begin_us`` to ``end_us``.
    """

    session: SessionHead
    at_us: int
    begin_us: int
    end_us: int
    answers: tuple[Answer, ...]


def received_page(
    tape: str,
    overview: Overview,
    number: int,
    timeline: Timeline,
    index: IndexReader,
    given: Mapping[str, str],
) -> ReceivedPage:
    """The page for the instant ``at`` of ``given``; where it names none, for the first one."""
    asked_us, span = instant(given), timeline.span
    at_us = span.start_us if asked_us is None else asked_us
    return ReceivedPage(
        head_of(tape, overview, number),
        at_us,
        span.start_us,
        span.end_us,
        received_by(index, overview, number, at_us),
    )


def instant(given: Mapping[str, str]) -> int | None:
    """The instant that an address names: ``at`` in microseconds, or ``at_s`` in seconds.

    Raises:
        BadAddress: it names something else.
    """
    text = given.get("at_s", "").strip()
    if (at_us := time_in(given, "at")) is not None or not text:
        return at_us
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds < 1e10:
        raise BadAddress(f"at_s is {text[:40]!r}: it has to be a number of seconds.")
    return round(seconds * 1e6)
