"""A whole turn of the client: document 002 §1 to §6 together, phase by phase."""

from dataclasses import replace

import pytest
from turns import (
    ANSWERED,
    CALL,
    CALLED,
    COMPLETED,
    CREATED,
    FAILED,
    FATAL,
    PROVIDER,
    play,
    reconnecting,
    said,
    turn,
)

from wiretape.client.actions import Ask, Fail, Finish, Post, Printed, PrintedKind, RunTools, Upgrade
from wiretape.client.config import Config
from wiretape.client.dialect import Dialect
from wiretape.client.dialects import DIALECTS, dialect_of
from wiretape.client.events import (
    Completed,
    Created,
    ModelsEtag,
    OutputItemDone,
    RateLimits,
    RateLimitWindow,
    ServerReasoningIncluded,
)
from wiretape.client.session import Session
from wiretape.client.turn import Turn
from wiretape.client.wire import (
    Breakage,
    Ended,
    Input,
    Opened,
    Refused,
    TimedOut,
    Unanswered,
    Unreachable,
)

URL = "http://host/v1/responses"
NO_QUOTA = "Quota exceeded. Check your plan and billing details."
BOOM = "stream disconnected before completion: boom"
EARLY = "stream disconnected before completion: stream closed before response.completed"
LOST = (Opened(), FAILED, Ended())
"""Over SSE: a response that fails."""
LOST_SOCKET = (Opened(), FAILED)


def falling_back(why: str) -> Printed:
    """The fallback, told to the user."""
    return Printed(PrintedKind.WARNING, f"Falling back from WebSockets to HTTPS transport. {why}")


def test_1_1_without_websocket_a_request_is_posted() -> None:
    """An HTTP turn posts, streams, and is over."""
    assert play(turn(), Opened(), CREATED, COMPLETED) == [
        Post(),
        Created(),
        Completed("r1"),
        Finish(),
    ]


def test_1_1_with_websocket_a_socket_is_opened_and_asked() -> None:
    """A WebSocket turn upgrades, asks, streams, and is over."""
    assert play(turn(websocket=True), Opened(), CREATED, COMPLETED) == [
        Upgrade(),
        Ask(),
        Created(),
        Completed("r1"),
        Finish(),
    ]


def test_1_2_a_session_that_fell_back_posts() -> None:
    """The switch outlives the turn that threw it."""
    session = Session()
    session.switch.activate()
    assert turn(websocket=True, session=session).start() == [Post()]


def test_3_1_header_events_come_before_any_data_event() -> None:
    """The head of the response speaks first, in its order."""
    head = (
        ("x-reasoning-included", "true"),
        ("x-models-etag", "e1"),
        ("x-codex-primary-used-percent", "5"),
    )
    assert play(turn(), Opened(head), CREATED)[1:] == [
        RateLimits(primary=RateLimitWindow(5.0)),
        ModelsEtag("e1"),
        ServerReasoningIncluded(),
        Created(),
    ]


def test_3_1_the_turn_state_is_set_once() -> None:
    """The first turn state stays, whatever later responses of the turn say."""
    played = turn()
    play(played, Opened((("x-codex-turn-state", "one"),)), CALLED, COMPLETED)
    played.follow_up()
    played.receive(Opened((("x-codex-turn-state", "two"),)))
    assert played.turn_state == "one"


def test_3_1_a_turn_state_may_come_later() -> None:
    """A first response without one leaves it to the next."""
    played = turn()
    play(played, Opened(), CALLED, COMPLETED)
    assert played.turn_state is None
    played.follow_up()
    played.receive(Opened((("x-codex-turn-state", "two"),)))
    assert played.turn_state == "two"


def test_4_1_an_upgrade_sets_the_turn_state() -> None:
    """The handshake's answer may carry the turn state."""
    played = turn(websocket=True)
    play(played, Opened((("x-codex-turn-state", "one"),)))
    assert played.turn_state == "one"


