"""Cuts an exchange into blocks, and gathers what is kept of each."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from inspector_web.index.new_texts import IsNew, of_message, of_request
from inspector_web.index.places import BEGIN, Start, Walk
from inspector_web.index.streamed import Streamed
from inspector_web.index.texts import readable
from inspector_web.marks import About, Marking, Marks
from wiretape.crossings import END, HTTP_REQUEST, UNTYPED, Crossing
from wiretape.facts import Sender
from wiretape.store_reader import Exchange, TapeReader

BLOCK_EVENTS: Final = 128
_BLOCK_CHARACTERS: Final = 250_000


@dataclass(frozen=True, slots=True)
class Cut:
    """How far an exchange has been cut: where the next block begins, and what goes on there."""

    start: Start = BEGIN
    item: About = About.OTHER
    carry: str = ""


@dataclass(slots=True)
class Gathered:
    """What is kept of one block. ``at_us`` and ``until_us`` are the places of its first and last
    event. The block ends before the piece ``after_piece``, or at 0 if it holds more than the texts
    of pieces. ``types`` counts its events by type and sender. ``asked`` is what the client said for
    the first time, by position."""

    start: Start
    at_us: int = 0
    until_us: int = 0
    after_piece: int = 0
    events: int = 0
    types: Counter[tuple[str, Sender]] = field(default_factory=Counter)
    texts: list[str] = field(default_factory=list)
    asked: list[tuple[int, str]] = field(default_factory=list)
    marks: Marks = field(default_factory=Marks)
    characters: int = 0

    def add(self, crossing: Crossing, text: str) -> None:
        self.until_us = max(self.until_us, crossing.at_us, self.start.clock_us)
        if self.events == 0:
            self.at_us = self.until_us
        self.events += 1
        self.types[crossing.type, crossing.sender] += 1
        self.texts += (text, crossing.summary)
        if crossing.sender is Sender.SERVER:
            self.texts += readable(text)
        self.characters += len(text)

    @property
    def client_events(self) -> int:
        return sum(count for (_, who), count in self.types.items() if who is Sender.CLIENT)

    @property
    def is_full(self) -> bool:
        return self.events >= BLOCK_EVENTS or self.characters >= _BLOCK_CHARACTERS


def blocks_of(
    reader: TapeReader, exchange: Exchange, cut: Cut, is_new: IsNew
) -> Iterator[tuple[Gathered, Cut | None]]:
    """The blocks of an exchange from the cut on, each with the cut after it.

    What is left over at the end is a block only if the exchange is over; its cut is ``None``.
    """
    walk = Walk(reader, exchange, cut.start)
    marking, streamed = Marking(cut.item), Streamed(cut.carry)
    gathered = Gathered(cut.start)
    say = _text_in(reader, exchange, is_new)

    def finished() -> Gathered:
        names = {name for name, _ in gathered.types}
        is_said = not any(map(_is_ours, names))
        gathered.after_piece = walk.after_piece if is_said else 0
        gathered.marks = marking.taken()
        gathered.texts += (*names, *streamed.taken())
        return gathered

    position = cut.start.position
    for crossing in walk:
        text = say(crossing)
        if crossing.sender is Sender.CLIENT and text:
            gathered.asked.append((position, text))
        gathered.add(crossing, text)
        marking.take(crossing)
        streamed.take(crossing)
        position += 1
        if gathered.is_full and (place := walk.place()) is not None:
            yield finished(), Cut(place, marking.item, streamed.carry)
            gathered = Gathered(place)
    if exchange.end is not None:
        yield finished(), None


def _is_ours(name: str) -> bool:
    """Whether we call an event so, and not the wire."""
    return name in (END, UNTYPED) or name.startswith(("http.", "sse.", "websocket."))


def _text_in(reader: TapeReader, exchange: Exchange, is_new: IsNew) -> Callable[[Crossing], str]:
    """What of a crossing is looked for."""

    def say(crossing: Crossing) -> str:
        if crossing.type == HTTP_REQUEST:
            return of_request(exchange, reader.request_body(exchange.id), is_new)
        if crossing.text is None:
            return ""
        if crossing.sender is Sender.CLIENT:
            return of_message(crossing.text, is_new)
        return crossing.text

    return say
