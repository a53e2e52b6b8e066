"""Which sessions of a tape are meant by what stands behind ``--session``, what is theirs, and a
recording with no others. Pure."""

from collections.abc import Collection, Iterable, Sequence, Set
from dataclasses import replace

from wiretape.asked import session_named
from wiretape.errors import NoSuchSession
from wiretape.recording import Bend, Recording, WholeExchange
from wiretape.scope import Purpose, purpose_of
from wiretape.sessions import Session
from wiretape.store_reader import Exchange


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


def only_sessions(sessions: Iterable[Session]) -> Bend:
    """Leaves out what all others than these asked of a model. A socket on which nothing was asked
    belongs to the session that its handshake names."""
    chosen = list(sessions)
    ids = {session.id for session in chosen} - {None}
    tried = exchanges_of(chosen)

    def bend(recording: Recording) -> Recording:
        named = {
            each.id
            for each in recording.exchanges
            if each.request.is_upgrade and session_named(each.request.headers) in ids
        }
        return only_exchanges(tried | named)(recording)

    return bend


def only_exchanges(wanted: Set[int]) -> Bend:
    """Leaves out every request to a model but these."""

    def bend(recording: Recording) -> Recording:
        kept = tuple(each for each in recording.exchanges if is_kept(each, wanted))
        return replace(recording, exchanges=kept)

    return bend


def is_kept(exchange: Exchange | WholeExchange, wanted: Set[int]) -> bool:
    """Whether it stays where only these are wanted. Side requests do: any session may need
    them."""
    return exchange.id in wanted or not is_asked(exchange)


def is_asked(exchange: Exchange | WholeExchange) -> bool:
    """Whether it asks a model for something, and is no side request."""
    request = exchange.request
    purpose = purpose_of(request.method, request.target, is_upgrade=request.is_upgrade)
    return purpose not in (None, Purpose.MODELS)


def _meant(sessions: Sequence[Session], name: str) -> set[int]:
    whole = {session.number for session in sessions if session.name == name}
    # Every name starts with nothing, and nobody means that.
    starting = {each.number for each in sessions if name and each.name.startswith(name)}
    return whole or starting
