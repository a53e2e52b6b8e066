"""Turns on a session's page, and what a session is of another one."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from inspected import drawing_on, timeline_on
from timed_tapes import TapeMaker, ask, call, completed, created, done, output, session

from inspector_web.drawing import ROW_PX, TURN_PX
from inspector_web.shapes import Block
from inspector_web.stretches import Span
from inspector_web.window import View
from wiretape.facts import EndKind, Sender
from wiretape.store_writer import TapeLabel

STYLESHEET = Path(__file__).parents[2] / "inspector_web/static/inspector.css"

REPLAY = TapeLabel("replay", 1_767_323_045_000_000, "monotonic", source="/somewhere/first.db")

type Browse = Callable[..., FlaskClient]


@pytest.fixture
def turns(folder: Path) -> Path:
    """A turn with a tool round, and one without, in one second."""
    maker = TapeMaker(folder / "turns.db")
    first = maker.post(0, ask("List."), session("s"))
    first.answer(100, created("r_1"), done(call("c_1")), completed("r_1"))
    second = maker.post(200, ask("List.", call("c_1"), output("c_1", "a b")), session("s"))
    second.answer(300, created("r_2"), completed("r_2"))
    maker.post(600, ask("And now sort them."), session("s")).answer(998, created(), completed())
    return maker.write()


def twin(client: FlaskClient, address: str) -> Any:
    return json.loads(client.get(f"{address}.json").text)


def test_each_turn_has_a_row_above_its_lanes(turns: Path) -> None:
    """With the time that it took."""
    drawing = drawing_on(turns, View(0, 1_000_000))
    assert [(row.number, row.y) for row in drawing.lanes] == [(0, 28), (1, 76), (2, 152)]
    assert [(row.number, row.y, row.span) for row in drawing.turns] == [
        (1, 0, Block(0.0, 30.1, "turn", 301_000)),
        (2, 124, Block(60.0, 39.9, "turn", 399_000)),
    ]
    assert drawing.height == 3 * ROW_PX + 2 * TURN_PX
    assert f"height: {TURN_PX}px;" in STYLESHEET.read_text("utf-8")


def test_a_window_in_the_middle_of_a_turn_names_it(turns: Path) -> None:
    """Above the first of its lanes that is seen."""
    drawing = drawing_on(turns, View(700_000, 900_000))
    assert [(row.number, row.y) for row in drawing.turns] == [(2, 0)]


def test_one_turn_needs_no_row(rounds: Path) -> None:
    """Its words are the session's."""
    drawing = drawing_on(rounds)
    assert drawing.turns == ()
    assert drawing.lanes[0].y == 0
    assert timeline_on(rounds).turns == (Span(0, 990_000),)


def test_a_turn_is_named_on_the_page(turns: Path, browse: Browse) -> None:
    """By the words that began it, in the timeline and in the table, each leading to the turn."""
    assert turns.exists()
    client = browse()
    found = twin(client, "/tapes/turns/sessions/1")["turns"]
    assert found == [
        {"number": 1, "words": "List.", "took_us": 301_000},
        {"number": 2, "words": "And now sort them.", "took_us": 399_000},
    ]
    text = client.get("/tapes/turns/sessions/1").text
    assert text.count("data-main><b>Turn 2</b> And now sort them.</a>") == 2
    assert text.count('href="/tapes/turns/sessions/1/turns/2" data-main>') == 2


def test_attempts_outside_the_window_are_listed_too(turns: Path, browse: Browse) -> None:
    """So that an address has one table, however it was come to."""
    assert turns.exists()
    page = twin(browse(), "/tapes/turns/sessions/1")
    assert page["outside"] == []
    client = browse()
    address = "/tapes/turns/sessions/1.json?from=700000&to=900000"
    zoomed = json.loads(client.get(address).text)
    assert [row["request"] for row in zoomed["attempts"]] == [1, 2, 3]
    assert zoomed["outside"] == [0, 1]


