"""What stands on each page."""

import html
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chat_talk import CHAT_TARGET, chat_ask, chat_chunk
from flask.testing import FlaskClient
from inspected import NO_INDEX, overview_on, timeline_on
from markupsafe import Markup
from timed_tapes import TapeMaker, ask, completed, created, output, session

from inspector_web.index.reader import IndexReader
from inspector_web.pages.session import session_page
from inspector_web.stretches import NAMES, Use
from wiretape.origins import Role
from wiretape.store_reader import TapeReader

type Browse = Callable[..., FlaskClient]


@pytest.fixture
def client(both: Path, browse: Browse) -> FlaskClient:
    """A browser with two tapes to look at."""
    return browse(both)


def twin(client: FlaskClient, address: str, **query: Any) -> Any:
    answer = client.get(f"{address}.json", query_string=query)
    assert answer.status_code == 200, answer.text
    return json.loads(answer.text)


# The list of sessions.


def test_a_session_in_the_list(client: FlaskClient) -> None:
    """Everything that the list is to tell of it."""
    (found,) = [each for each in twin(client, "/sessions")["sessions"] if each["id"] == "s-1"]
    findings = found.pop("findings")
    assert [each["kind"] for each in findings] == ["closed_early", "fallback", "swallowed"]
    assert findings[0] == {
        "name": "finding-closed_early-1",
        "kind": "closed_early",
        "what": "WebSocket ended 2 times before an answer began: closed 1011 no luck",
    }
    assert found == {
        "tape": "fallback",
        "number": 1,
        "id": "s-1",
        "words": "Fix the build.",
        "client": "codex_exec/0.99.0 (Debian 12.0.0; x86_64) unknown",
        "model": "gpt-5.2-codex",
        "started_at_us": 1_767_323_045_100_000,
        "at_us": 100_000,
        "duration_us": 1_801_000,
        "turns": 1,
        "requests": 1,
        "warm_ups": 0,
        "attempts": 3,
        "events": 5,
        "transports": ["websocket", "http"],
        "tokens": {
            "input": 1200,
            "cached": 0,
            "output": 34,
            "reasoning": 0,
            "total": 1234,
            "told_by": 1,
            "attempts": 3,
        },
        "silence_us": None,
        "chips": [
            {"sort": "completed", "tone": "good", "text": "completed"},
            {"sort": "finding", "tone": "warn", "text": "3 findings"},
            {"sort": "retry", "tone": "warn", "text": "1 retry"},
            {"sort": "fallback", "tone": "warn", "text": "1 fallback"},
        ],
        "verdict": {
            "tone": "warn",
            "word": "Recovered",
            "tale": {
                "request": 1,
                "is_warm_up": False,
                "steps": [
                    "WebSocket, 2 tries: cut: closed 1011 no luck",
                    "fallback to HTTP: completed",
                ],
                "tone": "good",
            },
            "note": "WebSocket ended 2 times before an answer began: closed 1011 no luck",
        },
        "replay_of": None,
        "agent": None,
        "parent": None,
        "parent_number": None,
        "faults": [],
    }


def test_a_client_that_does_not_say_who_it_is_has_the_name_of_its_command(
    folder: Path, browse: Browse
) -> None:
    """As the tape has it."""
    maker = TapeMaker(folder / "one.db", agent=None)
    maker.post(0, ask("hi"), session("s")).answer(5, created(), completed())
    maker.write()
    assert twin(browse(), "/sessions")["sessions"][0]["client"] == "codex"


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ({}, ["s-1", "s-2"]),
        ({"text": "LIST THE"}, ["s-2"]),
        ({"text": "1 fallback"}, ["s-1"]),
        ({"text": "nothing like it"}, []),
        ({"health": "retry"}, ["s-1"]),
        ({"health": "gap"}, []),
        ({"transport": "http"}, ["s-1"]),
        ({"transport": "websocket"}, ["s-1", "s-2"]),
        ({"order": "requests"}, ["s-2", "s-1"]),
        ({"order": "duration"}, ["s-1", "s-2"]),
        ({"order": "tokens"}, ["s-1", "s-2"]),
        ({"order": "trouble"}, ["s-1", "s-2"]),
        ({"order": "silence"}, ["s-1", "s-2"]),
        ({"page": "2"}, []),
    ],
)
def test_the_list_is_filtered_and_sorted(
    client: FlaskClient, query: dict[str, str], ids: list[str]
) -> None:
    """As the address says; what it says that makes no sense does not count."""
    assert [each["id"] for each in twin(client, "/sessions", **query)["sessions"]] == ids


