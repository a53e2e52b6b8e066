"""What had come by an instant, docked at the bottom of the window, in a real browser."""

from pathlib import Path

import pytest
from chromium import Page
from timed_tapes import TapeMaker, ask, completed, created, session

pytestmark = pytest.mark.browser

PANE = "document.getElementById('by-then').getBoundingClientRect()"
BAR = "document.querySelector('.hints').getBoundingClientRect()"
OPEN = "document.getElementById('received') !== null"
SHUT = "document.getElementById('received') === null"


@pytest.fixture
def long(folder: Path, both: Path) -> str:
    """A session of 40 requests, much longer than any window, beside those of the site."""
    assert folder == both
    maker = TapeMaker(folder / "long.db")
    for at_ms in range(0, 4000, 100):
        maker.post(at_ms, ask(f"Ask {at_ms}."), session("s")).answer(
            at_ms + 90, created(), completed()
        )
    maker.write()
    return "tapes/long/sessions/1"


@pytest.mark.parametrize("width", [360, 1280])
def test_it_is_seen_whatever_the_length_of_the_session(
    page: Page, long: str, site: str, width: int
) -> None:
    """At the bottom of the window, on the bar of keys, lower than half of the window."""
    page.open(f"{site}{long}?at=50000", width=width)
    assert page.value("document.querySelector('.plot').getBoundingClientRect().bottom > 1800")
    assert page.value(f"{PANE}.bottom === {BAR}.top")
    assert page.value(f"{PANE}.top > innerHeight / 2")
    assert page.value(f"{PANE}.left === 0 && {PANE}.right === innerWidth")


def test_without_a_script_it_is_seen_too(page: Page, long: str, site: str) -> None:
    """At the very bottom, for there is no bar; its cross leads to the view without it."""
    with page.without_scripts():
        page.open(f"{site}{long}?from=0&to=900000&at=50000")
        assert page.value(f"{PANE}.bottom === innerHeight")
        close = "document.querySelector('.received .close')"
        assert page.value(f"{close}.search") == "?from=0&to=900000"
        assert page.value(f"{close}.pathname") == "/tapes/long/sessions/1"


def test_without_a_script_a_button_shows_what_was_typed(page: Page, long: str, site: str) -> None:
    """The instant, with the timeline at the top of the window."""
    with page.without_scripts():
        page.open(f"{site}{long}")
        page.value("document.getElementById('at-s').value = '0.05'")
        button = "[...document.querySelectorAll('.look button')].find(each => !each.hidden)"
        assert page.value(f"{button}.textContent") == "Show"
        page.value(f"{button}.click()")
        page.until(f"location.search === '?at_s=0.05&speed=1' && {OPEN}")
        page.until("document.getElementById('timeline').getBoundingClientRect().top < 60")


def test_without_a_script_a_finding_leads_to_the_timeline(page: Page, site: str) -> None:
    """To its begin, so that lanes are in sight above what had come by then."""
    with page.without_scripts():
        page.open(f"{site}tapes/fallback/sessions/1", width=360)
        page.value("document.querySelector('.finding a[data-window]').click()")
        page.until(OPEN)
        page.until("document.getElementById('timeline').getBoundingClientRect().top < 60")


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize(("at_ms", "lane"), [(50, 1), (3950, 40)])
def test_a_link_to_an_instant_leaves_its_lane_in_sight(
    page: Page, long: str, site: str, width: int, at_ms: int, lane: int
) -> None:
    """Between the axis and the pane, wherever it is on the page."""
    page.open(f"{site}{long}?at={at_ms * 1000}", width=width)
    box = f"document.getElementById('lane-{lane}-1').getBoundingClientRect()"
    axis = "document.querySelector('.axis').getBoundingClientRect()"
    page.until(f"{box}.bottom <= {PANE}.top")
    assert page.value(f"{box}.top >= {axis}.bottom - 1")
    assert page.value(f"{axis}.top >= 0")


