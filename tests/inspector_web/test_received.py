"""What the client had received by an instant, as the text stood then."""

import json
from pathlib import Path
from typing import Any

import pytest
from chat_talk import CHAT_TARGET, chat_ask, chat_call, chat_chunk
from flask.testing import FlaskClient
from markupsafe import Markup
from timed_tapes import TapeMaker, ask, call, completed, created, delta, done, session

from inspector_web import received
from inspector_web.filters import reach
from inspector_web.index import blocks
from inspector_web.stretches import Span


@pytest.fixture
def client(folder: Path, browse: Any) -> FlaskClient:
    """A browser with one answer: a thought, a text in three pieces, a call."""
    added = {"type": "response.output_item.added"}
    maker = TapeMaker(folder / "one.db")
    post = maker.post(0, ask("hi"), session("s"))
    post.head(5)
    post.events(10, created())
    post.events(
        20, {"type": "response.reasoning_summary_text.delta", "item_id": "rs", "delta": "hm"}
    )
    for at_ms, text in ((30, "one "), (40, "two "), (50, "three")):
        post.events(at_ms, delta(text) | {"item_id": "msg"})
    post.events(60, added | {"item": {"id": "fc", "type": "function_call", "name": "shell"}})
    post.events(
        70,
        {"type": "response.function_call_arguments.delta", "item_id": "fc", "delta": '{"cmd"'},
    )
    post.events(80, done(call("call_1", id="fc")))
    post.events(90, completed())
    post.end(91)
    maker.write()
    browser: FlaskClient = browse()
    return browser


def by(client: FlaskClient, at_us: int) -> Any:
    answer = client.get(f"/tapes/one/sessions/1/received.json?at={at_us}")
    assert answer.status_code == 200, answer.text
    (found,) = json.loads(answer.text)["answers"]
    return found


def texts(answer: Any) -> list[tuple[str, str, bool]]:
    return [(each["making"], each["text"], each["is_done"]) for each in answer["texts"]]


@pytest.mark.parametrize(
    ("at_us", "stood"),
    [
        (9_000, []),
        (25_000, [("reasoning", "hm", False)]),
        (39_999, [("reasoning", "hm", False), ("text", "one ", False)]),
        (40_000, [("reasoning", "hm", False), ("text", "one two ", False)]),
    ],
)
def test_the_text_as_it_stood(client: FlaskClient, at_us: int, stood: list[Any]) -> None:
    """To the microsecond."""
    assert texts(by(client, at_us)) == stood


def test_a_call_has_the_name_of_its_tool(client: FlaskClient) -> None:
    """And is done when its item is."""
    answer = by(client, 85_000)
    assert answer["texts"][-1] == {
        "making": "tool",
        "name": "shell",
        "text": '{"cmd"',
        "cut": 0,
        "is_done": True,
    }
    assert (answer["events"], answer["heard_us"], answer["is_over"]) == (8, 80_000, False)


