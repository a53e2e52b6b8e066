"""The list of sessions: what its filters find, and how it is sorted."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chromium import Page
from flask.testing import FlaskClient
from timed_tapes import TapeMaker, ask, completed, created, delta, session

from inspector_web.orders import ORDERS, Order
from wiretape.facts import EndKind

type Browse = Callable[..., FlaskClient]


def found(client: FlaskClient, **query: str) -> list[Any]:
    """The sessions that are listed."""
    answer = client.get("/sessions.json", query_string=query)
    assert answer.status_code == 200, answer.text
    sessions: list[Any] = json.loads(answer.text)["sessions"]
    return sessions


def tapes(client: FlaskClient, **query: str) -> list[str]:
    return [each["tape"] for each in found(client, **query)]


@pytest.fixture
def silent(folder: Path, browse: Browse) -> FlaskClient:
    """A session that the client gave up, one that paused, a hasty one, and one with a long wait
    before its first event."""
    stalled = TapeMaker(folder / "stalled.db")
    post = stalled.post(0, ask("Why so quiet?"), session("s-1"))
    post.head(5)
    post.events(10, created())
    post.end(3010, EndKind.CLIENT_CLOSED)
    stalled.write()
    for name, pause_ms in (("paused", 1200), ("hasty", 900)):
        maker = TapeMaker(folder / f"{name}.db")
        post = maker.post(0, ask("Go on."), session(name))
        post.head(5)
        post.events(10, created())
        post.events(10 + pause_ms, delta("Done."), completed())
        post.end(20 + pause_ms)
        maker.write()
    waited = TapeMaker(folder / "waited.db")
    waited.post(0, ask("Think first."), session("s-4")).answer(4000, created(), completed())
    waited.write()
    return browse()


def test_a_long_silence_is_what_a_finding_or_the_timeline_calls_so(silent: FlaskClient) -> None:
    """A second in which nothing came of an answer; the wait for its first event is none."""
    assert sorted(tapes(silent, health="silence")) == ["paused", "stalled"]
    assert {each["tape"]: each["silence_us"] for each in found(silent)} == {
        "stalled": 3_000_000,
        "paused": 1_200_000,
        "hasty": None,
        "waited": None,
    }
    (chip,) = [
        each["text"]
        for each in found(silent, text="stalled")[0]["chips"]
        if each["sort"] == "silence"
    ]
    assert chip == "silent for 3.0 s"


def test_the_filter_for_silences_says_from_when_on(silent: FlaskClient) -> None:
    """Its limit is that of the timeline."""
    assert ">with a silence of 1.0 s or more</option>" in silent.get("/sessions").text
    legend = silent.get("/tapes/hasty/sessions/1").text
    assert "<dt>Longest silence</dt><dd>none of 1.0 s or more</dd>" in legend


@pytest.fixture
def told(folder: Path, browse: Browse) -> FlaskClient:
    """A session whose socket was closed, one that was refused for its rate, and a slow one."""
    closed = TapeMaker(folder / "closed.db")
    socket = closed.socket(0, session("s-1"))
    socket.ask(5, ask("Fix the build."))
    socket.close(9, 1011, "busy")
    closed.write()
    limited = TapeMaker(folder / "limited.db")
    limited.post(0, ask("Once more."), session("s-2")).refuse(5, 429)
    limited.write()
    slow = TapeMaker(folder / "slow.db")
    post = slow.post(0, ask("Take your time."), session("s-3"))
    post.head(5)
    post.events(10, created(), delta("Yes."))
    post.end(30_010, EndKind.CLIENT_CLOSED)
    slow.write()
    return browse()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1011", ["closed"]),
        ("CLOSED 1011", ["closed"]),
        ("Too Many Requests", ["limited"]),
        ("gave up after 30.0 s", ["slow"]),
        ("silent for 30", ["slow"]),
        ("rate limit", ["limited"]),
        ("s-3", ["slow"]),
    ],
)
def test_a_text_is_found_in_all_that_a_row_tells(
    told: FlaskClient, text: str, expected: list[str]
) -> None:
    """How it went, its chips and what was found, as well as what it is called."""
    assert tapes(told, text=text) == expected


def test_a_row_shows_what_its_filter_names(told: FlaskClient) -> None:
    """The field says what is searched."""
    assert 'placeholder="words, how it went, findings, client, tape"' in told.get("/sessions").text


@pytest.mark.parametrize(("over_s", "expected"), [("0", 3), ("30", 1), ("31", 0), ("", 3)])
def test_sessions_that_took_long(told: FlaskClient, over_s: str, expected: int) -> None:
    """At least so many seconds."""
    assert len(tapes(told, over_s=over_s)) == expected


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("duration", ["slow", "closed", "limited"]),
        ("shortest", ["limited", "closed", "slow"]),
    ],
)
def test_both_ends_of_an_order(told: FlaskClient, order: str, expected: list[str]) -> None:
    """The most first, or the least."""
    assert tapes(told, order=order) == expected


def test_the_heads_of_columns_sort(told: FlaskClient) -> None:
    """A link each, the filter kept; the column that is sorted says which way, and turns round."""
    page = told.get("/sessions?text=s-&page=1").text
    assert '<th scope="col" aria-sort="descending"><a href="?text=s-&amp;order=oldest"' in page
    assert '<th scope="col" class="num"><a href="?text=s-&amp;order=duration"' in page
    assert page.count("aria-sort") == 1
    longest = told.get("/sessions?order=duration").text
    assert 'class="num" aria-sort="descending"><a href="?order=shortest"' in longest
    assert '<caption class="sr">Sessions, longest first</caption>' in longest
    shortest = told.get("/sessions?order=shortest").text
    assert 'class="num" aria-sort="ascending"><a href="?order=duration"' in shortest


@pytest.mark.parametrize("order", Order)
def test_every_order_has_a_name_and_sorts(told: FlaskClient, order: Order) -> None:
    """None is without words, and none fails."""
    assert f'<option value="{order}" selected>{ORDERS[order]}</option>' in (
        told.get(f"/sessions?order={order}").text
    )


@pytest.mark.browser
def test_what_is_chosen_acts_at_once(page: Page, site: str) -> None:
    """And the list that was chosen from has the focus on the page that follows."""
    page.open(f"{site}sessions")
    page.value(
        "(list => { list.focus(); list.value = 'retry';"
        "list.dispatchEvent(new Event('change', {bubbles: true})); })"
        "(document.querySelector('[name=health]'))"
    )
    page.until("location.search.includes('health=retry') && document.readyState === 'complete'")
    assert page.value("document.querySelectorAll('tbody tr').length") == 1
    assert page.value("document.activeElement.name") == "health"


@pytest.mark.browser
def test_u_leads_back_to_the_list_as_it_was_left(page: Page, site: str) -> None:
    """Its filter and its row, from however deep; there the name of the program shows all again."""
    page.open(f"{site}sessions?order=duration")
    for key in ("j", "j", "Enter", "v"):
        page.press(key)
        page.until("document.readyState === 'complete'")
    page.until("location.pathname === '/tapes/rounds/events'")
    page.press("u")
    page.until("location.pathname === '/sessions' && document.readyState === 'complete'")
    assert page.value("location.search + location.hash") == "?order=duration#rounds%2F1"
    assert page.value("document.activeElement.closest('tr').id") == "rounds/1"
    assert page.value("document.querySelector('a.brand').getAttribute('href')") == "/sessions"


@pytest.mark.browser
def test_a_list_nobody_has_seen_is_that_of_all_sessions(page: Page, site: str) -> None:
    """As without a script."""
    page.open(f"{site}tapes/rounds/events")
    page.value("sessionStorage.clear()")
    page.open(f"{site}tapes/rounds/events")
    assert page.value("document.querySelector('a.brand').pathname") == "/sessions"
    assert page.value("document.querySelector('a.brand').search") == ""


@pytest.mark.browser
def test_a_time_names_the_zone_that_it_is_in(page: Page, site: str) -> None:
    """The viewer's; in UTC it is in the title."""
    page.call("Emulation.setTimezoneOverride", timezoneId="Asia/Kolkata")
    try:
        page.open(f"{site}sessions?text=fallback")
        began = "document.querySelector('time[data-local]')"
        assert "8:34:05" in page.value(f"{began}.textContent")
        assert page.value(f"{began}.textContent").endswith("GMT+5:30")
        assert page.value(f"{began}.title") == "2026-01-02 03:04:05 UTC"
    finally:
        page.call("Emulation.setTimezoneOverride", timezoneId="")


@pytest.mark.browser
def test_an_instant_tells_its_moment_in_the_viewers_zone(page: Page, site: str) -> None:
    """To the millisecond: in sight on its own page, on hover in a table and on the axis."""
    page.call("Emulation.setTimezoneOverride", timezoneId="Asia/Kolkata")
    try:
        page.open(f"{site}tapes/fallback/exchanges/3/events/6")
        seen = page.value("document.querySelector('time[data-local]').textContent")
        assert "8:34:06.900" in seen
        assert seen.endswith("GMT+5:30")
        page.open(f"{site}tapes/fallback/sessions/1")
        hover = "dispatchEvent(new PointerEvent('pointerover', { bubbles: true }))"
        at = "document.querySelector('.attempts time')"
        assert "8:34:05.110" in page.value(f"{at}.{hover}; {at}.title")
        mark = "document.querySelector('.axis text')"
        assert "8:34:05.200" in page.value(
            f"{mark}.{hover}; {mark}.querySelector('title').textContent"
        )
    finally:
        page.call("Emulation.setTimezoneOverride", timezoneId="")