def test_of_many_attempts_those_of_the_window_are_listed(
    turns: Path, browse: Browse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And their number is told."""
    assert turns.exists()
    monkeypatch.setattr("inspector_web.pages.session._MOST_ATTEMPTS", 2)
    text = browse().get("/tapes/turns/sessions/1?from=700000&to=900000").text
    assert "in this window: 1 of 3</span></h2>" in text
    assert text.count(' id="attempt-') == 1


def test_a_replay_names_its_recording(folder: Path, browse: Browse) -> None:
    """In the list as on its page, with a way to compare the two."""
    maker = TapeMaker(folder / "again.db", label=REPLAY)
    maker.post(0, ask("hi"), session("s")).answer(5, created(), completed())
    maker.write()
    client = browse()
    for address in ("/sessions", "/tapes/again/sessions/1"):
        text = client.get(address).text
        assert 'href="/compare?b=again/1"' in text
        assert ">replay of first</a>" in text


def test_a_replay_with_faults_names_them(folder: Path, browse: Browse) -> None:
    """So that nobody takes them for failures of the server."""
    label = replace(REPLAY, faults='["2.5:cut"]')
    maker = TapeMaker(folder / "again.db", label=label)
    maker.post(0, ask("hi"), session("s")).answer(5, created(), completed())
    maker.write()
    client = browse()
    for address in ("/sessions", "/tapes/again/sessions/1"):
        assert ">with faults: 2.5:cut</span>" in client.get(address).text


def test_what_a_fault_brought_about_says_so(folder: Path, browse: Browse) -> None:
    """In the headline and on its lane; what failed besides does not."""
    maker = TapeMaker(folder / "again.db", label=replace(REPLAY, faults='["1#2:cut"]'))
    for at_ms in (0, 10):
        post = maker.post(at_ms, ask("hi"), session("s"))
        post.head(at_ms + 1)
        post.events(at_ms + 2, created())
        post.end(at_ms + 3, EndKind.SERVER_CLOSED, Sender.SERVER)
    maker.post(20, ask("hi"), session("s")).answer(25, created(), completed())
    maker.write()
    page = twin(browse(), "/tapes/again/sessions/1")
    assert [lane["ending"] for lane in page["lanes"]] == [
        "cut: the server hung up",
        "cut: the server hung up (injected)",
        "completed",
    ]
    assert page["session"]["verdict"]["tale"]["steps"] == [
        "HTTP: cut: the server hung up",
        "again over HTTP: cut: the server hung up (injected)",
        "again over HTTP: completed",
    ]


def test_a_sub_agent_names_its_session(folder: Path, browse: Browse) -> None:
    """By its number where it is on the tape."""
    maker = TapeMaker(folder / "kin.db")
    maker.post(0, ask("hi"), session("s-1")).answer(5, created(), completed())
    of = (("x-openai-subagent", "review"), ("x-codex-parent-thread-id", "s-1"))
    maker.post(10, ask("look"), (*session("s-2"), *of)).answer(15, created(), completed())
    maker.write()
    client = browse()
    head = twin(client, "/tapes/kin/sessions/2")["session"]
    assert (head["agent"], head["parent"], head["parent_number"]) == ("review", "s-1", 1)
    assert (
        '<a class="chip" href="/tapes/kin/sessions/1">review of session 1</a>'
        in client.get("/tapes/kin/sessions/2").text
    )


def test_a_retry_tells_what_was_asked_of_it(folder: Path, browse: Browse) -> None:
    """How many there were, how long the client waited, and how long it was to."""
    maker = TapeMaker(folder / "limit.db")
    maker.post(0, ask("hi"), session("s")).refuse(5, 429, "", (("retry-after", "1"),))
    maker.post(386, ask("hi"), session("s")).answer(400, created(), completed())
    maker.write()
    text = browse().get("/tapes/limit/sessions/1").text
    assert '">after 380 ms (asked to wait 1.0 s)</span>' in text


def test_a_warm_up_is_counted_apart(folder: Path, browse: Browse) -> None:
    """In the list as on the pages of the session and the turn."""
    maker = TapeMaker(folder / "warm.db")
    socket = maker.socket(0, session("s"))
    socket.ask(2, ask("hi", generate=False))
    socket.say(3, created("r_1"), completed("r_1"))
    socket.ask(4, ask(previous_response_id="r_1"))
    socket.say(5, created("r_2"), completed("r_2"))
    maker.write()
    client = browse(folder)
    for page in ("/tapes/warm/sessions/1", "/tapes/warm/sessions/1/turns/1"):
        assert "<dt>Requests</dt><dd>1 and a warm-up" in client.get(page).text
    listed = client.get("/sessions").text
    assert '<span class="label">requests </span>1 <span class="sub">and a warm-up</span>' in listed


def test_a_refusal_was_waited_for_until_its_head(folder: Path, browse: Browse) -> None:
    """It has no event; the wait is in the table all the same."""
    maker = TapeMaker(folder / "busy.db")
    maker.post(0, ask("hi"), session("s")).refuse(3, 429, {"error": {"message": "no"}})
    maker.write()
    client = browse(folder)
    (row,) = twin(client, "/tapes/busy/sessions/1")["attempts"]
    assert (row["waited_us"], row["took_us"]) == (3000, 4000)
    text = client.get("/tapes/busy/sessions/1/requests/1/attempts/1").text
    assert "<dt>Answered after</dt><dd>3 ms</dd>" in text
