"""Attempts that are read from a tape."""

from timed_tapes import TapeMaker

from wiretape.attempt import Attempt
from wiretape.attempts import Observed, attempts_of


def observed(maker: TapeMaker) -> list[Observed]:
    """Everything that was tried on the tape, exchange by exchange."""
    with maker.read() as reader:
        return [seen for exchange in reader.exchanges() for seen in attempts_of(reader, exchange)]


def attempts(maker: TapeMaker) -> list[Attempt]:
    """The attempts on the tape."""
    return [seen.attempt for seen in observed(maker)]


def the_attempt(maker: TapeMaker) -> Attempt:
    """The only attempt on the tape."""
    (attempt,) = attempts(maker)
    return attempt
