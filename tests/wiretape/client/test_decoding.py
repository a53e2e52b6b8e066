"""Document 002 §3.2: what each event of the wire becomes."""

import json
from typing import Any

import pytest

from wiretape.client.decoding import Ignored, IgnoreReason, decode
from wiretape.client.dialects import DOCUMENTED, dialect_of
from wiretape.client.events import (
    ClientEvent,
    Completed,
    Created,
    OutputItemAdded,
    OutputItemDone,
    OutputTextDelta,
    ReasoningContentDelta,
    ReasoningSummaryDelta,
    ReasoningSummaryPartAdded,
    TokenUsage,
)
from wiretape.client.failures import Failure, FailureKind, stream_failure

ITEM: dict[str, Any] = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "hi\u2028there"}],
    "extra": {"kept": True},
}
USAGE = {
    "input_tokens": 120,
    "input_tokens_details": {"cached_tokens": 100},
    "output_tokens": 34,
    "output_tokens_details": {"reasoning_tokens": 12},
    "total_tokens": 154,
}
PREFIX = "stream disconnected before completion: "


def event(kind: str, **fields: object) -> str:
    """The text of an event."""
    return json.dumps({"type": kind, **fields})


@pytest.mark.parametrize(
    ("text", "decoded"),
    [
        (event("response.created", response={}), Created()),
        (event("response.output_item.added", item=ITEM), OutputItemAdded(ITEM)),
        (event("response.output_item.done", item=ITEM), OutputItemDone(ITEM)),
        (event("response.output_text.delta", delta="a"), OutputTextDelta("a")),
        (
            event("response.reasoning_summary_text.delta", delta="a", summary_index=2),
            ReasoningSummaryDelta("a", 2),
        ),
        (
            event("response.reasoning_text.delta", delta="a", content_index=0),
            ReasoningContentDelta("a", 0),
        ),
        (
            event("response.reasoning_summary_part.added", summary_index=1),
            ReasoningSummaryPartAdded(1),
        ),
        (
            event("response.completed", response={"id": "r1", "usage": USAGE}),
            Completed("r1", TokenUsage(120, 100, 34, 12, 154)),
        ),
        (event("response.completed", response={"id": "r1"}), Completed("r1")),
    ],
    ids=lambda value: json.loads(value)["type"] if isinstance(value, str) else "",
)
def test_3_2_each_known_type_becomes_its_event(text: str, decoded: ClientEvent) -> None:
    """Every type that the client knows becomes the event of its name, with its fields."""
    assert decode(text, DOCUMENTED) == decoded


@pytest.mark.parametrize(
    ("text", "completed"),
    [
        (event("response.done", response={"id": "r1", "usage": USAGE}), "r1"),
        (event("response.done", response={}), ""),
        (event("response.done"), ""),
        (event("response.done", response=None), ""),
    ],
)
def test_3_2_response_done_completes_with_and_without_response(text: str, completed: str) -> None:
    """``response.done`` completes; where it names no response, the id is empty."""
    decoded = decode(text, DOCUMENTED)
    assert isinstance(decoded, Completed)
    assert decoded.response_id == completed


def test_from_0_110_response_done_means_nothing() -> None:
    """Later clients know no ``response.done``."""
    text = event("response.done", response={"id": "r1"})
    assert decode(text, dialect_of((0, 110))) == Ignored(IgnoreReason.UNKNOWN_TYPE, text)


@pytest.mark.parametrize(
    "text",
    [
        event("response.created"),
        event("response.created", response=None),
        event("response.output_item.added"),
        event("response.output_item.done", item=None),
        event("response.output_text.delta"),
        event("response.reasoning_summary_text.delta", delta="a"),
        event("response.reasoning_summary_text.delta", summary_index=0),
        event("response.reasoning_text.delta", delta="a"),
        event("response.reasoning_text.delta", content_index=0),
        event("response.reasoning_summary_part.added"),
        event("response.completed"),
        event("response.completed", response=None),
    ],
)
def test_3_2_a_known_type_without_its_field_is_ignored(text: str) -> None:
    """An event that lacks what it needs is passed over, and kept."""
    assert decode(text, DOCUMENTED) == Ignored(IgnoreReason.MISSING_FIELD, text)


@pytest.mark.parametrize(
    "text",
    [
        event("response.in_progress", response={}),
        event("response.output_text.done", text="a"),
        event("response.function_call_arguments.delta", delta="a"),
        event("codex.rate_limits"),
        event("response.never.heard.of", anything=[1]),
        event(""),
    ],
)
def test_3_2_every_other_type_is_ignored(text: str) -> None:
    """A type that the client does not know is passed over, and kept."""
    assert decode(text, DOCUMENTED) == Ignored(IgnoreReason.UNKNOWN_TYPE, text)


