"""Draws the inspector's main pages, of the sample tapes, into docs/screenshots.

``.venv/bin/python docs/write_screenshots.py`` is to be run after a change to a page, and what it
drew to be looked at. It needs Chromium.
"""

import base64
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from inspector_web.access import Access
from inspector_web.app import create_app
from inspector_web.library import Library

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from chromium import chromium, opened_page
from served import served

REPOSITORY: Final = Path(__file__).resolve().parents[1]
FOLDER: Final = REPOSITORY / "docs" / "screenshots"
WIDTH: Final = 1100

PAGES: Final = {
    "sessions": ("sessions", 520, "light"),
    "timeline": ("tapes/websocket-fallback/sessions/1", 900, "light"),
    "timeline-dark": ("tapes/websocket-fallback/sessions/1", 900, "dark"),
    "turn": ("tapes/websocket-fallback/sessions/1/turns/1", 640, "light"),
    "compare": ("compare?a=sse-tool-call/1&b=cut-stream/1", 610, "light"),
}
"""Each picture: the address, the height in pixels, the theme."""


@contextmanager
def site() -> Iterator[str]:
    """The address of an inspector of the sample tapes, called by their folders."""
    with tempfile.TemporaryDirectory() as scratch:
        for tape in (REPOSITORY / "recordings" / "samples").glob("*/tape.db"):
            shutil.copy2(tape, Path(scratch) / f"{tape.parent.name}.db")
        app = create_app(Library([Path(scratch)]), Access("127.0.0.1", None), patience_s=60)
        with served(app) as address:
            yield address


def main() -> None:
    # Times stand in the browser's zone.
    os.environ["TZ"] = "UTC"
    time.tzset()
    binary = chromium()
    if binary is None:
        sys.exit("there is no Chromium here: install chromium.")
    FOLDER.mkdir(exist_ok=True)
    with site() as address, opened_page(binary) as page:
        for name, (where, height, theme) in PAGES.items():
            page.open(address + where, width=WIDTH, theme=theme)
            size = {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": 1}
            drawn = page.call("Page.captureScreenshot", format="webp", quality=70, clip=size)
            (FOLDER / f"{name}.webp").write_bytes(base64.b64decode(drawn["data"]))


if __name__ == "__main__":
    main()
