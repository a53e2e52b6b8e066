"""What a player makes of WebSockets: message by message, socket by socket, session by session."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from http_requests import get, post, upgrade
from tapes import (
    CUT,
    OTHER_SESSION,
    RESET,
    SESSION,
    STREAM_HEADERS,
    UPGRADED,
    Recording,
    asks,
    close_frame,
    create,
    message,
    says,
    server_closed,
    sse,
    wants,
    warm_up,
)

from replayer.actions import Action, Drop, Hold, Reset, SendFrame, SendHead
from replayer.http_request import HttpRequest
from replayer.player import Accept, Player
from replayer.report import Blocked, Verdict
from replayer.socket_player import SocketPlayer

type OpenPlayer = Callable[..., Player]

X = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
Y = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb"


def open_socket(player: Player, request: HttpRequest | None = None) -> SocketPlayer:
    """A socket that the player accepts."""
    answered = player.upgrade(request or upgrade())
    assert isinstance(answered, Accept)
    return answered.socket


def ask(socket: SocketPlayer, body: dict[str, Any]) -> list[str]:
    """The types of the events that a request is answered with."""
    return types(socket.received(json.dumps(body).encode()))


def types(actions: Iterable[Action]) -> list[str]:
    return [json.loads(each.data)["type"] for each in actions if isinstance(each, SendFrame)]


def refusal(socket: SocketPlayer, body: dict[str, Any]) -> str:
    """What a request is refused with."""
    frame, hold = socket.received(json.dumps(body).encode())
    assert isinstance(frame, SendFrame)
    assert isinstance(hold, Hold)
    event = json.loads(frame.data)
    assert event["type"] == "response.failed"
    assert event["response"]["error"]["code"] == "invalid_prompt"
    return str(event["response"]["error"]["message"])


def event(kind: str) -> dict[str, Any]:
    return {"type": kind}


def met(player: Player) -> list[tuple[Verdict, int | None, int | None]]:
    """Verdict, recorded exchange and message of every request so far."""
    return [(each.verdict, each.exchange, each.message) for each in player.report.requests]


def not_asked(player: Player) -> list[tuple[int, int | None]]:
    return [(each.exchange, each.message) for each in player.finish().not_asked]


def test_a_warm_up_then_requests_on_one_socket(player: OpenPlayer) -> None:
    """Each message gets what followed it; the next one names the response before it."""
    recording = Recording()
    follow_up = asks("more", previous_response_id="resp_1")
    recording.socket(
        wants(warm_up()), says(event("warm")),
        wants(asks("a")), says(event("one"), event("two")),
        wants(follow_up), says(event("three")),
    )  # fmt: skip
    playing = player(recording)
    socket = open_socket(playing)
    assert ask(socket, warm_up()) == ["warm"]
    assert ask(socket, asks("a")) == ["one", "two"]
    assert ask(socket, follow_up) == ["three"]
    assert met(playing) == [
        (Verdict.EXACT, 1, None),
        (Verdict.EXACT, 1, 0),
        (Verdict.EXACT, 1, 1),
        (Verdict.EXACT, 1, 2),
    ]
    assert not_asked(playing) == []


def test_appended_input_is_matched(player: OpenPlayer) -> None:
    """A client that only sends what is new is answered; one that sends other news differs."""
    recording = Recording()
    append = {"type": "response.append", "input": ["output"]}
    recording.socket(wants(asks("a")), says(event("one")), wants(append), says(event("two")))
    playing = player(recording)
    socket = open_socket(playing)
    ask(socket, asks("a"))
    assert ask(socket, append | {"input": ["another"]}) == ["two"]
    request = playing.report.requests[-1]
    assert (request.kind, request.verdict) == ("append", Verdict.DIFFERENT)
    assert [each.path for each in request.differences] == ["input[0]"]


def test_another_previous_response_is_a_difference(player: OpenPlayer) -> None:
    """Ids of responses come from the recording, so they are the same or wrong."""
    recording = Recording()
    recording.socket(wants(asks(previous_response_id="resp_1")), says(event("one")))
    playing = player(recording)
    assert ask(open_socket(playing), asks(previous_response_id="resp_2")) == ["one"]
    (difference,) = playing.report.requests[-1].differences
    assert difference.path == "previous_response_id"


def test_a_message_too_many_is_refused(player: OpenPlayer) -> None:
    """Beyond the recorded messages there is no answer, and the socket stays open."""
    recording = Recording()
    recording.socket(wants(asks("a")), says(event("one")))
    playing = player(recording)
    socket = open_socket(playing)
    ask(socket, asks("a"))
    assert refusal(socket, asks("a")) == (
        "wiretape: the recording has no further answer to this request: what it has (exchange 1, "
        "message 0) was given already, so start the replay again to have it again"
    )
    assert refusal(socket, asks("b")) == (
        "wiretape: this request was not recorded; the nearest one (exchange 1, message 0) differs: "
        'input[0].content[0].text was "a" and is "b"'
    )
    assert met(playing)[2:] == [(Verdict.UNEXPECTED, 1, 0), (Verdict.UNEXPECTED, 1, 0)]


def test_a_warm_up_that_was_not_recorded_is_answered(player: OpenPlayer) -> None:
    """It asks for nothing. What goes on from it says the same as what was recorded at once."""
    recording = Recording()
    recording.socket(wants(asks("a")), says(event("one")))
    playing = player(recording)
    socket = open_socket(playing)
    assert ask(socket, warm_up(input=[message("a")])) == [
        "response.created",
        "response.completed",
    ]
    assert ask(socket, asks(previous_response_id="resp_warm_up")) == ["one"]
    assert met(playing) == [(Verdict.EXACT, 1, None), (Verdict.EXACT, 1, 0)]
    assert not_asked(playing) == []
    assert [each.what for each in playing.report.side_requests] == ["a warm-up"]
    assert playing.report.notes == [
        "a socket was warmed up that the recorded client did not warm up: that was answered as a "
        "server does, with a response in which there is nothing"
    ]


def test_a_warm_up_that_was_not_recorded_is_refused_in_strict_replay(player: OpenPlayer) -> None:
    """It is not what was recorded; the request still gets its answer."""
    recording = Recording()
    recording.socket(wants(asks("a")), says(event("one")))
    playing = player(recording, is_strict=True)
    socket = open_socket(playing)
    assert refusal(socket, warm_up()).startswith("wiretape: this request was not recorded")
    assert ask(socket, asks("a")) == ["one"]


def test_what_follows_a_warm_up_that_was_not_recorded_appends_to_nothing(
    player: OpenPlayer,
) -> None:
    """However different it is, it is not what the recorded client appended later, which says
    little and so differs little."""
    recording = Recording()
    append = {"type": "response.append", "input": ["output"]}
    recording.socket(wants(asks("a")), says(event("one")), wants(append), says(event("two")))
    socket = open_socket(player(recording))
    ask(socket, warm_up(instructions="b", tools=["c", "d"], model="e"))
    assert ask(socket, {"type": "response.create", "previous_response_id": "resp_warm_up"}) == [
        "one"
    ]


def test_a_socket_that_was_warmed_up_may_still_be_any(player: OpenPlayer) -> None:
    """The first request on it says which."""
    recording = Recording()
    recording.socket(wants(asks("a")), says(event("one")))
    recording.socket(wants(asks("b")), says(event("two")))
    playing = player(recording)
    socket = open_socket(playing)
    ask(socket, warm_up())
    assert ask(socket, asks("b")) == ["two"]
    assert met(playing) == [(Verdict.EXACT, 2, None), (Verdict.EXACT, 2, 0)]


def test_the_nearest_of_an_unexpected_request_is_still_not_asked(player: OpenPlayer) -> None:
    """To be like what was asked is not to have been asked."""
    recording = Recording()
    recording.socket(wants(asks("a")), says(event("one")))
    playing = player(recording, is_strict=True)
    refusal(open_socket(playing), warm_up())
    assert met(playing)[1:] == [(Verdict.UNEXPECTED, 1, 0)]
    assert not_asked(playing) == [(1, 0)]


def test_a_warm_up_that_is_left_out_is_passed_over(player: OpenPlayer) -> None:
    """A client that does not warm up is answered as the one that did, and told."""
    recording = Recording()
    recording.socket(wants(warm_up()), says(event("warm")), wants(asks("a")), says(event("one")))
    playing = player(recording)
    assert ask(open_socket(playing), asks("b")) == ["one"]
    assert met(playing)[1:] == [(Verdict.DIFFERENT, 1, 1)]
    assert not_asked(playing) == [(1, 0)]


def test_the_same_message_wins_over_an_earlier_one(player: OpenPlayer) -> None:
    """A message that was left out is passed over, and may be sent later."""
    recording = Recording()
    recording.socket(*((*wants(asks(text)), *says(event(text))) for text in ("a", "b", "c")))
    playing = player(recording)
    socket = open_socket(playing)
    assert [ask(socket, asks(text)) for text in ("c", "a", "b")] == [["c"], ["a"], ["b"]]


def test_a_retry_on_another_socket_meets_the_recorded_one(player: OpenPlayer) -> None:
    """Sockets that were closed one after the other are so again, until the request goes over
    HTTP."""
    recording = Recording()
    for number in range(2):
        recording.socket(
            wants(asks("a")),
            says(event(f"try {number}")),
            (close_frame(1011),),
            ending=server_closed(1011),
        )
    recording.post(create("a"), sse(event("done")))
    playing = player(recording)
    for number in range(2):
        actions = list(open_socket(playing).received(json.dumps(asks("a")).encode()))
        assert types(actions[:1]) == [f"try {number}"]
        assert isinstance(actions[-1], Drop)
    assert not isinstance(playing.http(post(create("a"))), Blocked)
    assert [verdict for verdict, _, _ in met(playing)] == [Verdict.EXACT] * 5
    assert not_asked(playing) == []


def test_the_first_message_tells_which_socket_was_opened(player: OpenPlayer) -> None:
    """The second session's socket may be opened first, or be the only one."""
    recording = Recording()
    recording.socket(wants(asks("a")), says(event("for a")), session=SESSION)
    recording.socket(wants(asks("b")), says(event("for b")), session=OTHER_SESSION)
    playing = player(recording)
    assert ask(open_socket(playing, upgrade(session=Y)), asks("b")) == ["for b"]
    assert ask(open_socket(playing, upgrade(session=X)), asks("a")) == ["for a"]
    assert met(playing) == [
        (Verdict.EXACT, 2, None),
        (Verdict.EXACT, 2, 0),
        (Verdict.EXACT, 1, None),
        (Verdict.EXACT, 1, 0),
    ]
    assert not_asked(playing) == []


