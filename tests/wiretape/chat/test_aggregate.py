"""Client events become one message a turn (document 000 §12.4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiretape.chat.aggregate import AggregateMode, Aggregator
from wiretape.chat.stream import ChatEvent
from wiretape.client.events import (
    Completed,
    Created,
    Item,
    ModelsEtag,
    OutputItemAdded,
    OutputItemDone,
    OutputTextDelta,
    RateLimits,
    ReasoningContentDelta,
    ReasoningSummaryDelta,
    ReasoningSummaryPartAdded,
    ServerReasoningIncluded,
    TokenUsage,
)
from wiretape.client.failures import FailureKind, failure, stream_failure

ONLY = AggregateMode.AGGREGATED_ONLY
STREAMING = AggregateMode.STREAMING
BOTH = pytest.mark.parametrize("mode", [ONLY, STREAMING])
CALL: Item = {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "a"}
DONE = Completed("resp_1", TokenUsage(1, 0, 2, 0, 3))


def message(*texts: str, role: str = "assistant") -> Item:
    """A message of output texts."""
    parts = [{"type": "output_text", "text": text} for text in texts]
    return {"type": "message", "role": role, "content": parts}


def reasoning(text: str) -> Item:
    """The reasoning that the aggregation makes."""
    return {
        "type": "reasoning",
        "id": "",
        "summary": [],
        "content": [{"type": "reasoning_text", "text": text}],
        "encrypted_content": None,
    }


def shown(mode: AggregateMode, *events: ChatEvent) -> list[ChatEvent]:
    """What is shown for ``events``."""
    aggregator = Aggregator(mode)
    return [out for event in events for out in aggregator.feed(event)]


def test_12_4_1_text_is_held_when_only_the_whole_is_wanted() -> None:
    """No delta is shown."""
    assert shown(ONLY, OutputTextDelta("a")) == []


def test_12_4_1_text_is_shown_when_streaming() -> None:
    """And gathered all the same."""
    assert shown(STREAMING, OutputTextDelta("a"), DONE) == [
        OutputTextDelta("a"),
        OutputItemDone(message("a")),
        DONE,
    ]


def test_12_4_2_reasoning_is_held_when_only_the_whole_is_wanted() -> None:
    """No delta is shown."""
    assert shown(ONLY, ReasoningContentDelta("a", 0)) == []


def test_12_4_2_reasoning_is_shown_when_streaming() -> None:
    """With its index, and gathered all the same."""
    assert shown(STREAMING, ReasoningContentDelta("a", 4), DONE) == [
        ReasoningContentDelta("a", 4),
        OutputItemDone(reasoning("a")),
        DONE,
    ]


def test_12_4_3_a_message_without_deltas_gives_its_first_text() -> None:
    """Its other texts are lost, as they were to the client; it is shown at the end only."""
    assert shown(ONLY, OutputItemDone(message("a", "b"))) == []
    assert shown(ONLY, OutputItemDone(message("a", "b")), DONE) == [
        OutputItemDone(message("a")),
        DONE,
    ]


def test_12_4_3_the_first_text_need_not_be_the_first_part() -> None:
    """Parts of another kind are passed over."""
    item: Item = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "input_text", "text": "x"}, {"type": "output_text", "text": "a"}],
    }
    assert shown(ONLY, OutputItemDone(item), DONE)[0] == OutputItemDone(message("a"))


@pytest.mark.parametrize("item", [message(), message("")])
def test_12_4_3_a_message_without_text_is_swallowed(item: Item) -> None:
    """Nothing is gathered, so nothing is shown at the end."""
    assert shown(ONLY, OutputItemDone(item), DONE) == [DONE]


def test_12_4_3_a_message_after_deltas_is_swallowed() -> None:
    """What was gathered stands, whatever the message says."""
    events = OutputTextDelta("a"), OutputItemDone(message("other")), DONE
    assert shown(ONLY, *events) == [OutputItemDone(message("a")), DONE]


def test_12_4_3_streaming_shows_a_message_without_deltas() -> None:
    """It is whole already, so nothing is added at the end."""
    assert shown(STREAMING, OutputItemDone(message("a", "b")), DONE) == [
        OutputItemDone(message("a", "b")),
        DONE,
    ]


def test_12_4_3_streaming_swallows_a_message_after_deltas() -> None:
    """Or it would be shown twice."""
    events = OutputTextDelta("a"), OutputItemDone(message("a")), DONE
    assert shown(STREAMING, *events) == [
        OutputTextDelta("a"),
        OutputItemDone(message("a")),
        DONE,
    ]


def test_12_4_3_an_empty_delta_is_no_text() -> None:
    """Streaming, the message after it is still shown."""
    assert shown(STREAMING, OutputTextDelta(""), OutputItemDone(message(""))) == [
        OutputTextDelta(""),
        OutputItemDone(message("")),
    ]


@BOTH
@pytest.mark.parametrize("item", [CALL, reasoning("a"), message("a", role="user")])
def test_12_4_3_any_other_item_is_shown(mode: AggregateMode, item: Item) -> None:
    """Calls, reasoning, and messages of another role."""
    assert shown(mode, OutputItemDone(item)) == [OutputItemDone(item)]


@BOTH
def test_12_4_3_a_finished_reasoning_is_shown_beside_the_sum(mode: AggregateMode) -> None:
    """The stream's own passes by this rule, the sum comes by the next."""
    events = ReasoningContentDelta("a", 0), OutputItemDone(reasoning("a")), DONE
    finished = [event for event in shown(mode, *events) if isinstance(event, OutputItemDone)]
    assert finished == [OutputItemDone(reasoning("a"))] * 2


