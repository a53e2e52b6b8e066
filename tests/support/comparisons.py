"""Two recordings compared, and where they part."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tapes import Recording

from wiretape.comparing.compare import compare_sessions
from wiretape.comparing.pairs import Comparison
from wiretape.reconstruct import sessions_of
from wiretape.store_reader import TapeReader

type Compare = Callable[[Path | Recording, Path | Recording], Comparison]


@contextmanager
def comparing(folder: Path) -> Iterator[Compare]:
    """What compares the first sessions of two recordings; they are written in ``folder``."""
    with ExitStack() as stack:

        def opened(what: Path | Recording) -> TapeReader:
            if isinstance(what, Recording):
                what = what.write(folder / f"{len(list(folder.iterdir()))}.db")
            return stack.enter_context(TapeReader(what))

        def compared(a: Path | Recording, b: Path | Recording) -> Comparison:
            one, other = opened(a), opened(b)
            return compare_sessions(sessions_of(one)[0], one, sessions_of(other)[0], other)

        yield compared


def told(comparison: Comparison) -> list[tuple[str, Any, Any]]:
    """Path and values of every divergence, in order."""
    found = (divergence.difference for divergence in comparison.divergences)
    return [(each.path, each.recorded, each.replayed) for each in found]