@pytest.mark.parametrize("width", [360, 640, 1280])
def test_the_field_has_its_label(page: Page, site: str, width: int) -> None:
    """In words that can be read, beside it on every screen, within the window."""
    page.open(f"{site}tapes/fallback/sessions/1", width=width)
    label = "document.getElementById('at-s').labels[0]"
    assert page.value(f"{label}.innerText.trim()").startswith("What had come by")
    assert page.value(f"parseFloat(getComputedStyle({label}).fontSize)") >= 11
    assert page.value("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("way", ["Escape", "cross"])
def test_it_is_closed(page: Page, site: str, way: str) -> None:
    """By the key and by the cross; the window stays, and Escape leads up only after that."""
    page.open(f"{site}tapes/fallback/sessions/1?from=500000&to=900000&at=600000")
    if way == "cross":
        page.value("document.querySelector('.received .close').click()")
    else:
        page.press("Escape")
    page.until(SHUT)
    page.until("location.search === '?from=500000&to=900000'")
    page.until("document.getElementById('cursor').getAttribute('visibility') === 'hidden'")
    assert page.value("document.getElementById('at-s').value") == ""
    page.press("Escape")
    page.until("location.pathname === '/sessions'")


def test_closing_it_stops_what_plays(page: Page, site: str) -> None:
    """It does not come again."""
    page.open(f"{site}tapes/fallback/sessions/1?at=1000000")
    page.press(" ")
    page.until("document.querySelector('button.play').textContent === 'Stop'")
    page.press("Escape")
    page.until("document.querySelector('button.play').textContent === 'Play'")
    page.until(SHUT)
    page.until("location.search === ''")


def test_what_was_clicked_stays_in_sight(page: Page, long: str, site: str) -> None:
    """Where the pane would cover it, the page scrolls up to that."""
    page.open(f"{site}{long}")
    plot = "document.querySelector('.plot').getBoundingClientRect()"
    x, top = page.value(f"[{plot}.x + {plot}.width / 2, {plot}.top]")
    lane = int((820 - top) // 48)
    for kind in ("mousePressed", "mouseReleased"):
        page.call("Input.dispatchMouseEvent", type=kind, x=x, y=820, button="left", clickCount=1)
    page.until(OPEN)
    page.until(f"{plot}.top + {lane + 1} * 48 <= {PANE}.top")


def test_a_typed_instant_brings_the_timeline_into_sight(page: Page, long: str, site: str) -> None:
    """Where the pane would cover it: at the top of the window."""
    page.open(f"{site}{long}")
    page.value(
        "document.getElementById('at-s').value = '0.05';"
        "document.querySelector('.look').requestSubmit()"
    )
    page.until(OPEN)
    page.until("document.getElementById('timeline').getBoundingClientRect().top < 60")


def test_what_was_meant_stays_in_the_address(page: Page, site: str) -> None:
    """An instant before the session is told, not moved; playing begins with the session."""
    page.open(f"{site}tapes/fallback/sessions/1")
    page.value(
        "document.getElementById('at-s').value = '0.02';"
        "document.querySelector('.look').requestSubmit()"
    )
    page.until(OPEN)
    page.until("new URL(location).searchParams.get('at') === '20000'")
    assert "is before this session" in page.value("document.getElementById('received').innerText")
    page.press(" ")
    at = "Number(document.getElementById('received').dataset.at)"
    page.until(f"{at} !== 20000")
    assert page.value(at) >= 100_000


def test_an_event_leads_to_both(page: Page, long: str, site: str) -> None:
    """The timeline is at the top of the window, what had come by then at its bottom."""
    page.open(f"{site}tapes/long/exchanges/1/events/3")
    page.value("[...document.links].find(each => each.text === 'what had come by then').click()")
    page.until(f"location.pathname === '/{long}' && {OPEN}")
    page.until("document.getElementById('timeline').getBoundingClientRect().top < 60")
    lane = "document.querySelector('.lane').getBoundingClientRect()"
    assert page.value(f"{lane}.top > 0 && {lane}.bottom < {PANE}.top")
    assert page.value(f"{PANE}.bottom === {BAR}.top")


def test_it_opens_without_moving_the_page(page: Page, site: str) -> None:
    """Where it covers nothing that is looked at, lanes stay where they were."""
    page.open(f"{site}tapes/fallback/sessions/1", width=640)
    page.value("document.querySelector('.plot').scrollIntoView({behavior: 'instant'})")
    x, y = page.value(
        "(({x, y}) => [x + 200, y + 40])(document.querySelector('.plot').getBoundingClientRect())"
    )
    before = page.value("scrollY")
    assert before > 0
    for kind in ("mousePressed", "mouseReleased"):
        page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
    page.until(OPEN)
    two_frames = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    page.value(f"{two_frames}.then(() => 1)")
    assert page.value("scrollY") == before
