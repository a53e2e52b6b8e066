"""Finds, for what a client asks, the recorded request that it repeats.

Sessions are told apart first, then content decides, then order: an unused recorded request that
is the same wins over an earlier one that is not, and among equals the earliest wins, so a retry
meets the recorded retry. Pure: takes and gives values.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from operator import eq
from typing import Final

from wiretape.asked import Asked
from wiretape.likeness import Correspondence, Difference, differences

_LOOK_AHEAD: Final = 32
"""How many unused requests of a session are compared when the next one is not the same."""


@dataclass(frozen=True, slots=True)
class Match[T]:
    """A recorded request and how what was asked differs from it; no differences is exact."""

    recorded: T
    differences: tuple[Difference, ...]

    @property
    def is_exact(self) -> bool:
        return not self.differences


@dataclass(slots=True)
class Sessions:
    """Which session of the replay stands for which of the recording."""

    recorded_for: dict[str | None, str | None] = field(default_factory=dict)
    ids: Correspondence = field(default_factory=Correspondence)

    def copy(self) -> "Sessions":
        """The same, to try something out on."""
        return Sessions(dict(self.recorded_for), self.ids.copy())

    def fitting(self, session: str | None) -> Callable[[str | None], bool]:
        """A test whether a recorded session may be what ``session`` stands for."""
        if session in self.recorded_for:
            return partial(eq, self.recorded_for[session])
        taken = set(self.recorded_for.values())
        return lambda recorded: recorded not in taken

    def bind(self, session: str | None, recorded: str | None) -> None:
        """From now on the one stands for the other. A recorded request that names no session may
        be anyone's, and binds nobody."""
        if recorded is not None:
            self.recorded_for.setdefault(session, recorded)


@dataclass(frozen=True, slots=True)
class Candidate[T]:
    """A recorded request that may be the one. ``read`` gives what it asked, which may be dear.

    Where the same may be asked in more ways than one, ``meant`` puts what was asked now into the
    form in which it was recorded.
    """

    recorded: T
    session: str | None
    read: Callable[[], Asked]
    meant: Callable[[Asked], Asked] = lambda asked: asked


def best_match[T](
    asked: Asked, candidates: Iterable[Candidate[T]], sessions: Sessions
) -> Match[T] | None:
    """The unused recorded request that ``asked`` repeats; ``None`` where its session has none.

    ``candidates`` are the unused ones of the right kind, in recorded order. Binds the session and
    the ids of what it finds.
    """
    fits = sessions.fitting(asked.session)
    own = [each for each in candidates if fits(each.session)]
    # A client that names its sessions itself means the one of that name.
    named = (each for each in own if each.session == asked.session)
    others = (each for each in own if each.session != asked.session)
    found = _closest(asked, chain(named, others), sessions.ids)
    if found is None:
        return None
    candidate, match, sessions.ids = found
    sessions.bind(asked.session, candidate.session)
    return match


def nearest[T](
    asked: Asked, candidates: Iterable[Candidate[T]], sessions: Sessions
) -> Match[T] | None:
    """The recorded request, used or not, that is most like ``asked``: for showing a miss."""
    found = _closest(asked, candidates, sessions.ids.fresh())
    return None if found is None else found[1]


def compare[T](asked: Asked, candidate: Candidate[T], ids: Correspondence) -> Match[T]:
    """The candidate as the match of ``asked``, whatever it is like. Notes in ``ids``."""
    found = differences(candidate.read(), candidate.meant(asked), ids)
    return Match(candidate.recorded, tuple(found))


def _closest[T](
    asked: Asked, candidates: Iterable[Candidate[T]], ids: Correspondence
) -> tuple[Candidate[T], Match[T], Correspondence] | None:
    best: tuple[Candidate[T], Match[T], Correspondence] | None = None
    for candidate in islice(candidates, _LOOK_AHEAD):
        tried = ids.copy()
        match = compare(asked, candidate, tried)
        if match.is_exact:
            return candidate, match, tried
        if best is None or len(match.differences) < len(best[1].differences):
            best = candidate, match, tried
    return best
