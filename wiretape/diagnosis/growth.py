"""How a session grew."""

from collections.abc import Iterator
from itertools import pairwise

from wiretape.attempt import Attempt
from wiretape.diagnosis.case import Case
from wiretape.diagnosis.limits import BODY_JUMP_BYTES, JUMP_FACTOR, TOKEN_JUMP
from wiretape.diagnosis.sighting import Sighting
from wiretape.origins import Role
from wiretape.sessions import Request
from wiretape.tool_uses import spot_of_asking
from wiretape.words import size


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


def _is_comparable(request: Request) -> bool:
    return request.role not in (Role.WARM_UP, Role.COMPACTION)


def _leap_in_tokens(before: Attempt, after: Attempt) -> str | None:
    if before.usage is None or after.usage is None:
        return None
    given, now = before.usage.input_tokens, after.usage.input_tokens
    if now - given < TOKEN_JUMP or now < given * JUMP_FACTOR:
        return None
    return f"the input grew from {given:,} to {now:,} tokens from one request to the next"


def _leap_in_bytes(before: Attempt, after: Attempt) -> str | None:
    if not (before.is_whole_input and after.is_whole_input):
        return None
    sent, now = before.request_bytes, after.request_bytes
    if now - sent < BODY_JUMP_BYTES or now < sent * JUMP_FACTOR:
        return None
    return f"the request grew from {size(sent)} to {size(now)} from one to the next"
