"""A place on a tape that something rests on: which exchange, when, and what crossed there."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on a tape. ``event`` is the type of what crossed there (see ``crossings``), or
    ``silence`` where something should have.

    ``message`` counts the client's messages on a socket from 0, ``None`` over HTTP.
    """

    exchange: int
    at_us: int
    event: str
    message: int | None = None
