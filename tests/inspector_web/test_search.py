"""Search over everything: what was said, in an event and across events."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chat_talk import CHAT_TARGET, chat_ask, chat_chunk
from flask.testing import FlaskClient
from timed_tapes import BEGAN_US, TapeMaker, ask, completed, created, delta, session

from inspector_web import search, views
from inspector_web.index import blocks
from wiretape.store_reader import TapeReader
from wiretape.store_writer import TapeLabel

type Browse = Callable[..., FlaskClient]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a short answer goes across several."""
    monkeypatch.setattr(blocks, "BLOCK_EVENTS", 4)


@pytest.fixture
def client(folder: Path, browse: Browse) -> FlaskClient:
    """Two tapes: an answer in pieces after a request that is repeated, and another one."""
    maker = TapeMaker(folder / "one.db")
    for at_ms in (0, 100):
        post = maker.post(at_ms, ask("Mend the bridge."), session("s-1"))
        post.head(at_ms + 1)
        post.events(at_ms + 2, created(), *map(delta, ("The riv", "er is wi", "de and de", "ep.")))
        post.events(at_ms + 3, *map(delta, (" So th", "e bri", "dge waits.")), completed())
        post.end(at_ms + 4)
    maker.write()
    other = TapeMaker(folder / "two.db")
    other.post(0, ask("Draw a river."), session("s-2")).answer(5, created("resp_river"))
    other.write()
    return browse()


def found(client: FlaskClient, text: str, **query: Any) -> Any:
    answer = client.get("/search.json", query_string={"text": text} | query)
    assert answer.status_code == 200, answer.text
    return json.loads(answer.text)


def told(page: Any) -> list[tuple[str, str, str]]:
    return [(each["tape"], each["type"], each["excerpt"]["found"]) for each in page["found"]]


def test_a_text_that_was_streamed_in_pieces_is_found(client: FlaskClient) -> None:
    """Where it begins, across the border of blocks too, once for each answer."""
    page = found(client, "wide and DEEP")
    assert told(page) == [("one", "response.output_text.delta", "wide and deep")] * 2
    assert [each["event"]["position"] for each in page["found"]] == [4, 4]
    assert page["found"][0]["excerpt"] == {
        "before": "The river is ",
        "found": "wide and deep",
        "after": ". So th",
    }
    assert (
        told(found(client, "deep. So the bridge"))
        == [("one", "response.output_text.delta", "deep. So the bridge")] * 2
    )


@pytest.mark.parametrize("text", ['the "river"', "Flüsse", "a\nb"])
def test_what_is_escaped_on_the_wire_is_found_as_it_reads(
    folder: Path, browse: Browse, text: str
) -> None:
    """In the table of events, as a pattern too."""
    maker = TapeMaker(folder / "escaped.db")
    post = maker.post(0, ask("hi"))
    post.answer(5, delta('By the "river", two Flüsse, a\nb.'))
    maker.write()
    client = browse()
    assert ("escaped", "response.output_text.delta", text) in told(found(client, text))
    for pattern in ({"text": text}, {"text": text, "regex": "on"}):
        listed = client.get("/tapes/escaped/events.json", query_string=pattern).json
        assert "response.output_text.delta" in [row["type"] for row in listed["listing"]["rows"]]


def test_a_text_of_a_chat_is_found_too(folder: Path, browse: Browse) -> None:
    """Its chunks name no type, and say what they stream."""
    maker = TapeMaker(folder / "chat.db")
    post = maker.post(0, chat_ask(), target=CHAT_TARGET)
    said = ("The moun", "tain is ", "high.")
    post.answer(5, *(chat_chunk({"content": text}) for text in said), chat_chunk({}, "stop"))
    maker.write()
    page = found(browse(), "MOUNTAIN is high")
    assert told(page) == [("chat", "chat.completion.chunk", "mountain is high")]


def test_what_a_request_repeats_is_found_where_it_came_first(client: FlaskClient) -> None:
    """With the session and the attempt that it is part of."""
    (one,) = found(client, "mend the bridge")["found"]
    assert (one["tape"], one["session"], one["place"], one["words"]) == (
        "one",
        1,
        {"request": 1, "number": 1},
        "Mend the bridge.",
    )
    assert (one["event"], one["type"]) == (
        {"at_us": 0, "exchange": 1, "position": 0},
        "http.request",
    )


