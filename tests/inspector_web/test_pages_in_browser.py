"""Turns, comparisons and command lines in a real browser: keys and copying."""

import pytest
from chromium import Page

pytestmark = pytest.mark.browser

HERE = "document.activeElement"


@pytest.mark.parametrize(
    ("start", "key", "there"),
    [
        ("tapes/rounds/sessions/1", "t", "/tapes/rounds/sessions/1/turns/1"),
        ("tapes/rounds/sessions/1", "c", "/compare"),
        ("tapes/rounds/sessions/1", "x", "/tapes/rounds/sessions/1/again"),
        ("tapes/fallback/sessions/1/requests/1/attempts/3", "t", "/sessions/1/turns/1"),
        ("tapes/fallback/sessions/1/requests/1/attempts/3", "x", "/sessions/1/again"),
        ("tapes/fallback/exchanges/3/events/5", "x", "/sessions/1/again"),
        (
            "tapes/fallback/exchanges/3/events/5?list=session%3D1%26type%3Ddelta",
            "Escape",
            "/tapes/fallback/events",
        ),
        ("tapes/fallback/sessions/1/again?request=1", "Escape", "/requests/1/attempts/1"),
    ],
)
def test_a_key_leads_there(page: Page, site: str, start: str, key: str, there: str) -> None:
    """From where it is offered."""
    page.open(site + start)
    page.press(key)
    page.until(f"location.pathname.endsWith('{there}')")


def test_x_swaps_what_is_compared(page: Page, site: str) -> None:
    """In the address too."""
    page.open(f"{site}compare?a=fallback/1&b=rounds/1")
    page.press("x")
    page.until("new URL(location).searchParams.get('a') === 'rounds/1'")
    page.until("document.querySelector('[name=b]')?.value === 'fallback/1'")


def test_e_walks_along_the_differences(page: Page, site: str) -> None:
    """From one row that differs to the next."""
    page.open(f"{site}compare?a=fallback/1&b=rounds/1")
    page.press("e")
    page.until(f"{HERE}.closest('tr[data-problem]') !== null")
    first = page.value(f"{HERE}.closest('tr').id")
    page.press("e")
    page.until(f"{HERE}.closest('tr')?.id !== '{first}'")


def test_sessions_are_chosen_in_a_form(page: Page, site: str) -> None:
    """What is chosen is in the address."""
    page.open(f"{site}compare")
    page.value(
        "document.querySelector('[name=a]').value = 'fallback/1';"
        "document.querySelector('[name=b]').value = 'fallback/1';"
        "document.querySelector('main form button').click(); 1"
    )
    page.until("document.querySelector('.verdict.good') !== null")
    assert page.value("new URL(location).searchParams.get('b')") == "fallback/1"


def test_j_and_brackets_walk_along_a_turn(page: Page, site: str) -> None:
    """From one thing said to the next, and from request to request."""
    page.open(f"{site}tapes/rounds/sessions/1/turns/1")
    page.press("j")
    assert page.value(f"{HERE}.textContent.includes('List the files.')")
    page.press("]")
    page.press("]")
    assert page.value(f"{HERE}.textContent") == "Request 2"


@pytest.mark.parametrize("how", ["click", "y"])
def test_a_command_line_is_copied(page: Page, site: str, how: str) -> None:
    """Exactly as it stands there; the button says so."""
    page.call(
        "Browser.grantPermissions",
        permissions=["clipboardReadWrite", "clipboardSanitizedWrite"],
        origin=site.rstrip("/"),
    )
    page.open(f"{site}tapes/fallback/sessions/1/again")
    page.call("Page.bringToFront")
    if how == "y":
        page.press("j")
        page.press("y")
    else:
        page.value("document.querySelector('[data-copy]').click()")
    page.until("document.querySelector('[data-copy]').dataset.state === 'copied'")
    line = page.value("document.querySelector('[data-copied]').textContent")
    assert line.startswith("wiretape replay ")
    assert page.value("navigator.clipboard.readText()") == line


def test_what_cannot_be_copied_is_selected(page: Page, site: str) -> None:
    """Where the browser gives no clipboard, one key is left to press."""
    page.open(f"{site}tapes/fallback/sessions/1/again")
    page.value(
        "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
        "document.querySelector('[data-copy]').click()"
    )
    page.until("document.querySelector('[data-copy]').dataset.state === 'selected'")
    assert page.value("getSelection().toString()").startswith("wiretape replay ")
