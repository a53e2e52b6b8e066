"""Times, sizes, counts and recorded text, as people read them."""

import pytest

from wiretape.words import (
    columns,
    counted,
    cut,
    cut_to_parting,
    duration,
    moment,
    printable,
    requests_told,
    size,
)


@pytest.mark.parametrize(
    ("us", "words"),
    [
        (0, "0 µs"),
        (999, "999 µs"),
        (1000, "1 ms"),
        (999_000, "999 ms"),
        (1_000_000, "1.0 s"),
        (119_900_000, "119.9 s"),
        (120_000_000, "2 min 0 s"),
        (300_500_000, "5 min 0 s"),
    ],
)
def test_a_duration(us: int, words: str) -> None:
    """In the unit that its length asks for."""
    assert duration(us) == words


@pytest.mark.parametrize(
    ("requests", "warm_ups", "words"),
    [
        (0, 0, "0 requests"),
        (1, 0, "1 request"),
        (5, 1, "4 requests and a warm-up"),
        (1, 1, "a warm-up"),
        (3, 2, "1 request and 2 warm-ups"),
    ],
)
def test_requests_without_their_warm_ups(requests: int, warm_ups: int, words: str) -> None:
    """What prepares the server is none of what was wanted, and is told apart."""
    assert requests_told(requests, warm_ups) == words


@pytest.mark.parametrize(
    ("size_bytes", "words"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (31_700, "31.7 kB"), (1_200_000, "1.2 MB")],
)
def test_a_size(size_bytes: int, words: str) -> None:
    """In the unit that it asks for, thousand by thousand."""
    assert size(size_bytes) == words


def test_a_moment() -> None:
    """In UTC, to the second."""
    assert moment(1_767_323_045_999_999) == "2026-01-02T03:04:05Z"


def test_a_count() -> None:
    """One of them is one, whatever many of them are called."""
    assert [counted(1, "try", "tries"), counted(0, "event"), counted(2, "try", "tries")] == [
        "1 try",
        "0 events",
        "2 tries",
    ]


def test_recorded_text_cannot_move_the_cursor() -> None:
    """What is not printable is written out."""
    assert printable("a\x1b[2J\r\nb é") == "a\\x1b[2J\\x0d\\x0ab é"


def test_rows_are_aligned() -> None:
    """Each column is as wide as its widest cell, and nothing trails."""
    assert columns([["a", "b"], ["long", ""]], indent="  ") == ["  a     b", "  long"]


@pytest.mark.parametrize(
    ("start", "shown"), [(0, "abcd…"), (1, "…bcde…"), (2, "…cdef"), (4, "…ef")]
)
def test_a_text_is_cut(start: int, shown: str) -> None:
    """What is left out on either side is marked."""
    assert cut("abcdef", 4, start) == shown


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        ("abc", "abd", ("abc", "abd")),
        ("0123456789x", "0123456789y", ("…89x", "…89y")),
        ("0123456789", "01234567890000", ("…89", "…890000")),
        ("0123x5678", "0123y5678", ("…23x567…", "…23y567…")),
        ("012x45678", "012y45678", ("012x45…", "012y45…")),
    ],
)
def test_two_texts_are_cut_to_where_they_part(one: str, other: str, shown: tuple[str, str]) -> None:
    """Both alike, with a little of what is before; from the begin, if that shows the place."""
    assert cut_to_parting(one, other, 6, 2) == shown
