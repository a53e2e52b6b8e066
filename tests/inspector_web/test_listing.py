"""Events in the order of time, a page at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from timed_tapes import TapeMaker, ask, created, delta, session

from inspector_web import listing
from inspector_web.addresses import BadAddress
from inspector_web.index.reader import IndexReader
from inspector_web.listing import Listing, listing_after, listing_before
from inspector_web.seen import Place
from inspector_web.wanted import ANYTHING, WHOLE, BadPattern, Wanted
from wiretape.facts import Sender
from wiretape.store_reader import TapeReader


@pytest.fixture(autouse=True)
def pages_of_four(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a short tape has several pages."""
    monkeypatch.setattr(listing, "PAGE_EVENTS", 4)


@pytest.fixture
def overlapping(tmp_path: Path) -> Path:
    """Two requests at the same time, ten events in all."""
    maker = TapeMaker(tmp_path / "tape.db")
    one = maker.post(0, ask("one"), session("a"))
    two = maker.post(5, ask("two"), session("b"))
    one.head(10)
    two.head(20)
    one.events(30, created(), delta("alpha"))
    two.events(35, created(), delta("beta"))
    one.end(40)
    two.end(50)
    return maker.write()


@contextmanager
def indexed(path: Path) -> Iterator[IndexReader]:
    """The index of a tape, made beside it if a test asked for one."""
    with TapeReader(path) as reader, IndexReader(path.with_suffix(".index"), reader) as index:
        yield index


def after(path: Path, place: Place | None = None, wanted: Wanted = ANYTHING) -> Listing:
    with indexed(path) as index:
        return listing_after(index, WHOLE, wanted, place)


def before(path: Path, place: Place, wanted: Wanted = ANYTHING) -> Listing:
    with indexed(path) as index:
        return listing_before(index, WHOLE, wanted, place)


def places(found: Listing) -> list[str]:
    return [str(row.place) for row in found.rows]


FIRST = ["0.1.0", "5000.2.0", "10000.1.1", "20000.2.1"]
SECOND = ["30000.1.2", "30000.1.3", "35000.2.2", "35000.2.3"]
THIRD = ["40000.1.4", "50000.2.4"]


def test_pages_follow_one_another(overlapping: Path) -> None:
    """By time over all exchanges, without hole or overlap, to the end."""
    first = after(overlapping)
    second = after(overlapping, first.next)
    third = after(overlapping, second.next)
    assert [places(page) for page in (first, second, third)] == [FIRST, SECOND, THIRD]
    assert first.previous is None
    assert third.next is None


def test_pages_go_back(overlapping: Path) -> None:
    """The page before a place ends right before it."""
    third = after(overlapping, Place(35_000, 2, 3))
    assert third.previous is not None
    second = before(overlapping, third.previous)
    assert places(second) == SECOND
    assert second.previous is not None
    first = before(overlapping, second.previous)
    assert places(first) == FIRST
    assert first.previous is None


def test_a_delta_is_since_what_crossed_before_in_the_exchange(overlapping: Path) -> None:
    """Also where that is on the page before, or does not pass the filter."""
    assert [row.delta_us for row in after(overlapping).rows] == [None, None, 10_000, 15_000]
    assert after(overlapping, Place(20_000, 2, 1)).rows[0].delta_us == 20_000
    only_ends = after(overlapping, wanted=Wanted(type="end"))
    assert [row.delta_us for row in only_ends.rows] == [10_000, 15_000]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (Wanted(text="BETA"), ["35000.2.3"]),
        (Wanted(type="Created"), ["30000.1.2", "35000.2.2"]),
        (Wanted(sender=Sender.CLIENT), ["0.1.0", "5000.2.0"]),
        (Wanted(text="alpha", type="created"), []),
        (Wanted(text="http.resp"), ["10000.1.1", "20000.2.1"]),
        (Wanted(text="BET[a-c]", is_regex=True), ["35000.2.3"]),
        (Wanted(text="^response.created$", is_regex=True), ["30000.1.2", "35000.2.2"]),
    ],
)
def test_filters(overlapping: Path, wanted: Wanted, found: list[str]) -> None:
    """By text in any case, by part of the type, by who sent it; all must hold."""
    assert places(after(overlapping, wanted=wanted)) == found


def test_a_search_gives_up_and_can_go_on(
    overlapping: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks at so many events for one page, says how far it came, and misses none."""
    monkeypatch.setattr(listing, "MOST_EFFORT", 6)
    wanted = Wanted(text="beta")
    first = after(overlapping, wanted=wanted)
    assert places(first) == []
    assert str(first.searched_to) == "30000.1.3"
    assert places(after(overlapping, first.searched_to, wanted)) == ["35000.2.3"]


def test_rows_know_what_begins_an_attempt(rounds: Path) -> None:
    """The handshake, and each request on the socket."""
    found = after(rounds, wanted=Wanted(sender=Sender.CLIENT))
    assert [(row.type, row.begins_attempt) for row in found.rows] == [
        ("http.request", True),
        ("response.create", True),
        ("response.create", True),
    ]


@pytest.mark.parametrize("pattern", ["(.*a){20}b", r"(\w+\s?)+$$x", "(a|aa)+$x"])
def test_a_pattern_takes_no_longer_than_its_text_is_long(tmp_path: Path, pattern: str) -> None:
    """Also one that makes others look at each way to part the text: here, for years."""
    maker = TapeMaker(tmp_path / "tape.db")
    post = maker.post(0, ask("a" * 5000 + "!"))
    post.head(20)
    post.end(30)
    maker.write()
    assert places(after(maker.path, wanted=Wanted(pattern, is_regex=True))) == []


def test_a_pattern_is_looked_for_beside_half_a_character(tmp_path: Path) -> None:
    """JSON can hold one, UTF-8 cannot; whatever stands beside it is found, in any case."""
    maker = TapeMaker(tmp_path / "tape.db")
    post = maker.post(0, ask("hi"))
    post.head(20)
    post.events(30, delta("half \ud83d, then über ALLES"))
    post.end(40)
    maker.write()
    wanted = Wanted("half .*ÜBER? a.{3}s", is_regex=True)
    assert places(after(maker.path, wanted=wanted)) == ["30000.1.2"]


@pytest.mark.parametrize("text", ["(", "[a", "*", "a{9999}", "a(?=b)", r"(a)\1"])
def test_a_pattern_that_is_none_is_refused(text: str) -> None:
    """With what is wrong with it."""
    with pytest.raises(BadPattern, match="is no regular expression"):
        Wanted(text, is_regex=True)


def test_times_that_go_back_do_not_lose_events(tmp_path: Path) -> None:
    """A chunk that was stored with an earlier time than its head still has its place."""
    maker = TapeMaker(tmp_path / "tape.db")
    post = maker.post(0, ask("hi"))
    post.head(20)
    post.events(10, created())
    post.end(30)
    maker.write()
    assert places(after(maker.path)) == ["0.1.0", "20000.1.1", "20000.1.2", "30000.1.3"]


@pytest.mark.parametrize("text", ["1.2", "1.2.3.4", "a.b.c", "-1.2.3", "1.2." + "9" * 19])
def test_what_is_no_place_is_refused(text: str) -> None:
    """With what one looks like."""
    with pytest.raises(BadAddress, match=r"is no place: one is like 2500000\.1\.7"):
        Place.parse(text)


def test_a_place_is_read_from_an_address() -> None:
    """Nothing is none."""
    assert Place.parse("12.3.4") == Place(12, 3, 4)
    assert Place.parse("") is None
