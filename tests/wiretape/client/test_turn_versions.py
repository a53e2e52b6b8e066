"""Turns as one version of the client takes them and another does not."""

import pytest
from turns import ANSWERED, CALLED, COMPLETED, CREATED, FAILED, FATAL, play, reconnecting, turn

from wiretape.client.actions import Ask, Post, Printed, PrintedKind, Upgrade, WarmUp
from wiretape.client.events import Created, ServerReasoningIncluded
from wiretape.client.session import Session
from wiretape.client.turn import Output
from wiretape.client.wire import (
    Breakage,
    Broken,
    Closed,
    Ended,
    Input,
    Opened,
    Pinged,
    Refused,
    SaidBytes,
    TimedOut,
    Unanswered,
    Unreachable,
)

DROPPED = (
    "stream disconnected before completion: "
    "WebSocket protocol error: Connection reset without closing handshake"
)


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