def two_warmed_sessions() -> Recording:
    """Two sessions that warm up alike and ask different things, each on a socket of its own."""
    recording = Recording()
    for session, text in ((SESSION, "a"), (OTHER_SESSION, "b")):
        recording.socket(
            wants(warm_up()),
            says({"type": f"warmed {text}"}),
            wants(asks(text, previous_response_id=f"warm_{text}")),
            says({"type": f"for {text}"}),
            session=session,
        )
    return recording


def test_a_warm_up_does_not_tell_which_socket_was_opened(player: OpenPlayer) -> None:
    """What comes after it does; that it goes on from the other one's warm-up is no difference."""
    playing = player(two_warmed_sessions())
    mine = open_socket(playing, upgrade(session=Y))
    assert ask(mine, warm_up()) == ["warmed a"]
    assert ask(mine, asks("b", previous_response_id="warm_a")) == ["for b"]
    other = open_socket(playing, upgrade(session=X))
    assert ask(other, warm_up()) == ["warmed a"]
    assert ask(other, asks("a", previous_response_id="warm_a")) == ["for a"]
    assert met(playing) == [
        (Verdict.EXACT, 2, None),
        (Verdict.EXACT, 2, 0),
        (Verdict.EXACT, 2, 1),
        (Verdict.EXACT, 1, None),
        (Verdict.EXACT, 1, 0),
        (Verdict.EXACT, 1, 1),
    ]
    assert not_asked(playing) == []


