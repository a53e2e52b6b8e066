"""Finds a text on a tape: in an event, or in what successive events stream."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate, islice
from typing import Final

from inspector_web.index.reader import IndexReader, Stretch
from inspector_web.index.streamed import CARRIED, piece_in
from inspector_web.index.texts import texts_of
from inspector_web.seen import Place, Seen, seen_in
from inspector_web.wanted import Wanted
from wiretape.facts import Sender

MOST_EFFORT: Final = 5_000
"""Events that one answer goes through."""
MOST_WORK_S: Final = 0.1
"""How long one answer works: whatever it goes through, and however many tapes there are."""
_AROUND: Final = 80
_MOST_PLACES: Final = 1000
"""Of one text, that are looked at for one where it is a word of its own."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The text where it was found, and a little around it."""

    before: str
    found: str
    after: str

    @property
    def is_part(self) -> bool:
        """Whether it is a part of a longer word: of an id, say, of which it is the end."""
        whole = self.before + self.found + self.after
        return is_part(whole, len(self.before), len(self.before) + len(self.found))


@dataclass(slots=True)
class Spent:
    """How much one answer has gone through, over all tapes, and since when it works."""

    effort: int = 0
    since_s: float = field(default_factory=time.thread_time)

    @property
    def is_enough(self) -> bool:
        return self.effort > MOST_EFFORT or time.thread_time() - self.since_s > MOST_WORK_S


type Hit = tuple[Place, Sender, str, Excerpt]
"""Where, who sent it, its type, and the text."""


def hits_in(
    index: IndexReader, text: str, after: Place | None, most: int, spent: Spent
) -> tuple[list[Hit], Place | None]:
    """The first events that hold the text, some more than ``most`` at most.

    ``after`` is where an answer before this one gave up; also given is where this one did, if so.
    """
    wanted = Wanted(text)
    hits: list[Hit] = []
    last: Place | None = None
    since_us = 0 if after is None else after.at_us
    for stretch in index.stretches_since(since_us, None, wanted.only(())):
        begin = Place(stretch.at_us, stretch.exchange, stretch.start.position)
        if after is not None and begin <= after:
            continue
        if last is not None and (spent.is_enough or len(hits) >= most):
            return hits, last
        hits += sorted(_in_stretch(index, wanted, stretch, spent), key=lambda hit: hit[0])
        last = begin
    return hits, None


def _in_stretch(
    index: IndexReader, wanted: Wanted, stretch: Stretch, spent: Spent
) -> Iterator[Hit]:
    run: list[tuple[Seen, str, str]] = []
    # What is streamed across the border was indexed with the later of the two.
    before = index.stretch_before(stretch)
    for seen in (*(_tail(index, before) if before else ()), *seen_in(index, stretch)):
        spent.effort += 1
        is_here = seen.place.position >= stretch.start.position
        if is_here and (excerpt := _own(index, wanted, seen)) is not None:
            yield seen.place, seen.crossing.sender, seen.crossing.type, excerpt
        piece = piece_in(seen.crossing)
        if run and (piece is None or run[-1][1] != piece[0]):
            yield from _streamed(wanted, run, stretch)
            run = []
        if piece is not None:
            run.append((seen, *piece))
    yield from _streamed(wanted, run, stretch)


def _tail(index: IndexReader, stretch: Stretch) -> list[Seen]:
    return list(seen_in(index, stretch))[-CARRIED:]


def _own(index: IndexReader, wanted: Wanted, seen: Seen) -> Excerpt | None:
    asked = None
    if seen.crossing.sender is Sender.CLIENT:
        asked = index.asked(seen.place.exchange, seen.place.position)
    texts = texts_of(seen.crossing, asked)
    excerpts = [each for text in texts if (each := excerpt_of(wanted, text)) is not None]
    return min(excerpts, key=lambda each: each.is_part, default=None)


def _streamed(wanted: Wanted, run: list[tuple[Seen, str, str]], stretch: Stretch) -> Iterator[Hit]:
    """Where the text stands in what several events streamed, and in none of them."""
    whole = "".join(text for _, _, text in run)
    ends = list(accumulate(len(text) for _, _, text in run))
    for found in wanted.every(whole):
        first = next(number for number, end in enumerate(ends) if end > found.start())
        last = next(number for number, end in enumerate(ends) if end >= found.end())
        if first != last and run[last][0].place.position >= stretch.start.position:
            seen = run[first][0]
            excerpt = _around(whole, found.start(), found.end())
            yield seen.place, seen.crossing.sender, seen.crossing.type, excerpt


def excerpt_of(wanted: Wanted, text: str) -> Excerpt | None:
    """Where the wanted text stands first in this one, if possible as words of its own."""
    first = wanted.found_in(text)
    if first is None:
        return None
    places = islice(wanted.every(text), _MOST_PLACES)
    alone = (each for each in places if not is_part(text, each.start(), each.end()))
    found = next(alone, first)
    return _around(text, found.start(), found.end())


def is_part(text: str, start: int, end: int) -> bool:
    """Whether a word goes on before or after that place in a text."""
    goes_on = [text[at - 1 : at + 1].isalnum() for at in (start, end) if 0 < at < len(text)]
    return any(goes_on)


def _around(text: str, start: int, end: int) -> Excerpt:
    before = text[max(0, start - _AROUND) : start]
    after = text[end : end + _AROUND]
    return Excerpt(
        ("…" if start > _AROUND else "") + before,
        text[start:end],
        after + ("…" if end + _AROUND < len(text) else ""),
    )
