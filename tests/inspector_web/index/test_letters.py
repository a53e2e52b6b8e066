"""Which letters a block must hold."""

import re

import pytest

from inspector_web.index.letters import literals_in, match_expression


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        ("plain text", ("plain text",)),
        ("ab?cd", ("a", "cd")),
        ("abc*d", ("ab", "d")),
        ("abc+d", ("abc", "d")),
        ("ab{2}cd", ("a", "cd")),
        (r"1\.5 s", ("1.5 s",)),
        (r"resp_\d+ failed", ("resp_", " failed")),
        ("[abc]def[]x]ghi", ("def", "ghi")),
        ("[^]x]abc", ("abc",)),
        ("^begin.end$", ("begin", "end")),
        ("one|two", ()),
        ("a(b|c)", ()),
        ("(?i)x", ()),
        (r"ab\x41?cd", ("a",)),
        (r"ab\x41|cd", ()),
        (r"a\\b", ("a\\b",)),
        ("", ()),
    ],
)
def test_what_every_match_holds(pattern: str, literals: tuple[str, ...]) -> None:
    """One text too few costs time; one too many would lose a match."""
    assert literals_in(pattern) == literals


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("colou?r [0-9]{2}", "the color 42"), (r"a\.b*c", "a.c"), ("x+y{0}z", "xxxz")],
)
def test_a_match_holds_them(pattern: str, text: str) -> None:
    """Each literal stands in whatever the pattern matches."""
    found = re.search(pattern, text)
    assert found is not None
    assert all(literal in found[0] for literal in literals_in(pattern))


def test_three_letters_at_a_time() -> None:
    """Quoted for SQLite; fewer than three narrow nothing."""
    assert match_expression(("abcd",)) == '"abc" AND "bcd"'
    assert match_expression(('a"b',)) == '"a""b"'
    assert match_expression(("ab", "")) is None
    assert match_expression(("abc", "xyz")) == '"abc" AND "xyz"'
