"""The pages in a real browser: keys, zoom, widths, themes, and a quiet console."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import Page, chromium, opened_page
from timed_tapes import TapeMaker, ask, delta, session
from werkzeug.serving import make_server

from inspector_web.access import Access
from inspector_web.app import create_app
from inspector_web.library import Library

pytestmark = pytest.mark.browser

ADDRESSES = (
    "sessions",
    "tapes/fallback/sessions/1",
    "tapes/fallback/events?session=1",
    "tapes/fallback/exchanges/3/events/6",
    "tapes/fallback/sessions/1/requests/1/attempts/3",
    "tapes/nothing/sessions/1",
)
PLOT = "document.querySelector('.plot').getBoundingClientRect()"
WHERE_AM_I = "document.activeElement.closest('[data-row], .lane')?.id"


@pytest.fixture(scope="module")
def browser() -> Iterator[Page]:
    """One browser for all tests here."""
    binary = chromium()
    if binary is None:
        pytest.skip("there is no Chromium here: install chromium to drive it")
    with opened_page(binary) as page:
        yield page


@pytest.fixture
def page(browser: Page) -> Page:
    """The browser, with nothing said in its console."""
    browser.complaints.clear()
    return browser


@pytest.fixture
def site(folder: Path, fallback: Path, rounds: Path) -> Iterator[str]:  # noqa: ARG001
    """The address of an inspector of two tapes."""
    app = create_app(Library([folder]), Access("127.0.0.1", None), patience_s=60)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("width", [360, 1600])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_fits_and_is_quiet(page: Page, site: str, width: int, theme: str) -> None:
    """No page is wider than the window, and none makes the console complain."""
    for address in ADDRESSES:
        page.open(site + address, width=width, theme=theme)
        assert page.value("document.documentElement.scrollWidth") <= width, address
    assert [each for each in page.complaints if site in each and "nothing" not in each] == []


def test_keys_walk_along_the_rows(page: Page, site: str) -> None:
    """j and k move, the address remembers where, Enter opens."""
    page.open(f"{site}sessions")
    page.press("j")
    first = page.value(WHERE_AM_I)
    page.press("j")
    assert page.value(WHERE_AM_I) != first
    page.press("k")
    assert page.value(WHERE_AM_I) == first
    assert page.value("decodeURIComponent(location.hash)") == f"#{first}"
    page.press("Enter")
    page.until("location.pathname.startsWith('/tapes/')")


def test_brackets_walk_along_the_attempts(page: Page, site: str) -> None:
    """On the timeline from lane to lane, in the list of events from request to request."""
    page.open(f"{site}tapes/fallback/sessions/1")
    page.press("]")
    page.press("]")
    assert "retry after" in page.value("document.activeElement.textContent")
    page.press("[")
    assert "retry after" not in page.value("document.activeElement.textContent")
    page.open(f"{site}tapes/fallback/events?session=1")
    page.press("]")
    page.press("]")
    assert page.value(WHERE_AM_I) == "e1-2"


def test_slash_goes_to_the_filter_and_escape_leaves_it(page: Page, site: str) -> None:
    """While typing, keys are letters."""
    page.open(f"{site}sessions")
    page.press("/")
    page.press("j")
    assert page.value("document.activeElement.value") == "j"
    page.press("Escape")
    assert page.value("document.activeElement.tagName") == "BODY"


def test_a_question_mark_shows_the_keys(page: Page, site: str) -> None:
    """And hides them again; while they are shown, no other key acts."""
    page.open(f"{site}sessions")
    page.press("?")
    assert page.value("document.getElementById('help').open")
    page.press("j")
    assert page.value("location.hash") == ""
    page.press("?")
    assert not page.value("document.getElementById('help').open")


def test_zoom_by_keys_keeps_the_page_and_changes_the_address(page: Page, site: str) -> None:
    """The server draws the window; the rest of the page stays, and so does the focus."""
    page.open(f"{site}tapes/fallback/sessions/1")
    page.value("document.querySelector('main').marked = true")
    page.press("+")
    page.until("location.search === '?from=568260&to=1504780'")
    page.press("ArrowRight")
    page.until("location.search === '?from=802390&to=1738910'")
    assert page.value("document.getElementById('timeline').dataset.from") == "802390"
    assert page.value("document.querySelector('main').marked")
    page.press("0")
    page.until("location.search === ''")


def test_dragging_moves_the_window(page: Page, site: str) -> None:
    """By as much as the pointer went; the width stays."""
    page.open(f"{site}tapes/fallback/sessions/1?from=500000&to=900000")
    x, y, width = page.value(f"(({{x, y, width}}) => [x, y, width])({PLOT})")
    for kind, at in (("mousePressed", 0.5), ("mouseMoved", 0.25), ("mouseReleased", 0.25)):
        page.call(
            "Input.dispatchMouseEvent",
            type=kind,
            x=x + width * at,
            y=y + 10,
            button="left",
            buttons=1,
            clickCount=1,
        )
    page.until("location.search !== '?from=500000&to=900000'")
    page.until("document.getElementById('timeline').dataset.from === '600000'")
    assert page.value("document.getElementById('timeline').dataset.to") == "1000000"


def test_the_wheel_zooms_about_the_pointer(page: Page, site: str) -> None:
    """With Ctrl; the moment under the pointer stays where it is."""
    page.open(f"{site}tapes/fallback/sessions/1?from=500000&to=900000")
    x, y = page.value(
        "(({x, y}) => [x, y])(document.querySelector('.plot').getBoundingClientRect())"
    )
    page.call(
        "Input.dispatchMouseEvent",
        type="mouseWheel",
        x=x + 1,
        y=y + 10,
        deltaX=0,
        deltaY=-60,
        modifiers=2,
    )
    page.until("Number(document.getElementById('timeline').dataset.to) < 900000")
    moved = page.value("Number(document.getElementById('timeline').dataset.from)")
    assert abs(moved - 500_000) < 2_000


def test_times_are_the_viewer_s_with_utc_beside(page: Page, site: str) -> None:
    """Fourteen hours east of Greenwich it is the same day later."""
    page.call("Emulation.setTimezoneOverride", timezoneId="Pacific/Kiritimati")
    page.open(f"{site}tapes/fallback/sessions/1")
    assert "5:04:05" in page.value("document.querySelector('time').textContent")
    title = page.value("document.querySelector('time').title")
    page.call("Emulation.setTimezoneOverride", timezoneId="UTC")
    assert title == "2026-01-02 03:04:05 UTC"


def test_what_is_recorded_never_runs(page: Page, folder: Path, site: str) -> None:
    """A script in a payload is text, on the page and after a zoom."""
    evil = "<img src=x onerror='document.title=1'><script>document.title=2</script>"
    maker = TapeMaker(folder / "evil.db")
    maker.post(0, ask(evil), session(evil)).answer(500, delta(evil))
    maker.write()
    page.open(f"{site}tapes/evil/sessions/1")
    page.press("+")
    page.until("location.search !== ''")
    assert "wiretape" in page.value("document.title")
    assert page.value("document.querySelectorAll('img').length") == 0
    assert [each for each in page.complaints if site in each] == []