def test_a_filter_is_kept_in_the_form(client: FlaskClient) -> None:
    """So that it can be changed, not typed again."""
    text = client.get("/sessions?text=build&health=retry&order=tokens").text
    assert 'name="text" value="build"' in text
    assert '<option value="retry" selected>' in text
    assert '<option value="tokens" selected>' in text


def test_pages_of_the_list(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link leads on and back, the filter kept."""
    monkeypatch.setattr("inspector_web.pages.sessions.ROWS", 1)
    first = client.get("/sessions?order=tokens").text
    assert 'href="?order=tokens&amp;page=2">next page' in first
    assert "← previous page" not in first
    second = client.get("/sessions?order=tokens&page=2").text
    assert 'href="?order=tokens&amp;page=1">← previous page' in second


def test_past_the_last_page_of_the_list(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It tells how many there are, and leads to the last one, the filter kept."""
    monkeypatch.setattr("inspector_web.pages.sessions.ROWS", 1)
    text = client.get("/sessions?order=tokens&page=99999").text
    pages = twin(client, "/sessions")["total"]
    assert pages > 1
    assert f"This list has {pages} pages only." in text
    assert f'href="?order=tokens&amp;page={pages}">Show the last one.' in text
    assert "No session is like that" not in text
    last = client.get(f"/sessions?order=tokens&page={pages}").text
    assert "next page" not in last
    assert "<tbody>" in last


def test_unreadable_tapes_are_listed_with_their_reason(client: FlaskClient, folder: Path) -> None:
    """Beside those that can be read."""
    (folder / "cut.db").write_bytes((folder / "rounds.db").read_bytes()[:3000])
    (folder / "empty.db").touch()
    listed = twin(client, "/sessions")
    assert [each["tape"] for each in listed["unreadable"]] == ["cut", "empty"]
    assert listed["unreadable"][1]["reason"].endswith("give a file that `wiretape record` wrote.")
    assert len(listed["sessions"]) == 2
    assert "2 tapes</h2>" not in client.get("/sessions").text
    assert "2 tapes cannot be read" in client.get("/sessions").text


def test_an_empty_folder_says_what_to_do(folder: Path, browse: Browse) -> None:
    """The command that makes a tape."""
    assert list(folder.iterdir()) == []
    assert "wiretape record -- codex exec" in browse().get("/sessions").text


def test_a_tape_without_sessions_is_named(folder: Path, browse: Browse) -> None:
    """With a way to what did cross."""
    TapeMaker(folder / "quiet.db").write()
    text = browse().get("/sessions").text
    assert '<a href="/tapes/quiet/events">quiet</a>' in text


# The timeline.


def test_the_timeline_is_also_a_table(client: FlaskClient) -> None:
    """Every attempt with its reason, inferred ones marked, and its numbers."""
    rows = twin(client, "/tapes/fallback/sessions/1")["attempts"]
    assert [(row["why"], row["is_inferred"], row["said"]) for row in rows] == [
        ("first", False, "cut: closed 1011 no luck"),
        ("retry", True, "cut: closed 1011 no luck"),
        ("fallback", True, "completed"),
    ]
    assert [row["at_us"] for row in rows] == [110_000, 340_000, 400_000]
    last = rows[-1]
    assert (last["waited_us"], last["took_us"], last["silence_us"]) == (100_000, 1_500_000, 900_000)


def test_what_an_answer_took_is_what_its_bar_shows(
    folder: Path, browse: Callable[..., FlaskClient]
) -> None:
    """The connection may stay for long after its last event."""
    post = (maker := TapeMaker(folder / "late.db")).post(0, ask("hi"), session("s"))
    post.head(5)
    post.events(10, created(), completed())
    post.end(900)
    maker.write()
    (row,) = twin(browse(), "/tapes/late/sessions/1")["attempts"]
    assert row["took_us"] == 10_000


def test_the_verdict_leads_to_its_request(client: FlaskClient) -> None:
    """Also where the session has no other."""
    text = client.get("/tapes/fallback/sessions/1").text
    assert 'Recovered: <a href="#request-1">request 1</a>' in text


def test_a_warm_up_is_told_from_the_first_request(
    folder: Path, browse: Callable[..., FlaskClient]
) -> None:
    """In the same words on its lane and in its row."""
    socket = (maker := TapeMaker(folder / "warm.db")).socket(0, session("s"))
    socket.ask(5, ask("hi", generate=False))
    socket.say(10, created("r1"), completed("r1"))
    socket.ask(20, ask("hi", previous_response_id="r1"))
    socket.say(30, created("r2"), completed("r2"))
    maker.write()
    text = browse().get("/tapes/warm/sessions/1").text
    assert text.count(">first attempt</span>") == 2
    assert text.count(">warm-up</span>") == 2  # its lane, its row


def test_an_answer_on_an_open_socket_is_over(client: FlaskClient) -> None:
    """It took until its last event, though the socket goes on."""
    rows = twin(client, "/tapes/rounds/sessions/1")["attempts"]
    assert [(row["said"], row["took_us"]) for row in rows] == [
        ("completed", 290_000),
        ("completed", 90_000),
    ]


def test_the_drawing_is_readable_without_a_script(client: FlaskClient) -> None:
    """Bars, arrows, close codes and labels are in the page as it comes."""
    text = client.get("/tapes/fallback/sessions/1").text
    assert '<rect class="bar reasoning"' in text
    assert text.count('<g class="arrow retry"') == 1
    assert text.count('<g class="arrow fallback desk-none"') == 1
    assert text.count("✕ 1011</text>") == 2
    assert '<span class="lane-title">fallback</span>' in text
    assert '<span class="lane-waited" title="after 40 ms">after 40 ms</span>' in text


def test_the_window_is_in_the_address(client: FlaskClient) -> None:
    """The server draws it, and the links lead from it."""
    address = "/tapes/fallback/sessions/1"
    drawing = twin(client, address, **{"from": 500_000, "to": 900_000})["drawing"]
    assert drawing["view"] == {"start_us": 500_000, "end_us": 900_000}
    assert [row["number"] for row in drawing["lanes"]] == [2]
    text = client.get(f"{address}?from=500000&to=900000").text
    assert 'href="?from=600000&amp;to=800000"' in text  # closer
    assert 'href="?from=400000&amp;to=800000"' in text  # earlier
    assert 'class="strip"' in text


def test_a_window_in_which_nothing_happened_says_so(folder: Path, browse: Browse) -> None:
    """Between two requests that have nothing to do with one another."""
    maker = TapeMaker(folder / "one.db")
    maker.post(0, ask("one"), session("s")).answer(10, created(), completed())
    maker.post(900, ask("two"), session("s")).answer(910, created(), completed())
    maker.write()
    text = browse().get("/tapes/one/sessions/1?from=300000&to=500000").text
    assert "Nothing happened in this window." in text


def test_gaps_are_told_and_drawn(folder: Path, browse: Browse) -> None:
    """Those of the session's exchanges and those of none, with their reason."""
    maker = TapeMaker(folder / "one.db")
    maker.post(100, ask("one"), session("s")).answer(150, created(), completed())
    maker.post(160, ask("two"), session("other")).answer(170, created(), completed())
    maker.gap(110, 120, exchange=1, lost_facts=3)
    maker.gap(130, 140)
    maker.gap(165, 166, exchange=2)
    maker.write()
    client = browse()
    text = client.get("/tapes/one/sessions/1").text
    assert (
        "Gap at 0.110 s, 10 ms long, in exchange 1: 3 facts, 100 B lost, because a test left it out"
    ) in Markup(text).striptags()
    assert text.count('<rect class="gap" x=') == 2
    assert "not on the tape</span>" in text
    chips = twin(client, "/tapes/one/sessions/1")["session"]["chips"]
    assert {"sort": "gap", "tone": "bad", "text": "2 gaps"} in chips


def test_the_legend_names_all_that_is_drawn(client: FlaskClient) -> None:
    """All parts of where the time went, in the same words; the ticks, and the signs."""
    text = client.get("/tapes/fallback/sessions/1").text
    legend = text[text.index("<summary>Legend") : text.index("</details>", text.index("Legend"))]
    told = Markup(legend).striptags()
    assert [NAMES[use] for use in Use if NAMES[use] not in told] == []
    for words in ("above a bar: events", "below a bar: close frames", "✓ completed", "✕ failed"):
        assert words in told


@pytest.mark.parametrize("role", Role)
def test_every_role_has_a_title(fallback: Path, role: Role) -> None:
    """What the core may say of a request, a lane can be called."""
    overview = overview_on(fallback)
    first = overview.sessions[0].requests[0].tries[0]
    played = replace(first, attempt=replace(first.attempt, role=role))
    overview.sessions[0].requests[0].tries[0] = played
    lane = timeline_on(fallback).lanes[0]
    timeline = replace(timeline_on(fallback), lanes=(replace(lane, tries=(played,)),), links=())
    with TapeReader(fallback) as reader, IndexReader(NO_INDEX, reader) as index:
        (row,) = session_page("fallback", overview, 1, timeline, index, {}).lanes
    assert row.title in ("first attempt", "warm-up", "compaction", "review", "sub-agent")


@pytest.mark.parametrize("query", ["from=4&to=5", "from=99999999999", "to=0", "from=&to="])
def test_a_window_outside_is_no_failure(client: FlaskClient, query: str) -> None:
    """It is brought to the nearest that is inside."""
    assert client.get(f"/tapes/fallback/sessions/1?{query}").status_code == 200


def test_every_colour_has_a_word(client: FlaskClient) -> None:
    """The legend names each phase, and what dashes mean."""
    text = client.get("/tapes/rounds/sessions/1").text
    for word in ("handshake", "waiting", "reasoning", "text", "tool call", "other events"):
        assert f"</span>{word}</span>" in text
    assert "solid is recorded, dashed is inferred" in text


# Events.


def test_events_of_a_session_in_order(client: FlaskClient) -> None:
    """Its exchanges only, each event with its place, delta, sender, type and summary."""
    rows = twin(client, "/tapes/fallback/events", session=1)["listing"]["rows"]
    assert [row["type"] for row in rows[:5]] == [
        "http.request",
        "http.response",
        "response.create",
        "websocket.close",
        "end",
    ]
    assert rows[3] == {
        "place": {"at_us": 130_000, "exchange": 1, "position": 3},
        "delta_us": 20_000,
        "sender": "server",
        "type": "websocket.close",
        "size_bytes": 9,
        "summary": "1011 no luck",
        "is_unknown": False,
        "made": None,
        "begins_attempt": False,
    }


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({}, 18),
        ({"exchange": 3}, 8),
        ({"session": 1, "exchange": 1}, 5),
        ({"session": 1, "request": 1}, 18),
        ({"session": 1, "request": 1, "attempt": 2}, 5),
        ({"session": 1, "request": 1, "attempt": 3, "type": "reasoning"}, 2),
        ({"type": "reasoning"}, 2),
        ({"text": "no luck"}, 4),
        ({"sender": "client"}, 5),
        ({"after": "1900000.3.7"}, 1),
        ({"before": "130000.1.3"}, 3),
        ({"after": "", "sender": "", "exchange": ""}, 18),
    ],
)
def test_events_are_filtered(client: FlaskClient, query: dict[str, Any], count: int) -> None:
    """As the address says."""
    assert len(twin(client, "/tapes/fallback/events", **query)["listing"]["rows"]) == count


