"""One thing that a rule saw: a finding before it is known what kind it is of."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from wiretape.attempt import Attempt, Transport
from wiretape.diagnosis.case import Place
from wiretape.diagnosis.reading import MOST_SPOTS
from wiretape.reasons import end_of
from wiretape.sessions import Request, Session
from wiretape.spot import Spot
from wiretape.tool_uses import spot_of_asking


@dataclass(frozen=True, slots=True)
class Sighting:
    """What was seen, in a sentence, and where; ``session`` and ``request`` are whose it is.

    ``places`` are the attempts that it is about, where it is about some.
    """

    what: str
    evidence: tuple[Spot, ...]
    session: Session | None = None
    request: Request | None = None
    places: tuple[Place, ...] = ()


def by_request(places: Iterable[Place]) -> Iterator[list[Place]]:
    """The places of each request together: one cause makes one finding of a request."""
    grouped = groupby(places, key=lambda place: (id(place.session), place.request.number))
    return (list(group) for _, group in grouped)


def sighting(what: str, places: list[Place], evidence: Iterable[Spot]) -> Sighting:
    """A sighting of one request."""
    first = places[0]
    spots = tuple(evidence)[:MOST_SPOTS]
    return Sighting(what, spots, first.session, first.request, tuple(places))


def end_spot(attempt: Attempt) -> Spot:
    """Where the tape shows how an attempt ended, or else that it began."""
    return end_of(attempt) or spot_of_asking(attempt)


def times(places: list[Place]) -> str:
    """How often, after a verb: ``""``, ``" 3 times"``."""
    return "" if len(places) == 1 else f" {len(places)} times"


def by_transport(places: list[Place]) -> Iterator[tuple[str, list[Place]]]:
    """The places over each transport, with its name, in the order of their first."""
    for transport in dict.fromkeys(place.attempt.transport for place in places):
        yield _NAMES[transport], [each for each in places if each.attempt.transport is transport]


_NAMES: Final = {Transport.HTTP: "HTTP", Transport.WEBSOCKET: "WebSocket"}