def test_several_events_of_an_attempt_are_one_with_a_count(client: FlaskClient) -> None:
    """An answer says what it says several times."""
    page = found(client, "output_text")
    assert [(each["event"]["exchange"], each["more"]) for each in page["found"]] == [(1, 6), (2, 6)]


@pytest.mark.parametrize(
    ("text", "tapes"),
    [
        ("river", ["one", "one", "two", "two"]),
        ("resp_river", ["two"]),
        ("session_id: s-1", ["one", "one"]),
        ("/v1/responses", ["one", "one", "two"]),
        ("is", ["one", "one"]),
        ("a text that is nowhere", []),
        ("%", []),
        ('"', ["one", "one", "two"]),
    ],
)
def test_texts_of_any_kind(client: FlaskClient, text: str, tapes: list[str]) -> None:
    """Words, ids, headers, addresses, two letters, signs."""
    assert [each["tape"] for each in found(client, text)["found"]] == tapes


def test_one_tape_can_be_searched_alone(client: FlaskClient) -> None:
    """Where the address names it."""
    assert {each["tape"] for each in found(client, "river", tape="two")["found"]} == {"two"}


def test_the_newest_tape_comes_first(folder: Path, browse: Browse) -> None:
    """Whatever the tapes are called."""
    for name, later_us in (("a", 0), ("b", 2), ("c", 1)):
        label = TapeLabel("record", BEGAN_US + later_us, "monotonic")
        maker = TapeMaker(folder / f"{name}.db", label=label)
        maker.post(0, ask("Draw a river."), session("s")).answer(5, created())
        maker.write()
    assert [each["tape"] for each in found(browse(), "river")["found"]] == ["b", "c", "a"]


def test_sessions_are_found_by_what_they_are_called(client: FlaskClient) -> None:
    """Id, client, model or tape; before the events."""
    assert [each["id"] for each in found(client, "s-2")["sessions"]] == ["s-2"]
    assert len(found(client, "gpt-5.2")["sessions"]) == 2


