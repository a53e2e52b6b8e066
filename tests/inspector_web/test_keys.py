"""The keys that pages name, in a real browser: each of them does something."""

from pathlib import Path

import pytest
from chromium import Page
from timed_tapes import TapeMaker, ask, completed, created, delta, session

pytestmark = pytest.mark.browser

ADDRESSES = (
    "sessions",
    "search?text=build",
    "tapes/turns/sessions/1",
    "tapes/fallback/sessions/1?at=1000000",
    "tapes/fallback/sessions/1/received?at=1000000",
    "tapes/fallback/sessions/1/turns/1",
    "tapes/turns/sessions/1/turns/2",
    "tapes/fallback/sessions/1/requests/1/attempts/1",
    "tapes/turns/sessions/1/requests/2/attempts/1",
    "tapes/fallback/sessions/1/again?request=1&attempt=3&event=4",
    "tapes/fallback/events?session=1",
    "tapes/turns/events?after=104000.2.0",
    "tapes/fallback/exchanges/1/events/3",
    "compare?a=fallback/1&b=turns/1",
    "tapes/nothing/sessions/1",
)
TOLD = {"−": "-", "←": "ArrowLeft", "→": "ArrowRight", "Space": " "}
"""Keys whose names are not what they send."""
LISTEN = """
    window.clicked = false;
    document.addEventListener("click", (event) => {
        clicked = event.target.closest("a, button") !== null;
        event.preventDefault();
        event.stopImmediatePropagation();
    }, true);
"""
ACTED = (
    "clicked || document.activeElement !== document.body || document.getElementById('help').open"
)
CALM = (
    "clicked = false; document.getElementById('help').close();"
    "document.activeElement.blur(); getSelection().removeAllRanges()"
)
NAMED = """
    [...document.querySelectorAll(".hints kbd")].filter((each) => each.checkVisibility())
        .map((each) => each.textContent)
"""


@pytest.fixture
def turns(folder: Path) -> None:
    """Three turns, of which the second has many events."""
    maker = TapeMaker(folder / "turns.db")
    for at_ms, events in ((0, 1), (100, 500), (200, 1)):
        maker.post(at_ms, ask(f"turn {at_ms}"), session("s")).answer(
            at_ms + 5, created(f"r{at_ms}"), *[delta("word")] * events, completed(f"r{at_ms}")
        )
    maker.write()


@pytest.mark.usefixtures("turns")
def test_every_key_that_a_page_names_acts(page: Page, site: str) -> None:
    """It moves the focus, presses a link or a button, or opens the help; none is left unnamed."""
    ever_named: set[str] = set()
    for address in ADDRESSES:
        page.open(site + address)
        page.value(LISTEN)
        named = page.value(NAMED)
        assert "?" in named, address
        for name in named:
            page.value(CALM)
            if name not in page.value(NAMED):
                continue  # a key before it led to where it has nothing to do
            if name == "Enter":
                page.press("j")
            page.press(TOLD.get(name, name))
            if name == "Enter":
                assert page.value("clicked"), address
            assert page.value(ACTED), (address, name)
        ever_named.update(named)
    in_help = "[...document.querySelectorAll('.keys kbd')].map(each => each.textContent)"
    assert ever_named == set(page.value(in_help))


def test_a_key_that_does_nothing_is_not_named(page: Page, site: str) -> None:
    """There is no second page of two sessions, and no row on a page of an error."""
    page.open(f"{site}sessions")
    assert "j" in page.value(NAMED)
    assert "n" not in page.value(NAMED)
    page.open(f"{site}tapes/nothing/sessions/1")
    assert page.value(NAMED) == ["Escape", "u", "?"]
    page.open(f"{site}sessions")
    assert "Escape" not in page.value(NAMED)


def test_the_bar_says_what_escape_does(page: Page, site: str) -> None:
    """It closes what had come by an instant while that is open, and leads up else."""
    said = (
        "[...document.querySelectorAll('.hint')]"
        ".find(each => each.querySelector('kbd').textContent === 'Escape').innerText.trim()"
    )
    page.open(f"{site}tapes/fallback/sessions/1?at=600000")
    page.until(f"{said} === 'Escape close'")
    page.press("Escape")
    page.until(f"{said} === 'Escape up'")
    page.value(
        "document.getElementById('at-s').value = '0.6';"
        "document.querySelector('.look').requestSubmit()"
    )
    page.until(f"{said} === 'Escape close'")


@pytest.mark.usefixtures("turns")
def test_n_and_p_turn_the_pages(page: Page, site: str) -> None:
    """Forth and back again, to the same rows."""
    page.open(f"{site}tapes/turns/events")
    row_seen = "document.elementFromPoint(600, 500)?.closest('tr[data-row]')?.id"
    before = page.value(row_seen)
    page.press("n")
    page.until(f"(({row_seen}) ?? '{before}') !== '{before}' && document.readyState === 'complete'")
    page.press("p")
    page.until(f"{row_seen} === '{before}'")


