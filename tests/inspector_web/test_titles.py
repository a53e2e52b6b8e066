"""What tells one page from another where it is not seen: in a row of tabs, and to who listens."""

import html
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from chromium import Page
from flask.testing import FlaskClient

type Browse = Callable[..., FlaskClient]

SESSION = "/tapes/fallback/sessions/1"
OF = "Fix the build. · fallback · wiretape"
TITLES = {
    "/sessions": "Sessions · wiretape",
    "/search": "Search · wiretape",
    "/search?text=the files": "Search: the files · wiretape",
    SESSION: OF,
    f"{SESSION}/turns/1": f"Turn 1 · {OF}",
    f"{SESSION}/requests/1/attempts/2": f"Request 1, attempt 2 · {OF}",
    "/tapes/rounds/sessions/1/requests/2/attempts/1": (
        "Request 2 · List the files. · rounds · wiretape"
    ),
    f"{SESSION}/received?at=900000": f"Received by 0.900 s · {OF}",
    f"{SESSION}/again": f"Replay this session · {OF}",
    f"{SESSION}/again?request=1&attempt=3": f"Replay from here: request 1.3 · {OF}",
    f"{SESSION}/again?request=1&attempt=3&event=5": (
        f"Replay from here: request 1.3, event 4 · {OF}"
    ),
    "/tapes/fallback/events": "Events · fallback · wiretape",
    "/tapes/fallback/events?session=1": f"Events · {OF}",
    "/tapes/fallback/events?session=1&request=1&attempt=3": f"Events of request 1.3 · {OF}",
    "/tapes/fallback/events?exchange=2": "Events of exchange 2 · fallback · wiretape",
    "/tapes/fallback/exchanges/3/events/2": (f"response.created, event 2 of exchange 3 · {OF}"),
    "/compare": "Compare · wiretape",
    "/compare?a=fallback/1&b=rounds/1": "Compare fallback with rounds · wiretape",
    "/tapes/fallback/sessions/7": (
        "404: this tape has 1 session, and none is number 7: the list of sessions names… · wiretape"
    ),
}


@pytest.mark.parametrize("address", TITLES)
def test_a_title_says_which_page_of_what(both: Path, browse: Browse, address: str) -> None:
    """The page, the first words of its session, its tape: no two tabs are called the same."""
    title = re.findall("<title>(.*?)</title>", browse(both).get(address).text, re.S)[0]
    assert html.unescape(title) == TITLES[address]
    assert list(TITLES.values()).count(TITLES[address]) == 1


@pytest.mark.browser
def test_a_copied_line_is_told(page: Page, site: str) -> None:
    """Each button says which line it copies; what came of it is said where a reader listens."""
    page.open(f"{site}tapes/fallback/sessions/1/again?request=1&attempt=3")
    names = page.value(
        "[...document.querySelectorAll('[data-copy]')].map(each => each.textContent)"
    )
    heads = page.value(
        "[...document.querySelectorAll('.to-copy h3')].map(each => each.textContent)"
    )
    assert names == [f"Copy: {head}" for head in heads]
    assert page.value("document.getElementById('copied').getAttribute('role')") == "status"
    assert page.value("document.getElementById('copied').textContent") == ""
    page.press("j")
    page.press("y")
    page.until("document.getElementById('copied').textContent")
    said = page.value("document.getElementById('copied').textContent")
    assert said in (f"Copied: {heads[0]}", f"Selected: copy it: {heads[0]}")
