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

from inspector_web.readings import Look, edition_of
from inspector_web.shelf import Shelf
from wiretape.errors import TapeError
from wiretape.store_open import is_script
from wiretape.store_presence import is_being_written
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


def tape_state(path: Path, look: Look, edition: str = "") -> str:
    """What tells one state of a page from another: what is known of its tape, and whether that is
    being written; of a page of facts, also the ``edition`` of the tape that it shows."""
    return _digest(f"{look.edition} {is_being_written(path)} {edition}")


def tape_mark(reader: TapeReader) -> str:
    """What tells a tape from another one at the same place, however far it has grown. A script does
    not grow: when it has changed, it is another tape."""
    path = reader.path
    try:
        file = edition_of(path) if is_script(path) else str(path.stat().st_ino)
    except OSError:
        file = "gone"
    return _digest(f"{file} {reader.label()}")


def list_state(looks: Iterable[tuple[Path, Look]]) -> str:
    """What tells one state of the list of sessions from another."""
    return _digest("\n".join(f"{path} {tape_state(path, look)}" for path, look in looks))


def _digest(told: str) -> str:
    return blake2b(told.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


@dataclass(slots=True)
class TapeGrowth:
    """Watches one tape while it is being written. ``seen`` is the state that the browser shows.

    ``is_of_facts``: what it shows is read from the tape itself, and grows with it; else with what
    is worked out of it.
    """

    path: Path
    shelf: Shelf
    seen: str
    is_of_facts: bool = False

    def look(self) -> News:
        """What there is to tell since the last look."""
        try:
            with TapeReader(self.path) as reader:
                is_live = reader.is_being_written()
        except TapeError:
            return News.OVER
        edition = edition_of(self.path) if self.is_of_facts else ""
        # What is told to have grown has been read: the page that follows shows it.
        look = self.shelf.look(self.path)
        state = tape_state(self.path, look, edition)
        if state != self.seen:
            self.seen = state
            return News.GROWN
        return News.OVER if look.is_over and not is_live else News.NOTHING


@dataclass(slots=True)
class ListGrowth:
    """Watches all tapes, and which there are, for ever."""

    tapes: Callable[[], Iterable[Path]]
    shelf: Shelf
    seen: str

    def look(self) -> News:
        """What there is to tell since the last look."""
        state = list_state((path, self.shelf.glance(path, 0)) for path in self.tapes())
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
