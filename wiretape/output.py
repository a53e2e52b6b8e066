"""The output items of one response, put together from its events.

An item opens (``output_item.added``), streams its texts in parts (deltas, then the whole), and is
done (``output_item.done``). ``ITEM_STEPS`` says what each event does to an item in each state. An
event finds its item by id, else by ``output_index``; one that names neither belongs to the item
opened last that is not done, which is how small servers write. What a server says against these
rules is an ``Anomaly``: never an exception, and never dropped, because it keeps its event.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from wiretape.events import (
    PART_TEXTS,
    Channel,
    Delta,
    Event,
    ItemAdded,
    ItemDone,
    ItemEvent,
    PartAdded,
    PartDone,
    TextDone,
)
from wiretape.jsontext import JsonObject, Unparsable, mended, string_at


class AnomalyKind(StrEnum):
    """What is wrong with an event at its place in a response."""

    NOT_CREATED = "not_created"
    """It comes before ``response.created``. It counts all the same."""
    CREATED_AGAIN = "created_again"
    """The response was created before."""
    AFTER_END = "after_end"
    """The response had ended."""
    RESPONSE_ID_CHANGED = "response_id_changed"
    """It states another response id. The first one stays."""
    ITEM_UNKNOWN = "item_unknown"
    """It is about an item that was never added."""
    ITEM_NOT_ADDED = "item_not_added"
    """The item is done without having been added. It counts all the same."""
    ITEM_ADDED_AGAIN = "item_added_again"
    """The item was added before."""
    ITEM_ALREADY_DONE = "item_already_done"
    """The item was done before."""
    ITEM_ID_CHANGED = "item_id_changed"
    """It names its item by another id than before, at the same index. It counts all the same."""
    TEXT_ALREADY_DONE = "text_already_done"
    """The whole text of the part was given before this delta."""
    TEXT_DIFFERS = "text_differs"
    """The whole text is not what was given before. The later one counts."""
    MALFORMED = "malformed"
    """It lacks what makes it the event that its type says."""
    UNPARSABLE = "unparsable"
    """It is not a JSON object."""


CHANGES_NOTHING = frozenset(
    {
        AnomalyKind.CREATED_AGAIN,
        AnomalyKind.AFTER_END,
        AnomalyKind.ITEM_UNKNOWN,
        AnomalyKind.ITEM_ADDED_AGAIN,
        AnomalyKind.ITEM_ALREADY_DONE,
        AnomalyKind.TEXT_ALREADY_DONE,
        AnomalyKind.MALFORMED,
        AnomalyKind.UNPARSABLE,
    }
)
"""Anomalies whose event does not count: only the anomaly holds what it said."""


@dataclass(frozen=True, slots=True)
class Anomaly:
    """An event that is not as it should be. ``position`` counts the response's events from 0."""

    kind: AnomalyKind
    position: int
    event: Event | Unparsable


class ItemState(StrEnum):
    """How far an output item has come."""

    UNKNOWN = "unknown"
    OPEN = "open"
    DONE = "done"


class ItemTrigger(StrEnum):
    """What an event does to its item."""

    ADDED = "added"
    CONTENT = "content"
    DONE = "done"


type _Step = tuple[ItemState, AnomalyKind | None]

ITEM_STEPS: dict[tuple[ItemState, ItemTrigger], _Step] = {
    (ItemState.UNKNOWN, ItemTrigger.ADDED): (ItemState.OPEN, None),
    (ItemState.UNKNOWN, ItemTrigger.CONTENT): (ItemState.UNKNOWN, AnomalyKind.ITEM_UNKNOWN),
    (ItemState.UNKNOWN, ItemTrigger.DONE): (ItemState.DONE, AnomalyKind.ITEM_NOT_ADDED),
    (ItemState.OPEN, ItemTrigger.ADDED): (ItemState.OPEN, AnomalyKind.ITEM_ADDED_AGAIN),
    (ItemState.OPEN, ItemTrigger.CONTENT): (ItemState.OPEN, None),
    (ItemState.OPEN, ItemTrigger.DONE): (ItemState.DONE, None),
    (ItemState.DONE, ItemTrigger.ADDED): (ItemState.DONE, AnomalyKind.ITEM_ALREADY_DONE),
    (ItemState.DONE, ItemTrigger.CONTENT): (ItemState.DONE, AnomalyKind.ITEM_ALREADY_DONE),
    (ItemState.DONE, ItemTrigger.DONE): (ItemState.DONE, AnomalyKind.ITEM_ALREADY_DONE),
}
"""State of an item and trigger to the next state, and the anomaly that this is."""


@dataclass(frozen=True, slots=True)
class ItemText:
    """One text of an item: a part of its content or summary, or its arguments or input.

    ``is_done`` says whether the server gave it whole; until then it is what the deltas make.
    """

    channel: Channel
    part_index: int
    text: str
    is_done: bool


@dataclass(frozen=True, slots=True)
class OutputItem:
    """An output item as far as it has come. ``raw`` is its latest JSON object, done or added."""

    item_id: str | None
    output_index: int | None
    state: ItemState
    texts: tuple[ItemText, ...]
    raw: JsonObject = field(repr=False)

    @property
    def type(self) -> str:
        """The wire's type (``message``, ``reasoning``, ``function_call`` …), or ``""``."""
        return string_at(self.raw, "type") or ""

    @property
    def call_id(self) -> str | None:
        """What a tool call is answered by."""
        return string_at(self.raw, "call_id")

    @property
    def name(self) -> str | None:
        """The tool that is called."""
        return string_at(self.raw, "name")

    def text(self, channel: Channel = Channel.TEXT) -> str:
        """The texts of the channel joined; the parts of a summary are paragraphs."""
        separator = "\n\n" if channel is Channel.SUMMARY else ""
        return separator.join(text.text for text in self.texts if text.channel is channel)


