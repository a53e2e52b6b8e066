"""Which sessions of a tape are meant by what stands behind ``--session``, and what is theirs."""

from collections.abc import Collection, Iterable, Sequence

from wiretape.errors import NoSuchSession
from wiretape.reconstruct import Session


def chosen_sessions(
    sessions: Sequence[Session], wanted: Collection[str], tape: object
) -> list[Session]:
    """The sessions whose names are wanted, or start so; none wanted means all of them.

    A whole name means that session alone, even where another one's begins with it. ``tape`` is
    what a message calls the tape.

    Raises:
        NoSuchSession: one that is wanted is not on the tape.
    """
    if not wanted:
        return list(sessions)
    found = {name: _meant(sessions, name) for name in wanted}
    for name, meant in found.items():
        if not meant:
            raise NoSuchSession(
                f"{tape} has no session {name!r}: `wiretape ls {tape}` lists its sessions."
            )
    numbers = {number for meant in found.values() for number in meant}
    return [session for session in sessions if session.number in numbers]


def exchanges_of(sessions: Iterable[Session]) -> set[int]:
    """The exchanges over which these sessions asked their model."""
    return {each.attempt.exchange for session in sessions for each in session.tries}


def _meant(sessions: Sequence[Session], name: str) -> set[int]:
    whole = {session.number for session in sessions if session.name == name}
    # Every name starts with nothing, and nobody means that.
    starting = {each.number for each in sessions if name and each.name.startswith(name)}
    return whole or starting