def test_warmed_sockets_may_have_to_change_places(player: OpenPlayer) -> None:
    """Both are open and warm before either has asked."""
    playing = player(two_warmed_sessions())
    mine = open_socket(playing, upgrade(session=Y))
    other = open_socket(playing, upgrade(session=X))
    assert [ask(socket, warm_up()) for socket in (mine, other)] == [["warmed a"], ["warmed b"]]
    assert ask(mine, asks("b", previous_response_id="warm_a")) == ["for b"]
    assert ask(other, asks("a", previous_response_id="warm_b")) == ["for a"]
    assert {verdict for verdict, _, _ in met(playing)} == {Verdict.EXACT}
    assert not_asked(playing) == []


def test_what_does_not_go_on_from_the_warm_up_differs(player: OpenPlayer) -> None:
    """Only the response that the client was given counts as the recorded one."""
    playing = player(two_warmed_sessions())
    socket = open_socket(playing)
    ask(socket, warm_up())
    assert ask(socket, asks("b", previous_response_id="warm_b")) == ["for b"]
    (difference,) = playing.report.requests[-1].differences
    assert difference.path == "previous_response_id"


def test_two_open_sockets_may_have_to_change_places(player: OpenPlayer) -> None:
    """Sockets opened before either has asked are told apart by what they ask."""
    recording = Recording()
    first, second = recording.open_socket(SESSION), recording.open_socket(OTHER_SESSION)
    recording.on(first, wants(asks("a")), says(event("for a")))
    recording.on(second, wants(asks("b")), says(event("for b")))
    recording.end(first)
    recording.end(second)
    playing = player(recording)
    mine = open_socket(playing, upgrade(session=Y))
    other = open_socket(playing, upgrade(session=X))
    assert ask(mine, asks("b")) == ["for b"]
    assert ask(other, asks("a")) == ["for a"]
    assert met(playing) == [
        (Verdict.EXACT, 2, None),
        (Verdict.EXACT, 1, None),
        (Verdict.EXACT, 2, 0),
        (Verdict.EXACT, 1, 0),
    ]