ROWS = "document.querySelectorAll('#events tbody tr[data-row]').length"
HERE = "document.activeElement?.closest('tr')?.id"


@pytest.fixture
def long(folder: Path) -> None:
    """Five thousand events over HTTP."""
    maker = TapeMaker(folder / "long.db")
    post = maker.post(0, ask("much"), session("s"))
    post.head(1)
    for at_ms in range(2, 102):
        post.events(at_ms, *[delta("word")] * 50)
    post.events(200, completed())
    post.end(201)
    maker.write()


def scroll_to(page: Page, row: str) -> None:
    """Down, as somebody does who looks for a row, until it is there and the page stands still.

    Rows that came after they were scrolled past are met the next time, from the top.
    """
    page.until(
        f"document.getElementById('{row}') !== null"
        " || (scrollBy({top: 900, behavior: 'instant'}),"
        " scrollY + innerHeight + 1 > document.documentElement.scrollHeight"
        " && scrollTo({top: 0, behavior: 'instant'}), false)"
    )
    page.value(
        f"document.getElementById('{row}').scrollIntoView({{block: 'center', behavior: 'instant'}})"
    )
    page.until(f"location.hash !== '' && document.getElementById('{row}')")


@pytest.mark.usefixtures("long")
def test_events_scroll_as_one_table(page: Page, site: str) -> None:
    """Windows follow one another without hole or overlap, and few rows are there at once."""
    page.open(f"{site}tapes/long/events")
    scroll_to(page, "e1-2500")
    assert page.value(ROWS) <= 1000
    places = page.value("[...document.querySelectorAll('tr[data-row]')].map(row => row.id)")
    first = int(places[0].removeprefix("e1-"))
    assert places == [f"e1-{at}" for at in range(first, first + len(places))]
    page.value("scrollTo({top: 0, behavior: 'instant'})")
    page.until("document.getElementById('e1-0') !== null && scrollY === 0")


@pytest.mark.usefixtures("long")
def test_the_address_says_which_row_is_looked_at(page: Page, site: str) -> None:
    """A link from the middle of the table shows the same row, and what is before it too."""
    page.open(f"{site}tapes/long/events")
    scroll_to(page, "e1-700")
    page.value(
        "document.querySelector('#e1-700 a').focus({preventScroll: true});"
        "scrollBy({top: 1, behavior: 'instant'})"
    )
    page.until("location.hash === '#e1-700'")
    address = page.value("location.href")
    page.open("about:blank#again")
    page.open(address)
    page.until(f"{HERE} === 'e1-700'")
    assert page.value(
        "(({top, bottom}) => top >= 0 && bottom <= innerHeight)"
        "(document.getElementById('e1-700').getBoundingClientRect())"
    )
    page.value("scrollBy({top: -2600, behavior: 'instant'})")
    page.until("document.getElementById('e1-590') !== null")


@pytest.mark.usefixtures("long")
def test_without_a_script_events_are_pages(page: Page, site: str) -> None:
    """With links to the next one."""
    with page.without_scripts():
        page.open(f"{site}tapes/long/events")
        assert page.value(ROWS) == 200
        assert page.value("document.querySelector('#pages a[rel=next]') !== null")


@pytest.mark.parametrize(
    ("start", "key", "there"),
    [
        ("tapes/fallback/exchanges/1/events/3", "Escape", "/tapes/fallback/events"),
        ("tapes/fallback/events?session=1", "Escape", "/tapes/fallback/sessions/1"),
        ("tapes/fallback/sessions/1/turns/1", "Escape", "/tapes/fallback/sessions/1"),
        ("tapes/fallback/sessions/1/requests/1/attempts/2", "Escape", "/sessions/1/turns/1"),
        ("tapes/fallback/sessions/1", "Escape", "/sessions"),
        ("search?text=x", "Escape", "/sessions"),
        ("tapes/fallback/exchanges/1/events/3", "j", "/tapes/fallback/exchanges/1/events/4"),
        ("tapes/fallback/exchanges/1/events/3", "k", "/tapes/fallback/exchanges/1/events/2"),
        ("tapes/fallback/sessions/1", "v", "/tapes/fallback/events"),
        ("tapes/fallback/sessions/1", "u", "/sessions"),
        ("tapes/fallback/sessions/1/requests/1/attempts/2", "]", "/requests/1/attempts/3"),
        ("tapes/fallback/sessions/1/requests/1/attempts/2", "[", "/requests/1/attempts/1"),
    ],
)
def test_a_key_leads_there(page: Page, site: str, start: str, key: str, there: str) -> None:
    """From one page to another."""
    page.open(site + start)
    page.press(key)
    page.until(f"location.pathname.endsWith('{there}')")


