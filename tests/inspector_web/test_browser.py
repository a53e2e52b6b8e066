"""The pages in a real browser: keys, zoom, widths, themes, and a quiet console."""

from pathlib import Path

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
    "tapes/fallback/sessions/1/turns/1",
    "tapes/rounds/sessions/1/turns/1",
    "tapes/fallback/sessions/1/again?request=1&attempt=3&event=4",
    "tapes/fallback/sessions/1/requests/1/attempts/3?to=1.1",
    "compare",
    "compare?a=fallback/1&b=rounds/1",
    "tapes/nothing/sessions/1",
)
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
    assert "retry 1" in page.value("document.activeElement.textContent")
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


def test_times_are_the_viewer_s_with_utc_beside(page: Page, site: str) -> None:
    """Fourteen hours east of Greenwich it is the same day later."""
    page.call("Emulation.setTimezoneOverride", timezoneId="Pacific/Kiritimati")
    page.open(f"{site}tapes/fallback/sessions/1")
    assert "5:04:05" in page.value("document.querySelector('time[data-local]').textContent")
    title = page.value("document.querySelector('time[data-local]').title")
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
    assert page.value("document.activeElement.closest('details').id") == "finding-fallback-1"
    assert page.value("document.activeElement.closest('details').open")
    page.open(f"{site}tapes/fallback/events?session=1")
    page.press("e")
    page.press("e")
    assert page.value(WHERE_AM_I) == "e2-3"  # the close frame
    page.open(f"{site}tapes/fallback/exchanges/1/events/3")
    page.press("e")
    page.until("location.pathname.endsWith('/exchanges/2/events/3')")
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
