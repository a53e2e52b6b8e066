"""A page that grows keeps what somebody does on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import Page
from growing import GrowingTape

pytestmark = pytest.mark.browser


@pytest.fixture
def growing(folder: Path) -> Iterator[GrowingTape]:
    """A tape that is being written, with many requests on it."""
    with GrowingTape(folder / "grows.db", 24) as tape:
        yield tape


HOLD = """
    window.field = document.querySelector("main input[type=search], main input[type=text]");
    if (field) field.value = "half typ";
    window.fold = document.querySelector("main details:not([open])");
    if (fold) fold.open = true;
    window.link = [...document.querySelectorAll("main a")].at(-1);
    link.focus({ preventScroll: true });
    scrollTo({ top: (document.documentElement.scrollHeight - innerHeight) / 2,
        behavior: "instant" });
    window.seen = document.elementFromPoint(300, 500);
    window.text = document.querySelector("h1, h2");
    getSelection().selectAllChildren(text);
    window.said = getSelection().toString();
    window.top_px = seen.getBoundingClientRect().top;
    window.grew = 0;
    document.addEventListener("grown", () => grew++);
"""
WINDOW = "['from', 'to', 'at'].map(name => new URL(location).searchParams.get(name))"
HELD = {
    "the filter": "field === null || document.querySelector(`main [name=${field.name}]`)"
    ".value === 'half typ'",
    "the fold": "fold === null || document.querySelector(`[data-fold=${fold.dataset.fold}]`).open",
    "the focus": "document.activeElement === link",
    "the selection": "getSelection().toString() === said",
    "the scroll": "Math.abs(seen.getBoundingClientRect().top - top_px) < 1",
}


@pytest.mark.parametrize(
    "address",
    [
        "sessions",
        "tapes/grows/sessions/1",
        "tapes/grows/sessions/1?from=2000000&to=9000000&at=3000000",
        "tapes/grows/sessions/1/turns/24",
        "tapes/grows/sessions/1/requests/24/attempts/1",
        "tapes/grows/events",
        "tapes/grows/events?go=100",
        "tapes/grows/exchanges/2/events/3",
    ],
)
def test_growth_takes_nothing_away(
    page: Page, site: str, growing: GrowingTape, address: str
) -> None:
    """Neither what is half typed, nor folds, focus, selection, and the place that is seen."""
    page.open(site + address)
    page.value(HOLD + "1")
    search = page.value(WINDOW)
    for _ in range(2):
        before = page.value("grew")
        growing.add(2)
        page.until(f"grew > {before}")
    assert {what: page.value(held) for what, held in HELD.items()} == dict.fromkeys(HELD, True)
    assert page.value(WINDOW) == search
    assert [each for each in page.complaints if site in each] == []


def test_a_lane_that_has_the_focus_keeps_it(page: Page, site: str, growing: GrowingTape) -> None:
    """Though the timeline is drawn anew."""
    page.open(f"{site}tapes/grows/sessions/1")
    page.press("]")
    lane = "document.activeElement.closest('.lane-link')?.id"
    before = page.value(lane)
    assert before
    page.value("window.line = document.querySelector('#timeline'); 1")
    growing.add(1)
    page.until("!line.isConnected")
    assert page.value(lane) == before
