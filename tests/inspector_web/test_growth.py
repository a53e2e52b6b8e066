"""Pages grow while their tape is being written."""

import html
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from chromium import Page
from flask.testing import FlaskClient
from growing import GrowingTape
from timed_tapes import TapeMaker, ask, completed, created, delta, session

from inspector_web import readings
from inspector_web.filters import timestamp
from inspector_web.growth import (
    ListGrowth,
    News,
    TapeGrowth,
    joined,
    tape_state,
    told,
)
from inspector_web.readings import Look, edition_of
from inspector_web.shelf import Shelf
from wiretape.store_presence import Presence

type Browse = Callable[..., FlaskClient]


@pytest.fixture
def growing(folder: Path) -> Iterator[GrowingTape]:
    """A tape that is being written, with one request on it."""
    with GrowingTape(folder / "one.db", 1) as tape:
        yield tape


@pytest.fixture
def patient() -> Shelf:
    """A shelf that waits for what is read."""
    return Shelf(None, 60.0)


def seen_on(shelf: Shelf, tape: Path) -> str:
    """The state that a page shows which is laid out now."""
    return tape_state(tape, shelf.look(tape))


def growth_of(shelf: Shelf, tape: Path) -> TapeGrowth:
    """What tells such a page that it has grown."""
    return TapeGrowth((tape,), shelf, seen_on(shelf, tape))


def test_a_tape_that_has_not_changed_is_no_news(growing: GrowingTape, patient: Shelf) -> None:
    """The browser says which state it shows."""
    assert growth_of(patient, growing.path).look() is News.NOTHING


def test_what_came_before_the_first_look_is_news(growing: GrowingTape, patient: Shelf) -> None:
    """Between the page and the stream nothing is lost; it is told once."""
    growth = growth_of(patient, growing.path)
    growing.add(1)
    assert [growth.look(), growth.look()] == [News.GROWN, News.NOTHING]


def test_the_last_of_a_tape_is_told_before_its_end(growing: GrowingTape, patient: Shelf) -> None:
    """A page that heard of the end has all of it."""
    growth = growth_of(patient, growing.path)
    growing.add(1)
    growing.close()
    assert [growth.look(), growth.look()] == [News.GROWN, News.OVER]


def test_a_tape_whose_writer_is_gone_is_over(folder: Path, patient: Shelf) -> None:
    """Though nobody has closed it: nothing more will come."""
    tape = TapeMaker(folder / "cut.db", is_cut_off=True)
    tape.post(0, ask("hi"), session("s-1")).answer(1, created())
    assert growth_of(patient, tape.write()).look() is News.OVER


def test_a_tape_that_is_being_read_grows_when_it_is_read(growing: GrowingTape) -> None:
    """Until then the page would only say the same once more."""
    shelf = Shelf(None, 0.0)
    growth = growth_of(shelf, growing.path)
    assert growth.look() is News.NOTHING
    shelf.patience_s = 60.0
    assert [growth.look(), growth.look()] == [News.GROWN, News.NOTHING]


