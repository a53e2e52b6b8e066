"""Finds, for what a client asks, the recorded request that it repeats.

Sessions are told apart first, then content decides, then order: an unused recorded request that
is the same wins over an earlier one that is not, and among equals the earliest wins, so a retry
meets the recorded retry. Pure: takes and gives values.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from replayer.likeness import Correspondence, Difference, differences
from wiretape.asked import Asked

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

    def stands_for(self, asked: Asked, recorded: Asked) -> bool:
        """Whether ``asked`` may belong to the session of ``recorded``."""
        if asked.session in self.recorded_for:
            return self.recorded_for[asked.session] == recorded.session
        return recorded.session not in self.recorded_for.values()

    def bind(self, asked: Asked, recorded: Asked) -> None:
        self.recorded_for.setdefault(asked.session, recorded.session)


def best_match[T](
    asked: Asked,
    candidates: Sequence[T],
    asked_of: Callable[[T], Asked],
    sessions: Sessions,
) -> Match[T] | None:
    """The unused recorded request that ``asked`` repeats; ``None`` where its session has none.

    ``candidates`` are the unused ones of the right kind, in recorded order. Binds the session and
    the ids of what it finds.
    """
    own = [candidate for candidate in candidates if sessions.stands_for(asked, asked_of(candidate))]
    # A client that names its sessions itself means the one of that name.
    own.sort(key=lambda candidate: asked_of(candidate).session != asked.session)
    found = _closest(asked, own, asked_of, sessions.ids)
    if found is None:
        return None
    match, sessions.ids = found
    sessions.bind(asked, asked_of(match.recorded))
    return match


def nearest[T](
    asked: Asked, recorded: Sequence[T], asked_of: Callable[[T], Asked]
) -> Match[T] | None:
    """The recorded request, used or not, that is most like ``asked``: for showing a miss."""
    found = _closest(asked, recorded, asked_of, Correspondence())
    return None if found is None else found[0]


def compare[T](
    asked: Asked, recorded: T, asked_of: Callable[[T], Asked], ids: Correspondence
) -> Match[T]:
    """``recorded`` as the match of ``asked``, whatever it is like. Notes in ``ids``."""
    return Match(recorded, tuple(differences(asked_of(recorded), asked, ids)))


def _closest[T](
    asked: Asked,
    candidates: Sequence[T],
    asked_of: Callable[[T], Asked],
    ids: Correspondence,
) -> tuple[Match[T], Correspondence] | None:
    best: tuple[Match[T], Correspondence] | None = None
    for candidate in candidates[:_LOOK_AHEAD]:
        tried = ids.copy()
        match = compare(asked, candidate, asked_of, tried)
        if match.is_exact:
            return match, tried
        if best is None or len(match.differences) < len(best[0].differences):
            best = match, tried
    return best
