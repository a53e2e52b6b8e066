"""What the recorder lost: which attempts a gap may have taken something from."""

from collections.abc import Iterable

from wiretape.attempt import Attempt
from wiretape.facts import Gap
from wiretape.said import Outcome


def lost_from(attempt: Attempt, gaps: Iterable[Gap]) -> list[Gap]:
    """The gaps that may hold something of the attempt: how it went on, or that it ended.

    An attempt without an end may have had it in any later gap of its exchange.
    """
    until_us = None if attempt.outcome is Outcome.OPEN else attempt.until_us
    return [
        gap
        for gap in gaps
        if gap.exchange in (None, attempt.exchange)
        and gap.until_us >= attempt.at_us
        and (until_us is None or gap.at_us <= until_us)
    ]
