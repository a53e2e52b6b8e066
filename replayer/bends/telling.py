"""Bends of which a person must know what they did."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from wiretape.recording import Bend, Recording


@dataclass(frozen=True, slots=True)
class TellingBend:
    """A bend, and the sentences that say what it does to a recording."""

    bend: Bend
    tell: Callable[[Recording], Iterable[str]]

    def __call__(self, recording: Recording) -> Recording:
        return self.bend(recording)


def bent_and_told(recording: Recording, bends: Iterable[Bend]) -> tuple[Recording, list[str]]:
    """The recording after all ``bends``, and what is to be told of them."""
    told: list[str] = []
    for bend in bends:
        if isinstance(bend, TellingBend):
            told += bend.tell(recording)
        recording = bend(recording)
    return recording, told
