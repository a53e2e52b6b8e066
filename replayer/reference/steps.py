"""What a client saw and did, step by step, and where two such courses part."""

from dataclasses import dataclass, field

from replayer.reference.acts import Place
from replayer.reference.user import Prompt
from wiretape.client.turn import Output


@dataclass(frozen=True, slots=True)
class Step:
    """Something that the client saw or did, and the place on the tape that it came from."""

    output: Output
    place: Place


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first place where two courses part, and in words what each of them has there: the
    recorded one, and that of the documented client."""

    place: Place
    recorded: str
    documented: str


class Diverges(Exception):
    """Two courses part. Stays inside this package."""

    def __init__(self, place: Place, recorded: str, documented: str) -> None:
        super().__init__(place, recorded, documented)
        self.divergence = Divergence(place, recorded, documented)


class RecordingOver(Exception):
    """The recording says no more, and the message why. Stays inside this package."""


@dataclass(slots=True)
class Course:
    """What the client saw and did on a recording.

    ``prompts`` are what it was asked to do. ``acts`` counts the recorded acts that it did too,
    ``differences`` the places in their bodies that it wrote otherwise. ``cut`` says why the
    recording ends before the client does, ``divergence`` where the recorded client left the
    documented one.
    """

    steps: list[Step] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    acts: int = 0
    differences: int = 0
    cut: str | None = None
    divergence: Divergence | None = None
