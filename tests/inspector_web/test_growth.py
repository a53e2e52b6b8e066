"""Pages grow while their tape is being written."""

from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path

import pytest
from chromium import Page
from flask.testing import FlaskClient
from timed_tapes import TapeMaker, ask, completed, created, delta, session

from inspector_web.growth import (
    LOOK_EVERY_S,
    SIGN_OF_LIFE_EVERY,
    ListGrowth,
    News,
    TapeGrowth,
    state_of,
    told,
)
from inspector_web.shelf import Shelf

type Browse = Callable[..., FlaskClient]


def write_rounds(path: Path, rounds: int, *, is_closed: bool = False) -> Path:
    """A tape of so many requests, put in the place of the one that was there."""
    maker = TapeMaker(path.with_suffix(".new"), is_cut_off=not is_closed)
    for number in range(rounds):
        begin_ms = 1000 * number
        post = maker.post(begin_ms, ask(f"Question {number + 1}"), session("s-1"))
        post.head(begin_ms + 1)
        post.events(begin_ms + 2, created(), delta("word " * 20))
        post.events(begin_ms + 400, completed())
        post.end(begin_ms + 401)
    maker.write()
    return maker.path.replace(path)


@pytest.fixture
def shelf_of_one() -> Shelf:
    """A shelf that waits for what is read."""
    return Shelf(None, 60.0)


def test_a_tape_that_has_not_changed_is_no_news(folder: Path, shelf_of_one: Shelf) -> None:
    """The browser says which state it shows."""
    tape = write_rounds(folder / "one.db", 1)
    growth = TapeGrowth(tape, shelf_of_one, state_of([tape]))
    assert growth.look() is News.NOTHING


def test_what_came_before_the_first_look_is_news(folder: Path, shelf_of_one: Shelf) -> None:
    """Between the page and the stream nothing is lost; it is told once."""
    tape = write_rounds(folder / "one.db", 1)
    growth = TapeGrowth(tape, shelf_of_one, state_of([tape]))
    write_rounds(tape, 2)
    assert [growth.look(), growth.look()] == [News.GROWN, News.NOTHING]


def test_the_last_of_a_tape_is_told_before_its_end(folder: Path, shelf_of_one: Shelf) -> None:
    """A page that heard of the end has all of it."""
    tape = write_rounds(folder / "one.db", 1)
    growth = TapeGrowth(tape, shelf_of_one, state_of([tape]))
    write_rounds(tape, 2, is_closed=True)
    assert [growth.look(), growth.look()] == [News.GROWN, News.OVER]


def test_a_tape_that_is_being_read_grows_when_it_is_read(folder: Path) -> None:
    """Until then the page would only say the same once more."""
    tape = write_rounds(folder / "one.db", 1)
    shelf = Shelf(None, 0.0)
    growth = TapeGrowth(tape, shelf, state_of([tape]))
    assert growth.look() is News.NOTHING
    shelf.patience_s = 60.0
    assert [growth.look(), growth.look()] == [News.GROWN, News.NOTHING]


def test_a_tape_that_is_gone_is_over(folder: Path, shelf_of_one: Shelf) -> None:
    """The stream ends; the page stays as it is."""
    tape = write_rounds(folder / "one.db", 1)
    growth = TapeGrowth(tape, shelf_of_one, state_of([tape]))
    tape.unlink()
    assert growth.look() is News.OVER


def test_a_new_tape_is_news_to_the_list(folder: Path) -> None:
    """And so is a change of one."""
    tape = write_rounds(folder / "one.db", 1)
    growth = ListGrowth(lambda: sorted(folder.glob("*.db")), state_of([tape]))
    assert growth.look() is News.NOTHING
    write_rounds(folder / "two.db", 1)
    assert growth.look() is News.GROWN
    write_rounds(tape, 2)
    assert [growth.look(), growth.look()] == [News.GROWN, News.NOTHING]


def looks(*news: News) -> Callable[[], News]:
    """What is found by one look after the other."""
    found = iter(news)
    return lambda: next(found)


