"""Fragments of calls become whole calls (document 000 §11.5)."""

from itertools import permutations
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiretape.chat.items import Skipped, SkipReason
from wiretape.chat.tool_calls import ToolCall, ToolCalls, call_item


def piece(arguments: str | None = None, name: str | None = None, **fields: object) -> object:
    """One entry of a ``delta.tool_calls``."""
    function = {"name": name, "arguments": arguments}
    return {**fields, "function": {k: v for k, v in function.items() if v is not None}}


def calls_of(*pieces: object) -> list[ToolCall]:
    """The calls that ``pieces`` make."""
    calls = ToolCalls()
    for each in pieces:
        calls.add(each)
    return list(calls.take())


def test_11_5_1_pieces_of_one_index_are_one_call() -> None:
    """The usual stream: id and name first, then arguments by index alone."""
    assert calls_of(
        piece("", name="ls", index=0, id="a"),
        piece('{"x"', index=0),
        piece(":1}", index=0),
    ) == [ToolCall(0, "a", "ls", '{"x":1}')]


def test_11_5_1_interleaved_indices_are_kept_apart() -> None:
    """Two calls may take turns."""
    assert calls_of(
        piece("1", name="f", index=0, id="a"),
        piece("3", name="g", index=1, id="b"),
        piece("2", index=0),
        piece("4", index=1),
    ) == [ToolCall(0, "a", "f", "12"), ToolCall(1, "b", "g", "34")]


@pytest.mark.parametrize("index", [-1, 1.0, "1", True, None, 2**64])
def test_11_5_1_only_a_whole_number_without_sign_is_an_index(index: object) -> None:
    """Anything else counts as missing, and the piece goes to the call spoken of last."""
    assert calls_of(piece("1", name="f", index=7, id="a"), piece("2", index=index)) == [
        ToolCall(7, "a", "f", "12")
    ]


def test_11_5_2_a_known_id_wins_over_the_index() -> None:
    """A server that counts pieces instead of calls is understood by the id."""
    assert calls_of(
        piece("1", name="f", index=0, id="a"),
        piece("2", index=1, id="a"),
    ) == [ToolCall(0, "a", "f", "12")]


def test_11_5_2_an_id_is_known_by_the_index_that_it_first_came_with() -> None:
    """A second id at the same index leads there too, though the call keeps the first."""
    assert calls_of(
        piece("1", name="f", index=0, id="a"),
        piece("2", index=0, id="b"),
        piece("3", index=5, id="b"),
    ) == [ToolCall(0, "a", "f", "123")]


def test_11_5_2_an_id_without_an_index_is_enough() -> None:
    """Pieces that say only which id they are of."""
    assert calls_of(
        piece("1", name="f", id="a"),
        piece("3", name="g", id="b"),
        piece("2", id="a"),
    ) == [ToolCall(0, "a", "f", "12"), ToolCall(1, "b", "g", "3")]


def test_11_5_3_a_piece_with_neither_goes_to_the_last_call() -> None:
    """The last one spoken of, not the last one begun."""
    assert calls_of(
        piece("1", name="f", index=0),
        piece("3", name="g", index=1),
        piece("", index=0),
        piece("2"),
    ) == [ToolCall(0, None, "f", "12"), ToolCall(1, None, "g", "3")]


def test_11_5_3_a_new_id_without_an_index_does_not_go_to_the_last_call() -> None:
    """The fallback is for pieces that have neither."""
    assert calls_of(piece("1", name="f", index=0, id="a"), piece("2", name="g", id="b")) == [
        ToolCall(0, "a", "f", "1"),
        ToolCall(1, "b", "g", "2"),
    ]


def test_11_5_4_the_first_piece_may_have_neither() -> None:
    """With no call to go to, it begins one."""
    assert calls_of(piece("1", name="f"), piece("2")) == [ToolCall(0, None, "f", "12")]


def test_11_5_4_a_new_index_skips_those_taken() -> None:
    """It counts up from 0, past the indices that the server has used."""
    assert calls_of(
        piece("1", name="f", index=0),
        piece("2", name="g", index=1),
        piece("3", name="h", id="c"),
        piece("4", name="i", id="d"),
    )[2:] == [ToolCall(2, "c", "h", "3"), ToolCall(3, "d", "i", "4")]


def test_11_5_calls_come_in_the_order_of_their_first_pieces() -> None:
    """Not in the order of their indices."""
    found = calls_of(piece(name="g", index=4), piece(name="f", index=2), piece("1", index=4))
    assert [call.name for call in found] == ["g", "f"]


def test_11_5_the_first_id_stays() -> None:
    """It may come late, and is not replaced."""
    assert calls_of(
        piece("1", name="f", index=0), piece("2", index=0, id="a"), piece("3", index=0, id="b")
    ) == [ToolCall(0, "a", "f", "123")]


