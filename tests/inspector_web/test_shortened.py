"""Addresses that somebody cut short."""

from collections.abc import Callable
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from timed_tapes import TapeMaker, ask, completed, created, session

type Browse = Callable[..., FlaskClient]


@pytest.fixture
def client(both: Path, browse: Browse) -> FlaskClient:
    """A browser with a tape of one session, and one of two."""
    maker = TapeMaker(both / "two.db")
    for number in (1, 2):
        post = maker.post(100 * number, ask("Go."), session(f"t-{number}"))
        post.answer(100 * number + 1, created(), completed())
    maker.write()
    return browse(both)


SESSION = "/tapes/fallback/sessions/1"
LEADS = {
    "/tapes": "/sessions",
    "/tapes/fallback": SESSION,
    "/tapes/fallback/sessions": SESSION,
    "/tapes/two": "/sessions?text=two",
    f"{SESSION}/turns": SESSION,
    f"{SESSION}/requests": SESSION,
    f"{SESSION}/requests/1": f"{SESSION}/requests/1/attempts/1",
    f"{SESSION}/requests/1/attempts": f"{SESSION}/requests/1/attempts/1",
    "/tapes/fallback/exchanges": "/tapes/fallback/events",
    "/tapes/fallback/exchanges/2": "/tapes/fallback/events?exchange=2",
    "/tapes/fallback/exchanges/2/events": "/tapes/fallback/events?exchange=2",
}


@pytest.mark.parametrize(("address", "to"), LEADS.items())
def test_it_leads_to_the_nearest_page(client: FlaskClient, address: str, to: str) -> None:
    """That is there."""
    answer = client.get(address)
    assert (answer.status_code, answer.headers["Location"]) == (302, to)
    assert client.get(to).status_code == 200


def test_every_part_of_an_address_leads_somewhere(client: FlaskClient) -> None:
    """Whatever is taken off at its end."""
    for address in (
        f"{SESSION}/requests/1/attempts/1",
        f"{SESSION}/turns/1",
        f"{SESSION}/again",
        "/tapes/fallback/exchanges/2/events/1",
    ):
        parts = address.split("/")
        for length in range(2, len(parts)):
            cut = "/".join(parts[:length])
            assert client.get(cut, follow_redirects=True).status_code == 200, cut


@pytest.mark.parametrize(
    ("address", "to"),
    [
        ("/sessions/", "/sessions"),
        ("/tapes/fallback/", "/tapes/fallback"),
        ("/tapes/fallback/events/", "/tapes/fallback/events"),
        (f"{SESSION}/", SESSION),
        (f"{SESSION}/?at=5&open=legend+tree", f"{SESSION}?at=5&open=legend+tree"),
        ("/%2Fevil.example/", "/evil.example"),
    ],
)
def test_a_slash_at_its_end_is_taken_off(client: FlaskClient, address: str, to: str) -> None:
    """What the address asks for is kept, and it leads nowhere else."""
    answer = client.get(address)
    assert (answer.status_code, answer.headers["Location"]) == (308, to)


@pytest.mark.parametrize(("address", "status"), [("/nowhere/", 404), ("/sessions.json/", 404)])
def test_a_slash_more_makes_no_page(client: FlaskClient, address: str, status: int) -> None:
    """Where there is none without it, nor of a twin."""
    assert client.get(address, follow_redirects=True).status_code == status


def test_nothing_can_be_sent_past_a_slash(client: FlaskClient) -> None:
    """It stays what it was, and is refused as without the slash."""
    assert client.post("/sessions/", follow_redirects=True).status_code == 405


def test_a_tape_that_is_not_there_is_none_here_either(client: FlaskClient) -> None:
    """One sentence, as everywhere."""
    assert client.get("/tapes/nothing").status_code == 404


def test_a_tape_without_a_session_has_events(folder: Path, browse: Browse) -> None:
    """An empty list would say nothing."""
    maker = TapeMaker(folder / "models.db")
    maker.post(0, {}, target="/v1/models").answer(5)
    maker.write()
    answer = browse().get("/tapes/models")
    assert answer.headers["Location"] == "/tapes/models/events"
