"""Every page of each sample tape in a real browser: it fits, is quiet, and can be read."""

import shutil
from itertools import cycle
from pathlib import Path

import pytest
from axe import violations
from chromium import Page
from declared import REPOSITORY
from overlaps import overlaps

pytestmark = pytest.mark.browser

SAMPLES = sorted((REPOSITORY / "recordings" / "samples").glob("*/tape.db"))
EACH = pytest.mark.parametrize("tape", [tape.parent.name for tape in SAMPLES])
LOOKS = ((360, "light"), (1600, "light"), (1600, "dark"), (830, "light"), (360, "dark"))
SCRIPTED = (
    "document.querySelectorAll('[data-copy], .play').forEach(each => each.hidden = true);"
    "document.querySelectorAll('time[data-local]').forEach(time => time.textContent = time.title)"
)
"""Undoes what only a script does to a page: its own controls, and times of the viewer's zone."""


@pytest.fixture
def samples(folder: Path, site: str) -> str:
    """The address of an inspector of the sample tapes."""
    for tape in SAMPLES:
        shutil.copy2(tape, folder / f"{tape.parent.name}.db")
    return site


def addresses(tape: str) -> tuple[str, ...]:
    """Every page of a sample tape, those that it shares with others included."""
    session = f"tapes/{tape}/sessions/1"
    return (
        "sessions",
        f"search?tape={tape}&text=shell",
        session,
        f"{session}?at=900000",
        f"{session}?from=100000&to=600000",
        f"{session}/received?at_s=0.9",
        f"{session}/requests/2/attempts/1",
        f"{session}/requests/2/attempts/1?to=1",
        f"{session}/turns/1",
        f"{session}/again?request=2",
        f"tapes/{tape}/events?session=1",
        f"tapes/{tape}/events?session=1&regex=on&text=resp_[0-9]",
        f"tapes/{tape}/exchanges/1/events/1",
        f"compare?a={tape}/1&b=cut-stream/1",
    )


@EACH
def test_it_fits_and_is_quiet(page: Page, samples: str, tape: str) -> None:
    """Nothing is wider than the window, no text lies on another, and the console is empty."""
    for address in addresses(tape):
        page.open(samples + address)
        assert page.value("document.querySelector('main').textContent.trim() !== ''"), address
        for width, theme in LOOKS:
            page.look(width, theme)
            assert page.value("document.documentElement.scrollWidth") <= width, address
            assert overlaps(page) == [], (address, width, theme)
    assert [each for each in page.complaints if samples in each] == []


@pytest.mark.parametrize("width", [360, 1600])
def test_what_lies_on_another_would_be_seen(page: Page, site: str, width: int) -> None:
    """In a table, and in the drawing."""
    page.open(f"{site}tapes/fallback/events", width=width)
    page.value("document.querySelector('.events .type').style.transform = 'translateX(-60px)'")
    assert overlaps(page) != []
    page.open(f"{site}tapes/fallback/sessions/1", width=width)
    page.value("const flag = document.querySelector('.flag'); flag.after(flag.cloneNode(true)); 1")
    assert overlaps(page) != []


@EACH
def test_axe_finds_nothing(page: Page, samples: str, tape: str) -> None:
    """On any page of a real recording, one narrow and light, the next one wide and dark."""
    for address, (width, theme) in zip(addresses(tape), cycle(LOOKS[:3:2]), strict=False):
        page.open(samples + address, width=width, theme=theme)
        assert violations(page) == [], address


@EACH
def test_it_reads_the_same_without_scripts(page: Page, samples: str, tape: str) -> None:
    """Only what a script alone could do is not there; keys are not named."""
    words = "document.querySelector('main').innerText"
    for address in addresses(tape):
        page.open(samples + address)
        with_scripts = page.value(f"{SCRIPTED}; {words}")
        with page.without_scripts():
            page.open(samples + address)
            assert page.value(words) == with_scripts, address
            assert page.value("document.querySelector('.hints').checkVisibility()") is False