def test_events_of_a_request_on_a_shared_socket(client: FlaskClient) -> None:
    """From what asked for it until the next is asked; those of its answer are counted."""
    found = twin(client, "/tapes/rounds/events", session=1, request=2)
    assert [row["type"] for row in found["listing"]["rows"]] == [
        "response.create",
        "response.created",
        "response.output_text.delta",
        "response.completed",
    ]
    assert (found["answered"], found["listing"]["previous"]) == (3, None)
    page = client.get("/tapes/rounds/events?session=1&request=2&attempt=1").text
    assert "of request 2, attempt 1: 3 events came in answer" in page
    whole = client.get("/tapes/rounds/events?session=1").text
    assert "of the session: 7 events came in answer" in whole
    before = twin(client, "/tapes/rounds/events", session=1, request=2, before="950000.1.9")
    assert [row["type"] for row in before["listing"]["rows"]][:1] == ["response.create"]
    refused = client.get("/tapes/rounds/events.json?session=1&request=2&attempt=7")
    assert "session 1 has no attempt 7 at a request 2" in refused.get_json()["error"]["message"]


def test_one_event(client: FlaskClient) -> None:
    """Laid out, as it crossed, with its neighbours."""
    address = "/tapes/fallback/exchanges/3/events/6"
    found = twin(client, address)
    assert (found["type"], found["summary"]) == ("response.completed", "1200 tokens in, 34 out")
    assert (found["at_us"], found["delta_us"]) == (1_900_000, 100_000)
    assert "layout" not in found
    text = client.get(address).text
    assert '<span class="ink-key">&#34;input_tokens&#34;</span>' in text
    assert 'rel="prev" href="/tapes/fallback/exchanges/3/events/5"' in text
    assert 'rel="next" href="/tapes/fallback/exchanges/3/events/7"' in text
    assert 'rel="next"' not in client.get("/tapes/fallback/exchanges/3/events/7").text


