"""Tells a browser that what it shows has grown, as server-sent events.

Only that it has: the page asks for itself again, so that there is one way in which it is made.
Each stream ends after one look, and the browser comes back to it by itself: it has few connections
to one server for all its windows, and one that is held open is missing to the others.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from pathlib import Path
from typing import Final, Protocol

from inspector_web.readings import Look, edition_of
from inspector_web.shelf import Shelf
from wiretape.errors import TapeError
from wiretape.store_open import is_script
from wiretape.store_presence import is_being_written
from wiretape.store_reader import TapeReader

LOOK_EVERY_S: Final = 0.5
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


def joined(states: Iterable[str]) -> str:
    """What tells one state of a page of several tapes from another."""
    return ".".join(states)


def list_state(looks: Iterable[tuple[Path, Look]]) -> str:
    """What tells one state of the list of sessions from another."""
    return _digest("\n".join(sorted(f"{path} {tape_state(path, look)}" for path, look in looks)))


def _digest(told: str) -> str:
    return blake2b(told.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


class Growth(Protocol):
    """Watches what a browser shows. ``seen`` is the state of it that the browser knows of."""

    seen: str

    def look(self) -> News:
        """What there is to tell since the last look."""


@dataclass(slots=True)
class TapeGrowth:
    """Watches the tapes at ``paths`` while one of them is being written, or being read.

    ``is_of_facts``: what is shown is read from the tapes themselves, and grows with them; else with
    what is worked out of them.
    """

    paths: tuple[Path, ...]
    shelf: Shelf
    seen: str
    is_of_facts: bool = False

    def look(self) -> News:
        """What there is to tell since the last look; it is over when a tape is gone."""
        states: list[str] = []
        goes_on = False
        for path in self.paths:
            try:
                with TapeReader(path) as reader:
                    is_live = reader.is_being_written()
            except TapeError:
                return News.OVER
            edition = edition_of(path) if self.is_of_facts else ""
            # What is told to have grown has been read: the page that follows shows it.
            look = self.shelf.look(path)
            states.append(tape_state(path, look, edition))
            goes_on = goes_on or is_live or not look.is_over
        state = joined(states)
        if state != self.seen:
            self.seen = state
            return News.GROWN
        return News.NOTHING if goes_on else News.OVER


@dataclass(slots=True)
class ListGrowth:
    """Watches all tapes, which are those there are by now: it is never over."""

    tapes: Iterable[Path]
    shelf: Shelf
    seen: str

    def look(self) -> News:
        """What there is to tell since the last look."""
        state = list_state((path, self.shelf.glance(path, 0)) for path in self.tapes)
        if state == self.seen:
            return News.NOTHING
        self.seen = state
        return News.GROWN


def told(growth: Growth) -> str:
    """A stream of what one look tells, and of when to come back for the next.

    Its id is the state that was seen: the browser gives that back when it comes
    (``Last-Event-ID``).
    """
    began_s = time.monotonic()
    news = growth.look()
    rest_s = max(LOOK_EVERY_S, _REST * (time.monotonic() - began_s))
    event = "" if news is News.NOTHING else f"event: {news}\ndata:\n"
    return f"retry: {rest_s * 1000:.0f}\nid: {growth.seen}\n{event}\n"
