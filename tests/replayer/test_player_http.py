"""What a player makes of HTTP requests: how they meet the recording, and what they are told."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from http_requests import ORIGIN, post, upgrade
from tapes import (
    JSON_HEADERS,
    OTHER_SESSION,
    SESSION,
    Recording,
    answer,
    asks,
    create,
    error_body,
    says,
    sse,
    wants,
)

from replayer.actions import Action, SendBytes, SendHead
from replayer.http_request import HttpRequest, Origin
from replayer.player import Accept, PassOn, Player
from replayer.report import Blocked, ReplayedRequest, Verdict
from wiretape.asked import RequestKind
from wiretape.attempt import Transport
from wiretape.facts import Headers

GIVEN_ALREADY = (
    "the recording has no further answer to this request: what it has (exchange 1) was given "
    "already, so start the replay again to have it again"
)

NO_KEY = (
    "the recorded client had a key and this one has none, so it may ask for other things: "
    "any key will do, for Codex CODEX_API_KEY=none"
)

type OpenPlayer = Callable[..., Player]

A = "11111111-1111-4111-8111-111111111111"
B = "22222222-2222-4222-8222-222222222222"
X = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
Y = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb"


def actions(player: Player, request: HttpRequest) -> list[Action]:
    """What the player answers to a request that is not blocked."""
    answered = player.upgrade(request) if request.is_upgrade else player.http(request)
    assert not isinstance(answered, Accept | Blocked | PassOn)
    return list(answered)


def body(player: Player, request: HttpRequest) -> bytes:
    """The body that the player answers with."""
    return b"".join(each.data for each in actions(player, request) if isinstance(each, SendBytes))


def refusal(player: Player, request: HttpRequest) -> tuple[int, str]:
    """Status and sentence of the error that the player answers with."""
    head, content, _ = actions(player, request)
    assert isinstance(head, SendHead)
    assert isinstance(content, SendBytes)
    error = json.loads(content.data)["error"]
    assert (error["type"], error["code"]) == ("invalid_request_error", "wiretape")
    return head.status, error["message"]


def met(player: Player) -> list[tuple[Verdict, int | None]]:
    """Verdict and recorded exchange of every request so far."""
    return [(each.verdict, each.exchange) for each in player.report.requests]


def not_asked(player: Player) -> list[int]:
    """The exchanges that were never asked for."""
    return [each.exchange for each in player.finish().not_asked]


def conversation(*texts: str) -> Recording:
    """One session that asks for each text once, and is answered with it."""
    recording = Recording()
    for text in texts:
        recording.post(create(text), (text.encode(),))
    return recording


def test_requests_are_answered_in_their_order(player: OpenPlayer) -> None:
    """Each request gets the answer that it got in the recording."""
    playing = player(conversation("a", "b"))
    assert body(playing, post(create("a"))) == b"a"
    assert body(playing, post(create("b"))) == b"b"
    assert met(playing) == [(Verdict.EXACT, 1), (Verdict.EXACT, 2)]
    assert not_asked(playing) == []


def test_a_retry_meets_the_recorded_retry(player: OpenPlayer) -> None:
    """A request that failed first, and then did not, does so again."""
    recording = Recording()
    recording.post(create("a"), (error_body("busy"),), status=500, headers=JSON_HEADERS)
    recording.post(create("a"), sse(*answer("yes")))
    playing = player(recording)
    assert body(playing, post(create("a"))) == error_body("busy")
    assert body(playing, post(create("a"))) == b"".join(sse(*answer("yes")))


def test_two_sessions_may_ask_the_same_in_turns(player: OpenPlayer) -> None:
    """Sessions that ask the same are told apart by their names, whichever asks first."""
    recording = Recording()
    for number, session in enumerate((SESSION, OTHER_SESSION, SESSION, OTHER_SESSION)):
        recording.post(create("same"), (b"%d" % number,), session=session)
    playing = player(recording)
    order = [body(playing, post(create("same"), session=name)) for name in (X, X, Y, Y)]
    assert order == [b"0", b"2", b"1", b"3"]


def test_sessions_may_be_named_in_bodies_alone(player: OpenPlayer) -> None:
    """A client that sends no such header names its conversation where its cache is named."""
    recording = Recording()
    for number, key in enumerate(("one", "two", "one", "two")):
        asked = create("same", prompt_cache_key=key)
        recording.post(asked, (b"%d" % number,), session=None)
    playing = player(recording)
    requests = [post(create("same", prompt_cache_key=key), session=None) for key in "xxyy"]
    assert [body(playing, request) for request in requests] == [b"0", b"2", b"1", b"3"]


def test_a_changed_request_is_answered_and_told(player: OpenPlayer) -> None:
    """Unless told to be strict, a difference is reported and the recorded answer given."""
    playing = player(conversation("a"))
    assert body(playing, post(create("b"))) == b"a"
    (request,) = playing.report.requests
    assert request.verdict is Verdict.DIFFERENT
    assert [each.path for each in request.differences] == ["input[0].content[0].text"]


def test_a_request_too_many_is_unexpected(player: OpenPlayer) -> None:
    """What was recorded once is answered once, and then refused by name."""
    playing = player(conversation("a"))
    body(playing, post(create("a")))
    assert refusal(playing, post(create("a"))) == (
        400,
        f"wiretape: {GIVEN_ALREADY}",
    )
    assert met(playing) == [(Verdict.EXACT, 1), (Verdict.UNEXPECTED, 1)]
    assert playing.report.requests[1].refusal == GIVEN_ALREADY


def test_what_another_session_asked_is_no_answer(player: OpenPlayer) -> None:
    """It waits for the session that stands for that one, and the refusal says so."""
    recording = Recording()
    recording.post(create("a"), (b"1",), session=SESSION)
    recording.post(create("b"), (b"2",), session=OTHER_SESSION)
    playing = player(recording)
    assert body(playing, post(create("a"))) == b"1"
    assert refusal(playing, post(create("b")))[1] == (
        "wiretape: this request was recorded (exchange 2), but its session is given to another "
        "one of the client's"
    )
    assert body(playing, post(create("b"), session=OTHER_SESSION)) == b"2"


def test_a_query_that_differs_is_told(player: OpenPlayer) -> None:
    """What is asked for in the target counts like the rest; the client's version does not."""
    recording = Recording()
    recording.post(create("a"), (b"1",), path="/responses?limit=1&client_version=1")
    recording.post(create("b"), (b"2",), path="/responses?limit=1&client_version=1")
    playing = player(recording)
    body(playing, post(create("a"), path="/v1/responses?limit=1&client_version=2"))
    body(playing, post(create("b"), path="/v1/responses?limit=2"))
    assert met(playing) == [(Verdict.EXACT, 1), (Verdict.DIFFERENT, 2)]
    assert [each.path for each in playing.report.requests[1].differences] == ["query.limit"]