@pytest.mark.parametrize(
    ("at_us", "stood"),
    [
        (25_000, [("text", "Be", False)]),
        (30_000, [("text", "Because", False)]),
        (49_999, [("text", "Because", False), ("tool", '{"a":1}', False)]),
        (50_000, [("text", "Because", True), ("tool", '{"a":1}', True)]),
    ],
)
def test_the_text_of_a_chat_as_it_stood(
    at_us: int, stood: list[Any], folder: Path, browse: Any
) -> None:
    """Chunk by chunk; its finish reason ends all of it."""
    maker = TapeMaker(folder / "one.db")
    post = maker.post(0, chat_ask(), target=CHAT_TARGET)
    post.head(5)
    post.events(20, chat_chunk({"content": "Be"}))
    post.events(30, chat_chunk({"content": "cause"}))
    post.events(40, chat_chunk(chat_call("c1", "shell", '{"a"')))
    post.events(41, chat_chunk({"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}}]}))
    post.events(50, chat_chunk({}, "tool_calls"))
    post.events(51, "[DONE]")
    post.end(52)
    maker.write()
    found = by(browse(), at_us)
    assert texts(found) == stood
    assert [each["name"] for each in found["texts"][1:]] == ["shell"][: len(stood) - 1]


def test_after_its_end_an_answer_is_over(client: FlaskClient) -> None:
    """It stays as it stood then."""
    answer = by(client, 500_000)
    assert answer["is_over"]
    assert answer["events"] == 9


def test_a_long_answer_is_read_from_its_later_part(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And says that the beginning is left out."""
    monkeypatch.setattr(blocks, "BLOCK_EVENTS", 2)
    monkeypatch.setattr(received, "MOST_EVENTS", 1)
    client.get("/sessions")
    answer = by(client, 55_000)
    assert answer["is_cut"]
    assert texts(answer) == [("text", "three", False)]


def test_a_long_text_shows_its_end(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """And counts what came before."""
    monkeypatch.setattr(received, "MOST_CHARACTERS", 5)
    text = by(client, 55_000)["texts"][-1]
    assert (text["text"], text["cut"]) == ("three", 8)


def test_answers_at_the_same_time_are_all_shown(folder: Path, browse: Any) -> None:
    """Those that were coming then; a finished one is not among them."""
    maker = TapeMaker(folder / "one.db")
    for at_ms, words in ((0, "first"), (10, "second"), (20, "third")):
        post = maker.post(at_ms, ask(words), session("s"))
        post.head(at_ms + 1)
        post.events(at_ms + 2, created(f"resp_{words}"), delta(words))
        post.events(15 if at_ms == 0 else 90 + at_ms, completed(f"resp_{words}"))
        post.end(120 + at_ms)
    maker.write()
    answer = browse().get("/tapes/one/sessions/1/received.json?at_s=0.05")
    answers = json.loads(answer.text)["answers"]
    assert [each["texts"][0]["text"] for each in answers] == ["second", "third"]


def test_the_session_shows_it_where_its_address_says_so(client: FlaskClient) -> None:
    """With a cursor in the window; without an instant there is neither."""
    text = client.get("/tapes/one/sessions/1?at=45000").text
    assert "Received by 0.045 s" in Markup(text).striptags()
    assert 'id="cursor" class="cursor" x1="47.549%"' in text
    bare = client.get("/tapes/one/sessions/1").text
    assert "Received by" not in bare
    assert 'visibility="hidden"' in bare


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("at=0", "0.000 s is before this session, which began at 0.100 s"),
        ("at_s=0.05", "0.050 s is before this session, which began at 0.100 s"),
        (
            "at_s=99",
            "99.000 s is after this session, of which the tape has nothing later than 1.90",
        ),
    ],
)
@pytest.mark.usefixtures("fallback")
def test_an_instant_outside_is_told(query: str, told: str, browse: Any) -> None:
    """In a sentence, on both pages; the field keeps what was meant."""
    client = browse()
    for page in ("", "/received"):
        text = client.get(f"/tapes/fallback/sessions/1{page}?{query}").text
        assert told in text
        assert f"Received by {told.split(' ')[0]} s" in Markup(text).striptags()
    field = f'value="{told.split(" ")[0]}"'
    assert field in client.get(f"/tapes/fallback/sessions/1?{query}").text


def test_before_a_session_nothing_had_come(client: FlaskClient) -> None:
    """And after it, all had; without an instant, it is its first."""
    assert json.loads(client.get("/tapes/one/sessions/1/received.json?at=-1").text)["answers"] == []
    assert by(client, 99_000_000)["events"] == 9
    assert json.loads(client.get("/tapes/one/sessions/1/received.json?at_s=").text)["at_us"] == 0


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (Span(3_301_040, 35_401_999), "3.4 to 35.4"),
        (Span(100_000, 1_901_000), "0.1 to 1.901"),
        (Span(0, 990_001), "0 to 0.99"),
        (Span(123_456_700_000, 123_556_700_000), "123456.7 to 123556.7"),
    ],
)
def test_the_field_says_what_may_be_typed(span: Span, words: str) -> None:
    """The times that lie within the session, to a tenth of a second where it is long."""
    assert reach(span) == words


@pytest.mark.usefixtures("fallback")
def test_the_field_says_what_its_seconds_count_from(browse: Any) -> None:
    """The begin of the tape, as the axis does."""
    text = browse().get("/tapes/fallback/sessions/1").text
    assert 'placeholder="0.1 to 1.901"' in text
    assert 'title="Seconds since the tape began, 0.1 to 1.901 in this session"' in text