@pytest.mark.parametrize(
    "item",
    ["text", 5, [], {}, {"type": "message"}, {"type": "message", "role": 5, "content": []}],
)
@pytest.mark.parametrize("kind", ["response.output_item.added", "response.output_item.done"])
def test_3_2_an_unreadable_item_is_ignored(kind: str, item: object) -> None:
    """An item that the client cannot read is passed over; the stream goes on."""
    text = event(kind, item=item)
    assert decode(text, DOCUMENTED) == Ignored(IgnoreReason.UNREADABLE_ITEM, text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not json",
        "[]",
        "5",
        "null",
        "{}",
        '{"delta": "a"}',
        '{"type": 5}',
        '{"type": "response.output_text.delta", "delta": 5}',
        '{"type": "response.completed", "response": {"id": "r1"}, "delta": {}}',
        '{"type": "response.reasoning_text.delta", "delta": "a", "content_index": "0"}',
        '{"type": "response.reasoning_text.delta", "delta": "a", "content_index": true}',
        '{"type": "response.reasoning_summary_part.added", "summary_index": 1.5}',
    ],
)
def test_3_2_what_is_no_event_is_ignored(text: str) -> None:
    """Text that is no JSON object, has no type, or has a field of the wrong kind is no event."""
    assert decode(text, DOCUMENTED) == Ignored(IgnoreReason.NOT_AN_EVENT, text)


def test_3_2_a_null_field_is_a_missing_one() -> None:
    """Null where a field may be missing does not spoil the event."""
    text = event("response.created", response={}, delta=None, summary_index=None)
    assert decode(text, DOCUMENTED) == Created()


def test_3_2_response_failed_becomes_a_failure() -> None:
    """``response.failed`` is classified by its error (§6)."""
    text = event("response.failed", response={"error": {"code": "insufficient_quota"}})
    decoded = decode(text, DOCUMENTED)
    assert isinstance(decoded, Failure)
    assert decoded.kind is FailureKind.QUOTA


@pytest.mark.parametrize(
    ("version", "reason", "kind", "said"),
    [
        ((0, 100), "max_output_tokens", FailureKind.STREAM, PREFIX),
        ((0, 110), "content_filter", FailureKind.STREAM, PREFIX),
        ((0, 160), "max_output_tokens", FailureKind.STREAM, PREFIX),
        ((0, 169), "content_filter", FailureKind.STREAM, PREFIX),
        ((0, 169), "max_output_tokens", FailureKind.INCOMPLETE, ""),
        ((0, 169), "unknown", FailureKind.INCOMPLETE, ""),
    ],
)
def test_later_clients_fail_on_response_incomplete(
    version: tuple[int, int], reason: str, kind: FailureKind, said: str
) -> None:
    """From 0.100 it is a failed stream; to 0.169 it is the end, save for filtered content."""
    text = event("response.incomplete", response={"incomplete_details": {"reason": reason}})
    assert decode(text, dialect_of(version)) == Failure(
        kind, f"{said}Incomplete response returned, reason: {reason}"
    )


@pytest.mark.parametrize("fields", [{}, {"response": None}, {"response": {}}])
def test_an_incomplete_response_without_a_reason_has_the_reason_unknown(
    fields: dict[str, object],
) -> None:
    """Where no reason is given, ``unknown`` is said."""
    assert decode(event("response.incomplete", **fields), dialect_of((0, 100))) == stream_failure(
        "Incomplete response returned, reason: unknown"
    )


def test_3_2_response_incomplete_means_nothing_to_the_documented_client() -> None:
    """``response.incomplete`` is one of the types that are passed over."""
    text = event("response.incomplete", response={})
    assert decode(text, DOCUMENTED) == Ignored(IgnoreReason.UNKNOWN_TYPE, text)


def test_from_0_160_an_interrupted_response_completes() -> None:
    """An incomplete response that was interrupted counts as completed, and is read as such."""
    details = {"incomplete_details": {"reason": "interrupted"}}
    whole = event("response.incomplete", response={"id": "r1", **details})
    assert decode(whole, dialect_of((0, 160))) == Completed("r1")
    nameless = event("response.incomplete", response=details)
    assert decode(nameless, dialect_of((0, 160))) == stream_failure(
        "failed to parse ResponseCompleted: missing field `id`"
    )
