"""What the recorder lost, where it was cut off, and who did not let it look."""

from collections.abc import Iterator
from typing import Final

from wiretape.attempt import Attempt
from wiretape.diagnosis.case import Case
from wiretape.diagnosis.reading import MOST_SPOTS
from wiretape.diagnosis.sighting import Sighting
from wiretape.facts import Gap
from wiretape.sessions import Request, Session
from wiretape.spot import Spot
from wiretape.store_reader import Exchange
from wiretape.tool_uses import spot_of_asking
from wiretape.words import counted, size


def gaps(case: Case) -> Iterator[Sighting]:
    """What crossed and is not on the tape, of each session together."""
    owners = _owners(case)
    found: dict[tuple[int | None, str], list[Gap]] = {}
    for gap in case.gaps:
        session, _ = owners.get(gap.exchange, _NOBODY)
        number = None if session is None else session.number
        found.setdefault((number, gap.reason), []).append(gap)
    for (_, reason), lost in found.items():
        facts, in_bytes = sum(gap.lost_facts for gap in lost), sum(gap.lost_bytes for gap in lost)
        is_one = facts == 1
        where = "" if len(lost) == 1 else f" at {len(lost)} places"
        what = (
            f"{counted(facts, 'fact')} with {size(in_bytes)} {'is' if is_one else 'are'} missing"
            f"{where}: {reason}"
        )
        spots = tuple(Spot(gap.exchange or 0, gap.at_us, "gap") for gap in lost[:MOST_SPOTS])
        owned = [owners.get(gap.exchange, _NOBODY) for gap in lost]
        session, request = owned[0]
        is_of_one = all(other is request for _, other in owned)
        yield Sighting(what, spots, session, request if is_of_one else None)


def cuts(case: Case) -> Iterator[Sighting]:
    """A recording that has not come to its end."""
    if case.is_closed or case.is_live:
        return
    without_end = counted(len(case.stopped), "exchange has", "exchanges have")
    what = "the recording was cut off"
    if case.stopped:
        what += f": {without_end} no end on the tape"
    lasts = [session.tries[-1].attempt for session in case.sessions]
    yield Sighting(what, tuple(map(_last_seen, lasts[:MOST_SPOTS])))


def distrusts(case: Case) -> Iterator[Sighting]:
    """Hosts to which a client would not talk through the recorder."""
    by_host: dict[str, list[Exchange]] = {}
    for exchange in case.distrusting:
        by_host.setdefault(exchange.request.host, []).append(exchange)
    for host, exchanges in by_host.items():
        what = f"TLS with the client failed for {host}"
        if len(exchanges) > 1:
            what += f" {len(exchanges)} times"
        ends = [(each.id, each.end) for each in exchanges[:MOST_SPOTS]]
        yield Sighting(
            what, tuple(Spot(number, end.at_us, end.how) for number, end in ends if end is not None)
        )


def _last_seen(attempt: Attempt) -> Spot:
    if attempt.last_event_us is None:
        return spot_of_asking(attempt)
    return Spot(attempt.exchange, attempt.last_event_us, "last event", attempt.message)


type _Owner = tuple[Session | None, Request | None]

_NOBODY: Final[_Owner] = (None, None)


def _owners(case: Case) -> dict[int | None, _Owner]:
    """By exchange, the session and the first of its requests that it carried."""
    owners: dict[int | None, _Owner] = {}
    for session in case.sessions:
        for request in session.requests:
            for each in request.tries:
                owners.setdefault(each.attempt.exchange, (session, request))
    return owners