def test_e_walks_along_the_failed_tries_of_a_turn(page: Page, site: str) -> None:
    """From one to the next, and no further."""
    page.open(f"{site}tapes/fallback/sessions/1/turns/1")
    for place in (0, 1, 1):
        page.press("e")
        page.until(
            f"document.activeElement === [...document.querySelectorAll('[data-problem]')][{place}]"
        )


def test_e_on_a_finding_shows_its_place(page: Page, site: str) -> None:
    """The window goes there, and the cursor."""
    page.open(f"{site}tapes/fallback/sessions/1")
    page.press("e")
    page.until("new URL(location).searchParams.has('from') && location.search.includes('at=')")


@pytest.mark.parametrize(
    ("key", "start_us", "end_us"),
    [
        ("-", 300_000, 1_100_000),
        ("ArrowLeft", 400_000, 800_000),
        ("ArrowRight", 600_000, 1_000_000),
    ],
)
def test_a_key_makes_the_window(
    page: Page, site: str, key: str, start_us: int, end_us: int
) -> None:
    """Wider, earlier, later."""
    page.open(f"{site}tapes/fallback/sessions/1?from=500000&to=900000")
    page.press(key)
    page.until(f"location.search === '?from={start_us}&to={end_us}'")


@pytest.mark.usefixtures("long")
def test_the_scrollbar_has_its_length_from_the_start(page: Page, site: str) -> None:
    """Wherever somebody looks: the last row is there at its end, and it has not grown."""
    page.open(f"{site}tapes/long/events")
    assert page.value("document.getElementById('found').textContent") == "5,004 rows"
    long_px = page.value("document.documentElement.scrollHeight")
    assert long_px > 5004 * 20
    for share, row in ((1, "e1-5003"), (0.5, "e1-2502"), (0, "e1-0")):
        page.value(f"scrollTo({{top: {long_px} * {share}, behavior: 'instant'}})")
        page.until(f"document.getElementById('{row}') !== null")
        assert page.value("document.documentElement.scrollHeight") == long_px


@pytest.mark.usefixtures("long")
@pytest.mark.parametrize(
    ("go", "row"),
    [("3000", "e1-2999"), ("99999", "e1-5003"), ("0.052s", "e1-2502"), ("0:99", "e1-5003")],
)
def test_g_goes_to_a_row_or_a_time(page: Page, site: str, go: str, row: str) -> None:
    """It has the focus and is seen; what is beyond the end is the last one."""
    page.open(f"{site}tapes/long/events")
    page.press("g")
    for letter in go:
        page.press(letter)
    page.press("Enter")
    page.until(f"{HERE} === '{row}'")
    page.until(
        "(({top, bottom}) => top >= 0 && bottom <= innerHeight)"
        f"(document.getElementById('{row}').getBoundingClientRect())"
    )


@pytest.mark.usefixtures("long")
@pytest.mark.parametrize("width", [360, 1600])
def test_rows_have_one_height(page: Page, site: str, width: int) -> None:
    """Whatever is in them, or each would not have its place before it is there."""
    page.open(f"{site}tapes/long/events", width=width)
    heights = page.value(
        "[...new Set([...document.querySelectorAll('tr[data-row]')].slice(1)"
        ".map(row => Math.round(row.getBoundingClientRect().height)))]"
    )
    assert len(heights) == 1
    page.open(f"{site}tapes/fallback/events", width=width)
    others = page.value(
        "[...new Set([...document.querySelectorAll('tr[data-row]')].slice(1)"
        ".map(row => Math.round(row.getBoundingClientRect().height)))]"
    )
    assert others == heights


@pytest.mark.usefixtures("long")
def test_a_row_beyond_what_a_browser_draws_has_its_place(page: Page, site: str) -> None:
    """The wheel moves by as much as ever, and both ends are reached."""
    script = page.call(
        "Page.addScriptToEvaluateOnNewDocument",
        source="window.wiretapeMostPx = 30000; window.wiretapeEdgePx = 3000;",
    )["identifier"]
    try:
        page.open(f"{site}tapes/long/events?go=2500")
        page.until(f"{HERE} === 'e1-2499'")
        assert page.value("document.querySelector('#events').offsetHeight") < 31_000
        top = "document.getElementById('e1-2499').getBoundingClientRect().top"
        before = page.value(top)
        page.value("scrollBy({top: 300, behavior: 'instant'})")
        page.until(f"Math.abs({before} - {top} - 300) < 2")
        for share, row in ((1, "e1-5003"), (0, "e1-0"), (1, "e1-5003")):
            page.value(f"scrollTo({{top: 1e6 * {share}, behavior: 'instant'}})")
            page.until(f"document.getElementById('{row}') !== null")
    finally:
        page.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