def test_a_search_gives_up_and_can_go_on(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says where, misses nothing and tells nothing twice."""
    whole = found(client, "de")["found"]
    client.get("/sessions")
    monkeypatch.setattr(search, "MOST_EFFORT", 3)
    events: list[Any] = []
    page = found(client, "de")
    while True:
        events += [(each["tape"], each["event"], each["more"]) for each in page["found"]]
        if page["next_tape"] is None:
            break
        after = ".".join(map(str, (page["next"] or {}).values()))
        page = found(client, "de", after_tape=page["next_tape"], after=after)
    assert len(events) == len({repr(each) for each in events})
    assert sum(1 + more for *_, more in events) == sum(1 + each["more"] for each in whole)


@pytest.mark.parametrize("text", ["river", "nowhere", "is"])
def test_a_search_ends_in_time_and_can_go_on(
    client: FlaskClient, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many tapes there are: one of them in each answer at least."""
    whole = found(client, text)
    assert whole["next_tape"] is None
    monkeypatch.setattr(search, "MOST_WORK_S", 0.0)
    page = found(client, text)
    events, answers = page["found"], 1
    while page["next_tape"] is not None:
        after = ".".join(map(str, (page["next"] or {}).values()))
        page = found(client, text, after_tape=page["next_tape"], after=after)
        events, answers = events + page["found"], answers + 1
    assert answers > 1
    assert sum(1 + each["more"] for each in events) == sum(
        1 + each["more"] for each in whole["found"]
    )
    assert {each["tape"] for each in events} == {each["tape"] for each in whole["found"]}


def test_tapes_that_cannot_hold_the_text_are_not_opened(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their index knows; so a search of many tapes takes no longer than it has to."""
    found(client, "river")
    opened: list[str] = []
    open_path = views.open_path

    def noted(path: Path) -> TapeReader:
        opened.append(path.stem)
        return open_path(path)

    monkeypatch.setattr(views, "open_path", noted)
    assert found(client, "resp_river")["found"] != []
    assert opened == ["two"]


def test_what_an_index_does_not_know_is_looked_for_on_the_tape(
    folder: Path, browse: Browse
) -> None:
    """As what an exchange goes on to say that has not ended."""
    maker = TapeMaker(folder / "cut.db", is_cut_off=True)
    post = maker.post(0, ask("hi"), session("s-1"))
    post.head(1)
    post.events(2, created(), delta("a mill by the river"))
    maker.write()
    client = browse()
    assert told(found(client, "a mill")) == [("cut", "response.output_text.delta", "a mill")]
    assert told(found(client, "a mill")) == [("cut", "response.output_text.delta", "a mill")]


def test_results_lead_to_their_places(client: FlaskClient) -> None:
    """The event, what had come by then, the request."""
    text = client.get("/search?text=wide+and+deep").text
    assert 'href="/tapes/one/exchanges/1/events/4"' in text
    assert 'href="/tapes/one/sessions/1?at=2000#timeline"' in text
    assert 'href="/tapes/one/sessions/1/requests/1/attempts/1"' in text
    assert "<mark>wide and deep</mark>" in text


def test_nothing_is_asked_for_at_first(client: FlaskClient) -> None:
    """The page says what can be found."""
    text = client.get("/search").text
    assert "one that was streamed over several" in text
    assert json.loads(client.get("/search.json").text)["found"] == []


@pytest.fixture
def refused(folder: Path, browse: Browse) -> FlaskClient:
    """A request that was refused for its rate, and one whose id happens to end in that status."""
    maker = TapeMaker(folder / "refused.db")
    maker.post(0, ask("Draw a bridge."), session("s-1")).refuse(5, 429)
    maker.write()
    label = TapeLabel("record", BEGAN_US + 1, "monotonic")
    other = TapeMaker(folder / "other.db", label=label)
    other.post(0, ask("Draw a lake."), session("s-2")).answer(5, created("resp_c0429"), completed())
    other.write()
    return browse()


@pytest.mark.parametrize("text", ["rate limit", "RATE LIMIT"])
def test_what_was_found_is_searched_too(refused: FlaskClient, text: str) -> None:
    """Before everything else, and by the words of people."""
    (told,) = found(refused, text)["told"]
    assert (told["session"]["tape"], told["finding"]) == ("refused", "finding-rate_limited-1")


def test_how_a_session_went_is_searched_too(refused: FlaskClient) -> None:
    """Where no finding says the same; it leads to the session, a finding to its place there."""
    page = found(refused, "answered 429")
    assert [(each["session"]["tape"], each["finding"]) for each in page["told"]] == [
        ("refused", None)
    ]
    assert page["told"][0]["excerpt"]["found"] == "answered 429"
    text = refused.get("/search?text=answered+429").text
    assert 'data-main class="excerpt" href="/tapes/refused/sessions/1">' in text
    text = refused.get("/search?text=rate+limit").text
    name = "finding-rate_limited-1"
    assert f'href="/tapes/refused/sessions/1?open={name}#{name}"' in text


def test_what_stands_within_a_longer_word_comes_last(refused: FlaskClient) -> None:
    """An id that ends so is no status, though its tape is newer."""
    page = found(refused, "429")
    assert [(each["tape"], each["is_part"]) for each in page["found"]] == [
        ("refused", False),
        ("other", True),
    ]
    text = refused.get("/search?text=429").text
    assert text.index('id="told"') < text.index('id="events"') < text.index('id="parts"')


@pytest.mark.parametrize(
    ("text", "start", "end", "expected"),
    [
        ("a 429 b", 2, 5, False),
        ("429", 0, 3, False),
        ("x429", 1, 4, True),
        ("4290", 0, 3, True),
        ("code=429;", 5, 8, False),
        ("rate_limit", 0, 4, False),
        ("a, b", 1, 2, False),
    ],
)
def test_a_word_that_goes_on(text: str, start: int, end: int, expected: bool) -> None:
    """Letters and digits go on; signs and ends of texts part words."""
    assert search.is_part(text, start, end) is expected


def test_an_event_shows_the_text_as_a_word_if_it_can(folder: Path, browse: Browse) -> None:
    """Though it stands within a longer one before."""
    maker = TapeMaker(folder / "one.db")
    maker.post(0, ask("Mend abridged bridge."), session("s")).answer(5, created(), completed())
    maker.write()
    (one,) = found(browse(), "bridge")["found"]
    assert one["excerpt"]["before"].endswith("Mend abridged ")
    assert one["is_part"] is False


def test_a_letter_that_is_everywhere_takes_no_time(folder: Path, browse: Browse) -> None:
    """A text of megabytes is not gone through for one place where it is a word."""
    maker = TapeMaker(folder / "long.db")
    maker.post(0, ask("ee" * 1_000_000 + " e"), session("s")).answer(5, created(), completed())
    maker.write()
    (one,) = [each for each in found(browse(), "e")["found"] if each["type"] == "http.request"]
    assert one["is_part"] is True
