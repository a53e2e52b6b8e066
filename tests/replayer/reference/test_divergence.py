"""Recorded clients that leave the documented one, and players that leave the recording."""

from collections.abc import Callable

import pytest
from codex_tapes import (
    CALL,
    HELLO,
    NEW_UPGRADE,
    OLD_UPGRADE,
    OUTPUT,
    SAID,
    WARMED_UP,
    Event,
    answer,
    answers,
    appends,
    asks,
    completed,
    created,
    delta,
    done,
    failed,
    post,
)
from tapes import (
    CUT,
    Recording,
    says,
)

from replayer.reference.acts import Place
from replayer.reference.verify import Verdict, Verified

type Verify = Callable[..., Verified]


# Clients that do something else.


def parting(found: Verified) -> tuple[Place, str, str]:
    """Where it diverges, and how."""
    assert found.verdict is Verdict.DIVERGES
    assert found.divergence is not None
    return found.divergence.place, found.divergence.recorded, found.divergence.documented


def no_retry() -> Recording:
    """A stream is cut, and nobody tries again."""
    recording = Recording()
    post(recording, (HELLO,), (created(),), CUT)
    return recording


def no_follow_up() -> Recording:
    """A call is never answered."""
    recording = Recording()
    post(recording, (HELLO,), answer(CALL))
    return recording


def stubborn() -> Recording:
    """A fatal failure is retried."""
    recording = Recording()
    for _ in range(2):
        post(recording, (HELLO,), (created(), failed("context_length_exceeded")))
    return recording


def unasked() -> Recording:
    """Outputs are sent though nothing was called."""
    recording = Recording()
    post(recording, (HELLO,), answer(SAID))
    post(recording, (HELLO, CALL, OUTPUT), answer(SAID))
    return recording


def back_to_sockets() -> Recording:
    """A client that may use sockets posts first."""
    recording = Recording()
    post(recording, (HELLO,), answer(SAID))
    recording.refused_upgrade(426)
    return recording


def answered_too_soon() -> Recording:
    """The client goes on before the answer is complete."""
    recording = Recording()
    recording.socket(
        asks(HELLO),
        says(created(), done(CALL)),
        appends(CALL, OUTPUT),
        answers(SAID),
        asked_with=OLD_UPGRADE,
    )
    return recording


@pytest.mark.parametrize(
    ("make", "place", "recorded", "documented"),
    [
        (no_retry, (1, None, 1, 50_000), "nothing more was recorded", "asks over HTTP"),
        (no_follow_up, (1, None, 3, 60_000), "nothing more was recorded", "asks over HTTP"),
        (
            stubborn,
            (2, None, 0, 70_000),
            "asks over HTTP for the same again",
            "has ended its turn",
        ),
        (
            unasked,
            (2, None, 0, 80_000),
            "asks over HTTP with what tools gave",
            "has ended its turn",
        ),
        (back_to_sockets, (1, None, 0, 10_000), "asks over HTTP", "opens a WebSocket"),
        (
            answered_too_soon,
            (1, 1, 0, 70_000),
            "asks on its WebSocket",
            "waits for the end of the answer",
        ),
    ],
)
def test_what_the_documented_client_would_not_do_diverges(
    make: Callable[[], Recording],
    place: tuple[int, int | None, int, int],
    recorded: str,
    documented: str,
    verified: Verify,
) -> None:
    """The verdict names the place, what was recorded, and what the documents say."""
    assert parting(verified(make())) == (Place(*place), recorded, documented)


# A tape with one event changed: what was recorded of the client no longer fits it.


def streamed(*events: Event) -> Recording:
    """One answer over HTTP; event n comes at (3 + n) times 10 ms."""
    recording = Recording()
    post(recording, (HELLO,), events)
    return recording


WORDS = (created(), delta("one"), {"type": "response.dream", "of": 1}, done(SAID), completed())
CHANGES: dict[str, tuple[int, Event, str, str]] = {
    "delta": (2, delta("two"), "sees OutputTextDelta('one')", "sees OutputTextDelta('two')"),
    "ignored": (
        3,
        {"type": "response.dream", "of": 2},
        'passes over (unknown type): {"type": "response.dream", "of": 1}',
        'passes over (unknown type): {"type": "response.dream", "of": 2}',
    ),
    "end": (
        5,
        completed("r2"),
        "sees Completed('r1', None)",
        "sees Completed('r2', None)",
    ),
    "kind": (
        2,
        {"type": "response.reasoning_text.delta", "delta": "one", "content_index": 0},
        "sees OutputTextDelta('one')",
        "sees ReasoningContentDelta('one', 0)",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_player_that_plays_another_event_is_found_at_that_event(
    change: str, verified: Verify
) -> None:
    """Exchange, event and time are those of the event that is not the same."""
    number, event, recorded, seen = CHANGES[change]
    played = streamed(*WORDS[: number - 1], event, *WORDS[number:])
    assert parting(verified(streamed(*WORDS), played)) == (
        Place(1, None, number, (3 + number) * 10_000),
        recorded,
        seen,
    )


def test_a_player_that_plays_less_is_found_where_it_stops(verified: Verify) -> None:
    """A stream that ends sooner is a failure in the place of the next event."""
    place, recorded, seen = parting(verified(streamed(*WORDS), streamed(*WORDS[:3])))
    assert place == Place(1, None, 4, 70_000)
    assert recorded.startswith("sees OutputItemDone(")
    assert seen.startswith("prints: Reconnecting... 1/5 (stream disconnected before completion: ")


OTHER_CALL = {**CALL, "arguments": '{"a": 2}'}


def test_a_changed_call_no_longer_fits_what_the_client_repeats(verified: Verify) -> None:
    """The next request repeats the call as it had been: found at the event that gave it."""
    recording = Recording()
    post(recording, (HELLO,), answer(OTHER_CALL))
    post(recording, (HELLO, CALL, OUTPUT), answer(SAID))
    place, recorded, seen = parting(verified(recording))
    assert (place, recorded) == (Place(1, None, 2, 50_000), "the next request does not repeat it")
    assert seen.startswith("repeats {") and '{\\"a\\": 2}' in seen


def test_a_changed_call_id_no_longer_fits_the_output(verified: Verify) -> None:
    """Where calls are not repeated, the output that was given belongs to no call."""
    recording = Recording()
    recording.socket(
        *WARMED_UP,
        answers({**CALL, "call_id": "c2"}),
        asks(OUTPUT, previous_response_id="r1"),
        answers(SAID, response="r2"),
        asked_with=NEW_UPGRADE,
    )
    place, recorded, _ = parting(verified(recording))
    assert (place, recorded) == (Place(1, 1, 2, 90_000), "the next request does not repeat it")


def test_a_changed_response_id_no_longer_fits_the_next_request(verified: Verify) -> None:
    """The next request goes on from the response as it had been named."""
    recording = Recording()
    recording.socket(
        *WARMED_UP,
        answers(CALL, response="r9"),
        asks(OUTPUT, previous_response_id="r1"),
        answers(SAID, response="r2"),
        asked_with=NEW_UPGRADE,
    )
    assert parting(verified(recording)) == (
        Place(1, 1, 3, 100_000),
        "the next request goes on from r1",
        "the next request goes on from r9",
    )


def test_a_completion_made_a_failure_no_longer_fits_the_end(verified: Verify) -> None:
    """The documented client would have tried again."""
    recording = Recording()
    post(recording, (HELLO,), (created(), failed()))
    place, recorded, documented = parting(verified(recording))
    assert (place.exchange, place.event) == (1, 2)
    assert (recorded, documented) == ("nothing more was recorded", "asks over HTTP")