def test_events_are_counted(client: FlaskClient) -> None:
    """Those that are asked for, of all; before the first of an exchange nothing passed."""
    rows = twin(client, "/tapes/fallback/events", session=1)["listing"]["rows"]
    page = client.get("/tapes/fallback/events?session=1").text
    assert f"<strong>{len(rows)} rows</strong>" in page
    assert "<strong>18 rows</strong>" in page
    firsts = [row for row in rows if row["place"]["position"] == 0]
    assert len(re.findall(r'<td class="num delta[^"]*">–</td>', page)) == len(firsts) == 3
    filtered = client.get("/tapes/fallback/events?type=completed").text
    assert "<strong>1 row</strong> of 18 rows" in filtered
    found = twin(client, "/tapes/fallback/events/found", text="hm")
    assert (found["found"], found["all"]) == (
        {"events": 2, "is_all": True},
        {"events": 18, "is_all": True},
    )


@pytest.mark.parametrize(
    ("go", "chosen"),
    [("7", 7), ("0.5s", 13), ("500.", None), ("0:00.7", 14), ("1,000,000", 18), ("9:00:00", 18)],
)
def test_a_row_or_a_time_is_gone_to(client: FlaskClient, go: str, chosen: int | None) -> None:
    """By the number of the row, or since the tape began; anything else is refused."""
    answer = client.get("/tapes/fallback/events.json", query_string={"go": go})
    if chosen is None:
        assert answer.status_code == 400
        assert "it has to be the number of a row" in answer.get_json()["error"]["message"]
    else:
        assert (answer.get_json()["chosen"], answer.get_json()["first"]) == (chosen, 1)


