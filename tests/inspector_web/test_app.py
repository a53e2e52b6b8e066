"""The app: every page and its twin, its refusals, what is on every answer."""

import json
import re
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from timed_tapes import TapeMaker, ask, completed, created, session

from inspector_web.access import SECURITY_HEADERS, Access
from inspector_web.readings import Look
from wiretape.store_writer import TapeWriter

type Browse = Callable[..., FlaskClient]

PAGES = (
    "/sessions",
    "/tapes/fallback/sessions/1",
    "/tapes/fallback/events",
    "/tapes/fallback/exchanges/3/events/2",
    "/tapes/fallback/sessions/1/requests/1/attempts/3",
)
DOWNLOADS = (
    "/tapes/fallback/exchanges/3/events/2/raw",
    "/tapes/fallback/sessions/1/requests/1/attempts/3/raw",
    "/tapes/fallback/exchanges/3/response/raw",
)
MISSING = (
    "/nowhere",
    "/tapes/nothing/sessions/1",
    "/tapes/nothing/events",
    "/tapes/fallback/sessions/0",
    "/tapes/fallback/sessions/2",
    "/tapes/fallback/events?session=7",
    "/tapes/fallback/exchanges/9/events/0",
    "/tapes/fallback/exchanges/3/events/99",
    "/tapes/fallback/sessions/1/requests/1/attempts/9",
    "/tapes/fallback/exchanges/3/events/99/raw",
    "/tapes/fallback/exchanges/3/events/1/raw",
    "/tapes/fallback/sessions/1/requests/1/attempts/0/raw",
    "/tapes/fallback/exchanges/9/response/raw",
)


@pytest.fixture
def client(fallback: Path, browse: Browse) -> FlaskClient:
    """A browser on loopback, with one tape to look at."""
    return browse(fallback.parent)


@pytest.mark.parametrize("address", PAGES)
def test_every_page_is_served(client: FlaskClient, address: str) -> None:
    """As HTML, whole."""
    answer = client.get(address)
    assert (answer.status_code, answer.mimetype) == (200, "text/html")
    assert answer.text.rstrip().endswith("</html>")


@pytest.mark.parametrize("address", PAGES)
def test_every_page_has_a_twin(client: FlaskClient, address: str) -> None:
    """At the same address with ``.json``, to which the page leads."""
    answer = client.get(f"{address}.json")
    assert (answer.status_code, answer.mimetype) == (200, "application/json")
    assert isinstance(json.loads(answer.text), dict)
    assert f'href="{address}.json"' in client.get(address).text


def test_a_twin_keeps_the_query(client: FlaskClient) -> None:
    """The link leads to the same view."""
    text = client.get("/tapes/fallback/events?type=end&session=1").text
    assert 'href="/tapes/fallback/events.json?type=end&amp;session=1"' in text


@pytest.mark.parametrize("address", [*PAGES, *DOWNLOADS, *MISSING, "/static/inspector.css"])
def test_every_answer_is_guarded(client: FlaskClient, address: str) -> None:
    """Refusals, downloads and static files too."""
    with client.get(address) as answer:
        for name in SECURITY_HEADERS.keys() - {"Cache-Control"}:
            assert answer.headers[name] == SECURITY_HEADERS[name]


def test_scripts_and_styles_come_from_here_only() -> None:
    """Nothing is allowed by default, nothing inline, no frame around it."""
    policy = SECURITY_HEADERS["Content-Security-Policy"].split("; ")
    assert policy[0] == "default-src 'none'"
    assert "script-src 'self'" in policy
    assert "style-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert not any(word in " ".join(policy) for word in ("unsafe", "http", "*", "data:"))


@pytest.mark.parametrize("address", MISSING)
def test_what_is_not_there_is_said(client: FlaskClient, address: str) -> None:
    """404 with one sentence that starts with a capital on the page."""
    answer = client.get(address)
    assert answer.status_code == 404
    assert '<p class="sentence">' in answer.text


@pytest.mark.parametrize("address", [each for each in MISSING if not each.endswith("/raw")])
def test_errors_have_one_shape(client: FlaskClient, address: str) -> None:
    """Status and message, wherever they come from."""
    path, mark, query = address.partition("?")
    answer = client.get(f"{path}.json{mark}{query}")
    assert answer.status_code == 404
    error = json.loads(answer.text)["error"]
    assert error["status"] == 404
    assert error["message"].endswith(".")


def test_a_damaged_tape_is_said(client: FlaskClient, folder: Path) -> None:
    """422, with the reason."""
    (folder / "broken.db").write_bytes(b"no database at all")
    answer = client.get("/tapes/broken/sessions/1.json")
    assert answer.status_code == 422
    assert "broken.db is not a tape" in json.loads(answer.text)["error"]["message"]


