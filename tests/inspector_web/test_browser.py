"""The pages in a real browser: keys, zoom, widths, themes, and a quiet console."""

from pathlib import Path
from typing import Any

import pytest
from chromium import Page
from timed_tapes import TapeMaker, ask, completed, created, delta, session

pytestmark = pytest.mark.browser

ADDRESSES = (
    "sessions",
    "search?text=build",
    "tapes/fallback/sessions/1?at=1000000",
    "tapes/fallback/sessions/1/received?at=1000000",
    "tapes/fallback/sessions/1",
    "tapes/fallback/events?session=1",
    "tapes/fallback/exchanges/3/events/6",
    "tapes/fallback/sessions/1/requests/1/attempts/3",
    "tapes/nothing/sessions/1",
)
PLOT = "document.querySelector('.plot').getBoundingClientRect()"
WHERE_AM_I = "document.activeElement.closest('[data-row], .lane, .turn-row')?.id"


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
    assert "retry 1 of 1 after" in page.value("document.activeElement.textContent")
    page.press("[")
    assert "retry" not in page.value("document.activeElement.textContent")
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


def plot_box(page: Page, selector: str = ".plot") -> tuple[float, float, float]:
    """Left edge, top and width of the plot, in the window."""
    x, y, width = page.value(
        f"(({{x, y, width}}) => [x, y, width])"
        f"(document.querySelector('{selector}').getBoundingClientRect())"
    )
    return x, y, width


def mouse(page: Page, kind: str, x: float, y: float, **more: Any) -> None:
    page.call(
        "Input.dispatchMouseEvent",
        type=kind,
        x=x,
        y=y,
        button="left",
        buttons=1,
        clickCount=1,
        **more,
    )


def click(page: Page, x: float, y: float) -> None:
    mouse(page, "mousePressed", x, y)
    mouse(page, "mouseReleased", x, y)


def test_e_walks_along_the_problems(page: Page, site: str) -> None:
    """From session to finding to the events that it rests on."""
    page.open(f"{site}sessions")
    page.press("e")
    assert page.value(WHERE_AM_I) == "fallback/1"
    page.press("Enter")
    page.until("location.pathname.endsWith('/sessions/1')")
    page.until("document.readyState === 'complete'")
    page.press("e")
    page.press("e")
    assert page.value("document.activeElement.closest('details').id") == "finding-2"
    assert page.value("document.activeElement.closest('details').open")
    page.open(f"{site}tapes/fallback/events?session=1")
    page.press("e")
    page.press("e")
    assert page.value(WHERE_AM_I) == "e2-4"
    page.open(f"{site}tapes/fallback/exchanges/1/events/4")
    page.press("e")
    page.until("location.pathname.endsWith('/exchanges/2/events/4')")
    page.open(f"{site}tapes/fallback/sessions/1/requests/1/attempts/1")
    page.press("e")
    page.until("location.pathname.endsWith('/attempts/2')")


def test_capitals_walk_along_the_turns(page: Page, folder: Path, site: str) -> None:
    """On the timeline, in the list of events and from request to request."""
    maker = TapeMaker(folder / "turns.db")
    for at_ms in (0, 100, 200):
        maker.post(at_ms, ask(f"turn {at_ms}"), session("s")).answer(
            at_ms + 5, created(f"r{at_ms}"), completed(f"r{at_ms}")
        )
    maker.write()
    page.open(f"{site}tapes/turns/sessions/1")
    page.press("J")
    page.press("J")
    assert page.value(WHERE_AM_I) == "turn-2"
    page.press("K")
    assert page.value(WHERE_AM_I) == "turn-1"
    page.open(f"{site}tapes/turns/events?session=1")
    page.press("J")
    page.press("J")
    page.press("J")
    assert page.value(WHERE_AM_I) == "e3-0"
    page.open(f"{site}tapes/turns/sessions/1/requests/1/attempts/1")
    page.press("J")
    page.until("location.pathname.endsWith('/requests/2/attempts/1')")


def test_a_click_shows_what_had_come_by_then(page: Page, site: str) -> None:
    """The text as it stood, a cursor at the place, and the instant in the address."""
    page.open(f"{site}tapes/fallback/sessions/1?from=1400000&to=1900000")
    x, y, width = plot_box(page)
    click(page, x + width * 0.5, y + 10)
    page.until("document.getElementById('received') !== null")
    assert abs(page.value("Number(document.getElementById('received').dataset.at)") - 1_650_000) < 9
    assert "hmhm" in page.value("document.getElementById('received').textContent")
    assert "Done." not in page.value("document.getElementById('received').textContent")
    assert "at=16" in page.value("location.search")
    share = page.value("parseFloat(document.getElementById('cursor').getAttribute('x1'))")
    assert abs(share - 50) < 1
    # Another window keeps the instant.
    page.press("ArrowRight")
    page.until("location.search.includes('from=1473')")
    assert page.value("location.search.includes('at=16')")


