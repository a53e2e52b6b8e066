"""When the server said something in an exchange, and what about: all that a timeline needs.

A million events are nine megabytes here, so the marks of a tape can be kept while its texts are
not.
"""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Final

from wiretape.chat.chunks import chunk_in
from wiretape.crossings import END, HTTP_REQUEST, HTTP_RESPONSE, NAMELESS, Crossing
from wiretape.events import Channel, ItemAdded, parse_event
from wiretape.facts import Sender
from wiretape.jsontext import string_at


class About(StrEnum):
    """What the server was busy with when it said something."""

    REASONING = "reasoning"
    TEXT = "text"
    TOOL = "tool"
    """The arguments or the input of a tool call."""
    OTHER = "other"
    """The response as a whole, or bytes that are no events."""
    TROUBLE = "trouble"
    """It failed, or is incomplete, or an error was told."""
    LIMITS = "limits"
    """How much of the rate limits is used."""


_CODES: Final = tuple(About)
_CODE_OF: Final = {about: code for code, about in enumerate(_CODES)}


@dataclass(slots=True)
class Marks:
    """What was said, when and about what, in the order of the wire; both columns are equally long.

    ``control_us`` are the times of pings, pongs and close frames of either side, which are no
    word about the response.
    """

    at_us: array[int] = field(default_factory=lambda: array("q"))
    codes: bytearray = field(default_factory=bytearray)
    control_us: array[int] = field(default_factory=lambda: array("q"))

    def __len__(self) -> int:
        return len(self.at_us)

    def about(self, index: int) -> About:
        return _CODES[self.codes[index]]

    def times_of(self, about: About) -> Iterator[int]:
        """When something was said about that."""
        at = self.codes.find(_CODE_OF[about])
        while at >= 0:
            yield self.at_us[at]
            at = self.codes.find(_CODE_OF[about], at + 1)

    def add(self, at_us: int, about: About) -> None:
        self.at_us.append(at_us)
        self.codes.append(_CODE_OF[about])


@dataclass(slots=True)
class Marking:
    """Makes the marks of one exchange; heads, its end and the client's messages leave none.

    A mark tells what the time before it was spent on. So an item that begins is marked as the
    response's affair: what came before it was not yet spent on the item. ``item`` is the one that
    is being made.
    """

    item: About = About.OTHER
    marks: Marks = field(default_factory=Marks)

    def take(self, crossing: Crossing) -> None:
        """Takes the next thing that crossed."""
        kind, marks = crossing.type, self.marks
        if kind in _NO_MARK:
            return
        if kind in _CONTROL:
            marks.control_us.append(crossing.at_us)
        elif crossing.sender is Sender.CLIENT:
            self.item = About.OTHER
        elif kind == _ITEM_ADDED:
            marks.add(crossing.at_us, About.OTHER)
            self.item = _item(crossing.text or "")
        elif kind in _TOLD:
            marks.add(crossing.at_us, _TOLD[kind])
        else:
            streamed = _of_chunk(crossing.text or "") if kind in NAMELESS else _streamed(kind)
            marks.add(crossing.at_us, streamed or self.item)
            if kind == _ITEM_DONE:
                self.item = About.OTHER

    def taken(self) -> Marks:
        """The marks since the last time."""
        taken, self.marks = self.marks, Marks()
        return taken


def marks_of(crossings: Iterable[Crossing]) -> Marks:
    """The marks of one exchange."""
    marking = Marking()
    for crossing in crossings:
        marking.take(crossing)
    return marking.marks


_NO_MARK: Final = frozenset({HTTP_REQUEST, HTTP_RESPONSE, END})
_CONTROL: Final = frozenset({f"websocket.{kind}" for kind in ("ping", "pong", "close")})
_ITEM_ADDED: Final = "response.output_item.added"
_ITEM_DONE: Final = "response.output_item.done"
TROUBLE: Final = frozenset({"error", "response.failed", "response.incomplete"})
"""Types of events by which a server tells that something failed."""
RATE_LIMITS: Final = "codex.rate_limits"
_TOLD: Final = dict.fromkeys(TROUBLE, About.TROUBLE) | {RATE_LIMITS: About.LIMITS}
_STEMS: Final = (
    ("response.reasoning", About.REASONING),
    ("response.output_text", About.TEXT),
    ("response.refusal", About.TEXT),
    ("response.function_call_arguments", About.TOOL),
    ("response.mcp_call_arguments", About.TOOL),
    ("response.custom_tool_call_input", About.TOOL),
)
_ITEMS: Final = {"reasoning": About.REASONING, "message": About.TEXT}


@lru_cache(maxsize=1024)
def _streamed(kind: str) -> About | None:
    """What an event of this type streams a piece of, if it does."""
    return next((about for stem, about in _STEMS if kind.startswith(stem)), None)


_CHANNELS: Final = {
    Channel.REASONING: About.REASONING,
    Channel.TEXT: About.TEXT,
    Channel.REFUSAL: About.TEXT,
    Channel.ARGUMENTS: About.TOOL,
}


def _of_chunk(text: str) -> About | None:
    """What a chunk of a chat streams a piece of, if it is one: its events name no type."""
    chunk = chunk_in(text)
    return _CHANNELS[chunk.texts[0].channel] if chunk and chunk.texts else None


def _item(text: str) -> About:
    event = parse_event(text)
    kind = (string_at(event.item, "type") or "") if isinstance(event, ItemAdded) else ""
    return About.TOOL if kind.endswith("_call") else _ITEMS.get(kind, About.OTHER)