def test_damage_inside_a_tape_is_said(client: FlaskClient, fallback: Path, folder: Path) -> None:
    """Where the file opens and a segment in it is spoilt."""
    path = folder / "spoilt.db"
    path.write_bytes(fallback.read_bytes())
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE segments SET data = zeroblob(5)")
    connection.close()
    assert client.get("/tapes/spoilt/sessions/1").status_code == 422
    listed = json.loads(client.get("/sessions.json").text)
    assert [each["tape"] for each in listed["unreadable"]] == ["spoilt"]
    assert [each["tape"] for each in listed["sessions"]] == ["fallback"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_it_only_shows(client: FlaskClient, method: str) -> None:
    """Nothing can be changed through it."""
    answer = client.open("/sessions", method=method)
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "GET, HEAD"


def test_the_root_leads_to_the_sessions(client: FlaskClient) -> None:
    """A bare address is enough."""
    assert client.get("/").headers["Location"] == "/sessions"


@pytest.mark.parametrize(
    "headers",
    [{"Host": "evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}],
)
def test_foreign_requests_get_nothing(client: FlaskClient, headers: dict[str, str]) -> None:
    """Neither pages nor static files, and no word of what is there."""
    for address in ("/sessions", "/sessions.json", "/static/inspector.css", DOWNLOADS[0]):
        answer = client.get(address, headers=headers)
        assert answer.status_code == 403
        assert "fallback" not in answer.text


def test_a_token_is_asked_for_once(fallback: Path, browse: Browse) -> None:
    """It goes from the address into a cookie that no script and no other site sees."""
    client = browse(fallback, access=Access("0.0.0.0", "secret-token"))
    assert client.get("/sessions").status_code == 401
    assert client.get("/sessions?token=wrong").status_code == 401
    admitted = client.get("/sessions?text=a+b&token=secret-token")
    assert (admitted.status_code, admitted.headers["Location"]) == (302, "/sessions?text=a+b")
    cookie = admitted.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert client.get("/sessions").status_code == 200


def test_a_token_does_not_lead_elsewhere(fallback: Path, browse: Browse) -> None:
    """A path with two slashes is no other host."""
    client = browse(fallback, access=Access("0.0.0.0", "secret-token"))
    admitted = client.get("//evil.example/?token=secret-token")
    assert admitted.headers.get("Location", "/").count("//") == 0


@pytest.mark.parametrize("address", DOWNLOADS)
def test_downloads_are_never_shown(client: FlaskClient, address: str) -> None:
    """Whatever the bytes are, a browser keeps them in a file."""
    answer = client.get(address)
    assert answer.mimetype == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="fallback-')


def test_downloads_are_the_bytes_that_crossed(client: FlaskClient) -> None:
    """An event with its framing, a body as it was sent."""
    event = client.get("/tapes/fallback/exchanges/3/events/2/raw").data
    assert event == b'data: {"type": "response.created", "response": {"id": "resp_1"}}\n\n'
    body = client.get("/tapes/fallback/sessions/1/requests/1/attempts/3/raw").data
    assert json.loads(body)["model"] == "gpt-5.2-codex"
    response = client.get("/tapes/fallback/exchanges/3/response/raw").data
    assert response.startswith(event)
    message = client.get("/tapes/fallback/exchanges/1/events/2/raw").data
    assert json.loads(message)["type"] == "response.create"
    assert client.get("/tapes/fallback/sessions/1/requests/1/attempts/1/raw").data == message


def test_a_tape_that_is_being_written_is_shown(folder: Path, browse: Browse) -> None:
    """As far as it is, and further at the next look."""
    maker = TapeMaker(folder / "live.db")
    maker.post(0, ask("one"), session("a")).answer(10, created(), completed())
    first = len(maker.facts)
    maker.post(20, ask("two"), session("b")).head(30)
    client = browse()

    def wait_for(count: int) -> None:
        while len(json.loads(client.get("/sessions.json").text)["sessions"]) < count:
            time.sleep(0.05)

    with TapeWriter(maker.path, maker.label, on_trouble=pytest.fail) as writer:
        for fact in maker.facts[:first]:
            writer.put(fact)
        wait_for(1)
        for fact in maker.facts[first:]:
            writer.put(fact)
        wait_for(2)
        assert "· going on, 0 events so far" in client.get("/tapes/live/sessions/2").text.replace(
            "</span>", ""
        )


def test_a_failure_of_ours_has_the_same_shape(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """500 and a sentence; what went wrong stays on the terminal."""
    client.application.testing = False
    monkeypatch.setattr("inspector_web.views.sessions_page", None)
    answer = client.get("/sessions.json")
    assert answer.status_code == 500
    assert json.loads(answer.text)["error"]["status"] == 500


@pytest.mark.parametrize(("tapes", "named", "more"), [(10, 10, ""), (13, 10, "and 3 more")])
def test_many_tapes_that_are_being_read_are_counted(
    client: FlaskClient,
    fallback: Path,
    monkeypatch: pytest.MonkeyPatch,
    tapes: int,
    named: int,
    more: str,
) -> None:
    """The list names the first ten and says how many more there are."""
    monkeypatch.setattr("inspector_web.readings.Readings.look", lambda *_, **__: Look(share=0.43))
    for number in range(1, tapes):
        fallback.with_name(f"another-{number}.db").write_bytes(fallback.read_bytes())
    text = client.get("/sessions").text
    told = text[text.index("data-reading") :].partition("</div>")[0]
    assert f"{tapes} tapes being read" in told
    assert told.count("<progress") == named
    assert re.findall(r"and \d+ more", told) == ([more] if more else [])


def test_a_tape_that_is_being_read_says_how_far(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list counts it, its session says so and asks again, its events are there already."""
    monkeypatch.setattr("inspector_web.readings.Readings.look", lambda *_, **__: Look(share=0.43))
    listed = json.loads(client.get("/sessions.json").text)
    assert listed["unread"] == [{"tape": "fallback", "share": 0.43}]
    answer = client.get("/tapes/fallback/sessions/1.json")
    assert answer.status_code == 503
    assert answer.headers["Refresh"] == "1"
    assert "43% so far" in json.loads(answer.text)["error"]["message"]
    page = client.get("/tapes/fallback/sessions/1")
    assert (page.status_code, page.headers["Refresh"]) == (503, "1")
    assert '<progress max="1" value="0.43"' in page.text
    assert 'href="/tapes/fallback/events"' in page.text
    events = json.loads(client.get("/tapes/fallback/events.json").text)
    assert len(events["listing"]["rows"]) == 18
    assert client.get("/tapes/fallback/exchanges/3/events/2").status_code == 200