def test_it_plays_to_the_end(page: Page, site: str) -> None:
    """The cursor moves by itself; the text grows to what it was in the end; Space stops it."""
    page.open(f"{site}tapes/fallback/sessions/1?at=1000000")
    page.value("document.querySelector('[name=speed]').value = '4'")
    page.press(" ")
    page.until("document.querySelector('button.play').textContent === 'Stop'")
    page.until("parseFloat(document.getElementById('cursor').getAttribute('x1')) > 60")
    page.until("document.querySelector('button.play').textContent === 'Play'")
    page.until("document.getElementById('received')?.textContent.includes('Done.')")
    page.until("new URL(location).searchParams.get('at') === '1901000'")
    assert page.value("document.querySelector('[name=at_s]').value") == "1.901"
    page.open(f"{site}tapes/fallback/sessions/1?at=110000")
    page.press(" ")
    page.until("document.querySelector('button.play').textContent === 'Stop'")
    page.press(" ")
    page.until("document.querySelector('button.play').textContent === 'Play'")
    assert [each for each in page.complaints if site in each] == []


def test_the_strip_moves_the_window(page: Page, site: str) -> None:
    """To where it is pressed, and along with the pointer; the width stays."""
    page.open(f"{site}tapes/fallback/sessions/1?from=500000&to=900000")
    x, y, width = plot_box(page, ".strip")
    mouse(page, "mousePressed", x + width * 0.5, y + 9)
    page.until("document.getElementById('timeline').dataset.from === '836520'")
    mouse(page, "mouseMoved", x + width * 0.75, y + 9)
    page.until("document.getElementById('timeline').dataset.from === '1304780'")
    mouse(page, "mouseReleased", x + width * 0.75, y + 9)
    assert page.value("document.getElementById('timeline').dataset.to") == "1704780"


def test_two_fingers_zoom(page: Page, site: str) -> None:
    """About the point between them."""
    page.open(f"{site}tapes/fallback/sessions/1?from=500000&to=900000", width=600)
    # On a screen that is touched, the bar of keys is not there.
    page.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
    page.value("document.querySelector('.plot').scrollIntoView({behavior: 'instant'})")
    x, y, width = plot_box(page)
    middle, y = x + width / 2, y + 30

    def touch(kind: str, *offsets: float) -> None:
        points = [{"x": middle + each, "y": y, "id": n} for n, each in enumerate(offsets)]
        page.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    touch("touchStart", -40)
    touch("touchStart", -40, 40)
    touch("touchMove", -80, 80)
    # One finger is told to have moved after the other: the window of the first is on its way.
    page.until(
        "(({from, to}) => Math.abs((Number(from) + Number(to)) / 2 - 700000) < 3000"
        " && Math.abs(to - from - 200000) < 3000)(document.getElementById('timeline').dataset)"
    )
    touch("touchEnd")
    page.call("Emulation.setTouchEmulationEnabled", enabled=False)


def test_a_phone_shows_no_keys(page: Page, site: str) -> None:
    """It has none to press."""
    is_shown = "document.querySelector('.hints').checkVisibility()"
    page.open(f"{site}tapes/fallback/sessions/1", width=360)
    assert page.value(is_shown)
    page.call("Emulation.setTouchEmulationEnabled", enabled=True)
    assert not page.value(is_shown)
    page.call("Emulation.setTouchEmulationEnabled", enabled=False)


def test_the_attempts_of_a_window_stand_out(page: Page, site: str) -> None:
    """All are listed after a zoom, as after a reload; those outside are muted."""
    muted = "[...document.querySelectorAll('.attempts .outside')].map(row => row.id)"
    page.open(f"{site}tapes/fallback/sessions/1?from=500000&to=900000")
    assert page.value(muted) == ["attempt-1-1", "attempt-1-2"]
    page.open(f"{site}tapes/fallback/sessions/1")
    page.press("j")
    page.value(
        "document.querySelector('.zoom [data-key=\"+ =\"]').setAttribute('href', "
        "'?from=500000&to=900000')"
    )
    page.press("+")
    page.until("location.search === '?from=500000&to=900000'")
    page.until(f"{muted}.length === 2")
    assert page.value(WHERE_AM_I) == "attempt-1-1"
    assert page.value("document.querySelectorAll('.attempts [data-row]').length") == 3


def test_the_legend_stays_open(page: Page, site: str) -> None:
    """When another window is drawn."""
    page.open(f"{site}tapes/fallback/sessions/1")
    page.value("document.querySelector('.legend').open = true")
    page.press("+")
    page.until("location.search !== ''")
    page.until("document.querySelector('#timeline').dataset.from !== '100000'")
    assert page.value("document.querySelector('.legend').open")


def test_a_finding_leads_to_its_window(page: Page, site: str) -> None:
    """Without leaving the page, with what had come by then."""
    page.open(f"{site}tapes/fallback/sessions/1")
    page.value("document.querySelector('main').marked = true")
    page.value("document.querySelector('.finding a[data-window]').click()")
    page.until("location.search.includes('at=130000')")
    page.until("document.getElementById('received') !== null")
    assert page.value("document.querySelector('main').marked")


def test_the_search_is_a_key_away(page: Page, site: str) -> None:
    """Its results can be walked along and opened."""
    page.open(f"{site}sessions")
    page.press("s")
    page.until("location.pathname === '/search'")
    page.until("document.readyState === 'complete'")
    page.press("/")
    for letter in "Done.":
        page.press(letter)
    page.press("Enter")
    page.until("location.search === '?text=Done.' && document.readyState === 'complete'")
    page.press("j")
    page.press("Enter")
    page.until("location.pathname === '/tapes/fallback/exchanges/3/events/5'")
