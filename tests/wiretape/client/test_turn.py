"""A whole turn of the client: document 002 §1 to §6 together, phase by phase."""

import json
from dataclasses import replace

import pytest

from wiretape.client.actions import (
    Ask,
    Fail,
    Finish,
    Post,
    Printed,
    PrintedKind,
    RunTools,
    Upgrade,
    WarmUp,
)
from wiretape.client.config import Config, Provider
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
from wiretape.client.turn import PHASES, Output, Phase, Turn
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

URL = "http://host/v1/responses"
PROVIDER = Provider("local", "http://host/v1", request_max_retries=1, stream_max_retries=1)


def said(kind: str, **fields: object) -> Said:
    """An event on the wire."""
    return Said(json.dumps({"type": kind, **fields}))


CREATED = said("response.created", response={})
COMPLETED = said("response.completed", response={"id": "r1"})
FAILED = said("response.failed", response={"error": {"code": "server_error", "message": "boom"}})
FATAL = said("response.failed", response={"error": {"code": "insufficient_quota"}})
CALL = {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"}
CALLED = said("response.output_item.done", item=CALL)
NO_QUOTA = "Quota exceeded. Check your plan and billing details."
BOOM = "stream disconnected before completion: boom"
EARLY = "stream disconnected before completion: stream closed before response.completed"
DROPPED = (
    "stream disconnected before completion: "
    "WebSocket protocol error: Connection reset without closing handshake"
)

ANSWERED = (Opened(), COMPLETED)
LOST = (Opened(), FAILED, Ended())
"""Over SSE: a response that fails."""
LOST_SOCKET = (Opened(), FAILED)


def turn(
    *,
    version: tuple[int, int] = (0, 99),
    websocket: bool = False,
    provider: Provider = PROVIDER,
    session: Session | None = None,
) -> Turn:
    """A turn that has not started."""
    used = replace(provider, supports_websockets=websocket)
    config = Config(used, {"local": used}, {"responses_websockets": True})
    return Turn(config, dialect_of(version), session or Session(is_new=False))


def play(played: Turn, *happenings: Input) -> list[Output]:
    """Starts the turn and gives all that it says to these happenings."""
    outputs = played.start()
    for happening in happenings:
        outputs += played.receive(happening)
    return outputs


def reconnecting(text: str, why: str) -> Printed:
    """A retry that is told to the user."""
    return Printed(PrintedKind.ERROR, f"Reconnecting... {text}", why)


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


def test_the_first_upgrade_of_a_session_may_fail_unnoticed() -> None:
    """The early connection is tried once more without a word, and no retry is used."""
    refused = Refused(503, (), "busy")
    played = turn(websocket=True, session=Session())
    assert play(played, refused, refused, *ANSWERED)[:4] == [
        Upgrade(),
        Upgrade(),
        reconnecting(
            "1/1",
            "unexpected status 503 Service Unavailable: busy, url: ws://host/v1/responses",
        ),
        Upgrade(200),
    ]


def test_the_documented_client_needs_two_426_in_a_new_session() -> None:
    """A 426 to the early connection is passed over like any other failure."""
    played = turn(websocket=True, session=Session())
    assert play(played, Refused(426), Refused(426)) == [Upgrade(), Upgrade(), Post()]


def test_today_one_426_is_enough() -> None:
    """From 0.110 a 426 to the first upgrade falls back at once."""
    played = turn(version=(0, 169), websocket=True, session=Session())
    assert play(played, Refused(426)) == [Upgrade(), Post()]


def test_today_a_session_begins_with_a_warm_up() -> None:
    """The warm-up's answer is kept to itself; the request follows on the same socket."""
    played = turn(version=(0, 169), websocket=True, session=Session())
    assert play(played, Opened(), CREATED, COMPLETED, CREATED) == [
        Upgrade(),
        WarmUp(),
        Ask(),
        Created(),
    ]


@pytest.mark.parametrize(
    "happening",
    [
        FAILED,
        FATAL,
        SaidBytes(b""),
        Closed(1011),
        Ended(),
        Broken(Breakage.SOCKET_RESET),
        TimedOut(),
        Pinged(was_answered=False),
    ],
)
def test_today_a_warm_up_may_fail_unnoticed(happening: Input) -> None:
    """However the warm-up fails, the request goes over a new socket and no retry is used."""
    played = turn(version=(0, 169), websocket=True, session=Session())
    assert play(played, Opened(), happening, Opened()) == [Upgrade(), WarmUp(), Upgrade(), Ask()]


def test_later_turns_need_no_warm_up() -> None:
    """Only the session's first turn warms up."""
    assert play(turn(version=(0, 169), websocket=True), Opened()) == [Upgrade(), Ask()]


@pytest.mark.parametrize(
    ("version", "first"),
    [
        ((0, 99), [reconnecting("1/1", DROPPED), Upgrade(200)]),
        ((0, 100), [Upgrade(200)]),
        ((0, 169), [Upgrade()]),
    ],
)
def test_a_socket_that_goes_between_requests(version: tuple[int, int], first: list[Output]) -> None:
    """It fails the next request, aloud or in silence; today it is replaced without a failure."""
    played = turn(version=version, websocket=True)
    play(played, Opened(), CALLED, COMPLETED)
    assert played.receive(Broken(Breakage.SOCKET_DROPPED)) == []
    assert played.follow_up() == first


@pytest.mark.parametrize(
    ("version", "first"),
    [((0, 99), [Upgrade()]), ((0, 104), [Upgrade()]), ((0, 110), [Ask()]), ((0, 169), [Ask()])],
)
def test_a_later_client_keeps_its_socket_for_the_next_turn(
    version: tuple[int, int], first: list[Output]
) -> None:
    """From 0.110 a turn that ended well leaves its socket open, and the next one asks on it."""
    session = Session(is_new=False)
    play(turn(version=version, websocket=True, session=session), Opened(), COMPLETED)
    assert turn(version=version, websocket=True, session=session).start() == first


def test_4_2_a_socket_that_is_kept_says_again_what_its_handshake_said() -> None:
    """In the next turn, too, the handshake's events come in front of the response."""
    session = Session(is_new=False)
    head = (("x-reasoning-included", "true"),)
    play(turn(version=(0, 169), websocket=True, session=session), Opened(head), COMPLETED)
    assert turn(version=(0, 169), websocket=True, session=session).start() == [
        Ask(),
        ServerReasoningIncluded(),
    ]


def test_no_socket_is_kept_after_a_turn_that_failed() -> None:
    """Whatever ended the turn badly, the next one opens a socket of its own."""
    session = Session(is_new=False)
    play(turn(version=(0, 169), websocket=True, session=session), Opened(), FATAL)
    assert turn(version=(0, 169), websocket=True, session=session).start() == [Upgrade()]


@pytest.mark.parametrize(
    ("version", "first"),
    [((0, 110), [Upgrade(200)]), ((0, 140), [Upgrade(200)]), ((0, 169), [Upgrade()])],
)
def test_a_kept_socket_that_goes_between_turns(
    version: tuple[int, int], first: list[Output]
) -> None:
    """It fails the first request of the next turn; today it is replaced without a failure."""
    session = Session(is_new=False)
    play(turn(version=version, websocket=True, session=session), Opened(), COMPLETED)
    played = turn(version=version, websocket=True, session=session)
    assert played.receive(Closed(1000)) == []
    assert played.start() == first


@pytest.mark.parametrize(
    ("version", "state"), [((0, 99), "one"), ((0, 110), "one"), ((0, 140), None), ((0, 169), None)]
)
def test_the_turn_state_of_an_upgrade_counts_up_to_0_110(
    version: tuple[int, int], state: str | None
) -> None:
    """Later clients take it from the answer to a POST alone."""
    played = turn(version=version, websocket=True, session=Session())
    play(played, Opened((("x-codex-turn-state", "one"),)))
    assert played.turn_state == state


@pytest.mark.parametrize("version", [(0, 99), (0, 110), (0, 140), (0, 169)])
def test_the_turn_state_of_a_post_counts_in_every_version(version: tuple[int, int]) -> None:
    """The head of a stream over HTTP sets it."""
    played = turn(version=version)
    play(played, Opened((("x-codex-turn-state", "one"),)))
    assert played.turn_state == "one"


def test_a_warm_up_that_failed_leaves_no_turn_state() -> None:
    """Its socket's handshake is forgotten with it."""
    played = turn(version=(0, 110), websocket=True, session=Session())
    play(played, Opened((("x-codex-turn-state", "one"),)), Closed(1011))
    assert played.turn_state is None


def test_today_a_client_without_a_network_waits() -> None:
    """A POST that reaches nobody is said once for each wait, and uses no budget of the stream."""
    nobody = Unreachable("refused")
    why = "Connection failed: error sending request"
    waiting = Printed(PrintedKind.ERROR, "Reconnecting... waiting for network", why)
    assert play(turn(version=(0, 169)), *[nobody] * 4) == [
        Post(),
        Post(200),
        waiting,
        Post(5000),
        Post(200),
        waiting,
        Post(10000),
    ]


def test_today_a_post_cut_before_its_answer_is_reported_without_its_address() -> None:
    """From 0.160 the address is left out, and the budget counts."""
    why = "stream disconnected before completion: error sending request"
    cut = Unanswered("cut")
    assert play(turn(version=(0, 169)), cut, cut)[2] == reconnecting("1/1", why)


def test_today_repeated_posts_wait_as_asked() -> None:
    """``retry-after`` sets the delay between the tries of a POST, too."""
    busy = Refused(503, (("retry-after", "2"),))
    assert play(turn(version=(0, 169)), busy)[-1] == Post(2000)


HAPPENINGS: dict[type[Input], Input] = {
    Opened: Opened(),
    Refused: Refused(404),
    Unreachable: Unreachable("x"),
    Unanswered: Unanswered("x"),
    Said: CREATED,
    SaidBytes: SaidBytes(b""),
    Pinged: Pinged(),
    Ended: Ended(),
    Closed: Closed(1000),
    Broken: Broken("x"),
    TimedOut: TimedOut(),
}

ALLOWED = {
    Phase.NEW: "Ended Closed Broken",
    Phase.PREWARMING: "Opened Refused Unreachable Unanswered TimedOut",
    Phase.WARMING_UP: "Said SaidBytes Pinged Ended Closed Broken TimedOut",
    Phase.UPGRADING: "Opened Refused Unreachable Unanswered TimedOut",
    Phase.ON_WEBSOCKET: "Said SaidBytes Pinged Ended Closed Broken TimedOut",
    Phase.POSTING: "Opened Refused Unreachable Unanswered",
    Phase.ON_SSE: "Said Ended Broken TimedOut",
    Phase.RESTING: "Ended Closed Broken",
    Phase.OVER: "",
}


def turn_in(phase: Phase) -> Turn:
    """A turn that has come to this phase."""
    played = turn(
        version=(0, 169),
        websocket=phase not in (Phase.POSTING, Phase.ON_SSE),
        session=Session(is_new=phase in (Phase.PREWARMING, Phase.WARMING_UP)),
    )
    ways: dict[Phase, tuple[Input, ...]] = {
        Phase.PREWARMING: (),
        Phase.WARMING_UP: (Opened(),),
        Phase.UPGRADING: (),
        Phase.ON_WEBSOCKET: (Opened(),),
        Phase.POSTING: (),
        Phase.ON_SSE: (Opened(),),
        Phase.RESTING: (Opened(), CALLED, COMPLETED),
        Phase.OVER: ANSWERED,
    }
    if phase is not Phase.NEW:
        play(played, *ways[phase])
    assert played.phase is phase
    return played


@pytest.mark.parametrize("kind", HAPPENINGS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("phase", Phase)
def test_each_cell_of_the_phase_table(phase: Phase, kind: type[Input]) -> None:
    """In each phase, what can happen is taken in and what cannot is refused."""
    played = turn_in(phase)
    if kind.__name__ in ALLOWED[phase].split():
        played.receive(HAPPENINGS[kind])
        assert kind in PHASES[phase]
    else:
        with pytest.raises(ValueError, match=f"while {phase}"):
            played.receive(HAPPENINGS[kind])


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase is not Phase.NEW])
def test_a_turn_starts_once(phase: Phase) -> None:
    """Starting again is the caller's mistake."""
    with pytest.raises(ValueError, match="cannot start"):
        turn_in(phase).start()


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase is not Phase.RESTING])
def test_only_a_resting_turn_has_a_follow_up(phase: Phase) -> None:
    """Without a call to answer there is nothing to follow up."""
    with pytest.raises(ValueError, match="no follow-up"):
        turn_in(phase).follow_up()


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.seen_with[0])
def test_a_turn_without_failures_is_silent_in_every_dialect(dialect: Dialect) -> None:
    """Nothing is printed where nothing went wrong."""
    assert play(turn(version=dialect.since), Opened(), CREATED, COMPLETED) == [
        Post(),
        Created(),
        Completed("r1"),
        Finish(),
    ]
