"""What diagnose says stands on top of a session, each finding linked to its place."""

import json
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from timed_tapes import TapeMaker, ask, completed, created, delta, session

from wiretape.diagnosis.diagnose import diagnose
from wiretape.store_reader import TapeReader


@pytest.fixture
def client(fallback: Path, browse: Any) -> FlaskClient:
    """A browser with the fallback to look at."""
    browser: FlaskClient = browse(fallback)
    return browser


def twin(client: FlaskClient, address: str) -> Any:
    answer = client.get(address.replace("?", ".json?") if "?" in address else f"{address}.json")
    assert answer.status_code == 200, answer.text
    return json.loads(answer.text)


def test_they_are_those_of_the_command(client: FlaskClient, fallback: Path) -> None:
    """In its words and its order, with what they mean and what to try."""
    with TapeReader(fallback) as reader:
        diagnosis = diagnose(reader)
    page = twin(client, "/tapes/fallback/sessions/1")
    assert page["session"]["verdict"]["note"] == diagnosis.findings[0].what
    assert [
        (each["kind"], each["severity"], each["what"], each["meaning"], each["advice"])
        for each in page["findings"]
    ] == [
        (each.kind, each.severity, each.what, each.meaning, each.advice)
        for each in diagnosis.findings
    ]


def test_each_leads_to_the_events_it_rests_on(client: FlaskClient) -> None:
    """By exchange and position, and to the window around them."""
    first = twin(client, "/tapes/fallback/sessions/1")["findings"][0]
    assert first["kind"] == "closed_early"
    assert [(each["exchange"], each["position"], each["event"]) for each in first["evidence"]] == [
        (1, 3, "websocket.close"),
        (2, 3, "websocket.close"),
    ]
    assert first["evidence"][1]["place"] == {"request": 1, "number": 2}
    assert first["view"]["start_us"] == 100_000
    text = client.get("/tapes/fallback/sessions/1").text
    assert '<a href="/tapes/fallback/exchanges/1/events/3">websocket.close at <time' in text
    assert "from=100000&amp;to=" in text


def test_the_list_of_sessions_shows_the_verdict(client: FlaskClient) -> None:
    """Beside a chip that counts, by which the list can be filtered."""
    text = client.get("/sessions").text
    assert "3 findings</span>" in text
    assert "Recovered: WebSocket, 2 tries: cut: closed 1011 no luck → fallback to HTTP" in text
    assert len(twin(client, "/sessions?health=finding")["sessions"]) == 1


def test_events_that_a_finding_rests_on_are_marked(client: FlaskClient) -> None:
    """And the page says where the next one is that it does not show."""
    page = twin(client, "/tapes/fallback/events?session=1")
    rows = [page["listing"]["rows"][at] for at in page["problems"]]
    assert [(row["place"]["exchange"], row["type"]) for row in rows][:2] == [
        (1, "websocket.close"),
        (2, "websocket.close"),
    ]
    only = twin(client, "/tapes/fallback/events?session=1&before=130000.1.3")
    assert only["next_problem"] == {"at_us": 130_000, "exchange": 1, "position": 3}


def test_an_attempt_says_what_was_found_in_it(client: FlaskClient) -> None:
    """And where the next problem is."""
    page = twin(client, "/tapes/fallback/sessions/1/requests/1/attempts/1")
    assert "WebSocket ended 2 times" in page["findings"][0]["what"]
    assert page["problem"] == {"request": 1, "number": 2}


def test_what_was_found_alike_is_one(folder: Path, browse: Any) -> None:
    """With the requests that it was found in, and how often."""
    maker = TapeMaker(folder / "ill.db")
    for at_ms in range(0, 1000, 100):
        body = ask(f"ask {at_ms}")
        maker.post(at_ms, body, session("s")).refuse(at_ms + 1, 400, {"error": {"message": "no"}})
    maker.write()
    client: FlaskClient = browse()
    page = twin(client, "/tapes/ill/sessions/1")
    (row,) = [each for each in page["findings"] if each["kind"] == "fatal"]
    assert (row["requests"], row["alike"]) == ([1, 2, 3, 4, 5, 6, 7, 8], 9)
    assert page["left_out"] == 0
    text = client.get("/tapes/ill/sessions/1").text
    assert "requests 1, 2, 3, 4, 5, 6, 7, 8 and others: 10 times</span>" in text


def test_a_session_that_went_well_says_so(folder: Path, browse: Any) -> None:
    """It was completed, and nothing is wrong with it."""
    maker = TapeMaker(folder / "well.db")
    maker.post(0, ask("hi"), session("s")).answer(1, created(), delta(), completed())
    maker.write()
    client: FlaskClient = browse()
    page = twin(client, "/tapes/well/sessions/1")
    assert page["session"]["verdict"] == {
        "tone": "good",
        "word": "Completed",
        "tale": None,
        "note": "nothing wrong",
    }
    assert (page["findings"], page["found"]) == ([], 0)
    assert "</span> Completed, nothing wrong</p>" in client.get("/tapes/well/sessions/1").text


def test_a_session_is_not_blamed_for_another(folder: Path, browse: Any) -> None:
    """Of several sessions on a tape, each has its own findings and its own verdict."""
    maker = TapeMaker(folder / "two.db")
    maker.post(0, ask("hi"), session("well")).answer(1, created(), delta(), completed())
    maker.post(10, ask("ho"), session("ill")).refuse(20, 500, {"error": {"message": "no"}})
    maker.write()
    client: FlaskClient = browse()
    well, ill = (twin(client, f"/tapes/two/sessions/{number}") for number in (1, 2))
    assert well["findings"] == []
    assert well["session"]["verdict"]["note"] == "nothing wrong"
    assert "http_error" in {each["kind"] for each in ill["findings"]}
