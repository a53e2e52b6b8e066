"""What is read through an index is what reading the whole tape gives."""

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from indexed import index_of, indexed, make_index
from timed_tapes import EVENT_STREAM, TapeMaker, ask, completed, created, delta, session, sse

from inspector_web.index import blocks, file
from inspector_web.index.blocks import Cut, blocks_of
from inspector_web.index.places import crossings_from
from inspector_web.index.reader import Only
from inspector_web.listing import listing_after, listing_before
from inspector_web.marks import marks_of
from inspector_web.seen import Passed, Place, merged
from inspector_web.wanted import WHOLE, Wanted
from wiretape.crossings import Crossing, all_crossings, crossings_of
from wiretape.facts import PieceKind, Sender
from wiretape.store_reader import TapeReader

PARTS = st.sampled_from(
    [
        sse(created()),
        sse(delta("word")),
        sse(delta('two\nlines \\ " é')),
        b": ping\n\n",
        b"\n",
        b"event: error\ndata: {}\r\n\r\n",
        b"id: 7\rdata: x\r\r",
        b"retry: 5\n\n",
        b"data: no end",
    ]
)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a short tape has several."""
    monkeypatch.setattr(blocks, "BLOCK_EVENTS", 4)


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    """A socket and two streams at the same time, one of them compressed, and one still open."""
    maker = TapeMaker(tmp_path / "tape.db")
    socket = maker.socket(0, session("a"))
    plain, coded, going_on = (maker.post(n, ask(f"ask {n}"), session("b")) for n in (5, 6, 7))
    plain.head(10)
    coded.head(11, headers=(*EVENT_STREAM, ("content-encoding", "gzip")))
    going_on.head(12)
    socket.ask(12, ask("over the socket"))
    for at_ms in range(20, 60):
        socket.say(at_ms, delta(f"socket {at_ms}"))
        plain.events(at_ms, delta(f"plain {at_ms}"))
        going_on.events(at_ms, delta(f"open {at_ms}"))
    socket.frame(33, PieceKind.PING)
    plain.chunk(34, b": alive\n\n")
    coded.chunk(40, gzip.compress(b"".join(sse(delta(f"coded {n}")) for n in range(20))))
    socket.close(70, 1011, "no luck")
    plain.events(71, completed())
    plain.end(72)
    coded.end(73)
    return maker.write()


def everything(tape: Path) -> list[Crossing]:
    with TapeReader(tape) as reader:
        return list(all_crossings(reader))


def seen(tape: Path) -> list[tuple[Place, Crossing]]:
    with indexed(tape) as index:
        found = merged(index, index.stretches_since(0))
        return [(each.place, each.crossing) for each in found if not isinstance(each, Passed)]


@given(chunks=st.lists(st.tuples(PARTS, st.booleans()), min_size=1, max_size=30))
@settings(max_examples=60, deadline=None)
def test_a_stream_can_be_read_from_each_of_its_blocks(
    chunks: list[tuple[bytes, bool]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever it is cut into: comments, half events and odd line ends included."""
    maker = TapeMaker(tmp_path_factory.mktemp("tape") / "tape.db")
    post = maker.post(0, ask("hi"))
    post.head(1)
    joined = b""
    for at_ms, (part, is_cut) in enumerate(chunks, start=2):
        joined += part
        if is_cut:
            post.chunk(at_ms, joined)
            joined = b""
    if joined:
        post.chunk(90, joined)
    post.end(100)
    with maker.read() as reader:
        (exchange,) = reader.exchanges()
        whole = list(crossings_of(reader, exchange))
        for gathered, _ in blocks_of(reader, exchange, Cut(), lambda _: True):
            start = gathered.start
            assert list(crossings_from(reader, exchange, start)) == whole[start.position :]


@pytest.mark.parametrize("is_indexed", [False, True])
def test_everything_is_read_once_and_in_order(tape: Path, is_indexed: bool) -> None:
    """With an index and without one."""
    if is_indexed:
        make_index(tape)
    found = seen(tape)
    assert sorted(map(repr, everything(tape))) == sorted(repr(crossing) for _, crossing in found)
    assert [place for place, _ in found] == sorted(place for place, _ in found)


def test_pages_are_the_same_with_and_without_an_index(tape: Path) -> None:
    """Forwards and backwards, filtered and not, from every place."""
    filters = [
        Wanted(),
        Wanted(type="delta"),
        Wanted(text="PLAIN 4"),
        Wanted(text="(plain|open) 3[1-4]", is_regex=True),
        Wanted(text="d 1", type="delta"),
        Wanted(text="no luck"),
        Wanted(type="ping"),
    ]
    places = [Place(at_ms * 1000, exchange, 0) for at_ms in range(0, 80, 9) for exchange in (1, 3)]

    def pages() -> list[object]:
        with indexed(tape) as index:
            return [
                page(index, WHOLE, wanted, place)
                for wanted in filters
                for place in places
                for page in (listing_after, listing_before)
            ]

    without = pages()
    make_index(tape)
    assert pages() == without