def test_an_event_leads_back_to_the_list_that_it_was_opened_from(client: FlaskClient) -> None:
    """With what the list was filtered by, from that event on; its neighbours keep that."""
    text = client.get("/tapes/fallback/events?session=1&type=delta").text
    (address, *_) = re.findall(r'data-main href="([^"]+)"', text)
    page = client.get(html.unescape(address)).text
    (back,) = re.findall(r'href="([^"]+/events\?[^"]+#e[^"]+)"', page)
    back, _, row = html.unescape(back).partition("#")
    assert "session=1&type=delta" in back
    assert f'<tr id="{row}"' in client.get(back).text
    (following,) = re.findall(r'rel="next" href="([^"]+)"', page)
    assert "list=session%3D1%26type%3Ddelta" in following
    assert client.get("/tapes/fallback/exchanges/3/events/6?list=session%3Dx").status_code == 400


def test_the_first_event_of_an_exchange_has_none_before_it(client: FlaskClient) -> None:
    """Its page says so, and has no time since one; neither has its row."""
    address = "/tapes/fallback/exchanges/3/events/{}"
    assert "none: it is the first of its exchange" in client.get(address.format(0)).text
    assert twin(client, address.format(0))["delta_us"] is None
    assert twin(client, address.format(1))["delta_us"] == 10_000
    rows = twin(client, "/tapes/fallback/events", exchange=3)["listing"]["rows"]
    assert [row["delta_us"] for row in rows[:2]] == [None, 10_000]


