"""What a replay let fail because it was asked to: nobody's fault, and no reason to look for one."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from wiretape.diagnosis.advice import Advice
from wiretape.diagnosis.case import Place
from wiretape.said import Outcome

INJECTED: Final = Advice(
    "The replay let this happen, as --fault asked: no server and no network failed.",
    "Look at what the client makes of it.",
)


@dataclass(frozen=True, slots=True)
class Share:
    """The faults that hit some attempts, as they were asked for, and how much they explain.

    ``hit`` of ``attempts`` were hit; the others did not go well by themselves.
    """

    faults: tuple[str, ...]
    hit: int
    attempts: int

    @property
    def is_all(self) -> bool:
        """Whether they explain all that did not go well."""
        return self.hit == self.attempts

    @property
    def words(self) -> str:
        """``injected: 2.5:cut``, ``injected in 1 of 3 tries: 2.5:cut``."""
        part = "" if self.is_all else f" in {self.hit} of {self.attempts} tries"
        return f"injected{part}: {', '.join(self.faults)}"


def share_of(places: Iterable[Place]) -> Share | None:
    """What was injected of what went wrong at these places; ``None`` where nothing was."""
    of_note = [
        place
        for place in places
        if place.injected or place.attempt.outcome is not Outcome.COMPLETED
    ]
    hit = [place.injected for place in of_note if place.injected]
    faults = dict.fromkeys(text for texts in hit for text in texts)
    return Share(tuple(faults), len(hit), len(of_note)) if hit else None
