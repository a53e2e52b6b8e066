"""Differences in words: short, quoted, on one line."""

import pytest

from wiretape.likeness import Change, Difference
from wiretape.quoting import first_told, is_told_whole, told


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        (Difference("model", Change.CHANGED, "one", "two"), 'model was "one" and is "two"'),
        (Difference("a", Change.CHANGED, None, [1.5, True]), "a was null and is [1.5, true]"),
        (Difference("input[3]", Change.ADDED, None, {"é": "ü"}), 'input[3] is new: {"é": "ü"}'),
        (Difference("store", Change.REMOVED, False, None), "store is missing: it was false"),
        (Difference("a", Change.ADDED, None, None), "a is new: null"),
    ],
)
def test_values_are_quoted_as_json(difference: Difference, words: str) -> None:
    """As they stand on the wire, not as Python writes them."""
    assert told(difference) == words
    assert is_told_whole(difference)


def test_long_values_are_cut_to_where_they_part() -> None:
    """With a little before it, so that a reader finds the place."""
    left, right = "x" * 1000 + "one" + "y" * 1000, "x" * 1000 + "two" + "y" * 1000
    difference = Difference("text", Change.CHANGED, left, right)
    assert told(difference) == (
        f"text was …{'x' * 20}one{'y' * 57}… and is …{'x' * 20}two{'y' * 57}…"
    )
    assert not is_told_whole(difference)


def test_a_text_that_goes_on_is_cut_to_where_the_other_ends() -> None:
    """The shorter text parts from the longer one at its end."""
    left, right = "x" * 200, "x" * 200 + "more"
    difference = Difference("text", Change.CHANGED, left, right)
    assert told(difference) == f'text was …{"x" * 20}" and is …{"x" * 20}more"'


def test_what_parts_early_is_told_from_its_beginning() -> None:
    """Nothing is left out without need."""
    difference = Difference("text", Change.CHANGED, "x" * 40, "x" * 30)
    assert told(difference) == f'text was "{"x" * 40}" and is "{"x" * 30}"'


def test_nothing_in_it_moves_the_cursor() -> None:
    """Values and names of members are whatever a client sends."""
    difference = Difference("a\x1b[2J", Change.CHANGED, "\x9b1A\u202e", "\ud800\n")
    assert told(difference) == 'a\\x1b[2J was "\\x9b1A\\x202e" and is "\\xd800\\n"'


def test_of_several_the_first_is_told_and_the_rest_counted() -> None:
    """A refusal is one sentence."""
    each = Difference("model", Change.CHANGED, 1, 2)
    assert [first_told([each] * count) for count in (1, 2, 3)] == [
        "model was 1 and is 2",
        "model was 1 and is 2, and 1 more difference",
        "model was 1 and is 2, and 2 more differences",
    ]