def test_the_stream_ends_when_it_is_over() -> None:
    """Each piece of news is an event of its own."""
    waits: list[float] = []
    stream = told(looks(News.GROWN, News.NOTHING, News.OVER), waits.append)
    assert list(stream) == [
        "retry: 2000\n\n",
        "event: grown\ndata:\n\n",
        "event: over\ndata:\n\n",
    ]
    assert len(waits) == 2
    assert min(waits) >= LOOK_EVERY_S


def test_a_quiet_stream_shows_signs_of_life() -> None:
    """Or a browser that has left would never be found out."""
    seen = count()

    def look() -> News:
        next(seen)
        return News.NOTHING

    stream: Iterator[str] = told(look, lambda _: None)
    assert list(islice(stream, 3)) == ["retry: 2000\n\n", ":\n\n", ":\n\n"]
    assert next(seen) == 2 * SIGN_OF_LIFE_EVERY


def test_only_a_tape_that_is_not_closed_is_watched(folder: Path, browse: Browse) -> None:
    """What is over need not be asked after."""
    write_rounds(folder / "open.db", 1)
    write_rounds(folder / "closed.db", 1, is_closed=True)
    client = browse()
    assert "data-live" in client.get("/tapes/open/sessions/1").text
    assert "data-live" not in client.get("/tapes/closed/sessions/1").text
    assert "data-live" not in client.get("/tapes/nothing/sessions/1").text


def test_the_stream_of_a_tape_that_is_over(folder: Path, browse: Browse) -> None:
    """It says so at once, as server-sent events."""
    tape = write_rounds(folder / "one.db", 1, is_closed=True)
    answer = browse().get("/tapes/one/growth", query_string={"seen": state_of([tape])})
    assert answer.mimetype == "text/event-stream"
    assert answer.text == "retry: 2000\n\nevent: over\ndata:\n\n"


def test_there_is_no_stream_of_what_is_not_there(browse: Browse) -> None:
    """Refused like any other page."""
    assert browse().get("/tapes/nothing/growth").status_code == 404


@pytest.mark.browser
@pytest.mark.parametrize("address", ["sessions/1", "events"])
def test_a_page_grows_where_it_stands(page: Page, site: str, folder: Path, address: str) -> None:
    """What is looked at stays, in its place and with its focus; then the page rests."""
    write_rounds(folder / "grows.db", 16)
    page.open(f"{site}tapes/grows/{address}")
    rows_now = "document.querySelectorAll('tbody tr').length"
    top_now = "Math.round(kept.getBoundingClientRect().top)"
    before, top = page.value(
        f"window.kept = document.querySelector('tbody tr'); kept.querySelector('a').focus();"
        "kept.scrollIntoView({ block: 'start', behavior: 'instant' });"
        f"[{rows_now}, {top_now}]"
    )
    write_rounds(folder / "grows.db", 19)
    page.until(f"{rows_now} > {before}")
    assert page.value("kept.isConnected && kept.contains(document.activeElement)")
    page.until(f"{top_now} === {top}")
    write_rounds(folder / "grows.db", 19, is_closed=True)
    page.until("document.querySelector('[data-live]').hidden")
    assert [each for each in page.complaints if site in each] == []


@pytest.mark.browser
def test_what_was_opened_and_selected_stays(page: Page, site: str, folder: Path) -> None:
    """While rows come to a table below, and the timeline is drawn anew."""
    write_rounds(folder / "grows.db", 2)
    page.open(f"{site}tapes/grows/sessions/1")
    page.value(
        "getSelection().selectAllChildren(document.querySelector('h1'));"
        "window.line = document.querySelector('#timeline'); 1"
    )
    write_rounds(folder / "grows.db", 3)
    page.until("document.querySelectorAll('.attempts tbody tr').length === 3")
    assert page.value("getSelection().toString()") == "Question 1"
    page.until("!line.isConnected && document.querySelectorAll('.lane').length === 3")


@pytest.mark.browser
def test_the_list_of_sessions_grows(page: Page, site: str, folder: Path) -> None:
    """By a tape that was not there."""
    page.open(f"{site}sessions")
    page.value("window.kept = document.querySelector('tbody tr'); 1")
    write_rounds(folder / "newer.db", 1)
    page.until(
        "[...document.querySelectorAll('.title')].some(e => e.textContent.includes('newer'))"
    )
    assert page.value("kept.isConnected")
