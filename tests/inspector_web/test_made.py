"""What the client makes of an event, as the pages of events tell it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from timed_tapes import NEW_CODEX, OLD_CODEX, TapeMaker, ask, completed, created, delta, session

from inspector_web.made import Effect, Made

type Browse = Callable[..., FlaskClient]

ERROR = {"type": "error", "status": 429, "error": {"code": "slow", "message": "too much"}}
FAILED = {"type": "response.failed", "response": {"error": {"code": "x", "message": "overloaded"}}}
LIMITS = {"type": "codex.rate_limits", "rate_limits": {"primary": {"used_percent": 12.0}}}


def made_on(browse: Browse, tape: str) -> dict[str, Made | None]:
    """What is made of each type of event of the server, as the list tells it."""
    page = browse().get(f"/tapes/{tape}/events.json").get_json()
    return {
        row["type"]: None if row["made"] is None else Made(**row["made"])
        for row in page["listing"]["rows"]
        if row["sender"] == "server"
    }


def over_http(folder: Path, agent: str | None, *events: Any) -> None:
    """A tape of one answer over SSE."""
    maker = TapeMaker(folder / "one.db", agent=agent)
    maker.post(0, ask("hi"), session("s-1")).answer(10, *events)
    maker.write()


def over_socket(folder: Path, *events: Any) -> None:
    """A tape of one answer over a WebSocket."""
    maker = TapeMaker(folder / "one.db", agent=NEW_CODEX)
    socket = maker.socket(0, session("s-1"))
    socket.ask(10, ask("hi"))
    socket.say(20, *events)
    maker.write()


def test_what_is_read_over_http(folder: Path, browse: Browse) -> None:
    """Each event in the client's terms; heads, bodies and ends are none."""
    over_http(folder, OLD_CODEX, created(), delta("word"), completed())
    assert made_on(browse, "one") == {
        "http.response": None,
        "response.created": Made(Effect.HEARD, "the response begins"),
        "response.output_text.delta": Made(Effect.HEARD, "more of the text"),
        "response.completed": Made(Effect.COMPLETED, "the response is over, and well"),
        "end": None,
    }


def test_an_error_is_swallowed_over_http(folder: Path, browse: Browse) -> None:
    """The client knows no such event there; a failure is kept until the stream ends."""
    over_http(folder, OLD_CODEX, ERROR, FAILED, LIMITS)
    made = made_on(browse, "one")
    assert made["error"] == Made(Effect.SWALLOWED_ERROR, "unknown type")
    assert made["codex.rate_limits"] == Made(Effect.IGNORED, "unknown type")
    assert made["response.failed"] == Made(
        Effect.SWALLOWED_ERROR,
        "stream disconnected before completion: overloaded "
        "(told when the stream ends, unless it completes)",
    )


def test_an_error_fails_on_a_socket(folder: Path, browse: Browse) -> None:
    """At once, in the client's words."""
    over_socket(folder, LIMITS, FAILED)
    made = made_on(browse, "one")
    assert made["codex.rate_limits"] == Made(Effect.HEARD, "how much of the rate limits is used")
    assert made["response.failed"] == Made(
        Effect.FAILED,
        "stream disconnected before completion: overloaded (it may be tried again)",
    )


@pytest.mark.parametrize("agent", [None, "curl/8.5.0"])
def test_nothing_is_guessed_of_other_clients(
    folder: Path, browse: Browse, agent: str | None
) -> None:
    """There is no model of them, and each event says so."""
    over_http(folder, agent, created(), completed())
    made = made_on(browse, "one")
    not_known = Made(Effect.NOT_KNOWN, "there is no model of this client here")
    assert made == {
        "http.response": None,
        "response.created": not_known,
        "response.completed": not_known,
        "end": None,
    }


def test_what_comes_after_the_end_is_not_read_over_http(folder: Path, browse: Browse) -> None:
    """The client has left; on a socket it stays."""
    maker = TapeMaker(folder / "one.db", agent=OLD_CODEX)
    post = maker.post(0, ask("hi"), session("s-1"))
    post.head(1)
    post.events(2, created(), completed())
    post.events(3, delta("late"))
    post.end(4)
    maker.write()
    maker = TapeMaker(folder / "two.db", agent=NEW_CODEX)
    socket = maker.socket(0, session("s-1"))
    socket.ask(10, ask("hi"))
    socket.say(20, created(), completed())
    socket.say(30, delta("late"))
    maker.write()
    late = "response.output_text.delta"
    assert made_on(browse, "one")[late] == Made(
        Effect.NOT_READ, "the response was over before it came"
    )
    assert made_on(browse, "two")[late] == Made(Effect.HEARD, "more of the text")
    page = browse().get("/tapes/one/exchanges/1/events/4.json").get_json()
    assert page["made"]["effect"] == "not_read"


def test_what_is_too_long_to_be_looked_at_is_told_from_what_is_no_event(
    folder: Path, browse: Browse
) -> None:
    """On its page, and in its row; a head is no event, and nothing is made of it."""
    over_http(folder, OLD_CODEX, delta("x" * 1_000_001), completed())
    words = "it is longer than 1,000,000 characters, and was not looked at here"
    made = made_on(browse, "one")
    assert made["response.output_text.delta"] == Made(Effect.NOT_LOOKED_AT, words)
    assert made["http.response"] is None
    client = browse()
    assert words in client.get("/tapes/one/exchanges/1/events/2").text
    assert "<dt>The client</dt>" not in client.get("/tapes/one/exchanges/1/events/1").text
    assert f'title="{words}">not looked at</span>' in client.get("/tapes/one/events").text


def test_the_page_of_an_event_says_it(folder: Path, browse: Browse) -> None:
    """And so does its row, where the event was not simply read."""
    over_http(folder, OLD_CODEX, created(), {"type": "response.surprise", "text": json.dumps([1])})
    client = browse()
    page = client.get("/tapes/one/exchanges/1/events/3").text
    assert "<dt>The client</dt>" in page
    assert ">ignored</span>" in page
    assert "unknown type" in page
    assert client.get("/tapes/one/events").text.count(">ignored</span>") == 1
