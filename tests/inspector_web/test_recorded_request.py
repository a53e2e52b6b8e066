"""A request of a replay beside the one that was recorded."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from timed_tapes import BEGAN_US, TapeMaker, ask, call, completed, created, done, output, session

from wiretape.store_writer import TapeLabel

type Browse = Callable[..., FlaskClient]


def write_round(path: Path, given: str, *, source: Path | None = None, retries: int = 0) -> None:
    """A question, and its second request, with what a tool had ``given``, after failed tries."""
    made_by = "record" if source is None else "replay"
    label = TapeLabel(
        made_by, BEGAN_US, "monotonic", source=None if source is None else str(source)
    )
    maker = TapeMaker(path, label=label)
    first = maker.post(0, ask("List."), session("s"))
    first.answer(10, created("r_1"), done(call("c_1")), completed("r_1"))
    asked = ask("List.", call("c_1"), output("c_1", given))
    for at_ms in range(100, 100 + 50 * retries, 50):
        maker.post(at_ms, asked, session("s")).refuse(at_ms + 5, 500)
    maker.post(400, asked, session("s")).answer(410, created("r_2"), completed("r_2"))
    maker.write()


@pytest.fixture
def client(folder: Path, browse: Browse) -> FlaskClient:
    """A browser with a recording, and a replay of it in which the tool gave something else."""
    write_round(folder / "first.db", "a b")
    write_round(folder / "again.db", "a c", source=folder / "first.db", retries=1)
    return browse()


PAGE = "/tapes/{}/sessions/1/requests/{}/attempts/{}"


def twin(client: FlaskClient, address: str) -> Any:
    path, _, query = address.partition("?")
    answer = client.get(f"{path}.json?{query}")
    assert answer.status_code == 200, answer.text
    return json.loads(answer.text)


def test_it_is_chosen_on_the_page_of_the_request(client: FlaskClient) -> None:
    """A link beside the field for any other request; there is none where nothing was replayed."""
    link = '<a class="clear" data-view="to" href="?to=recorded#new">The recorded one</a>'
    assert link in client.get(PAGE.format("again", 1, 1)).text
    assert link in client.get(PAGE.format("again", 2, 2)).text
    assert link not in client.get(PAGE.format("first", 2, 1)).text


def test_the_difference_is_to_what_was_recorded(client: FlaskClient) -> None:
    """To the attempt that the comparison lays beside it: the one that went the same way."""
    found = twin(client, f"{PAGE.format('again', 2, 2)}?to=recorded")
    assert found["recorded"]["tape"] == "first"
    assert found["recorded"]["session"] == 1
    assert found["recorded"]["place"] == {"request": 2, "number": 1}
    assert found["compared_to"] is None
    (change,) = found["difference"]["items"]
    assert (change["before"]["output"], change["after"]["output"]) == ("a b", "a c")
    assert found["difference"]["settings"] == []
    text = client.get(f"{PAGE.format('again', 2, 2)}?to=recorded").text
    address = PAGE.format("first", 2, 1)
    assert f'Beside the recorded <a href="{address}">request 2</a>' in text


def test_the_first_request_has_a_recorded_one_too(client: FlaskClient) -> None:
    """Though there is none before it."""
    found = twin(client, f"{PAGE.format('again', 1, 1)}?to=recorded")
    assert found["difference"]["repeated"] == 1
    assert found["difference"]["items"] == []
    assert (
        "Nothing was added or changed: 1 input item as recorded."
        in client.get(f"{PAGE.format('again', 1, 1)}?to=recorded").text
    )


def test_an_attempt_that_was_not_recorded_says_so(client: FlaskClient) -> None:
    """And is laid beside the one before it."""
    text = client.get(f"{PAGE.format('again', 2, 1)}?to=recorded").text
    assert "The recording has no attempt that belongs to this one: " in text
    assert ">New since <a" in text


def test_a_recording_that_is_not_here_is_told(folder: Path, browse: Browse) -> None:
    """By its path, with what to do; nothing is there to be pressed."""
    write_round(folder / "again.db", "a c", source=Path("/somewhere/first.db"))
    client = browse()
    for query in ("", "?to=recorded"):
        text = client.get(PAGE.format("again", 2, 1) + query).text
        assert (
            "The recording /somewhere/first.db is not among these tapes: give its path to "
            "`wiretape inspect` too, and this request can be laid beside the recorded one."
        ) in text
        assert "The recorded one</a>" not in text


def test_what_is_too_long_to_be_paired_is_said(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on the page that compares."""
    monkeypatch.setattr("inspector_web.pages.compare.MOST_EVENTS", 1)
    text = client.get(f"{PAGE.format('again', 2, 2)}?to=recorded").text
    assert "The two sessions are too long for the recorded request to be found here: " in text
