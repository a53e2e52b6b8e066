"""Tapes made to do harm, in a real browser: nothing in them runs, and no page hangs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import Page
from timed_tapes import TapeMaker, ask, completed, created, delta, session

from wiretape.facts import EndKind, PieceKind

pytestmark = pytest.mark.browser

RUN = "document.title='ran'"
EVIL = (
    f'</pre></script><script>{RUN}</script><img src=x onerror="{RUN}"><svg onload="{RUN}">'
    f'<a href="javascript:{RUN}">here</a> [here](javascript:{RUN}) '
    "\u202egpj.exe\u2066\x1b[2J {{7*7}}"
)
HUGE = "x" * 20_000_000
DEEP = "[" * 50_000 + "]" * 50_000


def addresses(tape: str) -> Iterator[str]:
    """Every page of a tape of one session."""
    here = f"tapes/{tape}/sessions/1"
    yield from ("sessions", f"search?tape={tape}&text=response", here, f"{here}?at=3000")
    yield from (f"{here}/received?at=3000", f"{here}/turns/1", f"{here}/again?request=1")
    yield from (f"{here}/requests/1/attempts/1", f"{here}/requests/2/attempts/1")
    yield from (f"tapes/{tape}/events", f"compare?a={tape}/1&b=fallback/1")
    yield from (f"tapes/{tape}/exchanges/1/events/{position}" for position in range(5))


def write(path: Path, text: str, *, deep: str = "null") -> None:
    """Two requests that say the text, and answers that say it where answers can."""
    maker = TapeMaker(path)
    for begin_ms in (0, 100):
        post = maker.post(
            begin_ms, ask(text, extra=begin_ms), (*session(path.stem), ("x-it", text[:99]))
        )
        post.head(begin_ms + 1)
        post.events(begin_ms + 2, created(), delta(text), f'{{"type":"deep","deep":{deep}}}')
        post.events(begin_ms + 3, completed())
        post.end(begin_ms + 4)
    maker.write()


def broken(path: Path) -> None:
    """Bytes that are no UTF-8, half a character, nulls, and a message of bytes."""
    maker = TapeMaker(path)
    socket = maker.socket(0, session("broken"))
    for at_ms in (1, 11):
        socket.ask(at_ms, ask("half \ud83d"))
        socket.say(at_ms + 1, '{"type":"response.output_text.delta","delta":"\\ud83d\\u0000"}')
        socket.frame(at_ms + 2, PieceKind.TEXT, b'{"type":"\xff\xfe"}')
        socket.frame(at_ms + 3, PieceKind.BINARY, bytes(range(256)))
        socket.say(at_ms + 4, completed())
    socket.end(30, EndKind.CLIENT_CLOSED)
    maker.write()


@pytest.fixture
def hostile(folder: Path, site: str) -> str:
    """The address of an inspector of all of them."""
    write(folder / "evil.db", EVIL.replace("\x1b", ""))
    write(folder / "huge.db", HUGE)
    write(folder / "deep.db", "deep", deep=DEEP)
    broken(folder / "broken.db")
    return site


@pytest.mark.parametrize("tape", ["evil", "huge", "deep", "broken"])
def test_every_page_stays_a_page(page: Page, hostile: str, tape: str) -> None:
    """It is loaded and fits, keys move on it, its title is ours, and the console is empty."""
    for address in addresses(tape):
        page.open(hostile + address, width=360)
        assert page.value("document.documentElement.scrollWidth") <= 360, address
        page.press("?")
        assert page.value("document.getElementById('help').open"), address
        assert page.value("document.title").endswith("· wiretape"), address
        assert page.value("document.querySelectorAll('main img, main script').length") == 0
        links = page.value("[...document.querySelectorAll('a')].map(each => each.protocol)")
        assert set(links) == {"http:"}, address
    assert [each for each in page.complaints if hostile in each] == []


def test_what_moves_the_timeline_runs_nothing(page: Page, hostile: str) -> None:
    """A drawing that a script puts into the page is as harmless as one that was loaded."""
    page.open(f"{hostile}tapes/evil/sessions/1?at=3000")
    for key in ("+", "ArrowRight", "-", "0"):
        before = page.value("location.search")
        page.press(key)
        page.until(f"location.search !== '{before}'")
    assert page.value("document.title").endswith("· wiretape")
    assert [each for each in page.complaints if hostile in each] == []
