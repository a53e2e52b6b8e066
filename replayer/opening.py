"""A tape, opened for what is to be done with it: bent, and with what is chosen of it."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from pathlib import Path

from replayer.bends.telling import bent_and_told
from wiretape.choosing import chosen_sessions, only_sessions
from wiretape.reconstruct import sessions_of
from wiretape.recording import Bend, Recording
from wiretape.sessions import Request, Session
from wiretape.store_reader import TapeReader
from wiretape.store_recording import read_recording


def only_these(
    tape: Path, names: Collection[str], bends: Iterable[Bend], tell: Callable[[str], None]
) -> tuple[Recording, list[Session]]:
    """What is on the tape of the sessions of these names, after ``bends``, which are told of; and
    these sessions: numbered as on the tape, with their attempts where they stand now.

    Raises:
        WiretapeError: the tape cannot be read, has no such session, or cannot be bent so.
    """
    recording, chosen = _read(tape, names)
    if names:
        recording = only_sessions(chosen)(recording)
    return _bent(recording, chosen, bends, tell)


def all_and_these(
    tape: Path, names: Collection[str], bends: Iterable[Bend], tell: Callable[[str], None]
) -> tuple[Recording, list[Session]]:
    """The whole tape after ``bends``, which are told of; and its sessions of these names, as
    :func:`only_these` gives them.

    Raises:
        WiretapeError: as :func:`only_these` does.
    """
    recording, chosen = _read(tape, names)
    return _bent(recording, chosen, bends, tell)


def _read(tape: Path, names: Collection[str]) -> tuple[Recording, list[Session]]:
    with TapeReader(tape) as reader:
        return read_recording(reader), chosen_sessions(sessions_of(reader), names, tape)


def _bent(
    recording: Recording,
    sessions: list[Session],
    bends: Iterable[Bend],
    tell: Callable[[str], None],
) -> tuple[Recording, list[Session]]:
    recording, told = bent_and_told(recording, bends)
    for sentence in told:
        tell(sentence)
    return recording, found_in(recording, sessions)


def found_in(recording: Recording, sessions: Iterable[Session]) -> list[Session]:
    """The sessions of a tape, with their attempts where they stand in what bends made of it. An
    attempt that they left out is gone, and so is a request without any."""
    moved = {
        origin: here
        for exchange in recording.exchanges
        for here, origin in exchange.places
        if origin is not None
    }

    def found(request: Request) -> Request:
        tries = [
            replace(each, attempt=replace(each.attempt, exchange=exchange, message=message))
            for each in request.tries
            if (place := moved.get((each.attempt.exchange, each.attempt.message))) is not None
            for exchange, message in [place]
        ]
        return replace(request, tries=tries)

    return [
        replace(session, requests=[each for each in map(found, session.requests) if each.tries])
        for session in sessions
    ]
