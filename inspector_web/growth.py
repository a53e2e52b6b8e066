"""Tells a browser that what it shows has grown, as server-sent events.

Only that it has: the page asks for itself again, so that there is one way in which it is made.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from pathlib import Path
from typing import Final

from inspector_web.readings import edition_of
from inspector_web.shelf import Shelf
from wiretape.errors import TapeError
from wiretape.store_reader import TapeReader

LOOK_EVERY_S: Final = 0.5
SIGN_OF_LIFE_EVERY: Final = 20
"""Looks without news until something is sent, by which a browser that left is found out."""
_REST: Final = 3
"""What takes long to be looked at is left alone so many times as long."""


class News(StrEnum):
    """What a look found."""

    NOTHING = "nothing"
    GROWN = "grown"
    OVER = "over"


def state_of(paths: Iterable[Path]) -> str:
    """What tells one state of these files from another."""
    told = "\n".join(f"{path} {edition_of(path)}" for path in paths)
    return blake2b(told.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


@dataclass(slots=True)
class TapeGrowth:
    """Watches one tape until it is closed. ``seen`` is the state that the browser shows."""

    path: Path
    shelf: Shelf
    seen: str
    _was_behind: bool = False

    def look(self) -> News:
        """What there is to tell since the last look."""
        try:
            with TapeReader(self.path) as reader:
                is_closed = reader.is_closed()
            state = state_of([self.path])
            # What is told to have grown has been read: the page that follows shows it.
            is_read = self.shelf.look(self.path).is_over
        except TapeError:
            return News.OVER
        if not is_read:
            self._was_behind = True
            return News.NOTHING
        if state != self.seen or self._was_behind:
            self.seen, self._was_behind = state, False
            return News.GROWN
        return News.OVER if is_closed else News.NOTHING


@dataclass(slots=True)
class ListGrowth:
    """Watches all tapes, and which there are, for ever."""

    tapes: Callable[[], Iterable[Path]]
    seen: str

    def look(self) -> News:
        """What there is to tell since the last look."""
        state = state_of(self.tapes())
        if state == self.seen:
            return News.NOTHING
        self.seen = state
        return News.GROWN


def told(look: Callable[[], News], wait: Callable[[float], None] = time.sleep) -> Iterator[str]:
    """The stream of events, until it is over or the browser leaves."""
    yield "retry: 2000\n\n"
    quiet = 0
    while True:
        began_s = time.monotonic()
        news = look()
        quiet = quiet + 1 if news is News.NOTHING else 0
        if news is not News.NOTHING:
            yield f"event: {news}\ndata:\n\n"
        elif quiet % SIGN_OF_LIFE_EVERY == 0:
            yield ":\n\n"
        if news is News.OVER:
            return
        wait(max(LOOK_EVERY_S, _REST * (time.monotonic() - began_s)))
