"""All that the model had by a request, however little of it was sent."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from timed_tapes import TapeMaker, ask, completed, created, session

from inspector_web import had as had_page
from inspector_web.had import had
from inspector_web.meant import Meant

type Browse = Callable[..., FlaskClient]

TOOLS = [
    {"type": "function", "name": "shell"},
    {"type": "function", "function": {"name": "of_a_chat"}},
    {"type": "web_search"},
    "none",
]


def texts(entries: Any) -> list[str]:
    return [each["said"]["text"] for each in entries]


def test_instructions_tools_and_input_are_one_list(folder: Path, browse: Browse) -> None:
    """On the page of the request, folded; a link opens it."""
    maker = TapeMaker(folder / "one.db")
    body = ask("Mend it.", instructions="Be <b>short</b>.", tools=TOOLS)
    maker.post(0, body, session("s-1")).answer(5, created("resp_1"), completed("resp_1"))
    maker.write()
    address = "/tapes/one/sessions/1/requests/1/attempts/1"
    client = browse()
    page = json.loads(client.get(f"{address}.json").text)["had"]
    assert page["instructions"]["said"]["text"] == "Be <b>short</b>."
    assert page["tools"] == ["shell", "of_a_chat", "web_search", "a tool without a name"]
    assert texts(page["entries"]) == ["Mend it."]
    assert (page["items"], page["left_out"], page["is_known"]) == (1, 0, True)
    text = client.get(f"{address}?open=had").text
    assert 'data-fold="had" open' in text
    assert "instructions, 4 tools, 1 item of input" in text
    assert "Be &lt;b&gt;short&lt;/b&gt;." in text
    assert f"{address}?open=had#had" in client.get("/tapes/one/sessions/1/turns/1").text


def test_what_a_socket_had_heard_before_is_part_of_it(rounds: Path, browse: Browse) -> None:
    """A request that says only what is new still means the whole conversation."""
    assert rounds.exists()
    address = f"/tapes/{rounds.stem}/sessions/1/requests/2/attempts/1"
    page = json.loads(browse().get(f"{address}.json").text)
    sent = json.loads(page["body"])["input"]
    assert page["had"]["items"] > len(sent)
    assert page["had"]["left_out"] == 0


def test_a_long_conversation_is_told_from_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """What there is no room for is counted."""
    monkeypatch.setattr(had_page, "MOST_ENTRIES", 2)
    found = had(Meant(["one", "two", "three"], 2, {}))
    assert [entry.said.text for entry in found.entries] == ["two", "three"]
    assert (found.items, found.left_out) == (3, 1)


@pytest.mark.parametrize("settings", [None, [], {"tools": "x", "instructions": 3}])
def test_settings_of_another_shape_say_nothing(settings: Any) -> None:
    """And break nothing."""
    found = had(Meant([], 0, settings))
    assert (found.instructions, found.tools) == (None, ())
