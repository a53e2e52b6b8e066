"""A recording with some of its sessions only."""

from collections.abc import Iterable, Set
from dataclasses import replace

from wiretape.choosing import exchanges_of
from wiretape.reconstruct import Session
from wiretape.recording import Bend, Recording, WholeExchange
from wiretape.scope import Purpose, purpose_of


def only(exchanges: Set[int]) -> Bend:
    """Leaves out every request to a model but these. Side requests stay, as any session may need
    them."""

    def bend(recording: Recording) -> Recording:
        kept = tuple(
            each for each in recording.exchanges if each.id in exchanges or not is_asked(each)
        )
        return replace(recording, exchanges=kept)

    return bend


def only_sessions(sessions: Iterable[Session]) -> Bend:
    """Leaves out what all others than these asked of a model."""
    return only(exchanges_of(sessions))


def is_asked(exchange: WholeExchange) -> bool:
    """Whether it asks a model for something, and is no side request."""
    request = exchange.request
    purpose = purpose_of(request.method, request.target, is_upgrade=request.is_upgrade)
    return purpose not in (None, Purpose.MODELS)
