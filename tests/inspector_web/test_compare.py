"""Two sessions side by side."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chromium import Page
from flask.testing import FlaskClient
from timed_tapes import BEGAN_US, TapeMaker, ask, completed, created, delta, session

from inspector_web.pages import compare
from wiretape.facts import EndKind
from wiretape.store_writer import TapeLabel

type Browse = Callable[..., FlaskClient]


@pytest.fixture
def client(both: Path, browse: Browse) -> FlaskClient:
    """A browser with two tapes to compare."""
    return browse(both)


def twin(client: FlaskClient, **query: Any) -> Any:
    answer = client.get("/compare.json", query_string=query)
    assert answer.status_code == 200, answer.text
    return json.loads(answer.text)


def write_talk(path: Path, words: str, *, source: str | None = None) -> None:
    """A tape of one request with its answer; with ``source``, a replay of that tape."""
    made_by = "record" if source is None else "replay"
    maker = TapeMaker(path, label=TapeLabel(made_by, BEGAN_US, "monotonic", None, source))
    post = maker.post(0, ask(words), session("s-1"))
    post.head(1)
    post.events(2, created("resp_1"), delta("Yes."), completed("resp_1"))
    post.end(3)
    maker.write()


def test_a_session_is_equal_to_itself(client: FlaskClient) -> None:
    """Every row is the same, and the page says so."""
    found = twin(client, a="fallback/1", b="fallback/1")
    assert (found["found"], found["pairs"], found["differences"]) == (0, 3, [])
    assert [row["differences"] for row in found["rows"]] == [0, 0, 0]
    assert "Equal: 1 request, 3 attempts" in client.get("/compare?a=fallback/1&b=fallback/1").text


def test_the_first_difference_is_told_first(folder: Path, browse: Browse) -> None:
    """Where it is, both values, and the row it belongs to."""
    write_talk(folder / "one.db", "Fix the build.")
    write_talk(folder / "two.db", "Fix the tests.")
    (found, *others) = twin(browse(), a="one/1", b="two/1")["differences"]
    assert others == []
    assert found == {
        "row": 1,
        "path": "input[0].content[0].text",
        "change": "changed",
        "told": 'input[0].content[0].text was "Fix the build." and is "Fix the tests."',
        "a": "Fix the build.",
        "b": "Fix the tests.",
        "again": [],
    }


def test_attempts_that_one_side_lacks_stand_alone(client: FlaskClient) -> None:
    """A row has nothing on the side that has no such attempt."""
    rows = twin(client, a="fallback/1", b="rounds/1")["rows"]
    alone = [row for row in rows if row["a"] is None or row["b"] is None]
    assert alone
    assert all(row["a"] or row["b"] for row in rows)


def test_only_the_rows_that_differ_are_shown(folder: Path, browse: Browse) -> None:
    """The others are counted."""
    write_talk(folder / "one.db", "Fix the build.")
    write_talk(folder / "two.db", "Fix the build.")
    found = twin(browse(), a="one", b="two", show="differences")
    assert (found["pairs"], found["rows"]) == (1, [])


def test_places_can_be_ignored(folder: Path, browse: Browse) -> None:
    """A path in the address lets nothing differ there; one that meets nothing is told."""
    write_talk(folder / "one.db", "Fix the build.")
    write_talk(folder / "two.db", "Fix the tests.")
    found = twin(browse(), a="one", b="two", ignore="input headers.x-none")
    assert found["found"] == 0
    assert len(found["ignored_nothing"]) == 1
    assert "--ignore input --ignore headers.x-none" in found["command"]


def test_a_replay_is_compared_with_its_recording(folder: Path, browse: Browse) -> None:
    """One side is enough: the recording is A, whichever side the replay was named as."""
    write_talk(folder / "one.db", "Fix the build.")
    write_talk(folder / "again.db", "Fix the build.", source=str(folder / "one.db"))
    client = browse()
    for query in ({"a": "again/1"}, {"b": "again"}):
        found = twin(client, **query)
        assert (found["a"]["tape"], found["b"]["tape"]) == ("one", "again")


def test_without_two_sides_there_is_a_choice(client: FlaskClient) -> None:
    """Every session of every tape; the one that is named is chosen."""
    found = twin(client, a="rounds/1")
    assert {each["value"] for each in found["choices"]} == {"fallback/1", "rounds/1"}
    assert (found["a"]["tape"], found["b"], found["rows"]) == ("rounds", None, [])
    page = client.get("/compare?a=rounds/1").text
    assert '<option value="rounds/1" selected>' in page


def test_the_command_line_says_the_same(folder: Path, browse: Browse) -> None:
    """Quoted for a shell, with whole paths."""
    (folder / "my tapes").mkdir()
    write_talk(folder / "my tapes" / "it's.db", "Fix the build.")
    found = twin(browse(), a="it's/1", b="it's/1")
    quoted = "'" + str(folder / "my tapes" / "it's.db").replace("'", "'\"'\"'") + "'"
    assert found["command"] == (f"wiretape diff {quoted} {quoted} --session s-1 --session-b s-1")


def test_what_is_too_long_is_left_to_the_command_line(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits for a page for minutes."""
    monkeypatch.setattr(compare, "MOST_EVENTS", 10)
    found = twin(client, a="fallback/1", b="rounds/1")
    assert (found["is_too_long"], found["rows"]) == (True, [])
    assert found["command"].startswith("wiretape diff ")