def test_4_2_each_stream_on_a_socket_begins_with_what_its_handshake_said() -> None:
    """The handshake's events come in front of every response on that socket."""
    played = turn(websocket=True)
    outputs = play(played, Opened((("x-reasoning-included", "true"),)), CALLED, COMPLETED)
    assert outputs[1:3] == [Ask(), ServerReasoningIncluded()]
    assert played.follow_up() == [Ask(), ServerReasoningIncluded()]


def test_5_1_a_failed_stream_is_tried_again_and_then_given_up() -> None:
    """One retry is said and waited for; the second failure is the end."""
    assert play(turn(), *LOST, *LOST) == [
        Post(),
        reconnecting("1/1", BOOM),
        Post(200),
        Fail(BOOM),
    ]


def test_5_1_the_line_printed_names_the_reason() -> None:
    """``Reconnecting... 1/1`` is printed with the failure in brackets."""
    assert reconnecting("1/1", BOOM).line == f"Reconnecting... 1/1 ({BOOM})"
    assert reconnecting("1/1", "  ").line == "Reconnecting... 1/1"


def test_5_1_a_requested_delay_is_waited() -> None:
    """The server's "try again in" sets the delay of the next attempt."""
    error = {"code": "rate_limit_exceeded", "message": "try again in 3s"}
    slow = said("response.failed", response={"error": error})
    assert play(turn(), Opened(), slow, Ended())[-1] == Post(3000)


def test_5_1_a_fatal_failure_is_the_end() -> None:
    """What cannot be retried ends the turn at once."""
    assert play(turn(), Opened(), FATAL, Ended()) == [Post(), Fail(NO_QUOTA)]
    assert play(turn(websocket=True), Opened(), FATAL) == [Upgrade(), Ask(), Fail(NO_QUOTA)]


def test_5_1_each_request_of_a_turn_has_its_own_budget() -> None:
    """A retry before the tools were run does not count against the request after them."""
    played = turn()
    play(played, *LOST, Opened(), CALLED, COMPLETED)
    assert played.follow_up() == [Post()]
    assert [out for each in LOST for out in played.receive(each)] == [
        reconnecting("1/1", BOOM),
        Post(200),
    ]


def test_5_1_the_jitter_comes_from_outside() -> None:
    """Each backoff asks for a jitter of its own."""
    jitters = iter((0.9, 1.1))
    used = replace(PROVIDER, stream_max_retries=2)
    config = Config(used, {}, {})
    played = Turn(config, dialect_of((0, 99)), Session(is_new=False), jitter=lambda: next(jitters))
    assert [out for out in play(played, *LOST, *LOST) if isinstance(out, Post)] == [
        Post(0),
        Post(180),
        Post(440),
    ]


def test_5_2_a_used_up_budget_on_websocket_falls_back_to_http() -> None:
    """The warning is said, the counter begins again, and HTTP is used from then on."""
    session = Session(is_new=False)
    played = turn(websocket=True, session=session)
    assert play(played, *LOST_SOCKET, *LOST_SOCKET, *LOST, *LOST) == [
        Upgrade(),
        Ask(),
        reconnecting("1/1", BOOM),
        Upgrade(200),
        Ask(),
        falling_back(BOOM),
        Post(),
        reconnecting("1/1", BOOM),
        Post(200),
        Fail(BOOM),
    ]
    assert session.switch.is_on


def test_5_2_an_upgrade_refused_with_426_falls_back_at_once() -> None:
    """426 is no failure: the same attempt goes on over HTTP, and nothing is said."""
    session = Session(is_new=False)
    assert play(turn(websocket=True, session=session), Refused(426), *ANSWERED) == [
        Upgrade(),
        Post(),
        Completed("r1"),
        Finish(),
    ]
    assert session.switch.is_on


def test_a_426_keeps_the_retries_already_used() -> None:
    """The fallback by 426 does not give the budget again."""
    played = turn(websocket=True)
    assert play(played, *LOST_SOCKET, Refused(426), *LOST)[-2:] == [Post(), Fail(BOOM)]


