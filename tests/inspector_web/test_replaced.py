"""A tape that another one takes the place of, or that is deleted, while somebody looks at it."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chromium import Page
from flask.testing import FlaskClient
from growing import GrowingTape
from served import served
from timed_tapes import TapeMaker, ask, created, delta, session

from inspector_web.access import Access
from inspector_web.app import TAPE_MARK, create_app
from inspector_web.library import Library

type Browse = Callable[..., FlaskClient]

SESSION = "/tapes/fallback/sessions/1"
GONE = (
    "There is no tape called 'fallback' here: the list of sessions names those that are. "
    "The list of sessions"
)


def put_over(tape: Path, other: Path) -> None:
    """As `mv` does."""
    shutil.copy2(other, tape.with_suffix(".new"))
    tape.with_suffix(".new").replace(tape)


@pytest.mark.parametrize(
    "address",
    [
        SESSION,
        f"{SESSION}/received?at=900000",
        "/tapes/fallback/events",
        "/tapes/fallback/events/found",
        f"{SESSION}.json",
    ],
)
def test_every_answer_names_its_tape(both: Path, browse: Browse, address: str) -> None:
    """In the same way, until another tape lies there."""
    client = browse(both)
    first = client.get(SESSION).headers[TAPE_MARK]
    assert client.get(address).headers[TAPE_MARK] == first
    assert f'<main id="main" data-tape="{first}">' in client.get(SESSION).text
    put_over(both / "fallback.db", both / "rounds.db")
    assert client.get(address).headers[TAPE_MARK] != first


def test_a_tape_that_grows_is_the_same(folder: Path, browse: Browse) -> None:
    """Also when it is closed."""
    client = browse()
    with GrowingTape(folder / "growing.db", 1) as tape:
        marks = [client.get("/tapes/growing/events").headers[TAPE_MARK]]
        tape.add(1)
        marks.append(client.get("/tapes/growing/events").headers[TAPE_MARK])
    marks.append(client.get("/tapes/growing/events").headers[TAPE_MARK])
    assert len(set(marks)) == 1


def test_a_script_that_was_edited_is_another(folder: Path, browse: Browse) -> None:
    """Even where its editor wrote into the same file."""
    script = folder / "edited.script"
    text = "wiretape_script: 1\nexchanges:\n- request: POST /v1/responses\n  answer: 500\n"
    script.write_text(text)
    client = browse(script)
    first = client.get("/tapes/edited.script/events")
    assert first.status_code == 200, first.text
    script.write_text(f"# changed\n{text}")
    assert client.get("/tapes/edited.script/events").headers[TAPE_MARK] != first.headers[TAPE_MARK]


def test_what_is_of_several_tapes_names_none(both: Path, browse: Browse) -> None:
    """Nor does a page of none."""
    for address in ("/sessions", "/search?text=files", "/compare?a=fallback/1&b=rounds/1"):
        assert TAPE_MARK not in browse(both).get(address).headers


@pytest.mark.browser
def test_a_replaced_tape_is_shown_anew(page: Page, site: str, both: Path) -> None:
    """All of it, in the window that was wanted."""
    page.open(f"{site}{SESSION[1:]}")
    page.value("document.querySelector('main').marked = true")
    put_over(both / "fallback.db", both / "rounds.db")
    page.press("+")
    page.until("document.querySelector('h1')?.textContent.includes('List the files.')")
    assert page.value("document.querySelector('main').marked === undefined")
    assert page.value("location.search") == "?from=568260&to=1504780"


@pytest.mark.browser
@pytest.mark.parametrize("key", ["+", "ArrowRight", " "])
def test_a_deleted_tape_is_told(page: Page, site: str, both: Path, key: str) -> None:
    """In the server's words, with a way on; the address stays as it was."""
    page.open(f"{site}{SESSION[1:]}?from=500000&to=900000")
    (both / "fallback.db").unlink()
    page.press(key)
    page.until("document.getElementById('refused')")
    assert page.value("document.getElementById('refused').textContent") == GONE
    assert page.value("document.querySelector('#refused a').pathname") == "/sessions"
    assert page.value("document.getElementById('refused').getAttribute('role')") == "alert"
    assert page.value("location.search") == "?from=500000&to=900000"
    assert page.complaints
    page.complaints.clear()


@pytest.mark.browser
def test_a_tape_that_is_deleted_while_it_grows_is_told(page: Page, site: str, folder: Path) -> None:
    """By itself: a page that grows is looked at, and not touched."""
    with GrowingTape(folder / "growing.db", 1):
        page.open(f"{site}tapes/growing/events")
        page.until("!document.querySelector('[data-live]').hidden")
        (folder / "growing.db").unlink()
        page.until("document.getElementById('refused')")
    said = page.value("document.getElementById('refused').textContent")
    assert said == GONE.replace("fallback", "growing")
    page.complaints.clear()


@pytest.mark.browser
def test_what_was_told_goes_when_the_tape_is_back(page: Page, site: str, both: Path) -> None:
    """Moved away and back, it is the same."""
    page.open(f"{site}{SESSION[1:]}")
    page.value("document.querySelector('main').marked = true")
    away = (both / "fallback.db").rename(both / "fallback.away")
    page.press("+")
    page.until("document.getElementById('refused')")
    away.rename(both / "fallback.db")
    page.press("+")
    page.until("location.search && !document.getElementById('refused')")
    assert page.value("document.querySelector('main').marked")
    page.complaints.clear()


@pytest.fixture
def long(folder: Path) -> Iterator[str]:
    """The address of the events of a tape that has more of them than a window."""
    maker = TapeMaker(folder / "fallback.db")
    post = maker.post(0, ask("Tell it all."), session("s-1"))
    post.head(1)
    post.events(2, created())
    for number in range(2000):
        post.events(3 + number, delta(f"word {number}"))
    maker.write()
    app = create_app(Library([folder]), Access("127.0.0.1", None), patience_s=60)
    with served(app) as address:
        yield f"{address}tapes/fallback/events"


@pytest.mark.browser
def test_rows_of_another_tape_are_not_put_beneath(
    page: Page, long: str, folder: Path, shelf: Path
) -> None:
    """The table is that of the other tape, from its beginning."""
    page.open(long)
    page.until("document.querySelectorAll('#events [data-row]').length > 50")
    put_over(folder / "fallback.db", shelf / "rounds.db")
    page.value("setTimeout(() => scrollTo(0, document.body.scrollHeight)); 1")
    page.until("document.getElementById('found')?.dataset.found < 100")
    assert not page.value("document.body.textContent.includes('word ')")


@pytest.mark.browser
def test_rows_of_a_tape_that_is_gone_are_told(page: Page, long: str, folder: Path) -> None:
    """Else a table would have a hole for no reason."""
    page.open(long)
    page.until("document.querySelectorAll('#events [data-row]').length > 50")
    (folder / "fallback.db").unlink()
    page.value("setTimeout(() => scrollTo(0, document.body.scrollHeight)); 1")
    page.until("document.getElementById('refused')")
    assert page.value("document.getElementById('refused').textContent") == GONE
    page.complaints.clear()


def test_the_error_page_holds_what_is_told(both: Path, browse: Browse) -> None:
    """Its JSON says the same."""
    (both / "fallback.db").unlink()
    said = json.loads(browse(both).get(f"{SESSION}.json").text)["error"]["message"]
    assert said == GONE[0].lower() + GONE.removesuffix(" The list of sessions")[1:]