def test_chunks_of_a_chat_are_found_by_what_they_are(folder: Path, browse: Browse) -> None:
    """As any other type, and the last word of their stream."""
    maker = TapeMaker(folder / "chat.db")
    post = maker.post(0, chat_ask(), target=CHAT_TARGET)
    post.answer(10, chat_chunk({"content": "Be"}), chat_chunk({}, "stop"), "[DONE]")
    maker.write()
    client = browse()
    for kind, rows in (("chat.completion", 2), ("[DONE]", 1), ("message", 0)):
        answer = client.get("/tapes/chat/events.json", query_string={"type": kind})
        assert len(answer.get_json()["listing"]["rows"]) == rows, kind


# Requests.


def test_a_retry_asks_for_the_same(client: FlaskClient) -> None:
    """The difference to the attempt before says so."""
    found = twin(client, "/tapes/fallback/sessions/1/requests/1/attempts/2")
    assert found["compared_to"] == {"request": 1, "number": 1}
    assert found["difference"]["items"] == found["difference"]["settings"] == []
    assert found["previous"] == {"request": 1, "number": 1}
    assert found["next"] == {"request": 1, "number": 3}
    text = client.get("/tapes/fallback/sessions/1/requests/1/attempts/2").text
    assert "Nothing was added or changed: 1 input item as before." in text


def test_the_first_request_has_nothing_to_be_compared_to(client: FlaskClient) -> None:
    """Its body is all new."""
    found = twin(client, "/tapes/fallback/sessions/1/requests/1/attempts/1")
    assert found["difference"] is found["compared_to"] is found["previous"] is None


def test_a_request_has_heads_and_a_body(client: FlaskClient) -> None:
    """Both sides' headers in the wire's order, the body laid out and as text."""
    address = "/tapes/fallback/sessions/1/requests/1/attempts/3"
    found = twin(client, address)
    assert found["line"] == "POST https://api.openai.com:443/v1/responses HTTP/1.1"
    assert found["status_line"] == "200 OK"
    assert found["request_headers"][1] == ["session_id", "s-1"]
    assert json.loads(found["body"])["model"] == "gpt-5.2-codex"
    assert "download as sent" in client.get(address).text


