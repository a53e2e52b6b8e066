"""What the recorder lost, and where it was cut off."""

from collections.abc import Iterator

from wiretape.attempts import Attempt
from wiretape.diagnosis.case import Case
from wiretape.diagnosis.reading import MOST_SPOTS
from wiretape.diagnosis.sighting import Sighting
from wiretape.reconstruct import Request, Session
from wiretape.spot import Spot
from wiretape.tool_uses import spot_of_asking
from wiretape.words import counted, size


def gaps(case: Case) -> Iterator[Sighting]:
    """What crossed and is not on the tape."""
    for gap in case.gaps:
        owner, request = next(_owners(case, gap.exchange), (None, None))
        what = (
            f"{counted(gap.lost_facts, 'fact')} with {size(gap.lost_bytes)} are missing: "
            f"{gap.reason}"
        )
        yield Sighting(what, (Spot(gap.exchange or 0, gap.at_us, "gap"),), owner, request)


def cuts(case: Case) -> Iterator[Sighting]:
    """A recording that has not come to its end."""
    if case.is_closed:
        return
    without_end = counted(len(case.stopped), "exchange has", "exchanges have")
    what = "the recording is cut off, or goes on still"
    if case.stopped:
        what += f": {without_end} no end on the tape"
    lasts = [session.tries[-1].attempt for session in case.sessions]
    yield Sighting(what, tuple(map(_last_seen, lasts[:MOST_SPOTS])))


def _last_seen(attempt: Attempt) -> Spot:
    if attempt.last_event_us is None:
        return spot_of_asking(attempt)
    return Spot(attempt.exchange, attempt.last_event_us, "last event", attempt.message)


def _owners(case: Case, exchange: int | None) -> Iterator[tuple[Session, Request]]:
    return (
        (session, request)
        for session in case.sessions
        for request in session.requests
        for each in request.tries
        if exchange is not None and each.attempt.exchange == exchange
    )