def test_11_5_the_first_name_that_is_not_empty_stays() -> None:
    """An empty one does not count, a later one does not replace it."""
    assert calls_of(
        piece(index=0, name=""), piece(index=0, name="f"), piece(index=0, name="g")
    ) == [ToolCall(0, None, "f", "")]


def test_11_5_an_empty_name_is_none() -> None:
    """A call that only ever gave one is as nameless as one that gave none."""
    assert calls_of(piece("{}", index=0, name="")) == [ToolCall(0, None, None, "{}")]


def test_11_5_arguments_that_are_no_string_add_nothing() -> None:
    """Only strings are appended."""
    odd = {"index": 0, "function": {"name": "f", "arguments": {"x": 1}}}
    assert calls_of(odd, piece("{}", index=0)) == [ToolCall(0, None, "f", "{}")]


@pytest.mark.parametrize("odd", [None, 1, "x", [], {}, {"function": 1}, {"id": 1, "index": "0"}])
def test_11_5_an_odd_piece_still_makes_a_call(odd: object) -> None:
    """It counts as a piece that says nothing: the call exists, without a name."""
    assert calls_of(odd) == [ToolCall(0, None, None, "")]


def test_11_5_taken_calls_are_gone() -> None:
    """A second flush hands up only what came since."""
    calls = ToolCalls()
    calls.add(piece("1", name="f", index=0, id="a"))
    assert calls.take() == (ToolCall(0, "a", "f", "1"),)
    assert calls.take() == ()


def test_11_5_an_id_is_known_after_its_call_was_taken() -> None:
    """Its index is used again, for a new call."""
    calls = ToolCalls()
    calls.add(piece("1", name="f", index=3, id="a"))
    calls.take()
    calls.add(piece("2", name="g", index=0, id="a"))
    assert calls.take() == (ToolCall(3, "a", "g", "2"),)


def test_11_5_looking_at_open_calls_leaves_them_open() -> None:
    """They can still be taken."""
    calls = ToolCalls()
    calls.add(piece("1", name="f", index=0))
    assert calls.open_calls() == (ToolCall(0, None, "f", "1"),)
    assert calls.take() == (ToolCall(0, None, "f", "1"),)


def test_11_5_a_call_becomes_a_function_call() -> None:
    """With the id that the server gave."""
    assert call_item(ToolCall(0, "a", "f", "{}")) == {
        "type": "function_call",
        "name": "f",
        "arguments": "{}",
        "call_id": "a",
    }


def test_11_5_a_call_without_an_id_is_named_after_its_index() -> None:
    """``tool-call-`` and the index."""
    assert call_item(ToolCall(3, None, "f", "{}")) == {
        "type": "function_call",
        "name": "f",
        "arguments": "{}",
        "call_id": "tool-call-3",
    }


def test_11_5_an_empty_id_is_an_id() -> None:
    """Only a missing one gets a stand-in."""
    assert call_item(ToolCall(0, "", "f", "{}")) == {
        "type": "function_call",
        "name": "f",
        "arguments": "{}",
        "call_id": "",
    }


def test_11_5_a_call_without_a_name_is_skipped() -> None:
    """Its arguments are kept."""
    assert call_item(ToolCall(0, "a", None, "{}")) == Skipped(SkipReason.NAMELESS_CALL, "{}")


SPLITS = st.lists(st.text(), min_size=1, max_size=6)


@given(SPLITS, st.sampled_from([{"index": 0}, {"id": "a"}, {"index": 0, "id": "a"}, {}]))
def test_any_split_of_the_arguments_gives_the_same_call(
    fragments: list[str], address: dict[str, Any]
) -> None:
    """However the later pieces say which call they are of."""
    first = piece("", name="f", index=0, id="a")
    rest = [piece(fragment, **address) for fragment in fragments]
    assert calls_of(first, *rest) == [ToolCall(0, "a", "f", "".join(fragments))]


@given(SPLITS, SPLITS, st.randoms(use_true_random=False))
def test_any_interleaving_of_two_calls_gives_the_same_calls(
    ours: list[str], theirs: list[str], random: Random
) -> None:
    """Each call's pieces in their order, the two calls in any."""
    turns = [0] * len(ours) + [1] * len(theirs)
    random.shuffle(turns)
    left = [iter(ours), iter(theirs)]
    pieces = [piece(next(left[turn]), index=turn) for turn in turns]
    begun = [piece(name="f", index=0, id="a"), piece(name="g", index=1, id="b")]
    assert calls_of(*begun, *pieces) == [
        ToolCall(0, "a", "f", "".join(ours)),
        ToolCall(1, "b", "g", "".join(theirs)),
    ]


def test_the_order_of_calls_is_that_of_their_first_pieces_always() -> None:
    """For every order of three indices."""
    for order in permutations(range(3)):
        found = calls_of(*(piece(name="f", index=index) for index in order))
        assert [call.index for call in found] == list(order)
