"""How many events are wanted, and which of them stands where."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from indexed import indexed, make_index
from timed_tapes import TapeMaker, ask, completed, created, delta, session

from inspector_web import tally
from inspector_web.counting import Counting
from inspector_web.index import blocks
from inspector_web.index.reader import IndexReader
from inspector_web.listing import PAGE_EVENTS, listing_with
from inspector_web.seen import Passed, Place, merged, takes
from inspector_web.tally import Tally, tally_of
from inspector_web.wanted import ANYTHING, WHOLE, Part, Wanted
from wiretape.facts import Sender

FILTERS = (
    ANYTHING,
    Wanted(type="delta"),
    Wanted(sender=Sender.CLIENT),
    Wanted(type="response.", sender=Sender.SERVER),
    Wanted(type="http", sender=Sender.SERVER),
    Wanted(type="none such"),
)
PARTS = (
    WHOLE,
    Part(frozenset({2})),
    Part(None, 45_000, 300_000),
    Part(frozenset({1, 3}), 30_000, 333_000),
)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a short tape has many."""
    monkeypatch.setattr(blocks, "BLOCK_EVENTS", 5)


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    """Three requests at the same time, 87 events, the last one still open."""
    maker = TapeMaker(tmp_path / "tape.db")
    for number in range(3):
        post = maker.post(7 * number, ask(f"question {number}"), session(f"s-{number}"))
        post.head(20 + number)
        for at in range(25):
            post.events(30 + 11 * at + 3 * number, delta(f"word {at} of {number}"))
        if number < 2:
            post.events(400 + number, completed())
            post.end(410 + number)
    return maker.write()


@pytest.fixture
def index(tape: Path) -> Iterator[IndexReader]:
    make_index(tape)
    with indexed(tape) as found:
        yield found


def places_of(index: IndexReader, part: Part, wanted: Wanted) -> list[Place]:
    """Every wanted event, by reading all there is."""
    return [
        seen.place
        for seen in merged(index, index.stretches_since(0, part.of))
        if not isinstance(seen, Passed)
        and part.holds(seen.place.exchange, seen.place.at_us)
        and takes(index, wanted, seen)
    ]


@pytest.mark.parametrize("wanted", FILTERS)
@pytest.mark.parametrize("part", PARTS)
def test_every_row_has_its_place_and_every_place_its_row(
    index: IndexReader, part: Part, wanted: Wanted
) -> None:
    """As if all events had been read, whatever is wanted of whichever part."""
    places = places_of(index, part, wanted)
    found = tally_of(index, part, wanted)
    assert (found.found, found.is_all) == (len(places), True)
    assert [found.place_of(row) for row in range(len(places))] == places
    assert [found.before(place) for place in places] == list(range(len(places)))
    assert (found.place_of(-1), found.place_of(len(places))) == (None, None)


def test_nothing_but_edges_is_read(index: IndexReader, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what the index knows; what it has not got yet is read, here the last request's end."""
    read: list[int] = []
    crossings = IndexReader.crossings
    monkeypatch.setattr(
        IndexReader,
        "crossings",
        lambda self, stretch: read.append(stretch.exchange) or crossings(self, stretch),
    )
    assert tally_of(index, WHOLE, Wanted(type="delta")).found == 75
    assert read == [3]


def test_what_is_too_much_to_read_is_not_known(tape: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a tape without an index: more than so many, and rows beyond have no number."""
    monkeypatch.setattr(tally, "_MOST_READ", 40)
    with indexed(tape) as index:
        found = tally_of(index, WHOLE, ANYTHING)
        places = places_of(index, WHOLE, ANYTHING)
        assert not found.is_all
        assert 0 < found.found < len(places)
        assert [found.place_of(row) for row in range(found.found)] == places[: found.found]
        assert found.before(places[-1]) is None


def test_a_text_is_counted_in_the_background(tape: Path, index: IndexReader) -> None:
    """Until then nobody knows how many events hold it; then everybody does."""
    wanted = Wanted(text="word 1[0-9] of [02]", is_regex=True)
    places = places_of(index, WHOLE, wanted)
    assert not tally_of(index, WHOLE, wanted).is_all
    known = counted(tape, WHOLE, wanted)
    found = tally_of(index, WHOLE, wanted, known)
    assert (found.found, found.is_all) == (20, True)
    assert [found.place_of(row) for row in range(20)] == places


def test_what_was_counted_of_a_part_is_of_that_part(tape: Path, index: IndexReader) -> None:
    """Also where it begins within a block."""
    part, wanted = Part(frozenset({1, 2}), 100_000, 200_000), Wanted(text="WORD")
    found = tally_of(index, part, wanted, counted(tape, part, wanted))
    assert (found.found, found.is_all) == (len(places_of(index, part, wanted)), True)
    assert found.found == 18


def counted(tape: Path, part: Part, wanted: Wanted) -> tally.Known:
    """What is known of a text when it has been counted."""
    return Counting().known(tape, tape.with_suffix(".index"), part, wanted, 60)


def test_a_page_begins_at_a_multiple_of_its_length(tmp_path: Path) -> None:
    """Whichever of its rows is asked for; one beyond the end is on the last page."""
    maker = TapeMaker(tmp_path / "long.db")
    post = maker.post(0, ask("hi"), session("s"))
    post.head(1)
    for at in range(2 * PAGE_EVENTS):
        post.events(2 + at, created())
    make_index(maker.write())
    with indexed(maker.path) as index:
        found = tally_of(index, WHOLE, ANYTHING)

        def page(row: int) -> tuple[int, int, bool, bool]:
            rows = listing_with(found, row)
            return (
                rows.rows[0].place.position,
                len(rows.rows),
                rows.previous is None,
                rows.next is None,
            )

        assert found.found == 402
        assert page(0) == page(199) == (0, 200, True, False)
        assert page(200) == page(399) == (200, 200, False, False)
        assert page(400) == page(401) == page(10**9) == (400, 2, False, True)


def test_an_empty_list_has_no_rows(index: IndexReader) -> None:
    """And no page is too late for it."""
    found: Tally = tally_of(index, WHOLE, Wanted(type="none such"))
    assert (found.found, listing_with(found, 7).rows) == (0, ())
