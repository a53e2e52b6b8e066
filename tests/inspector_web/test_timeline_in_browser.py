"""The timeline in a real browser: zoom, pan, look, play, print, by mouse, touch and keys."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import Page
from timed_tapes import TapeMaker, ask, completed, created, session

pytestmark = pytest.mark.browser

PLOT = "document.querySelector('.plot').getBoundingClientRect()"
WHERE_AM_I = "document.activeElement.closest('[data-row], .lane, .turn-row')?.id"


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


def test_it_plays_from_the_very_first(page: Page, site: str) -> None:
    """Nothing before it is asked for, though a frame may have begun before it was asked for."""
    page.open(f"{site}tapes/rounds/sessions/1?at=0")
    page.value(
        "window.requestAnimationFrame = (call) => setTimeout(() => call(performance.now() - 50));"
        "document.querySelector('button.play').click()"
    )
    page.until("Number(document.getElementById('received').dataset.at) > 0")
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


@pytest.fixture
def touch(page: Page) -> Iterator[Page]:
    """A screen that is touched, where the bar of keys is not shown."""
    page.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
    yield page
    page.call("Emulation.setTouchEmulationEnabled", enabled=False)


def test_two_fingers_zoom(touch: Page, site: str) -> None:
    """About the point between them."""
    touch.open(f"{site}tapes/fallback/sessions/1?from=500000&to=900000", width=600)
    touch.value("document.querySelector('.plot').scrollIntoView({behavior: 'instant'})")
    x, y, width = plot_box(touch)
    # Below the link on the drawing, which a browser takes a finger near it for.
    middle, y = x + width / 2, y + 44

    def fingers(kind: str, *offsets: float) -> None:
        points = [{"x": middle + each, "y": y, "id": n} for n, each in enumerate(offsets)]
        touch.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    fingers("touchStart", -40)
    fingers("touchStart", -40, 40)
    fingers("touchMove", -80, 80)
    # One finger is told to have moved after the other: the window of the first is on its way.
    touch.until(
        "(({from, to}) => Math.abs((Number(from) + Number(to)) / 2 - 700000) < 3000"
        " && Math.abs(to - from - 200000) < 3000)(document.getElementById('timeline').dataset)"
    )
    fingers("touchEnd")


def test_a_phone_shows_no_keys(page: Page, site: str) -> None:
    """It has none to press."""
    is_shown = "document.querySelector('.hints').checkVisibility()"
    page.open(f"{site}tapes/fallback/sessions/1", width=360)
    assert page.value(is_shown)
    page.call("Emulation.setTouchEmulationEnabled", enabled=True)
    is_hidden = not page.value(is_shown)
    page.call("Emulation.setTouchEmulationEnabled", enabled=False)
    assert is_hidden


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


def test_a_finger_finds_each_lane(page: Page, site: str) -> None:
    """Where names lie on the drawing, they are high enough to be hit, and leave the bars free."""
    page.open(f"{site}tapes/fallback/sessions/1", width=360)
    heights = "[...document.querySelectorAll('.lane-link')].map(each => each.offsetHeight)"
    assert page.value(heights) == [24, 24, 24]
    page.value("document.querySelector('.plot').scrollIntoView({behavior: 'instant'})")
    x, y, width = plot_box(page)
    click(page, x + width * 0.9, y + 48 + 31)
    page.until("document.getElementById('received') !== null")
    assert page.value("location.pathname") == "/tapes/fallback/sessions/1"


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("window", ["", "?from=0&to=2000000"])
def test_a_link_to_a_request_leaves_the_axis(
    page: Page, site: str, folder: Path, width: int, window: str
) -> None:
    """And the strip: both stay at the top while lanes scroll, and the lane stands below them."""
    maker = TapeMaker(folder / "long.db")
    for at_ms in range(0, 4000, 100):
        maker.post(at_ms, ask(f"Ask {at_ms}."), session("s")).answer(
            at_ms + 90, created(), completed()
        )
    maker.write()
    page.open(f"{site}tapes/long/sessions/1{window}", width=width)
    top = "document.querySelector('{}').getBoundingClientRect().top"
    bottom = "document.querySelector('{}').getBoundingClientRect().bottom"
    page.value("location.hash = '#request-15'")
    page.until(f"{top.format('#request-15')} < 140")
    page.until(f"{top.format('.scale')} === 0")
    assert page.value(f"{bottom.format('.axis')} < {top.format('#request-15')}")
    assert page.value(f"{top.format('.strip')} >= 0")
    lane = top.format(".lanes"), top.format(".plot")
    assert page.value(f"{lane[0]} === {lane[1]}")


def test_each_axis_says_what_it_is_of(page: Page, site: str) -> None:
    """Two of them, with different scales, where the window is not all of the session."""
    names = "[...document.querySelectorAll('.scale-name')].map(each => each.innerText.trim())"
    page.open(f"{site}tapes/fallback/sessions/1")
    assert page.value(names) == ["", "since the tape began"]
    page.open(f"{site}tapes/fallback/sessions/1?from=340000&to=380000")
    assert page.value(names) == [
        "1 lane before this window\nall of the session",
        "this window, since the tape began",
    ]


def test_lanes_that_are_not_drawn_are_told(page: Page, site: str, folder: Path) -> None:
    """Those after the window apart from those in it that are too many."""
    maker = TapeMaker(folder / "many.db")
    for at_ms in range(0, 7000, 100):
        maker.post(at_ms, ask(f"Ask {at_ms}."), session("s")).answer(
            at_ms + 90, created(), completed()
        )
    maker.write()
    told = "[...document.querySelectorAll('.left-out')].map(each => each.innerText)"
    page.open(f"{site}tapes/many/sessions/1?from=0&to=1050000")
    assert page.value(told) == ["59 lanes after this window"]
    page.open(f"{site}tapes/many/sessions/1?from=0&to=6850000")
    assert page.value(told) == [
        "9 more lanes in this window than can be drawn: zoom in to see the later ones",
        "1 lane after this window",
    ]


@pytest.mark.parametrize("width", [360, 1600])
def test_a_long_name_leaves_the_transport_whole(page: Page, site: str, width: int) -> None:
    """It is the name that is cut."""
    page.open(f"{site}tapes/fallback/sessions/1", width=width)
    page.value("document.querySelector('.lane-title').textContent = 'long '.repeat(99)")
    edge = "document.querySelector('{}').getBoundingClientRect().right"
    assert page.value(f"{edge.format('.lane .tag')} <= {edge.format('.lane-link')}")


@pytest.mark.parametrize("width", [360, 1600])
def test_a_long_wait_leaves_the_name_and_the_ending(page: Page, site: str, width: int) -> None:
    """It is the wait that is cut."""
    page.open(f"{site}tapes/fallback/sessions/1", width=width)
    page.value("document.querySelector('.lane-waited').textContent = 'long '.repeat(99)")
    lane = "document.querySelector('.lane-waited').closest('.lane')"
    name = f"{lane}.querySelector('.lane-title')"
    assert page.value(f"{name}.textContent") == "retry 1"
    assert page.value(f"{name}.scrollWidth <= {name}.clientWidth")
    assert page.value(f"{lane}.querySelector('.lane-end').clientWidth >= 100")


@pytest.mark.parametrize("width", [360, 1600])
def test_a_long_turn_leaves_its_time_whole(page: Page, site: str, folder: Path, width: int) -> None:
    """It is the words that are cut, where the lane's names end."""
    maker = TapeMaker(folder / "turns.db")
    for at_ms, words in ((0, "Say " + "it again " * 20), (600, "And sort them.")):
        maker.post(at_ms, ask(words), session("s")).answer(at_ms + 90, created(), completed())
    maker.write()
    page.open(f"{site}tapes/turns/sessions/1", width=width)
    words = "document.querySelector('li.turn-row a')"
    assert page.value(f"{words}.scrollWidth > {words}.clientWidth")
    time = "document.querySelector('li.turn-row .muted')"
    assert page.value(f"{time}.textContent") == "91 ms"
    edge = "{}.getBoundingClientRect().right"
    row = edge.format("document.querySelector('li.turn-row')")
    assert page.value(f"{edge.format(time)} <= {row}")
    assert page.value(f"{time}.scrollWidth <= {time}.offsetWidth")


def test_it_is_printed_on_white(page: Page, site: str) -> None:
    """In a dark theme too, without what can only be pressed."""
    page.open(f"{site}tapes/fallback/sessions/1", theme="dark")
    paper = "getComputedStyle(document.body).backgroundColor"
    assert page.value(paper) == "rgb(22, 22, 24)"
    dark = {"name": "prefers-color-scheme", "value": "dark"}
    page.call("Emulation.setEmulatedMedia", media="print", features=[dark])
    assert page.value(paper) == "rgb(252, 251, 249)"
    shown = "['.look', '.zoom', '.hints', '.plot'].filter(each => "
    shown += "document.querySelector(each).checkVisibility())"
    assert page.value(shown) == [".plot"]
    page.call("Emulation.setEmulatedMedia", media="", features=[])