def test_a_page_of_facts_grows_before_the_tape_is_read(
    growing: GrowingTape, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Events are read from the tape itself."""
    shelf = Shelf(None, 0.0)
    look, edition = shelf.look(growing.path), edition_of(growing.path)
    seen = tape_state(growing.path, look, edition)
    growth = TapeGrowth((growing.path,), shelf, seen, is_of_facts=True)
    monkeypatch.setattr(shelf, "look", lambda _: look)
    assert growth.look() is News.NOTHING
    growing.add(1)
    assert [growth.look(), growth.look()] == [News.GROWN, News.NOTHING]


def test_a_tape_that_is_gone_is_over(growing: GrowingTape, patient: Shelf) -> None:
    """The stream ends; the page stays as it is."""
    growth = growth_of(patient, growing.path)
    growing.path.unlink()
    assert growth.look() is News.OVER


def test_a_new_tape_is_news_to_the_list(growing: GrowingTape, folder: Path, patient: Shelf) -> None:
    """And so is a change of one, when it has been read."""
    growth = ListGrowth((), patient, "")

    def next_news() -> News:
        growth.tapes = sorted(folder.glob("*.db"))
        for each in folder.glob("*.db"):
            patient.look(each)
        return growth.look()

    assert [next_news(), next_news()] == [News.GROWN, News.NOTHING]
    TapeMaker(folder / "two.db").write()
    assert [next_news(), next_news()] == [News.GROWN, News.NOTHING]
    growing.add(1)
    assert [next_news(), next_news()] == [News.GROWN, News.NOTHING]


@dataclass
class Told:
    """A look that finds this."""

    news: News
    seen: str = "state-7"

    def look(self) -> News:
        return self.news


@pytest.mark.parametrize(
    ("news", "event"),
    [
        (News.NOTHING, ""),
        (News.GROWN, "event: grown\ndata:\n"),
        (News.OVER, "event: over\ndata:\n"),
    ],
)
def test_a_stream_is_one_look(news: News, event: str) -> None:
    """It says when to come back, which state was seen, and what happened, if anything did."""
    assert told(Told(news)) == f"retry: 500\nid: state-7\n{event}\n"


def test_only_a_tape_that_is_being_written_is_watched(growing: GrowingTape, browse: Browse) -> None:
    """What is over need not be asked after, nor what was cut off."""
    client = browse()
    assert "data-live" in client.get("/tapes/one/sessions/1").text
    assert "</span> live" in client.get("/tapes/one/sessions/1").text
    assert "data-live" in client.get("/tapes/one/events").text
    growing.close()
    assert "data-live" not in client.get("/tapes/one/sessions/1").text
    assert "data-live" not in client.get("/tapes/one/events").text
    assert "data-live" not in client.get("/tapes/nothing/sessions/1").text


def test_a_tape_that_was_cut_off_says_so(folder: Path, browse: Browse) -> None:
    """And is not called live."""
    tape = TapeMaker(folder / "cut.db", is_cut_off=True)
    tape.post(0, ask("hi"), session("s-1")).answer(1, created())
    tape.write()
    client = browse()
    page = client.get("/tapes/cut/sessions/1").text
    assert "data-live" not in page
    assert "This tape was cut off" in page
    twin = client.get("/tapes/cut/sessions/1.json").get_json()
    assert twin["standing"] == {
        "writing": "recording_cut_off",
        "is_read": True,
        "is_behind": False,
        "as_of_us": None,
    }


def test_a_session_that_was_cut_off_says_so_everywhere(folder: Path, browse: Browse) -> None:
    """In the list, on its timeline and on the page of its turn: that it was, and where."""
    tape = TapeMaker(folder / "cut.db", is_cut_off=True)
    tape.post(0, ask("hi"), session("s-1")).answer(1, created(), completed())
    post = tape.post(10, ask("and now?"), session("s-1"))
    post.head(11)
    post.events(12, created(), delta())
    tape.write()
    client, words = browse(), "the recording was cut off after 2 events"
    assert f"Cut off: HTTP: {words}" in client.get("/sessions").text
    timeline = client.get("/tapes/cut/sessions/1").text
    assert '</span> Cut off: <a href="#request-2">request 2</a></p>' in timeline
    assert f"HTTP: {words}</li>" in timeline
    assert timeline.count(f" {words}</span>") == 2  # the lane, the table
    assert words in client.get("/tapes/cut/sessions/1/turns/2").text
    assert words in client.get("/tapes/cut/sessions/1/requests/2/attempts/1").text


def test_a_tape_that_is_being_written_is_not_called_cut_off(
    growing: GrowingTape, browse: Browse
) -> None:
    """Nor is one that was closed."""
    client = browse()
    address = "/tapes/one/sessions/1"
    assert "cut off:" not in client.get(address).text
    assert client.get(f"{address}.json").get_json()["standing"]["writing"] == "recording_goes_on"
    growing.close()
    assert "cut off:" not in client.get(address).text
    assert client.get(f"{address}.json").get_json()["standing"]["writing"] == "closed"


def test_the_list_says_which_tapes_are_being_recorded(
    growing: GrowingTape, fallback: Path, browse: Browse
) -> None:
    """Those that somebody is writing, and no others; it grows by itself all the same."""
    assert fallback.exists()
    client = browse()
    assert client.get("/sessions.json").get_json()["growing"] == ["one"]
    assert client.get("/sessions").text.count("being recorded") == 1
    growing.close()
    assert client.get("/sessions.json").get_json()["growing"] == []
    page = client.get("/sessions").text
    assert "being recorded" not in page
    assert "</span> live" not in page
    assert "data-live" in page


def test_a_page_that_is_behind_its_tape_says_so(
    growing: GrowingTape, browse: Browse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until the tape has been read again; even if that was closed meanwhile."""
    client = browse()
    address = "/tapes/one/sessions/1"
    assert "has grown since it was read" not in client.get(address).text
    may_go_on = threading.Event()
    read = readings._read

    def held_up(*given: Any) -> Iterator[Look]:
        assert may_go_on.wait(60)
        return read(*given)

    monkeypatch.setattr(readings, "_read", held_up)
    client.application.extensions["shelf"].patience_s = 0.0
    growing.add(1)
    growing.close()
    page = client.get(address).text
    assert "has grown since it was read" in page
    assert "data-live" in page
    assert "</span> live" not in page
    twin = client.get(f"{address}.json").get_json()
    stands = twin["standing"]
    as_of_us = stands.pop("as_of_us")
    assert stands == {"writing": "closed", "is_read": True, "is_behind": True}
    assert f'datetime="{timestamp(as_of_us)}"' in page
    assert twin["session"]["requests"] == 1
    may_go_on.set()
    client.application.extensions["shelf"].patience_s = 60.0
    page = client.get(address).text
    assert "has grown since it was read" not in page
    assert client.get(f"{address}.json").get_json()["session"]["requests"] == 2


def test_the_stream_of_a_tape_that_is_over(
    growing: GrowingTape, browse: Browse, patient: Shelf
) -> None:
    """It says so at once, as server-sent events."""
    growing.close()
    client, seen = browse(), seen_on(patient, growing.path)
    client.application.extensions["shelf"].look(growing.path)
    answer = client.get("/tapes/one/growth", query_string={"seen": seen})
    assert answer.mimetype == "text/event-stream"
    assert answer.text.endswith(f"id: {seen}\nevent: over\ndata:\n\n")


def test_a_browser_that_comes_back_is_told_what_is_new_since(
    growing: GrowingTape, browse: Browse, patient: Shelf
) -> None:
    """Though the address is still that of the page it came from."""
    client, first = browse(), seen_on(patient, growing.path)
    growing.add(1)
    address = f"/tapes/one/growth?seen={first}"
    assert "event: grown" in client.get(address).text
    seen = seen_on(patient, growing.path)
    assert "event" not in client.get(address, headers={"Last-Event-ID": seen}).text


def test_two_tapes_grow_until_both_are_over(
    growing: GrowingTape, folder: Path, patient: Shelf
) -> None:
    """For a page that shows both."""
    with GrowingTape(folder / "two.db", 1) as other:
        paths = (growing.path, other.path)
        states = [seen_on(patient, path) for path in paths]
        growth = TapeGrowth(paths, patient, joined(states))
        assert growth.look() is News.NOTHING
        other.add(1)
        assert [growth.look(), growth.look()] == [News.GROWN, News.NOTHING]
        growing.close()
        assert [growth.look(), growth.look()] == [News.GROWN, News.NOTHING]
    assert [growth.look(), growth.look()] == [News.GROWN, News.OVER]


def test_a_comparison_is_watched_while_one_side_is_written(
    growing: GrowingTape, fallback: Path, browse: Browse
) -> None:
    """And where nothing is chosen yet, so is what can be."""
    assert fallback.exists()
    client = browse()
    address = "/compare?a=fallback/1&b=one/1"
    page = client.get(address).text
    (watched,) = re.findall('data-live="([^"]*)"', page)
    assert "event" not in client.get(html.unescape(watched)).text
    growing.add(1)
    assert "event: grown" in client.get(html.unescape(watched)).text
    growing.close()
    client.application.extensions["shelf"].look(growing.path)
    assert "data-live" not in client.get(address).text
    assert 'data-live="/growth' in client.get("/compare").text


def test_a_search_is_watched(growing: GrowingTape, browse: Browse) -> None:
    """For more that there is to find; a page that looks for nothing is not."""
    client = browse()
    (watched,) = re.findall('data-live="([^"]*)"', client.get("/search?text=word").text)
    assert "event" not in client.get(watched).text
    growing.add(1)
    client.application.extensions["shelf"].look(growing.path)
    assert "event: grown" in client.get(watched).text
    assert "data-live" not in client.get("/search").text


def test_there_is_no_stream_of_what_is_not_there(browse: Browse) -> None:
    """Refused like any other page."""
    assert browse().get("/tapes/nothing/growth").status_code == 404


@pytest.mark.browser
@pytest.mark.parametrize("address", ["sessions/1", "events"])
def test_a_page_grows_where_it_stands(page: Page, site: str, folder: Path, address: str) -> None:
    """What is looked at stays, in its place and with its focus; then the page rests."""
    growing = GrowingTape(folder / "grows.db", 16)
    page.open(f"{site}tapes/grows/{address}")
    rows_now = "document.querySelectorAll('tr[data-row]').length"
    top_now = "Math.round(kept.getBoundingClientRect().top)"
    before, top = page.value(
        f"window.kept = document.querySelector('tr[data-row]'); kept.querySelector('a').focus();"
        "kept.scrollIntoView({ block: 'start', behavior: 'instant' });"
        f"[{rows_now}, {top_now}]"
    )
    growing.add(3)
    page.until(f"{rows_now} > {before}")
    assert page.value("kept.isConnected && kept.contains(document.activeElement)")
    page.until(f"{top_now} === {top}")
    growing.close()
    page.until("document.querySelector('[data-live]').hidden")
    assert [each for each in page.complaints if site in each] == []


@pytest.mark.browser
def test_what_was_opened_and_selected_stays(page: Page, site: str, folder: Path) -> None:
    """While rows come to a table below, and the timeline is drawn anew."""
    growing = GrowingTape(folder / "grows.db", 2)
    page.open(f"{site}tapes/grows/sessions/1")
    page.value(
        "getSelection().selectAllChildren(document.querySelector('h1'));"
        "window.line = document.querySelector('#timeline');"
        "document.querySelector('.legend summary').click()"
    )
    page.until("location.search === '?open=legend'")
    growing.add(1)
    page.until("document.querySelectorAll('.attempts [data-row]').length === 3")
    assert page.value("getSelection().toString()") == "Question 1"
    page.until("!line.isConnected && document.querySelectorAll('.lane').length === 3")
    assert page.value("document.querySelector('.legend').open")
    growing.close()


@pytest.mark.browser
def test_the_list_of_sessions_grows(page: Page, site: str, folder: Path) -> None:
    """By a tape that was not there."""
    page.open(f"{site}sessions")
    page.value("window.kept = document.querySelector('tbody tr'); 1")
    GrowingTape(folder / "newer.db", 1).close()
    page.until(
        "[...document.querySelectorAll('.title')].some(e => e.textContent.includes('newer'))"
    )
    assert page.value("kept.isConnected")


@pytest.mark.browser
def test_ten_windows_grow_beside_each_other(page: Page, site: str, folder: Path) -> None:
    """A browser has six connections to a server, for all of its windows."""
    with GrowingTape(folder / "grows.db", 1) as growing:
        address = f"{site}tapes/grows/sessions/1"
        others = [
            page.call("Target.createTarget", url=address, newWindow=True)["targetId"]
            for _ in range(9)
        ]
        page.open(address)
        growing.add(1)
        page.until("document.querySelectorAll('.attempts [data-row]').length === 2")
        for each in others:
            page.call("Target.closeTarget", targetId=each)


@pytest.mark.browser
def test_a_comparison_grows(page: Page, site: str, folder: Path) -> None:
    """By a row, when what is compared has a request more."""
    with GrowingTape(folder / "grows.db", 1) as growing:
        page.open(f"{site}compare?a=fallback/1&b=grows/1")
        rows = page.value("document.querySelectorAll('tr[data-row]').length")
        growing.add(1)
        page.until(f"document.querySelectorAll('tr[data-row]').length === {rows + 1}")


@pytest.mark.browser
def test_a_search_offers_to_search_again(page: Page, site: str, folder: Path) -> None:
    """What was found stays as it is until the person wants more."""
    with GrowingTape(folder / "grows.db", 1) as growing:
        page.open(f"{site}search?text=Question+2")
        offered = "!document.querySelector('[data-offer]').hidden"
        assert page.value(offered) is False
        growing.add(1)
        page.until(offered)
        assert "Nothing on these tapes" in page.value("document.querySelector('main').textContent")
        page.value("document.querySelector('[data-offer] a').click()")
        page.until("document.querySelectorAll('.hits [data-row]').length > 0")


def test_a_tape_that_nobody_writes_any_more_is_another_edition(tmp_path: Path) -> None:
    """Its file is as it was, and what was found on it is not true any more."""
    path = tmp_path / "tape.db"
    for each in (path, tmp_path / "tape.db-wal"):
        each.touch()
    writer = Presence(path)
    before = edition_of(path)
    writer.end()
    assert edition_of(path) != before
