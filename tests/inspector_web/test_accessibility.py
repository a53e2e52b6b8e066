"""What axe finds on the pages: nothing, in both themes, narrow and wide."""

from pathlib import Path

import pytest
from axe import violations
from chromium import Page
from growing import GrowingTape

pytestmark = pytest.mark.browser

SESSION = "tapes/fallback/sessions/1"
ADDRESSES = (
    "sessions",
    "search?text=build",
    SESSION,
    f"{SESSION}?at=1000000",
    f"{SESSION}/received?at=1000000",
    f"{SESSION}/requests/1/attempts/3",
    f"{SESSION}/turns/1",
    "tapes/rounds/sessions/1/turns/1",
    f"{SESSION}/again?request=1&attempt=3&event=4",
    "tapes/fallback/events?session=1",
    "tapes/fallback/exchanges/3/events/6",
    "compare",
    "compare?a=fallback/1&b=rounds/1",
    "compare?a=fallback/1&b=fallback/1",
    "tapes/nothing/sessions/1",
)


@pytest.mark.parametrize("width", [360, 1600])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_is_found(page: Page, site: str, width: int, theme: str) -> None:
    """On any page: labels, roles, order of headings, contrast, what keys can reach."""
    for address in ADDRESSES:
        page.open(site + address, width=width, theme=theme)
        assert violations(page) == [], address


def test_nothing_is_found_while_a_page_grows(page: Page, site: str, folder: Path) -> None:
    """Before and after more has come; the sign that it does is part of the page."""
    rows = "document.querySelectorAll('tbody tr').length"
    with GrowingTape(folder / "grows.db", 1) as tape:
        for address in ("sessions/1", "events"):
            page.open(f"{site}tapes/grows/{address}", width=360, theme="dark")
            assert page.value("document.querySelector('[data-live]').checkVisibility()"), address
            assert violations(page) == [], address
            before = page.value(rows)
            tape.add(1)
            page.until(f"{rows} > {before}")
            page.look(1600, "light")
            assert violations(page) == [], address


def test_axe_looks(page: Page, site: str, fallback: Path) -> None:
    """What is wrong would be found: a picture without words, a text that can hardly be seen."""
    assert fallback.exists()
    page.open(f"{site}sessions")
    page.value(
        "const faint = document.createElement('p'); faint.textContent = 'faint';"
        "faint.style.color = '#eee'; document.querySelector('main').append(faint, new Image()); 1"
    )
    found = {each.split(":")[0] for each in violations(page)}
    assert {"critical image-alt", "serious color-contrast"} <= found
