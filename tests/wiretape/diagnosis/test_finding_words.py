"""What each finding says, and where it points."""

from collections.abc import Callable

import pytest
from timed_tapes import TapeMaker
from troubled_tapes import (
    busy_socket,
    busy_twice,
    chat_cut,
    cut_on_both,
    dead_socket,
    done_only,
    error_over_sse,
    gap,
    grown,
    impatient,
    interrupted,
    late_failure,
    patient,
    refused_with_a_sentence,
    silent,
    silent_on_both,
    silent_with_pings,
    stormy,
    the_finding,
    unanswered,
    unreadable,
)

from wiretape.diagnosis.kinds import Kind
from wiretape.spot import Spot


@pytest.mark.parametrize(
    ("fill", "kind", "what", "evidence"),
    [
        (
            silent,
            Kind.SILENCE,
            "the server said nothing for 6 min 0 s in the middle of an answer over HTTP, "
            "without a sign of life; the client gave up",
            (Spot(1, 6000, "silence"),),
        ),
        (
            silent_with_pings,
            Kind.SILENCE,
            "the server said nothing for 5.0 s in the middle of an answer over WebSocket, "
            "2 signs of life came meanwhile; the client gave up",
            (Spot(1, 6000, "silence", 0),),
        ),
        (
            silent_on_both,
            Kind.SILENCE,
            "the server said nothing for 3.0 s in the middle of an answer, without a sign of "
            "life; the client gave up 2 times over WebSocket and once over HTTP",
            (
                Spot(1, 6000, "silence", 0),
                Spot(2, 4_006_000, "silence", 0),
                Spot(3, 8_006_000, "silence"),
            ),
        ),
        (
            cut_on_both,
            Kind.CLOSED_EARLY,
            "WebSocket ended before the answer was complete: closed 1011 busy; "
            "HTTP ended before the answer was complete: the server hung up",
            (Spot(1, 7000, "websocket.close", 0), Spot(2, 207_000, "end")),
        ),
        (
            silent_on_both,
            Kind.FALLBACK,
            "the client fell back from WebSocket to HTTP after 2 tries (the last: the client gave "
            "up after 3.0 s of silence)",
            (Spot(1, 3_006_000, "end", 0), Spot(2, 7_006_000, "end", 0)),
        ),
        (
            stormy,
            Kind.RETRY_STORM,
            "one request was tried again 7 times within 800 ms",
            tuple(
                Spot(exchange, (exchange - 1) * 100_000, "http.request")
                for exchange in (2, 4, 5, 6, 7, 8, 9)
            ),
        ),
        (
            chat_cut,
            Kind.TERMINAL_MISSING,
            "the stream ended without a finish reason or [DONE]",
            (Spot(1, 7000, "end"),),
        ),
        (
            refused_with_a_sentence,
            Kind.FATAL,
            "refused for good: 400 Bad Request: The model is unknown",
            (Spot(1, 5000, "http.response"),),
        ),
        (
            late_failure,
            Kind.FAILURE_MASKED,
            "response.failed (server_error: sorry) was known 5 min 0 s before the client hung up",
            (Spot(1, 6000, "response.failed"), Spot(1, 300_006_000, "end")),
        ),
        (
            done_only,
            Kind.TERMINAL_MISSING,
            "the stream ended without response.completed "
            "(response.done came, which this client takes no notice of)",
            (Spot(1, 6000, "response.done"), Spot(1, 7000, "end")),
        ),
        (
            error_over_sse,
            Kind.TERMINAL_MISSING,
            "the stream ended without response.completed "
            "(error came, which this client takes no notice of: server_error: sorry)",
            (Spot(1, 6000, "error"), Spot(1, 7000, "end")),
        ),
        (
            interrupted,
            Kind.CLIENT_LEFT,
            "the client left before the answer was complete: closed 1000",
            (Spot(1, 7000, "websocket.close", 0),),
        ),
        (
            dead_socket,
            Kind.DEAD_SOCKET,
            "a connection that had been used before gave nothing back: "
            "connection reset after 42 ms",
            (Spot(2, 90_000_000, "http.request"), Spot(2, 90_042_000, "end")),
        ),
        (
            impatient,
            Kind.RATE_LIMITED,
            "refused by the rate limit (429 Too Many Requests: rate_limit_exceeded: no): "
            "the client tried again after 244 ms, though 20.0 s were asked for",
            (Spot(1, 5000, "http.response"),),
        ),
        (
            patient,
            Kind.RATE_LIMITED,
            "refused by the rate limit (rate_limit_exceeded: Please try again in 2s): "
            "the client tried again after 2.0 s, as asked",
            (Spot(1, 6000, "response.failed"),),
        ),
        (
            busy_socket,
            Kind.RATE_LIMITED,
            "refused by the rate limit (429 Too Many Requests): the client tried again after "
            "74 ms, though 1.0 s were asked for",
            (Spot(1, 4000, "http.response"),),
        ),
        (
            busy_twice,
            Kind.RATE_LIMITED,
            "refused 2 times by the rate limit (429 Too Many Requests: no): "
            "the client tried again after 94 ms; no delay was asked for, "
            "the client tried again after 394 ms; no delay was asked for",
            (Spot(1, 5000, "http.response"), Spot(2, 105_000, "http.response")),
        ),
        (
            unreadable,
            Kind.SWALLOWED,
            "2 events that the client cannot read: x (no JSON object: Expecting ',' delimiter "
            "at character 13), response.output_item.done (unreadable item)",
            (Spot(1, 6000, "x"), Spot(1, 6000, "response.output_item.done")),
        ),
        (
            unanswered,
            Kind.CALL_UNANSWERED,
            "1 call without an output: files.read (call c1); it was not among what followed",
            (Spot(1, 2000, "response.output_item.done"),),
        ),
        (
            gap,
            Kind.RECORDER_GAP,
            "3 facts with 100 B are missing: a test left it out",
            (Spot(1, 2000, "gap"),),
        ),
        (
            grown,
            Kind.GROWTH,
            "the input grew from 12,000 to 120,000 tokens from one request to the next",
            (Spot(1, 0, "http.request"), Spot(2, 50_000, "http.request")),
        ),
    ],
)
def test_a_finding_says_what_was_seen_and_where(
    fill: Callable[[TapeMaker], None],
    kind: Kind,
    what: str,
    evidence: tuple[Spot, ...],
    maker: TapeMaker,
) -> None:
    """A sentence with the figures, and the places on the tape that show it."""
    fill(maker)
    found = the_finding(maker, kind)
    assert found.what == what
    assert found.evidence == evidence