@pytest.mark.parametrize(
    "query", [{"a": "nothing/1", "b": "fallback/1"}, {"a": "fallback/7", "b": "rounds/1"}]
)
def test_what_is_not_there_is_refused(client: FlaskClient, query: dict[str, str]) -> None:
    """A tape or a session."""
    assert client.get("/compare.json", query_string=query).status_code == 404


def test_each_word_that_differs_is_marked(folder: Path, browse: Browse) -> None:
    """Between two sessions, and between two requests of one."""
    rules = "Be brief. " * 2000
    old = f"In /home/ann/work, read. {rules}Think before you write."
    new = f"In /home/bob/work, read. {rules}Think before I write."
    write_talk(folder / "one.db", old)
    write_talk(folder / "two.db", new)
    maker = TapeMaker(folder / "both.db")
    for at_ms, words in ((0, old), (100, new)):
        maker.post(at_ms, ask(words), session("s-1")).answer(at_ms + 1, created(), completed())
    maker.write()
    client = browse()
    for address in (
        "/compare?a=one/1&b=two/1",
        "/tapes/both/sessions/1/requests/2/attempts/1?to=1",
    ):
        marks = re.findall("<mark>(.*?)</mark>", client.get(address).text)
        assert marks == ["ann", "you", "bob", "I"], address


# One request beside another of its session.


@pytest.mark.parametrize(
    ("to", "compared_to", "is_chosen"),
    [
        ("", {"request": 1, "number": 2}, False),
        ("1.1", {"request": 1, "number": 1}, True),
        ("1", {"request": 1, "number": 3}, True),
    ],
)
def test_a_request_is_compared_with_any_other(
    client: FlaskClient, to: str, compared_to: dict[str, int], is_chosen: bool
) -> None:
    """By its number, or an attempt's; with the one before where none is asked for."""
    address = "/tapes/fallback/sessions/1/requests/1/attempts/3.json"
    found = json.loads(client.get(address, query_string={"to": to}).text)
    assert (found["compared_to"], found["is_chosen"]) == (compared_to, is_chosen)


def test_a_request_of_a_replay_leads_to_its_recording(folder: Path, browse: Browse) -> None:
    """Where the attempts of both stand side by side."""
    write_talk(folder / "one.db", "Fix the build.")
    write_talk(folder / "again.db", "Fix the build.", source=str(folder / "one.db"))
    client = browse()
    page = "/tapes/{}/sessions/1/requests/1/attempts/1"
    assert "/compare?a=again/1" in client.get(page.format("again")).text
    assert "/compare" not in client.get(page.format("one")).text


def test_an_attempt_of_one_side_is_told_in_words(folder: Path, browse: Browse) -> None:
    """How many each side made, and how the one went that the other side lacks."""
    write_talk(folder / "one.db", "Fix the build.")
    maker = TapeMaker(folder / "two.db")
    maker.post(0, ask("Fix the build."), session("s-1")).refuse(1, 500)
    post = maker.post(300, ask("Fix the build."), session("s-1"))
    post.answer(301, created("resp_1"), delta("Yes."), completed("resp_1"))
    maker.write()
    client = browse()
    words = (
        "at request 1: A made 1 attempt and B 2 attempts. Only B has attempt 1: answered 500 "
        "Internal Server Error"
    )
    (found,) = twin(client, a="one", b="two")["differences"]
    assert (found["path"], found["told"]) == ("attempt", words)
    assert f"They part {words}</h2>" in client.get("/compare?a=one&b=two").text


def test_a_warm_up_of_one_side_is_neither_equal_nor_a_difference(
    folder: Path, browse: Browse
) -> None:
    """It is named for what it is; the requests after it are counted by each side."""
    write_talk(folder / "http.db", "Fix the tests.")
    maker = TapeMaker(folder / "socket.db")
    socket = maker.socket(0, session("s-1"))
    socket.ask(1, ask(generate=False))
    socket.say(2, created("resp_0"), completed("resp_0"))
    socket.ask(3, ask("Fix the build."))
    socket.say(4, created("resp_1"), delta("Yes."), completed("resp_1"))
    maker.write()
    client = browse()
    warm_up, asked = twin(client, a="socket", b="http")["rows"]
    assert (warm_up["is_framing"], warm_up["differences"], warm_up["b"]) == (True, 0, None)
    assert (warm_up["a"]["called"], asked["a"]["called"]) == ("warm-up", "first attempt")
    page = client.get("/compare?a=socket&b=http").text
    assert "only A: what a socket begins with does not count" in page
    assert '<span class="sr">same</span>' not in page
    assert "They part at request A 2, B 1" in page


