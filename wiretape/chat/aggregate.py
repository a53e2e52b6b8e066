"""Client events → one message (and one reasoning) a turn.

:class:`Aggregator` takes each event of a stream and returns those to show in its place. Failures
pass, as they end the turn.

§12.4 promises at most one finished reasoning, yet its rule 3 lets the stream's own pass and its
rule 4 adds the sum at the end. The rules win over the promise: a stream whose reasoning is
finished before ``Completed`` shows it twice.

Source: document 000 §12.4.
"""

from enum import StrEnum

from wiretape.chat.items import message_item, reasoning_item
from wiretape.chat.shapes import array, string
from wiretape.chat.stream import ChatEvent
from wiretape.client.events import (
    Completed,
    Created,
    Item,
    OutputItemDone,
    OutputTextDelta,
    ReasoningContentDelta,
    ReasoningSummaryDelta,
    ReasoningSummaryPartAdded,
)


class AggregateMode(StrEnum):
    """Whether the pieces are shown beside the whole."""

    AGGREGATED_ONLY = "aggregated_only"
    STREAMING = "streaming"


class Aggregator:
    """The text and reasoning of one turn, gathered until ``Completed``."""

    def __init__(self, mode: AggregateMode) -> None:
        self._mode = mode
        # Only texts that are not empty, so that an empty list means that nothing was said.
        self._texts: list[str] = []
        self._reasoning: list[str] = []

    def feed(self, event: ChatEvent) -> list[ChatEvent]:
        """The events to show for ``event``, in order (§12.4.1 to §12.4.5)."""
        match event:
            case OutputTextDelta(delta):
                return self._gather(self._texts, delta, event)
            case ReasoningContentDelta(delta):
                return self._gather(self._reasoning, delta, event)
            case OutputItemDone(item) if _is_assistant_message(item):
                return self._finish_message(item, event)
            case Completed():
                return [*self._gathered(), event]
            case Created() | ReasoningSummaryDelta() | ReasoningSummaryPartAdded():
                return []
            case _:
                return [event]

    def _gather(self, into: list[str], delta: str, event: ChatEvent) -> list[ChatEvent]:
        if delta:
            into.append(delta)
        return [event] if self._mode is AggregateMode.STREAMING else []

    def _finish_message(self, item: Item, event: ChatEvent) -> list[ChatEvent]:
        if self._texts:
            return []
        if self._mode is AggregateMode.STREAMING:
            return [event]
        self._gather(self._texts, _first_output_text(item), event)
        return []

    def _gathered(self) -> list[ChatEvent]:
        done: list[ChatEvent] = []
        if self._reasoning:
            done.append(OutputItemDone(reasoning_item(["".join(self._reasoning)])))
        if self._texts:
            done.append(OutputItemDone(message_item(["".join(self._texts)])))
        self._reasoning, self._texts = [], []
        return done


def _is_assistant_message(item: Item) -> bool:
    return item.get("type") == "message" and item.get("role") == "assistant"


def _first_output_text(item: Item) -> str:
    parts = array(item, "content")
    texts = (string(part, "text") for part in parts if string(part, "type") == "output_text")
    return next((text for text in texts if text is not None), "")