def test_a_secret_of_the_query_does_not_count(player: OpenPlayer) -> None:
    """It is on no tape, so it cannot be compared; nor does it reach the report."""
    recording = Recording()
    recording.post(create("a"), (b"1",), path="/responses?api_key=removed")
    playing = player(recording)
    body(playing, post(create("a"), path="/v1/responses?api_key=sk-planted-secret"))
    assert met(playing) == [(Verdict.EXACT, 1)]


def test_an_unexpected_request_is_shown_the_nearest(player: OpenPlayer) -> None:
    """The error and the report name the recorded request that is most like it, and where it
    differs, even though that one is used up."""
    playing = player(conversation("a", "b"))
    body(playing, post(create("a")))
    body(playing, post(create("b")))
    assert refusal(playing, post(create("c"))) == (
        400,
        "wiretape: this request was not recorded; the nearest one (exchange 1) differs: "
        'input[0].content[0].text was "a" and is "c"',
    )
    assert playing.report.requests[2].exchange == 1


def test_a_request_of_a_kind_that_was_not_recorded(player: OpenPlayer) -> None:
    """A request to compact is nothing like a request for a response."""
    playing = player(conversation("a"))
    assert refusal(playing, post(create("a"), path="/v1/responses/compact")) == (
        400,
        "wiretape: nothing like this request was recorded",
    )
    assert met(playing) == [(Verdict.UNEXPECTED, None)]
    assert not_asked(playing) == [1]


