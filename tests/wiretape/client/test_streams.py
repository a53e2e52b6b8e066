"""Document 002 §3.3, §3.4 and §4.3: how a stream ends, over SSE and over WebSocket."""

import json

import pytest

from wiretape.client.decoding import Decoded, Ignored
from wiretape.client.dialect import Dialect
from wiretape.client.dialects import DOCUMENTED, dialect_of
from wiretape.client.events import Completed, Created, OutputTextDelta, RateLimits, RateLimitWindow
from wiretape.client.failures import Failure, FailureKind, stream_failure
from wiretape.client.streams import ResponseStream
from wiretape.client.transport import Transport
from wiretape.client.wire import (
    Breakage,
    Broken,
    Closed,
    Ended,
    Input,
    Opened,
    Pinged,
    Refused,
    Said,
    SaidBytes,
    TimedOut,
    Unanswered,
    Unreachable,
)

SSE, WEBSOCKET = Transport.SSE, Transport.WEBSOCKET


def said(kind: str, **fields: object) -> Said:
    """An event on the wire."""
    return Said(json.dumps({"type": kind, **fields}))


CREATED = said("response.created", response={})
COMPLETED = said("response.completed", response={"id": "r1"})
DELTA = said("response.output_text.delta", delta="a")
FAILED = said("response.failed", response={"error": {"code": "server_error", "message": "boom"}})
NO_QUOTA = said("response.failed", response={"error": {"code": "insufficient_quota"}})
INCOMPLETE = said("response.incomplete", response={"incomplete_details": {"reason": "max"}})
LIMITS = said("codex.rate_limits", rate_limits={"primary": {"used_percent": 7}})
ERROR = said("error", status=400, error={"message": "bad"})

BOOM = stream_failure("boom")
QUOTA = Failure(FailureKind.QUOTA, "Quota exceeded. Check your plan and billing details.")


def read(
    transport: Transport, *happenings: Input, dialect: Dialect = DOCUMENTED
) -> tuple[list[Decoded], bool]:
    """All that a stream gives for these inputs, and whether it is over."""
    stream = ResponseStream(transport, dialect)
    given = [decoded for happening in happenings for decoded in stream.receive(happening)]
    return given, stream.is_over


def test_3_3_failed_is_held_until_the_stream_ends() -> None:
    """Over SSE ``response.failed`` gives nothing at once; the end of the stream gives it."""
    stream = ResponseStream(SSE, DOCUMENTED)
    assert stream.receive(FAILED) == []
    assert stream.held == BOOM
    assert not stream.is_over
    assert stream.receive(DELTA) == [OutputTextDelta("a")]
    assert stream.receive(Ended()) == [BOOM]
    assert stream.is_over


def test_3_3_completed_after_failed_wins() -> None:
    """A stream that completes after all is a success, over SSE."""
    assert read(SSE, FAILED, COMPLETED) == ([Completed("r1")], True)


def test_3_3_the_last_failure_is_the_one_held() -> None:
    """A second failure takes the place of the first."""
    assert read(SSE, NO_QUOTA, FAILED, Ended()) == ([BOOM], True)
    assert read(SSE, FAILED, NO_QUOTA, Ended()) == ([QUOTA], True)


def test_3_3_an_unreadable_completed_is_held_too() -> None:
    """``response.completed`` that cannot be read is a failure like any other."""
    nameless = said("response.completed", response={})
    expected = stream_failure("failed to parse ResponseCompleted: missing field `id`")
    assert read(SSE, nameless, Ended()) == ([expected], True)
    assert read(SSE, nameless, COMPLETED) == ([Completed("r1")], True)


def test_3_3_an_end_without_completion_has_words_of_its_own() -> None:
    """Without a failure in the stream: "stream closed before response.completed"."""
    assert read(SSE, CREATED, Ended()) == (
        [
            Created(),
            Failure(
                FailureKind.STREAM,
                "stream disconnected before completion: stream closed before response.completed",
            ),
        ],
        True,
    )


def test_3_4_completed_ends_the_stream_at_once() -> None:
    """Nothing after ``response.completed`` is read, on either transport."""
    for transport in Transport:
        assert read(transport, COMPLETED, FAILED, DELTA, Ended()) == ([Completed("r1")], True)


def test_3_4_silence_ends_an_sse_stream() -> None:
    """The idle timeout has its words, and covers a failure that was held."""
    idle = Failure(
        FailureKind.STREAM,
        "stream disconnected before completion: idle timeout waiting for SSE",
    )
    assert read(SSE, TimedOut()) == ([idle], True)
    assert read(SSE, FAILED, TimedOut()) == ([idle], True)


