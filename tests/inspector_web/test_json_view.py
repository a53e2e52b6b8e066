"""JSON laid out to be read."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inspector_web.json_view import Ink, Token, laid_out

TEXTS = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]))
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=20,
)


def text_of(value: Any) -> str:
    return "".join(token.text for token in laid_out(value))


def test_members_stand_on_lines_of_their_own() -> None:
    """Two spaces for each level, as everybody writes it."""
    assert text_of({"a": [1, None], "b": {}}) == (
        '{\n  "a": [\n    1,\n    null\n  ],\n  "b": {}\n}'
    )


def test_each_piece_has_its_ink() -> None:
    """So that keys, strings, numbers and words can be told apart."""
    inks = [token.ink for token in laid_out({"k": ["s", 1, True]}) if token.ink is not Ink.SIGN]
    assert inks == [Ink.KEY, Ink.STRING, Ink.NUMBER, Ink.WORD]


def test_a_line_feed_in_a_string_begins_a_line() -> None:
    """The escape stays, and what follows is indented below the string."""
    assert text_of({"k": "one\ntwo"}) == '{\n  "k": "one\\n\n    two"\n}'


@given(VALUES)
def test_nothing_is_lost(value: Any) -> None:
    """The layout is the same JSON, where no string has a line feed to be broken at."""
    assert json.loads(text_of(value)) == value


def test_a_long_string_is_cut_and_says_by_how_much() -> None:
    """Four thousand characters are shown."""
    tokens = laid_out("x" * 5000)
    assert tokens[0] == Token(Ink.STRING, '"' + "x" * 4000)
    assert tokens[1] == Token(Ink.NOTE, "… 1,000 more characters")


def test_a_deep_value_is_cut() -> None:
    """Forty levels are shown, so that no value is too deep to lay out."""
    value: Any = "innermost"
    for _ in range(9000):
        value = [value]
    tokens = laid_out(value)
    assert tokens[-41].ink is Ink.NOTE
    assert tokens[-41].text == "… 1 inside, nested too deeply to show"


def test_a_large_value_is_cut() -> None:
    """Twenty thousand pieces are shown."""
    tokens = laid_out(list(range(100_000)))
    assert len(tokens) == 20_001
    assert tokens[-1] == Token(Ink.NOTE, "… cut here: the raw text has the rest")