@BOTH
def test_12_4_4_nothing_gathered_passes_completed(mode: AggregateMode) -> None:
    """With its id and usage."""
    assert shown(mode, DONE) == [DONE]


def test_12_4_4_reasoning_comes_before_the_message() -> None:
    """Each as one part, then ``Completed`` with its id and usage."""
    events = (
        OutputTextDelta("a"),
        ReasoningContentDelta("c", 0),
        OutputTextDelta("b"),
        ReasoningContentDelta("d", 1),
        DONE,
    )
    assert shown(ONLY, *events) == [
        OutputItemDone(reasoning("cd")),
        OutputItemDone(message("ab")),
        DONE,
    ]


def test_12_4_4_reasoning_alone_makes_no_message() -> None:
    """Only what was gathered is shown."""
    assert shown(ONLY, ReasoningContentDelta("a", 0), DONE) == [
        OutputItemDone(reasoning("a")),
        DONE,
    ]


def test_12_4_4_what_was_gathered_is_shown_once() -> None:
    """A second ``Completed`` finds nothing left."""
    assert shown(ONLY, OutputTextDelta("a"), DONE, DONE) == [
        OutputItemDone(message("a")),
        DONE,
        DONE,
    ]


@BOTH
@pytest.mark.parametrize(
    "event", [Created(), ReasoningSummaryDelta("a", 0), ReasoningSummaryPartAdded(0)]
)
def test_12_4_5_created_and_summaries_are_swallowed(mode: AggregateMode, event: ChatEvent) -> None:
    """In both modes, and they leave no trace at the end."""
    assert shown(mode, event, DONE) == [DONE]


@BOTH
@pytest.mark.parametrize(
    "event",
    [
        ServerReasoningIncluded(),
        RateLimits(),
        ModelsEtag("e"),
        OutputItemAdded(message()),
        OutputItemAdded(reasoning("")),
    ],
)
def test_12_4_5_the_rest_is_shown(mode: AggregateMode, event: ChatEvent) -> None:
    """In both modes, unchanged."""
    assert shown(mode, event) == [event]


@BOTH
@pytest.mark.parametrize("failure", [stream_failure("gone"), failure(FailureKind.CONTEXT_WINDOW)])
def test_12_4_5_a_failure_is_shown_and_the_gathered_text_is_not(
    mode: AggregateMode, failure: ChatEvent
) -> None:
    """A turn that failed has no whole message."""
    events = shown(mode, OutputTextDelta("a"), failure)
    assert events[-1] == failure
    assert not [event for event in events if isinstance(event, OutputItemDone)]


@given(st.sampled_from([ONLY, STREAMING]), st.lists(st.text() | st.integers(), max_size=20))
def test_aggregation_keeps_the_text(mode: AggregateMode, said: list[str | int]) -> None:
    """Whatever comes between the deltas, the message is all of them in order."""
    events = [OutputTextDelta(x) if isinstance(x, str) else OutputItemDone(CALL) for x in said]
    text = "".join(x for x in said if isinstance(x, str))
    finished = [event for event in shown(mode, *events, DONE) if isinstance(event, OutputItemDone)]
    messages = [event for event in finished if event.item != CALL]
    assert messages == ([OutputItemDone(message(text))] if text else [])
    assert len(finished) - len(messages) == sum(isinstance(x, int) for x in said)
