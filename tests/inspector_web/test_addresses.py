"""Addresses: values that make no sense, and tapes whose names mean something there."""

from collections.abc import Callable
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from inspector_web.access import Access

type Browse = Callable[..., FlaskClient]

SESSION = "/tapes/fallback/sessions/1"
REFUSED = {
    "/sessions?order=x": (
        "order is 'x': it has to be one of newest, duration, requests, tokens, silence, trouble."
    ),
    "/sessions?page=x": "page is 'x': it has to be a number of 16 digits at most.",
    f"{SESSION}?from=-5": "from is '-5': it has to be a number of 16 digits at most.",
    f"{SESSION}?to=9e9": "to is '9e9': it has to be a number of 16 digits at most.",
    f"{SESSION}/received?at={'9' * 17}": (
        "at is '99999999999999999': it has to be a number of 16 digits at most."
    ),
    f"{SESSION}?at_s=nan": "at_s is 'nan': it has to be a number of seconds.",
    f"{SESSION}/turns/1?page=y": "page is 'y': it has to be a number of 16 digits at most.",
    f"{SESSION}/again?request=x": "request is 'x': it has to be a number of 16 digits at most.",
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


def test_a_page_leads_to_itself_whatever_its_tape_is_called(browse: Browse, fallback: Path) -> None:
    """As JSON, and without the token; a name may hold what cuts an address short."""
    fallback.rename(fallback.with_name("odd #1?.db"))
    address = "/tapes/odd%20%231%3F/sessions/1"
    assert f'href="{address}.json?page=1"' in browse().get(f"{address}?page=1").text
    asked = browse(access=Access("0.0.0.0", "secret")).get(f"{address}?token=secret")
    assert asked.headers["location"] == address
