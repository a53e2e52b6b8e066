"""Tapes that somebody made to do harm: nothing in them runs, hides or breaks a page."""

import json
import re
import sqlite3
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from timed_tapes import BEGAN_US, TapeMaker, ask, completed, created, delta, session

from wiretape.facts import EndKind, PieceKind
from wiretape.store_writer import TapeLabel

type Browse = Callable[..., FlaskClient]

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\u202egpj.exe\x1b[2J{{7*7}}"
PAGES = (
    "/sessions",
    "/tapes/evil/sessions/1",
    "/tapes/evil/events",
    "/tapes/evil/exchanges/1/events/0",
    "/tapes/evil/exchanges/1/events/2",
    "/tapes/evil/exchanges/1/events/3",
    "/tapes/evil/sessions/1/requests/1/attempts/1",
    "/tapes/evil/sessions/1/requests/2/attempts/1",
    "/tapes/evil/sessions/1/requests/2/attempts/1?to=1",
    "/tapes/evil/sessions/1/turns/1",
    "/tapes/evil/sessions/1/again?request=1&event=2",
    "/compare?a=evil/1&b=evil/1",
    "/compare?a=evil/1&b=other/1",
)


class Elements(HTMLParser):
    """The elements of a page with their attributes, as a browser would find them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def write_evil(path: Path, evil: str) -> None:
    """A tape that says it wherever a tape can."""
    label = TapeLabel("record", BEGAN_US, "monotonic", json.dumps([evil]))
    maker = TapeMaker(path, agent=evil.replace("\x1b", ""), label=label)
    for begin_ms in (0, 100):
        post = maker.post(
            begin_ms,
            ask(evil, model=evil, extra=[{evil: evil}], stream=begin_ms),
            (*session(evil), ("x-evil", evil)),
            target=f"/v1/responses?{evil}",
        )
        post.head(begin_ms + 1)
        post.events(begin_ms + 2, {"type": evil, evil: evil}, created(evil), delta(evil))
        post.events(begin_ms + 3, completed(evil))
        post.end(begin_ms + 4)
    maker.write()


@pytest.fixture
def evil(folder: Path, browse: Browse) -> FlaskClient:
    """A tape with the worst of texts wherever a text can be."""
    write_evil(folder / "evil.db", EVIL)
    write_evil(folder / "other.db", EVIL * 2)
    return browse()


@pytest.mark.parametrize("address", PAGES)
def test_no_text_becomes_an_element(evil: FlaskClient, address: str) -> None:
    """Scripts are our own files, and no element has a handler or a style of its own."""
    answer = evil.get(address)
    assert answer.status_code == 200
    for tag, attributes in Elements(answer.text).found:
        assert tag != "img"
        assert tag != "script" or str(attributes["src"]).startswith("/static/")
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        assert not str(attributes.get("href", "")).startswith(("javascript:", "data:", "http"))


@pytest.mark.parametrize("address", PAGES)
def test_no_text_reorders_or_hides_another(evil: FlaskClient, address: str) -> None:
    """Bidirectional overrides and controls are written out; nothing is a template."""
    text = evil.get(address).text
    assert "\u202e" not in text
    assert "\x1b" not in text
    # A command line writes it as its shell reads it.
    assert "⟨U+202E⟩" in text or r"\U0000202e" in text
    assert "{{7*7}}" in text


@pytest.mark.parametrize("address", PAGES)
def test_twins_are_plain_ascii(evil: FlaskClient, address: str) -> None:
    """A terminal that shows a twin is not led astray either."""
    path, question, query = address.partition("?")
    assert evil.get(f"{path}.json{question}{query}").data.isascii()


def test_pages_ask_for_nothing_elsewhere(evil: FlaskClient) -> None:
    """No address of another host in anything that is loaded."""
    for address in PAGES:
        for tag, attributes in Elements(evil.get(address).text).found:
            if tag in ("script", "link"):
                assert str(attributes.get("src") or attributes.get("href")).startswith("/static/")
    static = Path(__file__).parents[2] / "inspector_web/static"
    for path in static.iterdir():
        text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|@import|url\((?!#)", text), path


def test_broken_text_is_shown(folder: Path, browse: Browse) -> None:
    """Bytes that are no UTF-8, lone surrogates, nulls and binary messages."""
    maker = TapeMaker(folder / "one.db")
    socket = maker.socket(0, session("s"))
    socket.ask(1, ask("half \ud83d"))
    socket.say(2, '{"type":"response.output_text.delta","delta":"\\ud83d\\u0000"}')
    socket.frame(3, PieceKind.TEXT, b'{"type":"\xff\xfe"}')
    socket.frame(4, PieceKind.BINARY, bytes(range(256)))
    socket.frame(5, PieceKind.UNDECODED, b"\x00\xff")
    socket.end(6, EndKind.CLIENT_CLOSED)
    maker.write()
    client = browse()
    for address in (
        "/sessions",
        "/tapes/one/sessions/1",
        "/tapes/one/sessions/1/turns/1",
        "/tapes/one/sessions/1/again",
        "/tapes/one/events",
    ):
        assert client.get(address).status_code == 200
        assert client.get(f"{address}.json").status_code == 200
    for position in range(8):
        assert client.get(f"/tapes/one/exchanges/1/events/{position}").status_code == 200
    raw = client.get("/tapes/one/exchanges/1/events/5/raw").data
    assert raw == bytes(range(256))


def test_a_huge_string_is_cut(folder: Path, browse: Browse) -> None:
    """Twenty megabytes in one event and in one request: a small page, and a way to all of it."""
    for name, letter in (("one", "x"), ("two", "z")):
        maker = TapeMaker(folder / f"{name}.db")
        post = maker.post(0, ask(letter * 20_000_000), session("s"))
        post.answer(1, created(), delta("y" * 20_000_000), completed())
        maker.write()
    client = browse()
    for address in (
        "/sessions",
        "/tapes/one/events",
        "/tapes/one/exchanges/1/events/3",
        "/tapes/one/sessions/1/requests/1/attempts/1",
        "/tapes/one/sessions/1/turns/1",
        "/tapes/one/sessions/1/again",
        "/compare",
    ):
        sides = {"a": "one/1", "b": "two/1"}
        assert len(client.get(address, query_string=sides).data) < 500_000
        assert len(client.get(f"{address}.json", query_string=sides).data) < 500_000
    text = client.get("/tapes/one/exchanges/1/events/3").text
    assert "Download all 20.0 MB." in text
    assert len(client.get("/tapes/one/exchanges/1/events/3/raw").data) > 20_000_000


@pytest.mark.parametrize("depth", [500, 9_000, 100_000])
def test_deep_json_is_shown(folder: Path, browse: Browse, depth: int) -> None:
    """However deep, in an event and in the settings of a request."""
    deep = "[" * depth + "]" * depth
    maker = TapeMaker(folder / "one.db")
    for begin_ms, value in ((0, deep), (100, f"[{deep}]")):
        body = f'{{"input":[{{"role":"user","content":{value}}}],"deep":{value}}}'.encode()
        post = maker.post(begin_ms, body, session("s"))
        post.answer(begin_ms + 1, f'{{"type":"x","deep":{value}}}', completed())
    maker.write()
    client = browse()
    for address in (
        "/sessions",
        "/tapes/one/sessions/1",
        "/tapes/one/events",
        "/tapes/one/exchanges/2/events/2",
        "/tapes/one/exchanges/2/events/0",
        "/tapes/one/sessions/1/turns/1",
        "/tapes/one/sessions/1/again",
        "/compare",
    ):
        sides = {"a": "one/1", "b": "one/1"}
        assert client.get(address, query_string=sides).status_code == 200
        assert client.get(f"{address}.json", query_string=sides).status_code == 200
    attempts = json.loads(client.get("/tapes/one/sessions/1.json").text)["attempts"]
    for row in attempts:
        address = f"/tapes/one/sessions/1/requests/{row['request']}/attempts/{row['number']}"
        assert client.get(address).status_code == 200
        assert client.get(f"{address}.json").status_code == 200


def test_many_events_are_a_small_page(folder: Path, browse: Browse) -> None:
    """Twenty thousand in one exchange: the drawing and each page of the list stay small."""
    maker = TapeMaker(folder / "one.db")
    post = maker.post(0, ask("hi"), session("s"))
    post.head(1)
    for number in range(200):
        post.events(2 + number, *[delta("word")] * 100)
    post.events(300, completed())
    post.end(301)
    maker.write()
    client = browse()
    assert len(client.get("/tapes/one/sessions/1").data) < 60_000
    assert len(client.get("/tapes/one/events").data) < 200_000
    assert 'id="e1-20002"' in client.get("/tapes/one/events?type=completed").text


def test_a_file_name_that_is_no_text(fallback: Path, folder: Path, browse: Browse) -> None:
    """Its tape is read as any other; what is said of it is text all the same."""
    fallback.rename(folder / "caf\udce9.db")
    (folder / "th\udce9.db").write_bytes(b"no tape")
    client = browse()
    listed = json.loads(client.get("/sessions.json").text)
    assert [each["tape"] for each in listed["sessions"]] == ["caf\ufffd"]
    assert [each["tape"] for each in listed["unreadable"]] == ["th\ufffd"]
    json.dumps(listed, ensure_ascii=False).encode()
    for page in ("sessions/1", "events", "sessions/1/turns/1", "sessions/1/again"):
        assert client.get(f"/tapes/caf\ufffd/{page}").status_code == 200


def test_a_tape_with_spoilt_rows_breaks_nothing(
    fallback: Path, folder: Path, browse: Browse
) -> None:
    """Where a value in the tables makes no sense, the tape is listed as unreadable."""
    changes = (
        "UPDATE exchanges SET request_headers = '[['",
        "UPDATE exchanges SET end = 'nonsense' WHERE end IS NOT NULL",
        "UPDATE exchanges SET at_us = 'yesterday'",
        "DELETE FROM bodies",
        "UPDATE segments SET codec = 'lzma'",
        "DELETE FROM tape",
    )
    for number, change in enumerate(changes):
        path = folder / f"spoilt{number}.db"
        path.write_bytes(fallback.read_bytes())
        with sqlite3.connect(path) as connection:
            connection.execute(change)
        connection.close()
    client = browse()
    listed = json.loads(client.get("/sessions.json").text)
    assert [each["tape"] for each in listed["sessions"]] == ["fallback"]
    assert len(listed["unreadable"]) == len(changes)
