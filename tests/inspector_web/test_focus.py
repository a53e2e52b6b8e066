"""Where the focus is after a key, in a real browser: in sight, and not lost."""

import pytest
from chromium import Page

pytestmark = pytest.mark.browser

IN_SIGHT = """
    (({left, top, height}) => {
        const there = document.elementFromPoint(left + 5, top + height / 2);
        return document.activeElement.contains(there);
    })(document.activeElement.getClientRects()[0])
"""
"""Whether what has the focus can be seen, and nothing lies on it."""


@pytest.mark.usefixtures("talk")
@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("search?text=fallback", "j"),
        ("tapes/fallback/sessions/1", "j"),
        ("tapes/fallback/sessions/1", "]"),
        ("tapes/fallback/sessions/1", "e"),
        ("tapes/fallback/sessions/1/again?request=1", "j"),
        ("tapes/fallback/events?session=1", "e"),
        ("tapes/talk/events", "J"),
    ],
)
def test_what_a_key_leads_to_is_in_sight(page: Page, site: str, address: str, key: str) -> None:
    """Above the bar of keys, and not left behind when the page moves to something else."""
    page.open(site + address)
    page.call(
        "Emulation.setDeviceMetricsOverride",
        width=1000,
        height=500,
        deviceScaleFactor=1,
        mobile=False,
    )
    # Or it would be in sight while it goes out of it.
    at_once = {"name": "prefers-reduced-motion", "value": "reduce"}
    page.call("Emulation.setEmulatedMedia", features=[at_once])
    before, here = None, ""
    while here != before:
        before = here
        page.press(key)
        page.until(IN_SIGHT)
        here = page.value("document.activeElement.closest('[id]').id")


@pytest.mark.usefixtures("talk")
@pytest.mark.parametrize(
    ("address", "does"),
    [
        ("tapes/fallback/sessions/1", "document.getElementById('lane-1-3').focus()"),
        ("tapes/talk/sessions/1", "document.querySelector('#turn-1 a').focus()"),
        ("tapes/fallback/sessions/1", "document.querySelector('#legend summary').focus()"),
        ("tapes/fallback/sessions/1", "document.querySelector('button.play').focus()"),
    ],
)
def test_the_timeline_keeps_the_focus(page: Page, site: str, address: str, does: str) -> None:
    """When it is drawn anew, by another key."""
    page.open(f"{site}{address}?from=0&to=999000000")
    page.value(f"{does}; document.activeElement.isOld = true")
    here = "document.activeElement.outerHTML.replace(/href=.[^ ]*/, '')"
    before = page.value(here)
    page.press("ArrowRight")
    page.until("document.activeElement.isOld !== true")
    assert page.value(here) == before


@pytest.mark.usefixtures("talk")
def test_what_is_in_a_shut_fold_is_not_walked_along(page: Page, site: str) -> None:
    """The last row that can be seen is the last one; a fold is opened by Enter alone."""
    page.open(f"{site}tapes/talk/sessions/1/turns/1")
    rows = []
    for _ in range(4):
        page.press("j")
        rows.append(page.value("document.activeElement.closest('[data-row]').id"))
    assert rows == ["asked-1.1", "asked-1.2", "answered-1.1", "answered-1.1"]
    assert page.value("document.querySelector('details[open]')") is None


def test_j_and_k_walk_along_what_came_back(page: Page, site: str) -> None:
    """On the page of a request, the first and the last included; brackets go to others."""
    page.open(f"{site}tapes/rounds/sessions/1/requests/1/attempts/1")
    for key in ("j", "k"):
        page.press(key)
        assert page.value("document.activeElement.id") == "answered-1"
    assert page.value("location.pathname.endsWith('/requests/1/attempts/1')")
