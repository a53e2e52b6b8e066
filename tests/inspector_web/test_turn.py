"""A turn, as people read it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient
from inspected import timeline_on
from timed_tapes import (
    TapeMaker,
    ask,
    call,
    completed,
    created,
    delta,
    done,
    message,
    output,
    reasoning,
    session,
)

from inspector_web.conversation import MOST_CHARACTERS
from inspector_web.markdown import rendered
from inspector_web.pages import turn
from wiretape.commands.show import show
from wiretape.facts import EndKind

type Browse = Callable[..., FlaskClient]


def twin(client: FlaskClient, address: str) -> Any:
    answer = client.get(f"{address}.json")
    assert answer.status_code == 200, answer.text
    return json.loads(answer.text)


def said(entries: list[Any]) -> list[tuple[str, str | None, str]]:
    """Kind, role or name, and text of each."""
    return [
        (each["said"]["saying"], each["said"]["who"] or each["said"]["name"], each["said"]["text"])
        for each in entries
    ]


def write_tool_round(path: Path) -> None:
    """A turn over HTTP: asked, a call, its output beside the repeated conversation, an answer."""
    maker = TapeMaker(path)
    asked = [message("Be short.", "developer"), message("List the files.")]
    thought, called = reasoning("**Look** first."), call("call_1", arguments='{"cmd": "ls"}')
    first = maker.post(0, ask(*asked), session("s-1"))
    first.head(1)
    first.events(2, created("resp_1"), done(thought), done(called))
    first.events(3, completed("resp_1", given=10, made=5))
    first.end(4)
    second = maker.post(100, ask(*asked, thought, called, output("call_1", "a b")), session("s-1"))
    second.head(101)
    second.events(102, created("resp_2"), done(message("Two *files*.", "assistant")))
    second.events(103, completed("resp_2", given=20, made=6))
    second.end(104)
    maker.write()


@pytest.fixture
def steps(folder: Path, browse: Browse) -> list[Any]:
    """The steps of that turn."""
    write_tool_round(folder / "one.db")
    found = twin(browse(), "/tapes/one/sessions/1/turns/1")["steps"]
    assert isinstance(found, list)
    return found


def test_only_what_was_new_is_asked(steps: list[Any]) -> None:
    """A conversation that is said again is not read again."""
    assert said(steps[0]["asked"]) == [
        ("message", "developer", "Be short."),
        ("message", "user", "List the files."),
    ]
    assert said(steps[1]["asked"]) == []


def test_what_the_model_said_stands_in_order(steps: list[Any]) -> None:
    """Reasoning, calls and messages."""
    assert said(steps[0]["answered"]) == [
        ("reasoning", None, "**Look** first."),
        ("call", "exec_command", '{"cmd": "ls"}'),
    ]
    assert said(steps[1]["answered"]) == [("message", "assistant", "Two *files*.")]


def test_a_call_has_its_output_beside_it(steps: list[Any]) -> None:
    """With the time between them on the wire."""
    made = steps[0]["answered"][1]
    assert (made["output"]["text"], made["took_us"]) == ("a b", 98_000)


def test_a_tool_took_as_long_on_every_page(steps: list[Any], folder: Path, browse: Browse) -> None:
    """Said alike: from the call to its output, as `wiretape show` has it."""
    assert steps
    words = "output 98 ms after the call"
    assert words in browse().get("/tapes/one/sessions/1/turns/1").text
    assert words in browse().get("/tapes/one/sessions/1").text
    shown = CliRunner().invoke(show, [str(folder / "one.db")], standalone_mode=False)
    assert f"called exec_command (call_1): {words}" in shown.output


def test_an_addition_on_a_socket_is_what_was_new(rounds: Path, browse: Browse) -> None:
    """It says nothing else; its output belongs to the call before it."""
    assert rounds.exists()
    steps = twin(browse(), "/tapes/rounds/sessions/1/turns/1")["steps"]
    assert said(steps[1]["asked"]) == []
    assert steps[0]["answered"][0]["output"]["text"] == "a b"


def test_every_try_is_told(fallback: Path, browse: Browse) -> None:
    """How each went, and the tokens of all; a turn begins with its handshake, as its session."""
    assert fallback.exists()
    page = twin(browse(), "/tapes/fallback/sessions/1/turns/1")
    assert [(each["why"], each["transport"]) for each in page["steps"][0]["tries"]] == [
        ("first", "websocket"),
        ("retry", "websocket"),
        ("fallback", "http"),
    ]
    assert (page["tokens"]["total"], page["steps"][0]["tokens"]["total"]) == (1234, 1234)
    (shown,) = timeline_on(fallback).turns
    assert (page["at_us"], page["took_us"]) == (shown.start_us, shown.us) == (100_000, 1_800_000)


def used(given: int, cached: int, made: int, reasoning: int) -> dict[str, Any]:
    """The usage of a response, with what it is made of."""
    return {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": made,
        "output_tokens_details": {"reasoning_tokens": reasoning},
        "total_tokens": given + made,
    }


def test_the_costs_are_those_that_the_api_tells(folder: Path, browse: Browse) -> None:
    """Of a warm-up and a failed try too; of how many attempts they are is said where not of all."""
    maker = TapeMaker(folder / "one.db")
    socket = maker.socket(0, session("s"))
    socket.ask(5, ask("hi") | {"generate": False})
    socket.say(9, {"type": "response.completed", "response": {"usage": used(100, 0, 0, 0)}})
    socket.ask(10, ask("hi"))
    error = {"code": "server_error", "message": "oh"}
    failed = {"error": error, "usage": used(100, 90, 7, 5)}
    socket.say(20, {"type": "response.failed", "response": failed})
    socket.ask(30, ask("hi"))
    socket.say(40, created(), delta("No"))
    socket.close(50, 1011)
    whole = {"type": "response.completed", "response": {"usage": used(100, 80, 20, 10)}}
    maker.post(100, ask("hi"), session("s")).answer(110, whole)
    maker.write()
    client = browse()
    costs = {
        "input": 300,
        "cached": 170,
        "output": 27,
        "reasoning": 15,
        "total": 327,
        "told_by": 3,
        "attempts": 4,
    }
    assert twin(client, "/tapes/one/sessions/1")["session"]["tokens"] == costs
    page = twin(client, "/tapes/one/sessions/1/turns/1")
    assert page["tokens"] == costs
    assert [step["tokens"]["total"] for step in page["steps"]] == [100, 227]
    for address in ("/tapes/one/sessions/1", "/tapes/one/sessions/1/turns/1"):
        text = client.get(address).text
        assert '<dt>Tokens in</dt><dd>300 <span class="muted">170 cached</span>' in text
        assert '<dt>Tokens out</dt><dd>27 <span class="muted">15 reasoning</span>' in text
        assert "<dt>Tokens in all</dt><dd>327</dd>" in text
        assert "<dt>Tokens told by</dt><dd>3 of 4 attempts</dd>" in text
    assert "200 tokens in, 27 out, of 2 of 3 attempts</span>" in text  # the step of the turn
    assert '<span class="sub">told by 3 of 4</span>' in client.get("/sessions").text


def test_an_answer_that_broke_off_stands_as_far_as_it_came(folder: Path, browse: Browse) -> None:
    """Put together from its pieces, and told to be unfinished."""
    maker = TapeMaker(folder / "one.db")
    post = maker.post(0, ask("hi"), session("s-1"))
    post.head(1)
    added = {"type": "response.output_item.added", "item": message("", "assistant")}
    post.events(2, created("resp_1"), added, delta("Half a "), delta("sent"))
    post.end(3, EndKind.SERVER_CLOSED)
    maker.write()
    client = browse()
    (step,) = twin(client, "/tapes/one/sessions/1/turns/1")["steps"]
    (entry,) = step["answered"]
    assert (entry["said"]["text"], entry["said"]["is_done"]) == ("Half a sent", False)
    assert "it broke off here" in client.get("/tapes/one/sessions/1/turns/1").text


def test_an_answer_whose_recording_was_cut_off_did_not_break_off(
    folder: Path, browse: Browse
) -> None:
    """Nobody knows how it went on: that is no failure of the server's."""
    maker = TapeMaker(folder / "one.db", is_cut_off=True)
    post = maker.post(0, ask("hi"), session("s-1"))
    post.head(1)
    added = {"type": "response.output_item.added", "item": message("", "assistant")}
    post.events(2, created("resp_1"), added, delta("Half a "))
    maker.write()
    text = browse().get("/tapes/one/sessions/1/turns/1").text
    assert '<p class="unfinished note">' in text
    assert "</span> the recording was cut off here</p>" in text
    assert "it broke off here" not in text


