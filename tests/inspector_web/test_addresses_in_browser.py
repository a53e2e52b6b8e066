"""What a person does to a page is in its address: whoever opens that sees the same."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from chromium import Page, chromium, opened_page

pytestmark = pytest.mark.browser

SEEN = """
    (() => {
        const told = (selector, tell) => [...document.querySelectorAll(selector)].map(tell);
        const FIELDS = "main :is(input:not([type=hidden]), select)";
        const timeline = document.getElementById("timeline");
        return {
            page: location.pathname,
            text: document.getElementById("main").innerText,
            open: told("details[open]", (each) => each.dataset.fold),
            fields: told(FIELDS, ({ name, value, checked }) => [name, value, checked]),
            row: document.activeElement.closest("[id]")?.id ?? null,
            window: timeline && { ...timeline.dataset },
            cursor: document.getElementById("cursor")?.getAttribute("x1"),
        };
    })()
"""


@dataclass(frozen=True, slots=True)
class Act:
    """What a person does on a page, and what is added to its path by that.

    ``does`` is JavaScript, ``keys`` are pressed one after the other, with a blank between them.
    """

    page: str
    becomes: str
    keys: str = ""
    does: str = ""

    @property
    def address(self) -> str:
        return self.page.partition("?")[0] + self.becomes


def click(selector: str) -> str:
    return f"document.querySelector('{selector}').click()"


def fold(name: str) -> str:
    return click(f'[data-fold="{name}"] > summary')


def choose(name: str, value: str) -> str:
    """Chooses in a list, as by hand."""
    return (
        f"(list => {{ list.value = '{value}'; "
        f"list.dispatchEvent(new Event('change', {{bubbles: true}})); }})"
        f"(document.querySelector('[name={name}]'))"
    )


def send(**values: str) -> str:
    """Fills in the form of filters, and sends it."""
    filled = "".join(f"form.elements['{name}'].value = '{to}';" for name, to in values.items())
    return f"(form => {{ {filled} form.requestSubmit(); }})(document.querySelector('.filters'))"


FALLBACK = "/tapes/fallback/sessions/1"
TALK = "/tapes/talk/sessions/1"
EVENT = "/tapes/talk/exchanges/2/events/3"
ACTS = {
    "sessions, a row": Act("/sessions", "#rounds%2F1", keys="j j"),
    "sessions, filters": Act(
        "/sessions",
        "?text=files&health=&transport=&over_s=&order=tokens",
        does=send(text="files", order="tokens"),
    ),
    "session, a window": Act(FALLBACK, "?from=568260&to=1504780", keys="+"),
    "session, an instant": Act(
        FALLBACK,
        "?from=100000&to=1973040&at=1500000",
        does="document.querySelector('[name=at_s]').value = '1.5';"
        "document.querySelector('.look').requestSubmit()",
    ),
    "session, a speed": Act(FALLBACK, "?speed=16", does=choose("speed", "16")),
    "session, the usual speed": Act(f"{FALLBACK}?speed=4", "", does=choose("speed", "1")),
    "session, the legend": Act(FALLBACK, "?open=legend", does=fold("legend")),
    "session, the legend shut": Act(f"{FALLBACK}?open=legend", "", does=fold("legend")),
    "session, a finding": Act(
        FALLBACK, "?open=finding-fallback-1", does=fold("finding-fallback-1")
    ),
    "session, the next problem": Act(
        FALLBACK,
        "?open=finding-closed_early-1&from=100000&to=660000&at=130000#finding-closed_early-1",
        keys="e",
    ),
    "session, a lane": Act(FALLBACK, "#lane-1-2", keys="] ]"),
    "session, a turn": Act(TALK, "#turn-2", keys="J J"),
    "session, all of it": Act(
        f"{FALLBACK}?at=1000000&speed=4&open=legend",
        "?at=1000000&speed=4&open=legend&from=568260&to=1504780#attempt-1-1",
        keys="+ j",
    ),
    "events, filters": Act(
        "/tapes/fallback/events?session=1",
        "?session=1&text=&type=close&sender=server&exchange=",
        does=send(type="close", sender="server"),
    ),
    "events, a row": Act("/tapes/fallback/events?session=1", "?session=1&go=3#e1-2", keys="j j j"),
    "event, branches": Act(
        EVENT,
        "?open=tree-1.2.0&shut=tree-1",
        does=fold("tree-1.2.0") + ";" + fold("tree-1"),
    ),
    "turn, what was folded": Act(
        f"{TALK}/turns/1",
        "?open=asked-1.1+tried-1.1",
        does=fold("asked-1.1") + ";" + fold("tried-1.1"),
    ),
    "turn, a row": Act(f"{TALK}/turns/1", "#asked-1.2", keys="j j"),
    "turn, a problem": Act(f"{TALK}/turns/1", "#try-1-1", keys="e"),
    "request, beside another": Act(
        f"{TALK}/requests/2/attempts/1?open=answered-1",
        "?to=1.1&open=answered-1",
        does=send(to="1.1"),
    ),
    "again, a line": Act(f"{FALLBACK}/again", "#line-1-1", keys="j"),
    "search, a text": Act("/search", "?text=Done.", does=send(text="Done.")),
    "search, a row": Act("/search?text=Done.", "?text=Done.#fallback%2F1800000.3.5", keys="j"),
    "compare, two": Act(
        "/compare",
        "?a=fallback%2F1&b=talk%2F1&show=differences&ignore=",
        does=send(a="fallback/1", b="talk/1", show="differences"),
    ),
    "compare, a difference": Act(
        "/compare?a=fallback/1&b=talk/1",
        "?a=fallback%2F1&b=talk%2F1&open=difference-1.1",
        does=fold("difference-1.1"),
    ),
    "compare, a row": Act(
        "/compare?a=fallback/1&b=talk/1", "?a=fallback/1&b=talk/1#pair-2", keys="j j"
    ),
}


@pytest.fixture(scope="module")
def stranger() -> Iterator[Page]:
    """A browser that has seen nothing."""
    binary = chromium()
    assert binary is not None
    with opened_page(binary) as page:
        yield page


def is_at(address: str) -> str:
    """Whether the page has that address, and is whole."""
    return f"location.href === {json.dumps(address)} && document.readyState === 'complete'"


def do(page: Page, site: str, act: Act) -> str:
    """Does it, and gives the address that comes of it."""
    page.open(site.rstrip("/") + act.page)
    for key in act.keys.split():
        page.press(key)
    if act.does:
        page.value(f"{act.does}; 1")
    address = site.rstrip("/") + act.address
    page.until(is_at(address))
    return address


@pytest.mark.usefixtures("talk")
@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_the_address_shows_the_same_to_a_stranger(
    page: Page, stranger: Page, site: str, act: Act
) -> None:
    """What was opened, chosen, filled in and looked at, and the row that has the focus."""
    stranger.open(do(page, site, act))
    assert stranger.value(SEEN) == page.value(SEEN)


RETURNS = {
    "by reload": "location.reload()",
    "by Back": "location.assign('/search?text=nothing')",
}


@pytest.mark.usefixtures("talk")
@pytest.mark.parametrize("how", RETURNS.values(), ids=RETURNS)
@pytest.mark.parametrize(
    "name",
    [
        "sessions, a row",
        "session, all of it",
        "session, a finding",
        "events, a row",
        "event, branches",
        "turn, what was folded",
        "compare, a difference",
    ],
)
def test_who_comes_back_finds_the_same_place(page: Page, site: str, name: str, how: str) -> None:
    """What is seen, and how far the page was scrolled."""
    address = do(page, site, ACTS[name])
    # Somewhere in the middle, where neither the top nor a row's own place is.
    page.value("scrollTo({top: 37, behavior: 'instant'})")
    before, place = page.value(SEEN), page.value("scrollY")
    page.value("window.isOld = true")
    page.value(how)
    page.until("!window.isOld && document.readyState === 'complete'")
    if "assign" in how:
        page.value("history.back()")
    page.until(is_at(address))
    page.until(f"scrollY === {place}")
    assert page.value(SEEN) == before


def test_a_link_of_the_same_view_carries_what_was_done_since(page: Page, site: str) -> None:
    """The page's twin shows the window, and what was opened, as they are now."""
    page.open(site.rstrip("/") + FALLBACK)
    page.press("+")
    page.until("location.search !== ''")
    page.value(fold("legend"))
    page.until("location.search.includes('open=legend')")
    page.value("document.querySelector('a.twin[title]').focus()")
    twin = page.value("document.querySelector('a.twin[title]').href")
    assert twin == f"{site.rstrip('/')}{FALLBACK}.json?from=568260&to=1504780&open=legend"


def test_playing_tells_the_instant(page: Page, site: str) -> None:
    """While it goes on: a link shows what is seen then."""
    page.open(f"{site.rstrip('/')}{FALLBACK}?at=110000")
    page.press(" ")
    page.until(
        "document.querySelector('button.play').textContent === 'Stop'"
        " && Number(new URL(location).searchParams.get('at')) > 110000"
    )
    page.press(" ")
    page.until("document.querySelector('button.play').textContent === 'Play'")
