"""How smooth the inspector moves in a browser, with 100,000 events to be seen at once.

    python benchmarks/frames.py                  builds the tape, reads it, prints a table
    python benchmarks/frames.py --keep FOLDER    the same, and keeps tape and index for next time

A real Chromium shows the whole session while the wheel zooms and moves, the pointer drags and the
table of events scrolls. Measured is the time from one frame to the next. Other work on the machine
shows in it, so each is read beside the frames of a page that stands still. The limit is a p95 of
50 ms, or what standing still took where that is more.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from inspector import build

from inspector_web.access import Access
from inspector_web.app import create_app
from inspector_web.library import Library

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from chromium import Page, chromium, opened_page
from served import served

MOST_MS = 50
STEPS = 60
WIDTH = 1600
WATCH = """
    window.frames_ms = [];
    let before = performance.now();
    const look = (now) => {
        frames_ms.push(now - before);
        before = now;
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
"""


def site(folder: Path) -> AbstractContextManager[str]:
    """The address of an inspector of the tape in the folder."""
    library = Library([folder / "frames.db"])
    return served(create_app(library, Access("127.0.0.1", None), folder / "index", 3600))


def plot(page: Page) -> tuple[float, float]:
    """A point in the middle of the timeline, at its top."""
    x, y = page.value(
        "(({ x, y, width }) => [x + width / 2, y + 30])"
        "(document.querySelector('.plot').getBoundingClientRect())"
    )
    return x, y


def frame(page: Page) -> None:
    """Lets one frame be drawn."""
    page.value("new Promise(requestAnimationFrame).then(() => 1)")


def wheel(page: Page, x: float, y: float, **turned: float) -> None:
    given = {"deltaX": 0, "deltaY": 0} | turned
    page.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, **given)


def stand(page: Page) -> None:
    for _ in range(STEPS):
        frame(page)


def zoom(page: Page) -> None:
    """In by half of the steps, and out again."""
    x, y = plot(page)
    for step in range(STEPS):
        wheel(page, x, y, deltaY=-30 if step < STEPS / 2 else 30, modifiers=2)
        frame(page)


def move(page: Page) -> None:
    """Later by half of the steps, and back."""
    x, y = plot(page)
    for step in range(STEPS):
        wheel(page, x, y, deltaX=80 if step < STEPS / 2 else -80)
        frame(page)


def drag(page: Page) -> None:
    """To the left and back, with the button held."""
    x, y = plot(page)
    held: dict[str, Any] = {"button": "left", "buttons": 1, "clickCount": 1, "y": y}
    page.call("Input.dispatchMouseEvent", type="mousePressed", x=x, **held)
    for step in range(STEPS):
        by = min(step, STEPS - step) * 8
        page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x - by, **held)
        frame(page)
    page.call("Input.dispatchMouseEvent", type="mouseReleased", x=x, **held)


def scroll(page: Page) -> None:
    """Down the table of events, and up."""
    for step in range(STEPS):
        wheel(page, WIDTH / 2, 400, deltaY=120 if step < STEPS / 2 else -120)
        frame(page)


def measure(page: Page, act: Callable[[Page], None]) -> tuple[float, float, int]:
    """p50 and p95 of the frame times, in ms, and how many frames there were."""
    page.value(WATCH)
    act(page)
    frames_ms = sorted(page.value("frames_ms"))
    last = len(frames_ms) - 1
    return frames_ms[last // 2], frames_ms[round(last * 0.95)], len(frames_ms)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, help="a folder for the tape and its index")
    given = parser.parse_args()
    binary = chromium()
    if binary is None:
        sys.exit("there is no Chromium here: install chromium.")
    with nullcontext(given.keep) if given.keep else tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.mkdir(exist_ok=True)
        if not (folder / "frames.db").exists():
            build(folder / "frames.db", given.events)
        with site(folder) as address, opened_page(binary) as page:
            session, events = "tapes/frames/sessions/1", "tapes/frames/events?session=1"
            rows: tuple[tuple[str, str, Callable[[Page], None]], ...] = (
                ("standing still", session, stand),
                ("zooming by the wheel", session, zoom),
                ("moving by the wheel", f"{session}?from=100000000&to=200000000", move),
                ("dragging", f"{session}?from=100000000&to=200000000", drag),
                ("scrolling the events", events, scroll),
            )
            limit_ms = float(MOST_MS)
            is_fine = True
            for what, where, act in rows:
                page.open(address + where, width=WIDTH)
                middle_ms, late_ms, frames = measure(page, act)
                if act is stand:
                    limit_ms = max(limit_ms, late_ms)
                is_slow = late_ms > limit_ms
                is_fine = is_fine and not is_slow
                print(
                    f"{what:24} p50 {middle_ms:4.0f} ms  p95 {late_ms:4.0f} ms  of {frames} frames"
                    f"{'   over the limit' if is_slow else ''}"
                )
    return 0 if is_fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