def test_marks_are_those_of_the_whole_exchange(tape: Path) -> None:
    """What is not in the index yet included."""
    make_index(tape)
    with TapeReader(tape) as reader, indexed(tape) as index:
        for exchange in reader.exchanges():
            whole, found = marks_of(crossings_of(reader, exchange)), index.marks(exchange.id)
            assert (found.at_us, found.codes) == (whole.at_us, whole.codes)
            assert found.control_us == whole.control_us


def test_an_index_grows_with_its_tape(tmp_path: Path) -> None:
    """Step by step it becomes what it would be if it were made at the end."""
    maker = TapeMaker(tmp_path / "tape.db")
    socket = maker.socket(0, session("a"))
    for at_ms in range(10, 60):
        socket.say(at_ms, delta(f"word {at_ms}"))
    whole = list(maker.facts)
    for count in (10, 23, 24, 52):
        maker.path.unlink(missing_ok=True)
        maker.facts = whole[:count]
        make_index(maker.write())
        assert [crossing for _, crossing in seen(maker.path)] == everything(maker.path)
    with indexed(maker.path) as index:
        assert len([each for each in index.stretches_since(0) if each.events]) == 13


def test_an_index_of_another_tape_is_made_anew(tmp_path: Path) -> None:
    """Though that one lay in the same place."""
    maker = TapeMaker(tmp_path / "tape.db")
    maker.post(0, ask("one"), session("a")).answer(1, created(), completed())
    make_index(maker.write())
    maker.path.unlink()
    other = TapeMaker(maker.path)
    other.post(3, ask("two"), session("b")).answer(4, created(), delta(), completed())
    make_index(other.write())
    assert [crossing for _, crossing in seen(maker.path)] == everything(maker.path)


def test_an_index_of_another_program_is_made_anew(tape: Path) -> None:
    """Opinions change with the source."""
    make_index(tape)
    with closing(sqlite3.connect(index_of(tape))) as database, database:
        database.execute("UPDATE facts SET value = 'an older one' WHERE name = 'maker'")
        database.execute("DELETE FROM blocks")
    make_index(tape)
    assert len(seen(tape)) == len(everything(tape))


def test_a_damaged_index_is_made_anew(tape: Path) -> None:
    """It is derived: nothing is lost with it."""
    make_index(tape).write_bytes(b"not a database" * 100)
    make_index(tape)
    assert len(seen(tape)) == len(everything(tape))


def test_indexes_of_tapes_that_are_gone_are_dropped(tape: Path, tmp_path: Path) -> None:
    """The others stay."""
    folder = tmp_path / "indexes"
    folder.mkdir()
    other = TapeMaker(tmp_path / "other.db").write()
    for each in (tape, other):
        make_index(each).rename(folder / f"{each.stem}.db")
    other.unlink()
    file.drop_orphans(folder)
    assert [path.name for path in folder.glob("*.db")] == ["tape.db"]


def test_blocks_that_cannot_hold_what_is_wanted_are_left_out(tape: Path) -> None:
    """By type, by letters, by sender."""
    make_index(tape)

    def count(only: Only) -> int:
        with indexed(tape) as index:
            return len([each for each in index.stretches_since(0, {1}, only) if each.events])

    assert count(Only()) == 12
    assert count(Only(types=["websocket.ping"])) == 1
    assert count(Only(letters='"t 5" AND " 59"')) == 1
    assert count(Only(sender=Sender.CLIENT)) == 1


def test_what_a_request_repeats_is_kept_once(tmp_path: Path) -> None:
    """As it was said first; settings too."""
    maker = TapeMaker(tmp_path / "tape.db")
    for at_ms, words in ((0, ["one"]), (10, ["one", "two"]), (20, ["one", "two"])):
        maker.post(at_ms, ask(*words, tools=[{"name": "shell"}]), session("a")).answer(at_ms + 1)
    make_index(maker.write())
    with indexed(maker.path) as index:
        asked = [index.asked(exchange, 0) or "" for exchange in (1, 2, 3)]
    assert ["one" in text for text in asked] == [True, False, False]
    assert ["two" in text for text in asked] == [False, True, False]
    assert ["shell" in text for text in asked] == [True, False, False]


def test_a_text_that_no_file_can_hold_is_kept_all_the_same(tmp_path: Path) -> None:
    """Halves of surrogate pairs, and the letter that ends a text elsewhere."""
    maker = TapeMaker(tmp_path / "tape.db")
    body = json.dumps(ask("half \ud800 and \0 the rest")).encode()
    maker.post(0, body, session("a")).answer(1, created())
    make_index(maker.write())
    with indexed(maker.path) as index:
        assert "the rest" in (index.asked(1, 0) or "")