def test_a_request_of_one_side_is_told_in_words(client: FlaskClient) -> None:
    """With how it ended."""
    found = twin(client, a="fallback/1", b="rounds/1")["differences"]
    alone = [each["told"] for each in found if each["path"] == "request"]
    assert alone == ["at request 2, which only B made: completed"]


def write_rounds(path: Path, words: str, refused: int) -> None:
    """A tape of three turns, each of which repeats what was said; the second is refused first."""
    maker = TapeMaker(path)
    said = [words]
    for number in range(3):
        for again in range(refused if number == 1 else 0):
            post = maker.post(1000 * number + 100 * again, ask(*said), session("s-1"))
            post.head(1000 * number + 100 * again + 1)
            post.events(1000 * number + 100 * again + 2, created(), delta("So"))
            post.end(1000 * number + 100 * again + 3, EndKind.RESET)
        post = maker.post(1000 * number + 900, ask(*said), session("s-1"))
        post.answer(1000 * number + 901, created(f"resp_{number}"), completed(f"resp_{number}"))
        said.append(f"Question {number}")
    maker.write()


def test_what_follows_from_a_difference_is_told_with_it(folder: Path, browse: Browse) -> None:
    """What a client says again differs again; the rows name where it did first."""
    write_rounds(folder / "one.db", "Fix the build.", 0)
    write_rounds(folder / "two.db", "Fix the tests.", 0)
    client = browse(folder)
    found = twin(client, a="one", b="two")
    assert (found["found"], found["causes"]) == (3, 1)
    (difference,) = found["differences"]
    assert (difference["row"], difference["again"]) == (1, [2, 3])
    assert [(row["own"], row["follows"]) for row in found["rows"]] == [(1, None), (0, 1), (0, 1)]
    page = client.get("/compare?a=one&b=two").text
    assert "3 differences in all, which follow from 1." in page
    assert page.count('follows from <a href="#pair-1">row 1</a>') == 2
    assert page.count(" data-problem") == 1


def test_attempts_that_one_side_alone_made_are_one_difference(folder: Path, browse: Browse) -> None:
    """With all their events; what comes after them is the same again."""
    write_rounds(folder / "one.db", "Fix the build.", 0)
    write_rounds(folder / "two.db", "Fix the build.", 3)
    found = twin(browse(folder), a="one", b="two")
    assert (found["found"], found["causes"], found["pairs"]) == (3, 1, 6)
    (difference,) = found["differences"]
    assert difference["told"].startswith(
        "at request 2: A made 1 attempt and B 4 attempts. Only B has attempts 1 to 3: "
    )
    assert difference["told"].endswith(", 6 events")
    assert [row["events"] for row in found["rows"][1:4]] == [[0, 2], [0, 2], [0, 2]]


def test_what_the_time_of_both_went_to(client: FlaskClient) -> None:
    """Times are no difference, but why one took longer is told, the largest part first."""
    found = twin(client, a="fallback/1", b="rounds/1")
    assert [(each["use"], each["a_us"], each["b_us"]) for each in found["took"][:2]] == [
        ("text", 900_000, 0),
        ("tools", 0, 600_000),
    ]
    page = client.get("/compare?a=fallback/1&b=rounds/1").text
    assert (
        "A took <b>1.8 s</b>, B <b>990 ms</b>: text 900 ms and 0, client&#39;s tools alone" in page
    )


def test_likely_partners_come_first(both: Path, browse: Browse) -> None:
    """Those that began with the same words, and replays, however old they are."""
    for name, words, source in (
        ("same", "Fix the build.", None),
        ("other", "Another thing.", None),
        ("replayed", "Something else.", str(both / "fallback.db")),
    ):
        label = TapeLabel("record", BEGAN_US - 10**9, "monotonic", source=source)
        maker = TapeMaker(both / f"{name}.db", label=label)
        maker.post(0, ask(words), session(name)).answer(5, created(), completed())
        maker.write()
    client = browse(both)
    found = twin(client, a="fallback/1")["choices"]
    assert {each["value"] for each in found[:2]} == {"same/1", "replayed/1"}
    assert [each["is_likely"] for each in found] == [True, True, False, False, False]
    assert '<optgroup label="Same first words, or its replay">' in (
        client.get("/compare?a=fallback/1").text
    )
    assert "or its replay" not in client.get("/compare").text


@pytest.mark.browser
def test_a_session_that_is_chosen_is_compared_at_once(page: Page, site: str) -> None:
    """As soon as there are two."""
    page.open(f"{site}compare")
    for name, value in (("a", "fallback/1"), ("b", "rounds/1")):
        page.value(
            f"(list => {{ list.value = '{value}';"
            "list.dispatchEvent(new Event('change', {bubbles: true})); })"
            f"(document.querySelector('[name={name}]'))"
        )
        page.until(
            f"new URLSearchParams(location.search).get('{name}') === '{value}'"
            " && document.readyState === 'complete'"
        )
    assert page.value("document.querySelector('.parting') !== null")
