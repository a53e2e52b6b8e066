"""How many events are wanted, and which of them stands where, without reading them all.

The index knows of each block how many events of a type and a sender are in it. Only blocks that
reach over the edge of what is looked at are read, and what the index has not got yet. How many
events of a block hold a text is ``known`` once somebody has counted them (``counting``).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Final

from inspector_web.index.reader import Held, IndexReader, Stretch
from inspector_web.seen import Passed, Place, Seen, merged, seen_in, takes
from inspector_web.wanted import Part, Wanted

type Known = Mapping[tuple[int, int], int]
"""How many events of a block are wanted, by its exchange and its first position."""

NONE_KNOWN: Final[Known] = {}
_MOST_READ: Final = 2_000
"""Events that are read for one tally."""


@dataclass(frozen=True)
class Tally:
    """The wanted events of a part, counted block by block, in the order of the blocks' begins.

    ``until`` is where something begins that is not known yet: then they are those before it.
    """

    index: IndexReader
    part: Part
    wanted: Wanted
    blocks: tuple[Held, ...]
    until: tuple[int, int, int] | None

    @property
    def is_all(self) -> bool:
        """Whether it is known of all events."""
        return self.until is None

    @property
    def found(self) -> int:
        """How many wanted events are known of."""
        return self._sums[-1]

    @cached_property
    def _sums(self) -> list[int]:
        """How many are in the blocks before each block, and in all."""
        return list(accumulate((block.events for block in self.blocks), initial=0))

    def before(self, place: Place) -> int | None:
        """How many wanted events stand before the place; ``None`` where that is not known yet."""
        edge = place.at_us, place.exchange, place.position
        if self.until is not None and edge > self.until:
            return None
        return self._before(edge)

    def _before(self, edge: tuple[int, int, int]) -> int:
        place = Place(*edge)
        begun = bisect_left(self.blocks, edge, key=_first)
        straddling = [block for block in self.blocks[:begun] if _last(block) >= edge]
        inside = (
            sum(seen.place < place for seen in _wanted_in(self.index, self.part, self.wanted, each))
            for each in map(self._stretch, straddling)
        )
        return self._sums[begun] - sum(block.events for block in straddling) + sum(inside)

    def place_of(self, row: int) -> Place | None:
        """Where the wanted event of that number stands, counted from 0."""
        if not 0 <= row < self.found:
            return None
        # All that stand before this block's first event are in the blocks before it.
        edge = _first(self.blocks[bisect_right(self._sums, row) - 1])
        begin, left = Place(*edge), row - self._before(edge)
        only = self.wanted.only(self.index.types())
        stretches = self.index.stretches_since(begin.at_us, self.part.of, only)
        for seen in merged(self.index, stretches, self.wanted):
            if isinstance(seen, Passed) or seen.place < begin:
                continue
            if self.part.holds(seen.place.exchange, seen.place.at_us) and takes(
                self.index, self.wanted, seen
            ):
                if left == 0:
                    return seen.place
                left -= 1
        return None

    def _stretch(self, block: Held) -> Stretch:
        return self.index.stretch_with(block.exchange, block.position)


def tally_of(index: IndexReader, part: Part, wanted: Wanted, known: Known = NONE_KNOWN) -> Tally:
    """What is known now of how many events of the part are wanted."""
    blocks: list[Held] = []
    unknown: list[tuple[int, int, int]] = []
    room = _MOST_READ

    def read(stretch: Stretch) -> None:
        nonlocal room
        for seen in seen_in(index, stretch):
            place = seen.place.at_us, seen.place.exchange, seen.place.position
            if room == 0:
                unknown.append(place)
                return
            room -= 1
            if part.holds(seen.place.exchange, seen.place.at_us) and takes(index, wanted, seen):
                blocks.append(Held(*place, seen.place.at_us, seen.place.position, 1))

    for block in index.held(part.of, wanted.only(index.types())):
        if block.until_us < part.since_us or block.at_us >= part.until_us:
            continue
        if block.at_us < part.since_us or block.until_us >= part.until_us:
            read(index.stretch_with(block.exchange, block.position))
            continue
        events = known.get(block[1:3]) if wanted.text else block.events
        if events is None:
            unknown.append(_first(block))
            break
        blocks.append(block._replace(events=events))
    for rest in index.rests(part.of):
        if rest.at_us < part.until_us:
            read(rest)
    blocks.sort()
    until = min(unknown, default=None)
    if until is not None:
        del blocks[bisect_left(blocks, until, key=_first) :]
    return Tally(index, part, wanted, tuple(blocks), until)


def count_in(index: IndexReader, wanted: Wanted, stretch: Stretch) -> int:
    """How many events of a stretch are wanted."""
    return sum(1 for _ in _wanted_in(index, Part(), wanted, stretch))


def _wanted_in(index: IndexReader, part: Part, wanted: Wanted, stretch: Stretch) -> Iterator[Seen]:
    for seen in seen_in(index, stretch):
        if part.holds(seen.place.exchange, seen.place.at_us) and takes(index, wanted, seen):
            yield seen


def _first(block: Held) -> tuple[int, int, int]:
    return block[:3]


def _last(block: Held) -> tuple[int, int, int]:
    return block.until_us, block.exchange, block.last