def test_two_sessions_in_turns_on_their_sockets(player: OpenPlayer) -> None:
    """Sessions that ask the same at the same time each get their own answers."""
    recording = Recording()
    sockets = [recording.open_socket(SESSION), recording.open_socket(OTHER_SESSION)]
    for turn in range(2):
        for name, socket in zip("ab", sockets, strict=True):
            recording.on(socket, wants(asks("same")), says(event(f"{name}{turn}")))
    playing = player(recording)
    mine = open_socket(playing, upgrade(session=X))
    other = open_socket(playing, upgrade(session=Y))
    heard = [ask(socket, asks("same")) for socket in (mine, other, other, mine)]
    assert heard == [["a0"], ["b0"], ["b1"], ["a1"]]
    assert not_asked(playing) == []


def test_a_socket_that_was_only_opened_gives_its_place_up(player: OpenPlayer) -> None:
    """A recorded socket on which nothing was asked is not what a client wants that asks."""
    recording = Recording()
    recording.socket()
    recording.socket(wants(asks("a")), says(event("one")))
    playing = player(recording)
    assert ask(open_socket(playing), asks("a")) == ["one"]
    assert not_asked(playing) == [(1, None)]


def test_a_socket_that_has_begun_keeps_its_recording(player: OpenPlayer) -> None:
    """Once a server's first word is sent, it cannot be taken back."""
    recording = Recording()
    recording.socket(says(event("hello")), wants(asks("a")), says(event("for a")))
    recording.socket(wants(asks("b")), says(event("for b")))
    playing = player(recording)
    socket = open_socket(playing)
    assert types(socket.opened()) == ["hello"]
    assert ask(socket, asks("b")) == ["for a"]
    assert met(playing)[1:] == [(Verdict.DIFFERENT, 1, 0)]


def test_the_handshake_is_answered_as_recorded(player: OpenPlayer) -> None:
    """The recorded head, with what the client keeps from it, but not what a connection has."""
    recording = Recording()
    headers = (*UPGRADED, ("x-codex-turn-state", "state"), ("set-cookie", "[removed: set-cookie]"))
    recording.socket(wants(asks("a")), headers=headers)
    answered = player(recording).upgrade(upgrade())
    assert isinstance(answered, Accept)
    assert answered.head == SendHead(
        10_000,
        101,
        "Switching Protocols",
        (
            ("upgrade", "websocket"),
            ("sec-websocket-accept", "not of this handshake"),
            ("x-codex-turn-state", "state"),
        ),
    )