def test_an_upgrade_where_none_was_recorded(player: OpenPlayer) -> None:
    """A POST is no answer to a handshake."""
    playing = player(conversation("a"))
    assert refusal(playing, upgrade()) == (400, "wiretape: nothing like this request was recorded")


def test_a_post_where_only_a_socket_was_recorded(player: OpenPlayer) -> None:
    """A socket is no answer to a POST."""
    recording = Recording()
    recording.socket(wants(asks("a")), says(*answer("yes")))
    playing = player(recording)
    assert refusal(playing, post(create("a"))) == (
        400,
        "wiretape: nothing like this request was recorded",
    )


@pytest.mark.parametrize("path", ["/responses", "/responses/compact", "/chat/completions"])
def test_each_kind_of_request_meets_its_own(player: OpenPlayer, path: str) -> None:
    """Requests for responses, to compact, and of a chat are not mixed up."""
    recording = Recording()
    for kind in ("/responses", "/responses/compact", "/chat/completions"):
        recording.post(create("same"), (kind.encode(),), path=kind)
    playing = player(recording)
    assert body(playing, post(create("same"), path=f"/v1{path}")) == path.encode()


def test_a_base_url_may_have_another_path(player: OpenPlayer) -> None:
    """Where a client keeps its API is its configuration's business."""
    playing = player(conversation("a"))
    assert body(playing, post(create("a"), path="/elsewhere/responses", origin=None)) == b"a"
    assert met(playing) == [(Verdict.EXACT, 1)]


def test_another_host_is_answered_and_noted(player: OpenPlayer) -> None:
    """What is asked decides, not of whom; but nothing is guessed in silence."""
    playing = player(conversation("a", "b"))
    elsewhere = Origin("http", "127.0.0.1", 8080)
    assert body(playing, post(create("a"), origin=elsewhere)) == b"a"
    assert body(playing, post(create("b"), origin=elsewhere)) == b"b"
    assert playing.report.notes == [
        "what was asked of 127.0.0.1:8080 was answered with what was recorded from "
        "api.openai.com:443"
    ]


@pytest.mark.parametrize(
    ("text", "headers", "is_told"),
    [
        ("a", JSON_HEADERS, False),
        ("b", JSON_HEADERS, True),
        ("b", (*JSON_HEADERS, ("Authorization", "Bearer none")), False),
    ],
)
def test_a_client_without_a_key_is_given_a_hint(
    player: OpenPlayer, text: str, headers: Headers, is_told: bool
) -> None:
    """Where it asked otherwise than recorded: without a key, a client may be another one."""
    recording = Recording()
    keyed = (*JSON_HEADERS, ("authorization", "[removed: authorization]"))
    recording.post(create("a"), (b"a",), asked_with=keyed)
    playing = player(recording)
    body(playing, post(create(text), headers=headers))
    assert playing.finish().notes == [NO_KEY] * is_told


def test_the_same_host_and_a_base_url_of_ours_need_no_note(player: OpenPlayer) -> None:
    """Asking where it was recorded, or where it is replayed, is as it should be."""
    playing = player(conversation("a", "b"))
    body(playing, post(create("a"), origin=ORIGIN))
    body(playing, post(create("b"), origin=None))
    assert playing.report.notes == []


def test_calls_swapped_between_requests_are_found_out(player: OpenPlayer) -> None:
    """A client that answers the wrong call differs at the very id."""
    calls = [{"type": "function_call", "call_id": A}, {"type": "function_call", "call_id": B}]
    output = {"type": "function_call_output", "call_id": A, "output": "a"}
    recording = Recording()
    recording.post(create(input=calls), (b"1",))
    recording.post(create(input=[*calls, output]), (b"2",))
    playing = player(recording)
    mine = [{"type": "function_call", "call_id": X}, {"type": "function_call", "call_id": Y}]
    body(playing, post(create(input=mine)))
    wrong: dict[str, Any] = output | {"call_id": Y}
    body(playing, post(create(input=[*mine, wrong])))
    assert met(playing) == [(Verdict.EXACT, 1), (Verdict.DIFFERENT, 2)]
    (difference,) = playing.report.requests[1].differences
    assert (difference.path, difference.recorded, difference.replayed) == (
        "input[2].call_id",
        A,
        Y,
    )


