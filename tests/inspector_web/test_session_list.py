"""The list of sessions: what its filters find, and how it is sorted."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from timed_tapes import TapeMaker, ask, completed, created, delta, session

from wiretape.facts import EndKind

type Browse = Callable[..., FlaskClient]


def found(client: FlaskClient, **query: str) -> list[Any]:
    """The sessions that are listed."""
    answer = client.get("/sessions.json", query_string=query)
    assert answer.status_code == 200, answer.text
    sessions: list[Any] = json.loads(answer.text)["sessions"]
    return sessions


def tapes(client: FlaskClient, **query: str) -> list[str]:
    return [each["tape"] for each in found(client, **query)]


@pytest.fixture
def silent(folder: Path, browse: Browse) -> FlaskClient:
    """A session that the client gave up, one that paused, a hasty one, and one with a long wait
    before its first event."""
    stalled = TapeMaker(folder / "stalled.db")
    post = stalled.post(0, ask("Why so quiet?"), session("s-1"))
    post.head(5)
    post.events(10, created())
    post.end(3010, EndKind.CLIENT_CLOSED)
    stalled.write()
    for name, pause_ms in (("paused", 1200), ("hasty", 900)):
        maker = TapeMaker(folder / f"{name}.db")
        post = maker.post(0, ask("Go on."), session(name))
        post.head(5)
        post.events(10, created())
        post.events(10 + pause_ms, delta("Done."), completed())
        post.end(20 + pause_ms)
        maker.write()
    waited = TapeMaker(folder / "waited.db")
    waited.post(0, ask("Think first."), session("s-4")).answer(4000, created(), completed())
    waited.write()
    return browse()


def test_a_long_silence_is_what_a_finding_or_the_timeline_calls_so(silent: FlaskClient) -> None:
    """A second in which nothing came of an answer; the wait for its first event is none."""
    assert sorted(tapes(silent, health="silence")) == ["paused", "stalled"]
    assert {each["tape"]: each["silence_us"] for each in found(silent)} == {
        "stalled": 3_000_000,
        "paused": 1_200_000,
        "hasty": None,
        "waited": None,
    }
    (chip,) = [
        each["text"]
        for each in found(silent, text="stalled")[0]["chips"]
        if each["sort"] == "silence"
    ]
    assert chip == "silent for 3.0 s"


def test_the_filter_for_silences_says_from_when_on(silent: FlaskClient) -> None:
    """Its limit is that of the timeline."""
    assert ">with a silence of 1.0 s or more</option>" in silent.get("/sessions").text
    legend = silent.get("/tapes/hasty/sessions/1").text
    assert "<dt>Longest silence</dt><dd>none of 1.0 s or more</dd>" in legend