def test_a_handshake_without_an_answer_has_none_again(player: OpenPlayer) -> None:
    """A server that never answered the upgrade does not now."""
    recording = Recording()
    recording.unanswered_upgrade(RESET)
    answered = player(recording).upgrade(upgrade())
    assert not isinstance(answered, Accept | Blocked)
    assert list(answered) == [Reset(10_000)]


def test_a_changed_handshake_is_told(player: OpenPlayer) -> None:
    """The headers of a handshake are compared as any others, once, and not with every message."""
    recording = Recording()
    recording.socket(wants(asks("a")), asked_with=(("openai-beta", "one"),))
    playing = player(recording)
    ask(open_socket(playing, upgrade(headers=(("openai-beta", "two"),))), asks("a"))
    assert [[each.path for each in request.differences] for request in playing.report.requests] == [
        ["headers.openai-beta"],
        [],
    ]


def test_strict_refuses_a_changed_handshake(player: OpenPlayer) -> None:
    """It is refused as a POST would be, and its messages are not asked."""
    recording = Recording()
    recording.socket(wants(asks("a")), asked_with=(("openai-beta", "one"),))
    playing = player(recording, is_strict=True)
    answered = playing.upgrade(upgrade())
    assert not isinstance(answered, Accept | Blocked)
    head = next(iter(answered))
    assert isinstance(head, SendHead)
    assert head.status == 400
    assert not_asked(playing) == [(1, 0)]


def test_strict_refuses_a_changed_message_and_goes_on(player: OpenPlayer) -> None:
    """The error takes the place of one answer; the next request gets its own."""
    recording = Recording()
    recording.socket(*((*wants(asks(text)), *says(event(text))) for text in ("a", "b")))
    playing = player(recording, is_strict=True)
    socket = open_socket(playing)
    assert refusal(socket, asks("a", model="x")) == (
        "wiretape: this request is not as it was recorded (exchange 1, message 0): "
        'model was "gpt-5.2-codex" and is "x"'
    )
    assert ask(socket, asks("b")) == ["b"]


def test_the_query_of_a_handshake_counts(player: OpenPlayer) -> None:
    """Also where another recording turns out to be the one that was meant."""
    recording = Recording()
    recording.socket(wants(asks("a")), says(event("one")), path="/responses?limit=1")
    recording.socket(wants(asks("b")), says(event("two")), path="/responses?limit=2")
    playing = player(recording)
    socket = open_socket(playing, upgrade(path="/v1/responses?limit=1"))
    assert ask(socket, asks("b")) == ["two"]
    assert met(playing) == [(Verdict.DIFFERENT, 2, None), (Verdict.EXACT, 2, 0)]
    assert [each.path for each in playing.report.requests[0].differences] == ["query.limit"]


def test_a_socket_that_was_dropped_is_dropped(player: OpenPlayer) -> None:
    """The end comes after what was sent on the last message."""
    recording = Recording()
    recording.socket(wants(asks("a")), says(event("one")), ending=CUT)
    socket = open_socket(player(recording))
    assert list(socket.received(json.dumps(asks("a")).encode()))[-1] == Drop(20_000)


def test_messages_of_a_socket_never_opened_are_not_asked(player: OpenPlayer) -> None:
    """The handshake and every message on it count."""
    recording = Recording()
    recording.socket(wants(warm_up()), wants(asks("a")))
    assert not_asked(player(recording)) == [(1, None), (1, 0), (1, 1)]


def test_a_socket_to_something_else_is_blocked(player: OpenPlayer) -> None:
    """Only the sockets of models are played."""
    playing = player(Recording())
    assert playing.upgrade(upgrade(path="/chat")) == Blocked(
        "api.openai.com:443", "GET api.openai.com:443/chat"
    )


def test_an_answer_to_a_get_is_not_a_socket(player: OpenPlayer) -> None:
    """Without an upgrade, nobody is given a socket."""
    recording = Recording()
    recording.socket(wants(asks("a")), headers=STREAM_HEADERS)
    assert player(recording).http(get("/v1/responses")) == Blocked(
        "api.openai.com:443", "GET api.openai.com:443/v1/responses"
    )
