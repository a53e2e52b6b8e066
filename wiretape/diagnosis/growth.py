"""How a session grew, and what the recorder lost."""

from collections.abc import Iterator
from itertools import pairwise

from wiretape.attempts import Attempt
from wiretape.diagnosis.case import Case
from wiretape.diagnosis.limits import BODY_JUMP_BYTES, JUMP_FACTOR, TOKEN_JUMP
from wiretape.diagnosis.sighting import Sighting
from wiretape.origins import Role
from wiretape.reconstruct import Request, Session
from wiretape.spot import Spot
from wiretape.tool_uses import spot_of_asking
from wiretape.words import counted, size


def leaps(case: Case) -> Iterator[Sighting]:
    """A request that sends much more than the one before it."""
    for session in case.sessions:
        requests = [request for request in session.requests if _is_comparable(request)]
        for before, after in pairwise(requests):
            what = _leap_in_tokens(before.last, after.last) or _leap_in_bytes(
                before.last, after.last
            )
            if what is not None:
                spots = (spot_of_asking(before.last), spot_of_asking(after.last))
                yield Sighting(what, spots, session, after)


def gaps(case: Case) -> Iterator[Sighting]:
    """What crossed and is not on the tape."""
    for gap in case.gaps:
        owner, request = next(_owners(case, gap.exchange), (None, None))
        what = (
            f"{counted(gap.lost_facts, 'fact')} with {size(gap.lost_bytes)} are missing: "
            f"{gap.reason}"
        )
        yield Sighting(what, (Spot(gap.exchange or 0, gap.at_us, "gap"),), owner, request)


def _is_comparable(request: Request) -> bool:
    return request.role not in (Role.WARM_UP, Role.COMPACTION)


def _leap_in_tokens(before: Attempt, after: Attempt) -> str | None:
    if before.usage is None or after.usage is None:
        return None
    given, now = before.usage.input_tokens, after.usage.input_tokens
    if now - given < TOKEN_JUMP or now < given * JUMP_FACTOR:
        return None
    return f"the input grew from {given:,} to {now:,} tokens within one request"


def _leap_in_bytes(before: Attempt, after: Attempt) -> str | None:
    if not (before.is_whole_input and after.is_whole_input):
        return None
    sent, now = before.request_bytes, after.request_bytes
    if now - sent < BODY_JUMP_BYTES or now < sent * JUMP_FACTOR:
        return None
    return f"the request grew from {size(sent)} to {size(now)} at once"


def _owners(case: Case, exchange: int | None) -> Iterator[tuple[Session, Request]]:
    return (
        (session, request)
        for session in case.sessions
        for request in session.requests
        for each in request.tries
        if exchange is not None and each.attempt.exchange == exchange
    )