def test_a_follow_up_shows_the_output_of_the_tool(folder: Path, browse: Browse) -> None:
    """What is new in the conversation, and what it goes on from."""
    maker = TapeMaker(folder / "one.db")
    first = maker.post(0, ask("List."), session("s"))
    first.answer(10, created(), completed())
    second = maker.post(50, ask("List.", output("call_1", "a b")), session("s"))
    second.answer(60, created(), completed())
    maker.write()
    found = twin(browse(), "/tapes/one/sessions/1/requests/2/attempts/1")
    assert found["difference"]["repeated"] == 1
    assert [change["path"] for change in found["difference"]["items"]] == ["input[1]"]
    assert found["difference"]["items"][0]["after"]["output"] == "a b"


def test_a_refused_upgrade_has_no_body(folder: Path, browse: Browse) -> None:
    """Its page shows the heads all the same."""
    maker = TapeMaker(folder / "one.db")
    maker.upgrade(0, session("s")).refuse(10, 426)
    maker.post(20, ask("hi"), session("s")).answer(30, created(), completed())
    maker.write()
    client = browse()
    found = twin(client, "/tapes/one/sessions/1/requests/1/attempts/1")
    assert (found["status_line"], found["body_bytes"]) == ("426 Upgrade Required", 0)
    after = twin(client, "/tapes/one/sessions/1/requests/1/attempts/2")
    assert after["compared_to"] is None


def test_the_body_of_a_refusal_is_what_came_back(folder: Path, browse: Browse) -> None:
    """Above what was asked, laid out; its bytes can be downloaded all the same."""
    maker = TapeMaker(folder / "one.db")
    refusal = {"error": {"code": "bad", "message": "A scripted <refusal>"}}
    maker.post(0, ask("hi"), session("s")).refuse(10, 400, refusal)
    maker.write()
    client = browse()
    address = "/tapes/one/sessions/1/requests/1/attempts/1"
    assert json.loads(twin(client, address)["answer_body"]) == refusal
    text = client.get(address).text
    answered = text.index(">What came back</h2>")
    assert answered < text.index("A scripted &lt;refusal&gt;", answered) < text.index(">Heads")
    assert "Download the body of the answer" in text


def test_what_the_server_said_is_on_the_page_of_the_request(client: FlaskClient) -> None:
    """As people read it; a stream of events is no body of its own."""
    found = twin(client, "/tapes/rounds/sessions/1/requests/1/attempts/1")
    assert [each["said"]["name"] for each in found["answer"]["entries"]] == ["exec_command"]
    assert found["answer_body"] == ""


def test_times_tell_their_moment(client: FlaskClient) -> None:
    """To the millisecond, in UTC where there is no script: on hover, and in sight on a page of one
    thing."""
    hovered = 'title="2026-01-02 03:04:06.{} UTC" data-zone>{}</time>'
    for address, instant in (
        ("tapes/fallback/events", ("900", "1.900")),
        ("search?text=Done", ("800", "1.800")),
        ("tapes/fallback/sessions/1?at=1234000", ("234", "1.234")),
        ("tapes/fallback/sessions/1/received?at=1234000", ("234", "1.234")),
    ):
        assert hovered.format(*instant) in client.get(f"/{address}").text, address
    text = client.get("/tapes/fallback/sessions/1").text
    assert "websocket.close at <time" in text
    assert 'title="2026-01-02 03:04:05.400 UTC" data-zone>0.400</time></td>' in text
    assert ">1 s<title>2026-01-02 03:04:06.000 UTC</title></text>" in text
    for address, moment in (
        ("exchanges/3/events/6", "06.900"),
        ("sessions/1/requests/1/attempts/3", "05.400"),
        ("sessions/1/turns/1", "05.100"),
    ):
        page = client.get(f"/tapes/fallback/{address}").text
        assert f'data-local="exact">2026-01-02 03:04:{moment} UTC</time>' in page