def test_a_chat_is_read_like_any_other(folder: Path, browse: Browse) -> None:
    """Its pieces are one message; its calls have their outputs."""
    maker = TapeMaker(folder / "one.db")
    asked = [{"role": "user", "content": "hi"}]
    post = maker.post(0, {"model": "m", "messages": asked}, target="/v1/chat/completions")
    post.head(1)
    chunk = {"choices": [{"delta": {"content": "Hel"}}]}
    post.events(2, chunk, {"choices": [{"delta": {"content": "lo"}, "finish_reason": "stop"}]})
    post.events(3, "[DONE]")
    post.end(4)
    maker.write()
    (step,) = twin(browse(), "/tapes/one/sessions/1/turns/1")["steps"]
    assert said(step["asked"]) == [("message", "user", "hi")]
    assert said(step["answered"]) == [("message", "assistant", "Hello")]


def test_a_long_turn_has_parts(
    folder: Path, browse: Browse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So many requests on a page, and a way to the others."""
    monkeypatch.setattr(turn, "STEPS", 1)
    write_tool_round(folder / "one.db")
    client = browse()
    page = twin(client, "/tapes/one/sessions/1/turns/1")
    assert ([step["request"] for step in page["steps"]], page["has_next_page"]) == ([1], True)
    text = client.get("/tapes/one/sessions/1/turns/1?page=2").text
    assert "Two <em>files</em>." in text
    assert "earlier requests" in text


def test_long_texts_are_cut_and_counted(folder: Path, browse: Browse) -> None:
    """20 MB of a message do not make a page of 20 MB."""
    maker = TapeMaker(folder / "one.db")
    post = maker.post(0, ask("x" * 20_000_000), session("s-1"))
    post.head(1)
    post.events(2, created("resp_1"), done(message("y" * 1_000_000, "assistant")), completed())
    post.end(3)
    maker.write()
    client = browse()
    (step,) = twin(client, "/tapes/one/sessions/1/turns/1")["steps"]
    assert step["asked"][0]["said"]["cut"] == 20_000_000 - MOST_CHARACTERS
    assert len(client.get("/tapes/one/sessions/1/turns/1").data) < 100_000


def test_there_is_no_turn_beyond_the_last(rounds: Path, browse: Browse) -> None:
    """It is refused in words."""
    assert rounds.exists()
    answer = browse().get("/tapes/rounds/sessions/1/turns/9.json")
    assert answer.status_code == 404
    assert "session 1 has no turn 9" in json.loads(answer.text)["error"]["message"]


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**a** `b`", "<p><strong>a</strong> <code>b</code></p>\n"),
        ("# Title", '<p class="md-heading">Title</p>\n'),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"),
        ("[here](javascript:alert(1))", "<p>[here](javascript:alert(1))</p>\n"),
        ("![x](data:image/png;base64,AA)", "<p>![x](data:image/png;base64,AA)</p>\n"),
        ("<javascript:alert(1)>", "<p>&lt;javascript:alert(1)&gt;</p>\n"),
        ("a &#x202e; b", "<p>a ⟨U+202E⟩ b</p>\n"),
        ("[a]: /x\n\n[a]", "<p>[a]: /x</p>\n<p>[a]</p>\n"),
    ],
)
def test_markdown_can_do_no_harm(text: str, html: str) -> None:
    """No element of the text's own, no link, nothing that cannot be seen."""
    assert rendered(text) == html


def test_what_a_failed_try_had_said_is_kept(folder: Path, browse: Browse) -> None:
    """Folded, with the try it belongs to; the time is that of all tries."""
    maker = TapeMaker(folder / "one.db")
    added = {"type": "response.output_item.added", "item": message("", "assistant")}
    first = maker.post(0, ask("hi"), session("s-1"))
    first.head(1)
    first.events(2, created("resp_1"), added, delta("Half a "), delta("sent"))
    first.end(1000, EndKind.SERVER_CLOSED)
    second = maker.post(1200, ask("hi"), session("s-1"))
    second.answer(1210, created("resp_2"), done(message("Whole.", "assistant")), completed())
    maker.write()
    client = browse()
    (step,) = twin(client, "/tapes/one/sessions/1/turns/1")["steps"]
    (failed,) = step["failed"]
    assert failed["place"] == {"request": 1, "number": 1}
    assert said(failed["answered"]["entries"]) == [("message", "assistant", "Half a sent")]
    assert step["took_us"] == 1_211_000
    page = client.get("/tapes/one/sessions/1/turns/1").text
    assert "<summary>had said: Half a sent</summary>" in page
    assert page.index(">attempt 1</span>") < page.index(">attempt 2</span>") < page.index("Whole.")
    assert "1.2 s in all attempts" in page
    assert page.count("data-problem") == 1


def test_what_a_client_says_for_the_user_is_context(folder: Path, browse: Browse) -> None:
    """Folded; the person's words come last, and head the page, whatever they look like."""
    maker = TapeMaker(folder / "one.db")
    context = "<environment_context>\n  <cwd>/tmp</cwd>\n</environment_context>"
    asked = [message("# AGENTS.md instructions"), message(context), message("<b> is what?")]
    maker.post(0, ask(*asked), session("s-1")).answer(5, created(), completed())
    maker.write()
    client = browse()
    page = twin(client, "/tapes/one/sessions/1/turns/1")
    assert [each["is_context"] for each in page["steps"][0]["asked"]] == [True, True, False]
    assert page["words"] == "<b> is what?"
    text = client.get("/tapes/one/sessions/1/turns/1").text
    assert '<h1 class="words">&lt;b&gt; is what?</h1>' in text
    assert text.count('<span class="who">context</span>') == 2


def test_a_warm_up_is_called_so(folder: Path, browse: Browse) -> None:
    """It asks for no answer."""
    maker = TapeMaker(folder / "one.db")
    socket = maker.socket(0, session("s-1"))
    socket.ask(10, ask("hi", generate=False))
    socket.say(20, created("r1"), completed("r1"))
    socket.ask(30, ask("hi", previous_response_id="r1"))
    socket.say(40, created("r2"), completed("r2"))
    maker.write()
    text = browse().get("/tapes/one/sessions/1/turns/1").text
    assert "Request 1, warm-up</a>" in text
    assert text.count("a warm-up asks for no answer") == 1


def test_failed_tries_with_much_to_say_lead_to_their_events(
    folder: Path, browse: Browse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page reads so many events of them, however many tries there were."""
    monkeypatch.setattr(turn, "MOST_FAILED_EVENTS", 3)
    maker = TapeMaker(folder / "one.db")
    added = {"type": "response.output_item.added", "item": message("", "assistant")}
    for at_ms in (0, 1000):
        post = maker.post(at_ms, ask("hi"), session("s-1"))
        post.head(at_ms + 1)
        post.events(at_ms + 2, created(), added, delta("Half"))
        post.end(at_ms + 500, EndKind.SERVER_CLOSED)
    maker.post(2000, ask("hi"), session("s-1")).answer(2010, created(), completed())
    maker.write()
    client = browse()
    (step,) = twin(client, "/tapes/one/sessions/1/turns/1")["steps"]
    first, second = (each["answered"] for each in step["failed"])
    assert (said(first["entries"]), first["is_cut"]) == ([("message", "assistant", "Half")], False)
    assert (second["entries"], second["is_cut"]) == ([], True)
    assert "request=1&amp;attempt=2" in client.get("/tapes/one/sessions/1/turns/1").text


CUT_OUTPUT = (
    "Warning: truncated output (original token count: 87224)\nTotal output lines: 60000\n\n"
    + "1\n" * 3000
    + "…77224 tokens truncated…"
    + "6\n" * 3000
    + "the end"
)


def test_an_output_that_the_client_cut_says_so(folder: Path, browse: Browse) -> None:
    """In the client's own words, which may lie where the page has no room for them; its end is
    shown as well, since it says how a command went."""
    maker = TapeMaker(folder / "one.db")
    asked = message("List the files.")
    first = maker.post(0, ask(asked), session("s-1"))
    first.answer(5, created("resp_1"), done(call("call_1")), completed("resp_1"))
    second = maker.post(
        100, ask(asked, call("call_1"), output("call_1", CUT_OUTPUT)), session("s-1")
    )
    second.answer(105, created("resp_2"), completed("resp_2"))
    maker.write()
    client = browse()
    given = twin(client, "/tapes/one/sessions/1/turns/1")["steps"][0]["answered"][0]["output"]
    assert given["shortened"] == "…77224 tokens truncated…"
    assert given["text"] + given["end"] == CUT_OUTPUT[:3000] + CUT_OUTPUT[-1000:]
    assert given["cut"] == len(CUT_OUTPUT) - 4000
    page = client.get("/tapes/one/sessions/1/turns/1").text
    assert "cut by the client: …77224 tokens truncated…" in page
