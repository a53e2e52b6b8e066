"""The text that events stream in pieces, put together: what a person looks for is rarely in one.

A run is what successive deltas of one kind say. It ends where anything else comes in between.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Final

from wiretape.chat.chunks import chunk_in
from wiretape.crossings import NAMELESS, Crossing
from wiretape.facts import Sender
from wiretape.jsontext import mended

CARRIED: Final = 200
"""Characters of a run that are kept when a block ends, so that a text across the border is
found."""

_DELTA: Final = ".delta"


@dataclass(slots=True)
class Streamed:
    """Follows the runs of one exchange. ``carry`` is the end of the one that goes on."""

    carry: str = ""
    _kind: str = ""
    _texts: list[str] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)

    def take(self, crossing: Crossing) -> None:
        """Takes the next thing that crossed."""
        if (piece := piece_in(crossing)) is not None:
            kind, text = piece
            if self._kind not in ("", kind):
                self._end()
            self._kind = kind
            self._pieces.append(text)
        elif crossing.sender is Sender.SERVER or crossing.text is not None:
            self._end()

    def taken(self) -> list[str]:
        """The texts of the runs since the last time, the one that goes on included."""
        goes_on = "".join(self._pieces)
        texts = [*self._texts, self.carry + goes_on] if goes_on else self._texts
        self._texts, self._pieces = [], []
        self.carry = (self.carry + goes_on)[-CARRIED:]
        return texts

    def _end(self) -> None:
        if self._pieces:
            self._texts.append(self.carry + "".join(self._pieces))
        self._pieces = []
        self.carry = self._kind = ""


def piece_in(crossing: Crossing) -> tuple[str, str] | None:
    """What is streamed, and the piece of it that crossed here; ``None`` where nothing is."""
    if crossing.text is None:
        return None
    if crossing.type.endswith(_DELTA):
        return crossing.type, delta_of(crossing.text)
    chunk = chunk_in(crossing.text) if crossing.type in NAMELESS else None
    if chunk is None or not chunk.texts:
        return None
    channel = chunk.texts[0].channel
    return channel, "".join(each.text for each in chunk.texts if each.channel is channel)


def delta_of(text: str) -> str:
    """What a delta adds; empty if it does not say."""
    # Not parsed: there may be a million of them, and a quote within a string is escaped.
    found = _DELTA_VALUE.search(text)
    if found is None:
        return ""
    try:
        return mended(json.loads(found[1])) if "\\" in found[1] else found[1][1:-1]
    except ValueError:
        return ""


# Possessive: what could be given back is kept for each character, gigabytes for a huge text.
_DELTA_VALUE: Final = re.compile(r'"delta"\s*:\s*("[^"\\]*+(?:\\.[^"\\]*+)*+")')