@dataclass(slots=True)
class _Text:
    pieces: list[str] = field(default_factory=list)
    whole: str | None = None

    def as_given(self) -> str:
        return mended("".join(self.pieces) if self.whole is None else self.whole)


@dataclass(slots=True)
class _Item:
    item_id: str | None
    output_index: int | None
    state: ItemState = ItemState.UNKNOWN
    raw: JsonObject = field(default_factory=dict)
    texts: dict[tuple[Channel, int], _Text] = field(default_factory=dict)

    def take(self, event: ItemEvent) -> list[AnomalyKind]:
        """Changes the item as the event says, and returns what is wrong with that."""
        match event:
            case ItemAdded(item=raw):
                self.raw = raw
            case ItemDone(item=raw):
                self.raw = raw
                return [kind for place, whole in _texts_in(raw) for kind in self._end(place, whole)]
            case Delta(channel=channel, part_index=index, delta=delta):
                text = self._text((channel, index))
                if text.whole is not None:
                    return [AnomalyKind.TEXT_ALREADY_DONE]
                text.pieces.append(delta)
            case TextDone(channel=channel, part_index=index, text=whole):
                return self._end((channel, index), whole)
            case PartDone(channel=Channel() as channel, part_index=index, text=str() as whole):
                return self._end((channel, index), whole)
            case PartAdded(channel=Channel() as channel, part_index=index):
                self._text((channel, index))
        return []

    def snapshot(self) -> OutputItem:
        order = list(Channel)
        texts = sorted(
            self.texts.items(), key=lambda entry: (order.index(entry[0][0]), entry[0][1])
        )
        return OutputItem(
            item_id=self.item_id,
            output_index=self.output_index,
            state=self.state,
            texts=tuple(
                ItemText(channel, index, text.as_given(), text.whole is not None)
                for (channel, index), text in texts
            ),
            raw=self.raw,
        )

    def _text(self, place: tuple[Channel, int]) -> _Text:
        return self.texts.setdefault(place, _Text())

    def _end(self, place: tuple[Channel, int], whole: str) -> list[AnomalyKind]:
        text = self._text(place)
        was_given = bool(text.pieces) or text.whole is not None
        differs = was_given and text.as_given() != mended(whole)
        text.whole = whole
        return [AnomalyKind.TEXT_DIFFERS] if differs else []


class OutputItems:
    """Puts the items together. ``fold()`` takes each event; ``items()`` tells how they stand."""

    def __init__(self) -> None:
        self._items: list[_Item] = []
        self._by_id: dict[str | None, _Item] = {}
        self._by_index: dict[int | None, _Item] = {}

    def fold(self, event: ItemEvent) -> list[AnomalyKind]:
        """Lets the event count, and returns what is wrong with it."""
        item = self._find(event)
        state, anomaly = ITEM_STEPS[item.state if item else ItemState.UNKNOWN, _trigger(event)]
        anomalies = [] if anomaly is None else [anomaly]
        if anomaly in CHANGES_NOTHING:
            return anomalies
        if item is None:
            item = _Item(event.item_id, event.output_index)
            self._items.append(item)
        elif event.item_id is not None and event.item_id not in self._by_id:
            if item.item_id is not None:
                anomalies.append(AnomalyKind.ITEM_ID_CHANGED)
            item.item_id = item.item_id or event.item_id
        if event.item_id is not None:
            self._by_id[event.item_id] = item
        if event.output_index is not None:
            self._by_index[event.output_index] = item
            if item.output_index is None:
                item.output_index = event.output_index
        item.state = state
        return anomalies + item.take(event)

    def items(self) -> tuple[OutputItem, ...]:
        """The items by ``output_index``; as they arrived, if one of them has none."""
        items = self._items
        if all(item.output_index is not None for item in items):
            items = sorted(items, key=lambda item: item.output_index or 0)
        return tuple(item.snapshot() for item in items)

    def _find(self, event: ItemEvent) -> _Item | None:
        if event.item_id in self._by_id:
            return self._by_id[event.item_id]
        at_index = self._by_index.get(event.output_index)
        if isinstance(event, ItemAdded):
            return at_index if event.item_id is None else None
        if event.item_id is not None or event.output_index is not None:
            return at_index
        kind = string_at(event.item, "type") if isinstance(event, ItemDone) else None
        for item in reversed(self._items):
            if item.state is ItemState.OPEN and kind in (None, string_at(item.raw, "type")):
                return item
        return None


def _trigger(event: ItemEvent) -> ItemTrigger:
    match event:
        case ItemAdded():
            return ItemTrigger.ADDED
        case ItemDone():
            return ItemTrigger.DONE
        case _:
            return ItemTrigger.CONTENT


def _texts_in(item: JsonObject) -> Iterator[tuple[tuple[Channel, int], str]]:
    """The texts that a whole item holds, each with its place."""
    for key in ("content", "summary"):
        parts = item.get(key)
        for index, part in enumerate(parts if isinstance(parts, list) else []):
            if isinstance(part, dict):
                channel, text_key = PART_TEXTS.get(string_at(part, "type") or "", (None, ""))
                text = string_at(part, text_key)
                if channel is not None and text is not None:
                    yield (channel, index), text
    for key, channel in (("arguments", Channel.ARGUMENTS), ("input", Channel.INPUT)):
        text = string_at(item, key)
        if text is not None:
            yield (channel, 0), text
