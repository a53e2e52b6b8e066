"""What a replay let fail because it was asked to: nobody's fault, and no reason to look for one."""

from collections.abc import Iterable
from typing import Final

from wiretape.diagnosis.advice import Advice
from wiretape.diagnosis.case import Place
from wiretape.said import Outcome

INJECTED: Final = Advice(
    "The replay let this happen, as --fault asked: no server and no network failed.",
    "Look at what the client makes of it.",
)


def injected_in(places: Iterable[Place]) -> tuple[tuple[str, ...], bool]:
    """The faults that hit these attempts, as they were asked for, and whether they explain all of
    them that did not go well."""
    hit = {place.at: place.injected for place in places if place.injected}
    ill = {place.at for place in places if place.attempt.outcome is not Outcome.COMPLETED}
    return tuple(dict.fromkeys(text for texts in hit.values() for text in texts)), ill <= hit.keys()
