"""What the client had received by an instant: the answer as it stood then.

A long answer is read from its later part only: as it stood means above all what had come last.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from inspector_web.index.reader import IndexReader, Stretch
from inspector_web.overview import AttemptPlace, Overview
from inspector_web.seen import seen_in
from wiretape.attempt import Attempt
from wiretape.chat.chunks import Chunk, chunk_in
from wiretape.crossings import NAMELESS, Crossing
from wiretape.events import Channel, Delta, ItemAdded, ItemDone, TextDone, parse_event
from wiretape.facts import Sender
from wiretape.jsontext import JsonObject, string_at

MOST_EVENTS: Final = 1500
"""Read of one answer, the latest."""
MOST_CHARACTERS: Final = 4000
"""Of one text, the last."""
MOST_TEXTS: Final = 12
_MOST_ANSWERS: Final = 4


class Making(StrEnum):
    """What the server was making when it streamed a text."""

    REASONING = "reasoning"
    TEXT = "text"
    REFUSAL = "refusal"
    TOOL = "tool"


_MAKING: Final = {
    Channel.TEXT: Making.TEXT,
    Channel.REFUSAL: Making.REFUSAL,
    Channel.REASONING: Making.REASONING,
    Channel.SUMMARY: Making.REASONING,
    Channel.ARGUMENTS: Making.TOOL,
    Channel.INPUT: Making.TOOL,
}


@dataclass(frozen=True, slots=True)
class Text:
    """One text of an answer. ``name`` is the tool's; ``cut`` counts the characters before it."""

    making: Making
    name: str | None
    text: str
    cut: int
    is_done: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it stood. ``events`` counts those that had come, ``heard_us`` is when the last
    one had; ``is_cut``: texts from its beginning are left out. ``is_over``: it had ended."""

    place: AttemptPlace
    exchange: int
    asked_us: int
    heard_us: int | None
    events: int
    texts: tuple[Text, ...]
    is_cut: bool
    is_over: bool


def received_by(
    index: IndexReader, overview: Overview, number: int, at_us: int
) -> tuple[Answer, ...]:
    """The answers that were coming at that time, else the last one that had begun to."""
    begun = [
        (AttemptPlace(request.number, count), each.attempt)
        for request in overview.session(number).requests
        for count, each in enumerate(request.tries, start=1)
        if each.attempt.at_us <= at_us
    ]
    begun.sort(key=lambda pair: pair[1].at_us)
    going_on = [pair for pair in begun if not _is_over(pair[1], at_us)]
    return tuple(
        _answer(index, place, attempt, at_us)
        for place, attempt in (going_on or begun[-1:])[-_MOST_ANSWERS:]
    )


def _is_over(attempt: Attempt, at_us: int) -> bool:
    end_us = attempt.until_us if attempt.ended_at_us is None else attempt.ended_at_us
    return end_us is not None and end_us <= at_us


def _answer(index: IndexReader, place: AttemptPlace, attempt: Attempt, at_us: int) -> Answer:
    reading = _Texts()
    stretches, is_cut = _last_stretches(index, attempt, at_us)
    until_us = at_us if attempt.ended_at_us is None else min(at_us, attempt.ended_at_us)
    for crossing in _answered(index, stretches, attempt.at_us, until_us):
        reading.take(crossing)
    texts = reading.texts[-MOST_TEXTS:]
    return Answer(
        place,
        attempt.exchange,
        attempt.at_us,
        reading.heard_us,
        reading.events,
        tuple(map(_shown, texts)),
        is_cut or len(texts) < len(reading.texts),
        _is_over(attempt, at_us),
    )


def _last_stretches(index: IndexReader, attempt: Attempt, at_us: int) -> tuple[list[Stretch], bool]:
    """The stretches of the attempt up to then, by begin, and whether earlier ones are left out."""
    found: list[Stretch] = []
    events = 0
    for stretch in index.stretches_until(at_us, {attempt.exchange}):
        if stretch.until_us < attempt.at_us:
            break
        if events > MOST_EVENTS:
            return found[::-1], True
        found.append(stretch)
        events += stretch.events or 0
    return found[::-1], False


def _answered(
    index: IndexReader, stretches: list[Stretch], since_us: int, until_us: int
) -> Iterator[Crossing]:
    for stretch in stretches:
        for seen in seen_in(index, stretch):
            crossing = seen.crossing
            if crossing.at_us > until_us:
                return
            if crossing.at_us >= since_us and crossing.sender is Sender.SERVER and crossing.text:
                yield crossing


@dataclass(slots=True)
class _Open:
    """A text while it comes."""

    making: Making
    name: str | None
    pieces: list[str] = field(default_factory=list)
    is_done: bool = False


type _Item = str | int | None
"""An item's id, or its place in the output."""


class _Texts:
    """Puts the texts of an answer together, in the order in which they began."""

    def __init__(self) -> None:
        self.texts: list[_Open] = []
        self.events = 0
        self.heard_us: int | None = None
        self._named: dict[_Item, str] = {}
        self._open: dict[tuple[_Item, int, Channel], _Open] = {}

    def take(self, crossing: Crossing) -> None:
        self.events += 1
        self.heard_us = crossing.at_us
        if crossing.type in NAMELESS and (chunk := chunk_in(crossing.text or "")) is not None:
            self._take_chunk(chunk)
            return
        match parse_event(crossing.text or ""):
            case ItemAdded(item_id=item_id, output_index=at, item=item):
                self._named[item_id if item_id is not None else at] = _name(item)
            case Delta(item_id=item_id, output_index=at, part_index=part) as event:
                own = item_id if item_id is not None else at
                self._text(own, part, event.channel).pieces.append(event.delta)
            case TextDone(item_id=item_id, output_index=at, part_index=part) as event:
                own = item_id if item_id is not None else at
                whole = self._text(own, part, event.channel)
                whole.pieces, whole.is_done = [event.text], True
            case ItemDone(item_id=item_id, output_index=at):
                own = item_id if item_id is not None else at
                for (whose, _, _), text in self._open.items():
                    text.is_done = text.is_done or whose == own

    def _take_chunk(self, chunk: Chunk) -> None:
        """A chunk of a chat: each call has an index, and the rest is one answer."""
        for piece in chunk.texts:
            if piece.name is not None:
                self._named[piece.call] = piece.name
            self._text(piece.call, 0, piece.channel).pieces.append(piece.text)
        for text in self.texts:
            text.is_done = text.is_done or chunk.finish_reason is not None

    def _text(self, item: _Item, part: int, channel: Channel) -> _Open:
        key = (item, part, channel)
        if key not in self._open:
            name = self._named.get(item) if _MAKING[channel] is Making.TOOL else None
            self._open[key] = _Open(_MAKING[channel], name)
            self.texts.append(self._open[key])
        return self._open[key]


def _name(item: JsonObject) -> str:
    return string_at(item, "name") or string_at(item, "type") or ""


def _shown(text: _Open) -> Text:
    whole = "".join(text.pieces)
    cut = max(0, len(whole) - MOST_CHARACTERS)
    return Text(text.making, text.name, whole[cut:], cut, text.is_done)