def test_3_4_a_cut_ends_an_sse_stream() -> None:
    """A body cut off is said in the words of the transport, and covers a failure held."""
    cut = stream_failure(
        "Transport error: network error: error decoding response body",
    )
    assert read(SSE, CREATED, Broken(Breakage.BODY_CUT)) == ([Created(), cut], True)
    assert read(SSE, FAILED, Broken(Breakage.BODY_CUT)) == ([cut], True)


def test_3_4_ignored_events_do_not_end_a_stream() -> None:
    """What the client passes over is given as such, and the stream goes on."""
    for transport in Transport:
        given, is_over = read(transport, Said("{"), said("dream"), COMPLETED)
        assert [type(each) for each in given] == [Ignored, Ignored, Completed]
        assert is_over


@pytest.mark.parametrize(
    ("happening", "last"),
    [
        (FAILED, BOOM),
        (NO_QUOTA, QUOTA),
        (Closed(1000), "websocket closed by server before response.completed"),
        (Closed(1011, "oops"), "websocket closed by server before response.completed"),
        (Ended(), "stream closed before response.completed"),
        (TimedOut(), "idle timeout waiting for websocket"),
        (SaidBytes(b"\0"), "unexpected binary websocket event"),
        (Pinged(was_answered=False), "websocket ping failed"),
        (
            Broken(Breakage.SOCKET_DROPPED),
            "WebSocket protocol error: Connection reset without closing handshake",
        ),
        (Broken(Breakage.SOCKET_RESET), "IO error: Connection reset by peer (os error 104)"),
    ],
)
def test_4_3_a_websocket_stream_ends_at_once(happening: Input, last: Failure | str) -> None:
    """Each way to end a WebSocket stream fails it at once, with its words."""
    failure = stream_failure(last) if isinstance(last, str) else last
    assert read(WEBSOCKET, CREATED, happening, COMPLETED) == ([Created(), failure], True)


def test_4_3_an_answered_ping_is_nothing() -> None:
    """A ping that was answered leaves the stream as it is."""
    assert read(WEBSOCKET, Pinged(), COMPLETED) == ([Completed("r1")], True)


def test_on_a_websocket_rate_limits_come_in_events() -> None:
    """``codex.rate_limits`` becomes an event over WebSocket, and nothing over SSE."""
    assert read(WEBSOCKET, LIMITS) == ([RateLimits(primary=RateLimitWindow(7.0))], False)
    assert read(SSE, LIMITS)[0] == [Ignored("unknown type", LIMITS.text)]


def test_on_a_websocket_unreadable_rate_limits_are_ignored() -> None:
    """A ``codex.rate_limits`` of another shape is passed over."""
    odd = said("codex.rate_limits", rate_limits={"primary": 5})
    assert read(WEBSOCKET, odd) == ([Ignored("unknown type", odd.text)], False)


def test_on_a_websocket_an_error_event_is_a_status() -> None:
    """An ``error`` event with a status ends a WebSocket stream, and is nothing over SSE."""
    given, is_over = read(WEBSOCKET, ERROR)
    assert [type(each) for each in given] == [Failure]
    assert is_over
    assert read(SSE, ERROR, COMPLETED) == (
        [Ignored("unknown type", ERROR.text), Completed("r1")],
        True,
    )


@pytest.mark.parametrize("transport", Transport)
def test_in_0_169_an_incomplete_response_ends_the_stream_at_once(transport: Transport) -> None:
    """A fatal ``response.incomplete`` is not held, so nothing can mend it."""
    failure = Failure(FailureKind.INCOMPLETE, "Incomplete response returned, reason: max")
    assert read(transport, INCOMPLETE, COMPLETED, dialect=dialect_of((0, 169))) == (
        [failure],
        True,
    )


def test_in_0_100_an_incomplete_response_is_held_like_a_failure() -> None:
    """Where it may be retried, ``response.incomplete`` follows the rules of the transport."""
    failure = stream_failure("Incomplete response returned, reason: max")
    later = dialect_of((0, 100))
    assert read(SSE, INCOMPLETE, COMPLETED, dialect=later) == ([Completed("r1")], True)
    assert read(SSE, INCOMPLETE, Ended(), dialect=later) == ([failure], True)
    assert read(WEBSOCKET, INCOMPLETE, COMPLETED, dialect=later) == ([failure], True)


@pytest.mark.parametrize(
    ("transport", "happening"),
    [
        (SSE, SaidBytes(b"")),
        (SSE, Pinged()),
        (SSE, Closed(1000)),
        *[
            (transport, happening)
            for transport in Transport
            for happening in (Opened(), Refused(500), Unreachable("x"), Unanswered("x"))
        ],
    ],
)
def test_what_cannot_happen_to_a_stream_is_refused(transport: Transport, happening: Input) -> None:
    """Frames over HTTP, and heads in the middle of a stream, are the caller's mistake."""
    with pytest.raises(ValueError, match="in a stream over"):
        ResponseStream(transport, DOCUMENTED).receive(happening)