def test_what_was_not_asked_is_told_in_recorded_order(player: OpenPlayer) -> None:
    """A client that stops early, or leaves something out, is told of what it left out."""
    playing = player(conversation("a", "b", "c"))
    body(playing, post(create("b")))
    assert not_asked(playing) == [1, 3]


def test_every_request_is_numbered_and_placed(player: OpenPlayer) -> None:
    """The report says which connection a request came on, over what, and of which kind."""
    playing = player(conversation("a"))
    body(playing, post(create("a"), connection=7))
    assert playing.report.requests == [
        ReplayedRequest(1, Transport.HTTP, RequestKind.CREATE, 7, Verdict.EXACT, 1, None, ())
    ]


def test_strict_refuses_what_differs(player: OpenPlayer) -> None:
    """The error names the first difference and counts the others."""
    playing = player(conversation("a"), is_strict=True)
    assert refusal(playing, post(create("b", model="x"))) == (
        400,
        "wiretape: this request is not as it was recorded (exchange 1): "
        'model was "gpt-5.2-codex" and is "x", and 1 more difference',
    )
    assert met(playing) == [(Verdict.DIFFERENT, 1)]


def test_strict_answers_what_is_the_same(player: OpenPlayer) -> None:
    """An exact request is none the worse for it."""
    playing = player(conversation("a"), is_strict=True)
    assert body(playing, post(create("a"))) == b"a"


def test_strict_uses_up_what_it_refused(player: OpenPlayer) -> None:
    """A client that asks again is not let through after all."""
    playing = player(conversation("a"), is_strict=True)
    refusal(playing, post(create("b")))
    assert refusal(playing, post(create("b")))[1].startswith(
        "wiretape: this request was not recorded; the nearest one (exchange 1) differs"
    )


def test_refused_upgrades_and_posts_come_again_in_their_order(player: OpenPlayer) -> None:
    """Upgrades are refused as often as they were, and the POST that followed is answered."""
    recording = Recording()
    recording.refused_upgrade(500, b"no", reason="Internal Server Error")
    recording.refused_upgrade(426, reason="Upgrade Required")
    recording.post(create("a"), (b"a",))
    playing = player(recording)
    answered = [actions(playing, upgrade()), actions(playing, upgrade())]
    heads = [each[0] for each in answered]
    assert [(head.status, head.reason) for head in heads if isinstance(head, SendHead)] == [
        (500, "Internal Server Error"),
        (426, "Upgrade Required"),
    ]
    assert body(playing, post(create("a"))) == b"a"
    assert met(playing) == [(Verdict.EXACT, 1), (Verdict.EXACT, 2), (Verdict.EXACT, 3)]


def test_gaps_are_noted(player: OpenPlayer) -> None:
    """What the recording lost cannot be replayed, and that is said."""
    recording = conversation("a")
    recording.gap(None)
    assert player(recording).report.notes == [
        "the recording has 1 gap: what was lost cannot be replayed"
    ]


@pytest.mark.parametrize(
    "origin",
    [
        Origin("http", "api.openai.com", 80),
        Origin("http", "my.openai.azure.com", 443),
        Origin("http", "127.0.0.1", 1),
        Origin("http", "::1", 8080),
        Origin("http", "localhost", 8080),
        Origin("http", "model.localhost", 8080),
        Origin("http", "gateway.example", 4000),
    ],
)
def test_tunnels_to_models_are_opened(player: OpenPlayer, origin: Origin) -> None:
    """To a recorded host on any port, to the hosts of models that everybody uses, and to this
    machine: what is asked through them decides."""
    recording = Recording(host="Gateway.Example.", port=8443)
    recording.post(create("a"))
    assert player(recording).opens(origin)


@pytest.mark.parametrize(
    "host", ["github.com", "openai.com", "ab.chatgpt.com", "10.0.0.1", "notlocalhost", "example"]
)
def test_other_tunnels_are_not_opened(player: OpenPlayer, host: str) -> None:
    """Nothing that was recorded can be behind them."""
    assert not player(conversation("a")).opens(Origin("http", host, 443))
