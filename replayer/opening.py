"""A tape, opened for what is to be done with it: bent, and with what is chosen of it."""

from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from replayer.bends.telling import bent_and_told
from wiretape.choosing import chosen_sessions, only_sessions
from wiretape.reconstruct import Session, sessions_of
from wiretape.recording import Bend, Recording
from wiretape.store_reader import TapeReader
from wiretape.store_recording import read_recording, reader_of


def only_these(
    tape: Path, names: Collection[str], bends: Iterable[Bend], tell: Callable[[str], None]
) -> tuple[Recording, list[Session]]:
    """What is on the tape of the sessions of these names, after ``bends``, which are told of; and
    these sessions, as they were recorded.

    Raises:
        WiretapeError: the tape cannot be read, has no such session, or cannot be bent so.
    """
    with TapeReader(tape) as reader:
        chosen = chosen_sessions(sessions_of(reader), names, tape)
        recording = read_recording(reader)
    if names:
        # Before the bends: some of them number exchanges anew.
        recording = only_sessions(chosen)(recording)
    return _bent(recording, bends, tell), chosen


def all_and_these(
    tape: Path, names: Collection[str], bends: Iterable[Bend], tell: Callable[[str], None]
) -> tuple[Recording, list[Session]]:
    """The whole tape after ``bends``, which are told of; and its sessions of these names then.

    Raises:
        WiretapeError: as :func:`only_these` does.
    """
    with TapeReader(tape) as reader:
        recording = read_recording(reader)
    recording = _bent(recording, bends, tell)
    with reader_of(recording, tape) as reader:
        return recording, chosen_sessions(sessions_of(reader), names, tape)


def _bent(recording: Recording, bends: Iterable[Bend], tell: Callable[[str], None]) -> Recording:
    recording, told = bent_and_told(recording, bends)
    for sentence in told:
        tell(sentence)
    return recording
