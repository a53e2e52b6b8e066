"""Addresses: values that make no sense, and tapes whose names mean something there."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from flask.testing import FlaskClient

from inspector_web.access import Access

type Browse = Callable[..., FlaskClient]

SESSION = "/tapes/fallback/sessions/1"
FOLD = (
    "a fold is called by what it is (answered, asked, difference, finding, had, legend, tree, "
    "tried) and its place, as tree-0.2."
)
TIME = "it has to be a whole number of microseconds, of 16 digits at most."
OTHER = "it has to be a request of this session, as 2, or an attempt at one, as 2.3."
REFUSED = {
    "/sessions?order=x": (
        "order is 'x': it has to be one of newest, oldest, trouble, duration, shortest, silence, "
        "turns, fewest_turns, requests, fewest_requests, tokens, fewest_tokens."
    ),
    "/sessions?over_s=1.5": (
        "over_s is '1.5': it has to be a whole number from 0, of 16 digits at most."
    ),
    "/sessions?page=x": "page is 'x': it has to be a whole number from 1, of 16 digits at most.",
    "/sessions?page=0": "page is '0': it has to be a whole number from 1, of 16 digits at most.",
    "/sessions?page=1&page=2": "page is given 2 times: once is enough.",
    f"{SESSION}?from=1s": f"from is '1s': {TIME}",
    f"{SESSION}?to=9e9": f"to is '9e9': {TIME}",
    f"{SESSION}?from=5&to=3": "from is 5 and to is 3: a window begins before it ends.",
    f"{SESSION}/received?at={'9' * 17}": f"at is '99999999999999999': {TIME}",
    f"{SESSION}?at_s=nan": "at_s is 'nan': it has to be a number of seconds.",
    f"{SESSION}?speed=2": "speed is '2': it has to be one of 1, 4, 16, 64.",
    f"{SESSION}?open=legend+x": f"open holds 'x': {FOLD}",
    f"{SESSION}?shut=tree-/": f"shut holds 'tree-/': {FOLD}",
    f"{SESSION}/requests/1/attempts/3?to=9": f"to is '9': {OTHER}",
    f"{SESSION}/requests/1/attempts/3?to=recorded": f"to is 'recorded': {OTHER}",
    f"{SESSION}/requests/1/attempts/3?to=1.": f"to is '1.': {OTHER}",
    f"{SESSION}/turns/1?page=y": (
        "page is 'y': it has to be a whole number from 1, of 16 digits at most."
    ),
    f"{SESSION}/again?request=x": (
        "request is 'x': it has to be a whole number from 1, of 16 digits at most."
    ),
    f"{SESSION}/again?request=1&attempt=0": (
        "attempt is '0': it has to be a whole number from 1, of 16 digits at most."
    ),
    f"{SESSION}/again?event=3": "event is 3 and no request is named: name that too.",
    "/tapes/fallback/events?regex=1": "regex is '1': it has to be on, or left out.",
    "/tapes/fallback/events?sender=me": "sender is 'me': it has to be one of client, server.",
    "/tapes/fallback/events?after=x": (
        "'x' is no place: one is like 2500000.1.7, for the time in microseconds, the exchange and "
        "the position in it."
    ),
    "/compare?show=x": "show is 'x': it has to be one of all, differences.",
}


@pytest.mark.parametrize(("address", "sentence"), REFUSED.items())
def test_it_is_refused_in_a_sentence(
    browse: Browse, fallback: Path, address: str, sentence: str
) -> None:
    """In the one shape of an error, on the page as in its twin."""
    assert fallback.exists()
    client = browse()
    path, _, query = address.partition("?")
    told = client.get(f"{path}.json?{query}")
    assert told.status_code == 400
    assert told.get_json() == {"error": {"status": 400, "message": sentence}}
    assert client.get(address).status_code == 400


@pytest.mark.parametrize(
    "path",
    [
        f"/tapes/fallback/exchanges/{'9' * 20}/events/1",
        f"/tapes/fallback/exchanges/1/events/{'9' * 20}/raw",
        f"/tapes/fallback/sessions/{'9' * 20}",
    ],
)
def test_a_number_that_nothing_has_leads_nowhere(browse: Browse, fallback: Path, path: str) -> None:
    """However many digits it has."""
    assert fallback.exists()
    assert browse().get(path).status_code == 404


def test_times_before_the_tape_can_be_asked_for(browse: Browse, fallback: Path) -> None:
    """A tape can hold them, and a page of it links to them."""
    assert fallback.exists()
    assert browse().get(f"{SESSION}?at=-5&from=-10&to=-2").status_code == 200


def test_a_page_leads_to_itself_whatever_its_tape_is_called(browse: Browse, fallback: Path) -> None:
    """As JSON, and without the token; a name may hold what cuts an address short."""
    fallback.rename(fallback.with_name("odd #1?.db"))
    address = "/tapes/odd%20%231%3F/sessions/1"
    assert f'href="{address}.json?page=1"' in browse().get(f"{address}?page=1").text
    asked = browse(access=Access("0.0.0.0", "secret")).get(f"{address}?token=secret")
    assert asked.headers["location"] == address


def test_every_link_of_a_view_keeps_what_is_chosen(browse: Browse, fallback: Path) -> None:
    """Another window or another instant leaves all else as it is, without a script too."""
    assert fallback.exists()
    text = browse().get(f"{SESSION}?at=1000000&speed=4&open=legend&shut=tree").text
    windows = re.findall(
        r'href="([^"]*)"[^>]* data-view="from to|data-view="from to[^"]*" href="([^"]*)"', text
    )
    queries = [dict(parse_qsl(unescape(one or other)[1:])) for one, other in windows]
    assert len(queries) > 6
    for query in queries:
        assert {"speed": "4", "open": "legend", "shut": "tree"}.items() <= query.items()
        assert "at" in query
    form = text[text.index('<form class="look"') :].partition("</form>")[0]
    assert re.findall(r'type="hidden" name="(\w+)" value="(\w+)"', form) == [
        ("open", "legend"),
        ("shut", "tree"),
    ]


def test_a_fold_is_open_without_a_script(browse: Browse, fallback: Path) -> None:
    """The server lays it out so."""
    assert fallback.exists()
    shown = 'data-fold="legend" open>'
    assert shown in browse().get(f"{SESSION}?open=legend").text
    assert shown not in browse().get(SESSION).text


def test_the_twin_tells_the_speed(browse: Browse, fallback: Path) -> None:
    """What only lays out a page, as its folds, is no data."""
    assert fallback.exists()
    told = browse().get(f"{SESSION}.json?speed=16&open=legend").get_json()
    assert told["speed"] == "16"
