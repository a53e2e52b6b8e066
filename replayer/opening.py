"""A tape, opened for what is to be done with it: bent, and with what is chosen of it."""

from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from replayer.bends.telling import bent_and_told
from wiretape.choosing import chosen_sessions
from wiretape.reconstruct import Session, sessions_of
from wiretape.recording import Bend, Recording
from wiretape.store_reader import TapeReader
from wiretape.store_recording import read_recording, reader_of


def opened(
    tape: Path, names: Collection[str], bends: Iterable[Bend], tell: Callable[[str], None]
) -> tuple[Recording, list[Session]]:
    """The whole recording after ``bends``, which are told of, and its sessions of these names.

    Raises:
        WiretapeError: the tape cannot be read, has no such session, or cannot be bent so.
    """
    with TapeReader(tape) as reader:
        # Before anything is told: a name that there is not is the first thing to mend.
        chosen_sessions(sessions_of(reader), names, tape)
        recording, told = bent_and_told(read_recording(reader), bends)
    for sentence in told:
        tell(sentence)
    with reader_of(recording, tape) as reader:
        return recording, chosen_sessions(sessions_of(reader), names, tape)
