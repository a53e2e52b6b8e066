"""The words of a timeline in a real browser: on recordings of every trouble, and on any screen."""

from itertools import batched
from pathlib import Path

import pytest
from chromium import Page
from labelled import LABELLED, Labelled
from overlaps import overlaps
from timed_tapes import TapeMaker, ask, completed, created, session

from inspector_web.labels import Look, width_px

pytestmark = pytest.mark.browser

WIDTHS = (320, 360, 768, 1280, 1600)
_LOOK = """(() => {
    const box = (each) => each.getBoundingClientRect();
    const plot = box(document.querySelector(".plot"));
    const seen = (each) => each.getClientRects().length > 0;
    const bars = [...document.querySelectorAll(".plot :is(.bar, .silence, .tools)")];
    const found = [];
    for (const text of [...document.querySelectorAll(".plot text")].filter(seen)) {
        const words = box(text);
        const beside = text.classList.contains("in") ? [] : bars;
        for (const bar of beside.map(box)) {
            const across = Math.min(words.right, bar.right) - Math.max(words.left, bar.left);
            const down = Math.min(words.bottom, bar.bottom) - Math.max(words.top, bar.top);
            const isOnIt = across > 1 && down > words.height * 0.4;
            if (isOnIt) found.push(`on a bar: ${text.textContent}`);
        }
        if (words.right > innerWidth) found.push(`off the page: ${text.textContent}`);
    }
    for (const line of [...document.querySelectorAll(".arrow line")].filter(seen)) {
        const { left, right, height } = box(line);
        const isLevel = height < 3;
        if (isLevel && right - left < 10) found.push("an arrow as short as its head");
        if (left < plot.left - 3) found.push("an arrow left of the plot");
    }
    return [...new Set(found)];
})()"""
_WIDTHS_OF_WORDS = """
    [...document.querySelectorAll(".plot text, .axis text")]
        .filter((each) => each.getClientRects().length > 0)
        .map((each) => [
            each.textContent, each.classList[0], each.getComputedTextLength(),
        ])
"""


def write(folder: Path, recordings: tuple[Labelled, ...]) -> list[str]:
    """Writes each as a tape, and gives the addresses of their first sessions."""
    for each in recordings:
        maker = TapeMaker(folder / f"{each.name}.db", each.agent)
        each.make(maker)
        maker.write()
    return [f"tapes/{each.name}/sessions/1" for each in recordings]


@pytest.mark.parametrize(
    "some", list(batched(LABELLED, 16, strict=False)), ids=lambda some: some[0].name
)
def test_no_words_lie_on_anything(
    page: Page, site: str, folder: Path, some: tuple[Labelled, ...]
) -> None:
    """Not on others, not on a bar, not beyond the page; and each arrow has room for its head."""
    for address in write(folder, some):
        page.open(site + address)
        if not page.value("document.querySelector('.plot') !== null"):
            continue  # What was recorded belongs to no session.
        for width in WIDTHS:
            page.look(width, "light")
            assert overlaps(page) == [], (address, width)
            assert page.value(_LOOK) == [], (address, width)


@pytest.mark.parametrize("width", [360, 1600])
def test_words_are_as_wide_as_they_were_measured(page: Page, site: str, width: int) -> None:
    """At most, whatever the font of this machine is."""
    for tape in ("fallback", "rounds"):
        page.open(f"{site}tapes/{tape}/sessions/1", width=width)
        words = page.value(_WIDTHS_OF_WORDS)
        assert words
        for text, look, drawn_px in words:
            look = look if look in set(Look) else Look.MARK
            assert drawn_px <= width_px(text, Look(look)), text


def test_where_the_time_went_is_on_the_first_screen(page: Page, site: str, folder: Path) -> None:
    """However many requests went ill in their own ways: their tales stand below the timeline."""
    maker = TapeMaker(folder / "ill.db")
    for number, status in enumerate((400, 401, 404, 408, 429, 500, 502, 503)):
        at_ms, body = number * 1000, ask(f"Question {number}")
        maker.post(at_ms, body, session("s")).refuse(at_ms + 10, status, "no luck")
        maker.post(at_ms + 200, body, session("s")).answer(at_ms + 210, created(), completed())
    maker.write()
    page.open(f"{site}tapes/ill/sessions/1", width=1280)
    end = "Math.round(document.querySelector('{}').getBoundingClientRect().bottom)"
    shown = page.value(
        f"{end.format('.lane')} < 800 - document.querySelector('.hints').offsetHeight"
    )
    assert shown, page.value(end.format(".lane"))
    assert page.value("document.querySelectorAll('.tales > li').length") == 6
