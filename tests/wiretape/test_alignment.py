"""Members of two sequences that belong together, whatever stands between them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiretape.alignment import Keys, Places, aligned


def words(text: str) -> list[Keys]:
    """Each word is a member, told by all of itself, else by its first letter."""
    return [(word, word[0]) for word in text.split()]


@pytest.mark.parametrize(
    ("left", "right", "places"),
    [
        ("", "", []),
        ("a b", "a b", [(0, 0), (1, 1)]),
        ("a", "", [(0, None)]),
        ("", "a", [(None, 0)]),
        ("a b c", "a c", [(0, 0), (1, None), (2, 1)]),
        ("a c", "a b c", [(0, 0), (None, 1), (1, 2)]),
        ("a b c", "a x c", [(0, 0), (1, None), (None, 1), (2, 2)]),
        ("a b1 c", "a b2 c", [(0, 0), (1, 1), (2, 2)]),
        ("a b1 x1", "a y b2", [(0, 0), (None, 1), (1, 2), (2, None)]),
        ("b1 b2", "b2", [(0, None), (1, 0)]),
        ("b1 b2", "b3 b4 b5", [(0, 0), (1, 1), (None, 2)]),
    ],
)
def test_who_belongs_to_whom(left: str, right: str, places: list[Places]) -> None:
    """First by all of it, then what is left by less of it; the rest stands alone."""
    assert list(aligned(words(left), words(right))) == places


keys = st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=12)


@given(keys, keys)
def test_every_member_is_told_once_and_in_order(left: list[Keys], right: list[Keys]) -> None:
    """Nobody is lost, doubled or passed by; who is paired shares a key."""
    places = list(aligned(left, right))
    assert [one for one, _ in places if one is not None] == list(range(len(left)))
    assert [other for _, other in places if other is not None] == list(range(len(right)))
    for one, other in places:
        if one is not None and other is not None:
            assert any(a == b for a, b in zip(left[one], right[other], strict=True))


@given(keys)
def test_a_sequence_belongs_to_itself(same: list[Keys]) -> None:
    """Member by member."""
    assert list(aligned(same, same)) == [(at, at) for at in range(len(same))]


def test_a_long_sequence_is_paired_where_it_is_equal() -> None:
    """Beyond what is aligned, the same places are compared."""
    left: list[Keys] = [(at,) for at in range(1000)]
    right: list[Keys] = [(-1,), *left[1:-1], (-2,)]
    paired = [places for places in aligned(left, right) if None not in places]
    assert paired == [(at, at) for at in range(1, 999)]
