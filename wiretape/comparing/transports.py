"""What is the transport's, and neither the client's nor the model's: left out where two attempts
that belong together went over different ones.

A socket has a handshake instead of each request's headers, warm-ups, messages that leave out what
it has heard, statuses inside of events, and ends of its own.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from wiretape.asked import Asked, RequestKind
from wiretape.attempt import Attempt
from wiretape.said import Outcome

TRANSPORT: Final = "transport"
"""By this name it is told that the transport was left out."""

_UPGRADE_REQUIRED: Final = 426
_BROKEN_OFF: Final = frozenset({Outcome.CUT, Outcome.ABANDONED, Outcome.UNREACHED, Outcome.OPEN})
"""Outcomes whose detail is how the transport ended."""


def is_framing(attempt: Attempt) -> bool:
    """Whether an attempt is what a socket begins with, or is sent on to HTTP with: it has no
    counterpart in a session without sockets. One that failed is none: a client had to bear it."""
    match attempt.kind:
        case RequestKind.WARM_UP:
            return attempt.outcome is Outcome.COMPLETED
        case RequestKind.UPGRADE:
            return attempt.outcome is Outcome.CONNECTED or attempt.status == _UPGRADE_REQUIRED
    return False


def form(asked: Asked) -> tuple[RequestKind, bool]:
    """In which form something is asked; in another one the same is written otherwise."""
    return asked.kind, asked.says_only_what_is_new


def bare(asked: Asked) -> Asked:
    """What was asked, without what makes it a message."""
    if not isinstance(asked.body, dict):
        return asked
    return replace(asked, body={key: value for key, value in asked.body.items() if key != "type"})


def without_transport(says: Mapping[str, Any]) -> dict[str, Any]:
    """What an answer says whichever transport carries it; a status in its place says it all."""
    if says.get("status", 0) >= 400:
        return {key: says[key] for key in ("status", "body") if key in says}
    left_out = {"status", "headers"}
    if says["outcome"] in _BROKEN_OFF:
        left_out.add("detail")
    return {key: value for key, value in says.items() if key not in left_out}
