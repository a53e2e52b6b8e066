"""Tapes to look at, and a browser that asks for pages without a network."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chromium import Page, chromium, opened_page
from flask.testing import FlaskClient
from jinja2 import FileSystemBytecodeCache
from served import served
from timed_tapes import (
    TapeMaker,
    ask,
    call,
    completed,
    created,
    delta,
    done,
    message,
    output,
    session,
)

from inspector_web.access import Access
from inspector_web.app import create_app
from inspector_web.library import Library
from wiretape.facts import EndKind, PieceKind

ADDED = {"type": "response.output_item.added", "item": {"type": "function_call"}}
THOUGHT = {"type": "response.reasoning_summary_text.delta", "delta": "hm"}
LOOPBACK = Access("127.0.0.1", None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the tapes of a test lie."""
    place = tmp_path / "recordings"
    place.mkdir()
    return place


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> FileSystemBytecodeCache:
    """Templates compiled once, and not anew for every app of every test."""
    return FileSystemBytecodeCache(str(tmp_path_factory.mktemp("compiled")))


@pytest.fixture
def browse(folder: Path, compiled: FileSystemBytecodeCache) -> Callable[..., FlaskClient]:
    """Gives a browser of these tapes, else of ``folder``; on loopback unless told otherwise."""

    def make(*tapes: Path, access: Access = LOOPBACK) -> FlaskClient:
        app = create_app(Library(tapes or [folder]), access, patience_s=60)
        app.testing = True
        app.jinja_env.bytecode_cache = compiled
        return app.test_client()

    return make


@pytest.fixture(scope="session")
def browser() -> Iterator[Page]:
    """One browser for all tests that want one."""
    binary = chromium()
    if binary is None:
        pytest.skip("there is no Chromium here: install chromium to drive it")
    with opened_page(binary) as page:
        yield page


@pytest.fixture
def page(browser: Page) -> Page:
    """The browser, with nothing said in its console."""
    browser.complaints.clear()
    return browser


@pytest.fixture
def site(both: Path) -> Iterator[str]:
    """The address of an inspector of two tapes."""
    app = create_app(Library([both]), LOOPBACK, patience_s=60)
    with served(app) as address:
        yield address


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tapes below, written once."""
    place = tmp_path_factory.mktemp("shelf")
    _write_fallback(place / "fallback.db")
    _write_rounds(place / "rounds.db")
    return place


@pytest.fixture
def fallback(folder: Path, shelf: Path) -> Path:
    """Two sockets closed with 1011, then the same request over HTTP, which completes.

    In milliseconds: sockets from 100 to 130 and from 330 to 360, the request from 400 to 1901.
    """
    return Path(shutil.copy2(shelf / "fallback.db", folder))


@pytest.fixture
def rounds(folder: Path, shelf: Path) -> Path:
    """One socket with a tool round on it, still open at the end; a ping in between.

    In milliseconds: asked at 10, a call until 300, the tool runs, asked again at 900, done at 990.
    """
    return Path(shutil.copy2(shelf / "rounds.db", folder))


@pytest.fixture
def both(fallback: Path, rounds: Path) -> Path:
    """The folder with these two tapes in it."""
    assert fallback.parent == rounds.parent
    return fallback.parent


@pytest.fixture
def talk(folder: Path) -> None:
    """Two turns; in the first a try breaks off that had said something, and is made again."""
    asked = [message("Rules. " * 30, "developer"), message("One.")]
    maker = TapeMaker(folder / "talk.db")
    first = maker.post(0, ask(*asked), session("s-9"))
    first.head(1)
    first.events(2, created("resp_1"), done(message("Half of it.", "assistant")))
    first.end(3, EndKind.RESET)
    answer = message("All of it.", "assistant")
    again = maker.post(200, ask(*asked), session("s-9"))
    again.answer(201, created("resp_2"), done(answer), completed("resp_2"))
    long = {"type": "a_new_kind", "note": "word " * 300}
    last = maker.post(900, ask(*asked, answer, message("Two.")), session("s-9"))
    last.answer(901, created("resp_3"), done(long), completed("resp_3"))
    maker.write()


def _write_fallback(path: Path) -> None:
    maker = TapeMaker(path)
    for begin_ms in (100, 330):
        socket = maker.socket(begin_ms, session("s-1"))
        socket.ask(begin_ms + 10, ask("Fix the build."))
        socket.close(begin_ms + 30, 1011, "no luck")
    post = maker.post(400, ask("Fix the build."), session("s-1"))
    post.head(410)
    post.events(500, created())
    post.events(700, THOUGHT)
    post.events(900, THOUGHT)
    post.events(1800, delta("Done."))
    post.events(1900, completed(given=1200, made=34))
    post.end(1901)
    maker.write()


def _write_rounds(path: Path) -> None:
    maker = TapeMaker(path)
    socket = maker.socket(0, session("s-2"))
    socket.ask(10, ask("List the files."))
    socket.say(50, created("resp_1"))
    socket.say(100, ADDED)
    socket.say(290, done(call("call_1")))
    socket.say(300, completed("resp_1"))
    socket.frame(500, PieceKind.PING)
    socket.ask(900, ask(output("call_1", "a b"), previous_response_id="resp_1"))
    socket.say(950, created("resp_2"), delta("Two files."))
    socket.say(990, completed("resp_2"))
    maker.write()
