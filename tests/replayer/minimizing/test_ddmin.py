"""Delta debugging: what is left holds, and nothing of it can be spared."""

from collections.abc import Set

from hypothesis import given
from hypothesis import strategies as st

from replayer.minimizing.ddmin import smallest


def test_one_of_many_is_found_in_few_questions() -> None:
    """Halves first: a thousand units take some dozens of runs, not a thousand."""
    asked: list[tuple[int, ...]] = []

    def holds(kept: tuple[int, ...]) -> bool:
        asked.append(kept)
        return 700 in kept

    assert smallest(range(1000), holds) == (700,)
    assert len(asked) < 40


def test_what_is_needed_together_stays_together() -> None:
    """In its order."""
    assert smallest(range(100), lambda kept: {3, 50, 97} <= set(kept)) == (3, 50, 97)


def test_nothing_is_needed_where_nothing_holds_too() -> None:
    """The first question is the cheapest."""
    assert smallest("abc", lambda _: True) == ()
    assert smallest((), lambda _: False) == ()


def test_what_needs_all_keeps_all() -> None:
    """However often it is asked for less."""
    assert smallest("abcd", lambda kept: len(kept) == 4) == ("a", "b", "c", "d")


@given(st.integers(0, 12), st.lists(st.frozensets(st.integers(0, 11)), max_size=6))
def test_nothing_of_what_is_left_can_be_spared(size: int, enough: list[Set[int]]) -> None:
    """Whatever holds, be it or not that more of it holds too; and nothing is asked twice."""
    units = tuple(range(size))
    asked: list[tuple[int, ...]] = []

    def is_enough(kept: tuple[int, ...]) -> bool:
        return kept == units or set(kept) in enough

    def holds(kept: tuple[int, ...]) -> bool:
        asked.append(kept)
        return is_enough(kept)

    left = smallest(units, holds)
    assert is_enough(left)
    assert not any(is_enough(left[:at] + left[at + 1 :]) for at in range(len(left)))
    assert len(asked) == len(set(asked))