@pytest.mark.parametrize(
    ("happening", "why"),
    [
        (
            Refused(503, (), "busy"),
            "unexpected status 503 Service Unavailable: busy, url: ws://host/v1/responses",
        ),
        (Unreachable("no route"), "stream disconnected before completion: no route"),
        (
            Unanswered(Breakage.UPGRADE_DROPPED),
            "stream disconnected before completion: "
            "WebSocket protocol error: Handshake not finished",
        ),
        (TimedOut(), "request timed out"),
    ],
)
def test_a_failed_upgrade_uses_the_budget(happening: Input, why: str) -> None:
    """An upgrade that does not succeed is a failed attempt."""
    assert play(turn(websocket=True), happening) == [
        Upgrade(),
        reconnecting("1/1", why),
        Upgrade(200),
    ]


@pytest.mark.parametrize("status", [500, 502, 503, 599])
def test_a_post_answered_5xx_has_a_budget_of_its_own(status: int) -> None:
    """The POST is repeated in silence before the attempt has failed, and again in the next."""
    outputs = play(turn(), *[Refused(status)] * 4)
    posts = [out for out in outputs if not isinstance(out, Printed)]
    assert posts[:-1] == [Post(), Post(200), Post(200), Post(200)]
    assert isinstance(outputs[2], Printed)
    assert isinstance(outputs[-1], Fail)


@pytest.mark.parametrize("happening", [Unreachable("nobody"), Unanswered("cut")])
def test_a_post_without_an_answer_has_a_budget_of_its_own(happening: Input) -> None:
    """A POST that got no answer is repeated like one answered 5xx."""
    why = f"stream disconnected before completion: error sending request for url ({URL})"
    assert play(turn(), *[happening] * 2) == [
        Post(),
        Post(200),
        reconnecting("1/1", why),
        Post(200),
    ]


@pytest.mark.parametrize("status", [401, 404, 408])
def test_a_post_refused_otherwise_is_a_failed_attempt(status: int) -> None:
    """Any other status is not repeated by itself, only by the stream's budget."""
    outputs = play(turn(), Refused(status))
    assert [type(out) for out in outputs] == [Post, Printed, Post]


def test_a_429_is_the_end() -> None:
    """Too many requests: the documented client does not ask once more."""
    assert play(turn(), Refused(429)) == [
        Post(),
        Fail("exceeded retry limit, last status: 429 Too Many Requests"),
    ]


def test_the_posts_budget_begins_again_with_each_attempt() -> None:
    """A stream that fails after a repeated POST leaves the next attempt its own repeats."""
    assert play(turn(), Refused(500), *LOST, Refused(500)) == [
        Post(),
        Post(200),
        reconnecting("1/1", BOOM),
        Post(200),
        Post(200),
    ]


def test_a_tool_call_makes_the_turn_go_on() -> None:
    """An answer that calls a tool is followed by another request, on the same socket."""
    played = turn(websocket=True)
    assert play(played, Opened(), CALLED, COMPLETED) == [
        Upgrade(),
        Ask(),
        OutputItemDone(CALL),
        Completed("r1"),
        RunTools(),
    ]
    assert played.follow_up() == [Ask()]
    assert played.receive(COMPLETED) == [Completed("r1"), Finish()]


def test_a_call_in_an_attempt_that_failed_is_forgotten() -> None:
    """Only the attempt that completes says whether tools are to be run."""
    assert play(turn(), Opened(), CALLED, Ended(), *ANSWERED)[-1] == Finish()


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.seen_with[0])
def test_a_turn_without_failures_is_silent_in_every_dialect(dialect: Dialect) -> None:
    """Nothing is printed where nothing went wrong."""
    assert play(turn(version=dialect.since), Opened(), CREATED, COMPLETED) == [
        Post(),
        Created(),
        Completed("r1"),
        Finish(),
    ]
