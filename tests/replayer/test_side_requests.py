"""Requests beside the conversation: the model list, and what else was recorded."""

from collections.abc import Callable

import pytest
from http_requests import get
from tapes import Recording, create

from replayer.actions import SendBytes, SendHead
from replayer.http_request import HttpRequest, Origin
from replayer.player import Player
from replayer.report import Blocked, SideRequest

type OpenPlayer = Callable[..., Player]

CHATGPT = Origin("https", "chatgpt.com", 443)


def body(player: Player, request: HttpRequest) -> bytes:
    """The body that the player answers with."""
    answered = player.http(request)
    assert not isinstance(answered, Blocked)
    return b"".join(each.data for each in answered if isinstance(each, SendBytes))


def lists(*bodies: bytes, path: str = "/models?client_version=1") -> Recording:
    """A recording in which the list of models was asked for, once for each body."""
    recording = Recording()
    for each in bodies:
        recording.get(path, each)
    return recording


def test_the_recorded_list_answers(player: OpenPlayer) -> None:
    """It is no request to a model, and is reported apart."""
    playing = player(lists(b"one"))
    assert body(playing, get("/v1/models?client_version=1", connection=3)) == b"one"
    report = playing.finish()
    assert (report.requests, report.not_asked) == ([], [])
    assert report.side_requests == [SideRequest(1, "GET api.openai.com:443/v1/models", 3, 1)]


def test_lists_are_given_in_their_order_and_the_last_one_holds(player: OpenPlayer) -> None:
    """A client asks for the list as often as it likes."""
    playing = player(lists(b"one", b"two"))
    request = get("/v1/models?client_version=1")
    assert [body(playing, request) for _ in range(4)] == [b"one", b"two", b"two", b"two"]


def test_a_list_that_is_not_asked_for_is_nothing_to_report(player: OpenPlayer) -> None:
    """Side requests come and go with a client's caches."""
    report = player(lists(b"one", b"two")).finish()
    assert (report.has_findings, report.not_asked) == (False, [])


def test_the_same_query_is_better_than_another(player: OpenPlayer) -> None:
    """Another version of the client asks with another query, and is answered too."""
    recording = lists(b"one")
    recording.get("/models?client_version=2", b"two")
    playing = player(recording)
    assert body(playing, get("/v1/models?client_version=2")) == b"two"
    assert body(playing, get("/v1/models?client_version=3")) == b"one"


def test_the_same_host_is_better_than_another(player: OpenPlayer) -> None:
    """The list of the host that is asked comes first; any other is better than none."""
    recording = lists(b"here")
    recording.host = "chatgpt.com"
    recording.get("/models?client_version=1", b"there")
    playing = player(recording)
    request = get("/v1/models?client_version=1", origin=CHATGPT)
    assert [body(playing, request) for _ in range(2)] == [b"there", b"here"]


@pytest.mark.parametrize("origin", [None, CHATGPT, Origin("http", "127.0.0.1", 9)])
def test_a_list_may_be_asked_of_another_host(player: OpenPlayer, origin: Origin | None) -> None:
    """A client may reach the same API by another way."""
    assert body(player(lists(b"one")), get("/v1/models", origin=origin)) == b"one"


def test_a_list_that_was_not_recorded_is_not_found(player: OpenPlayer) -> None:
    """It is a harmless thing to ask for: refused, told, but not blocked."""
    playing = player(lists(b"one"))
    answered = playing.http(get("/backend-api/codex/models", origin=CHATGPT))
    assert not isinstance(answered, Blocked)
    head = next(iter(answered))
    assert isinstance(head, SendHead)
    assert (head.status, head.reason) == (404, "Not Found")
    what = "GET chatgpt.com:443/backend-api/codex/models"
    assert playing.report.side_requests == [SideRequest(1, what, 1, None)]


def test_anything_else_that_was_recorded_answers_its_own_host(player: OpenPlayer) -> None:
    """Whatever a recording of everything holds can be asked for again, there."""
    playing = player(lists(b"plugins", path="/plugins"))
    assert body(playing, get("/v1/plugins")) == b"plugins"
    assert body(playing, get("/v1/plugins", origin=None)) == b"plugins"
    assert playing.http(get("/v1/plugins", origin=CHATGPT)) == Blocked(
        "chatgpt.com:443", "GET chatgpt.com:443/v1/plugins"
    )


@pytest.mark.parametrize(
    ("asked", "host", "what"),
    [
        (get("/v1/files?secret=1"), "api.openai.com:443", "GET api.openai.com:443/v1/files"),
        (get("/health", origin=None), "the base URL", "GET /health"),
        (
            HttpRequest("POST", "/v1/metrics", (), b"{}", 1, CHATGPT),
            "chatgpt.com:443",
            "POST chatgpt.com:443/v1/metrics",
        ),
        (HttpRequest("POST", "/v1/plugins", (), b"", 1, None), "the base URL", "POST /v1/plugins"),
    ],
)
def test_what_was_not_recorded_is_blocked_by_name(
    player: OpenPlayer, asked: HttpRequest, host: str, what: str
) -> None:
    """Method, host and path name it; a query may hold secrets."""
    assert player(lists(b"plugins", path="/plugins")).http(asked) == Blocked(host, what)


def test_blocks_are_counted_by_name(player: OpenPlayer) -> None:
    """What is asked twice was blocked twice."""
    playing = player(Recording())
    github, example = (Blocked(host, host) for host in ("github.com:443", "example.com:80"))
    for blocked in (github, github, example):
        playing.block(blocked)
    assert playing.report.blocked == {github: 2, example: 1}


def test_a_request_is_no_side_request(player: OpenPlayer) -> None:
    """A POST to a model is answered by what was recorded of that kind, or not at all."""
    recording = Recording()
    recording.post(create("a"), (b"a",))
    playing = player(recording)
    assert playing.http(get("/v1/responses")) == Blocked(
        "api.openai.com:443", "GET api.openai.com:443/v1/responses"
    )
    assert playing.finish().not_asked[0].exchange == 1
