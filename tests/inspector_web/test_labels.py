"""Where the words of a drawing stand, on three kinds of screen, without a browser."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector_web.labels import (
    LEAST_PX,
    Label,
    Look,
    Place,
    Wish,
    axis_labels,
    placed,
    width_px,
)
from inspector_web.window import View, axis_of

FLAG = (Place.BESIDE, Place.LEFT, Place.RIGHT)
WISHES = st.lists(
    st.builds(
        Wish,
        st.floats(0, 100),
        st.sampled_from(["✓", "✕ 1011", "✕ not reached", "silent 3.0 s", "reasoning 12.3 s"]),
        st.sampled_from(Look),
        st.permutations(FLAG).map(tuple),
    ),
    max_size=8,
)


def flag(x: float, text: str = "✕ 1011", until: float = 100.0) -> Wish:
    return Wish(x, text, Look.FLAG, FLAG, until=until)


def places(*wishes: Wish) -> list[tuple[Place, Place, Place]]:
    return [(each.phone, each.tablet, each.desk) for each in placed(wishes)]


def extent(label: Label, place: Place, plot_px: float) -> tuple[bool, float, float]:
    """The line, and from where to where, in pixels, as the stylesheet draws it."""
    wide = width_px(label.text, label.look)
    shift = {Place.BESIDE: 5.0, Place.MIDDLE: -wide / 2, Place.LEFT: -wide - 4, Place.RIGHT: 0.0}
    start = label.x * plot_px / 100 + shift[place]
    return place is Place.BESIDE, start, start + wide


def test_words_stand_beside_their_point_where_there_is_room() -> None:
    """On every screen."""
    assert places(flag(50)) == [(Place.BESIDE, Place.BESIDE, Place.BESIDE)]


def test_words_near_the_right_edge_go_below_and_to_the_left() -> None:
    """On the screens on which they would not fit."""
    assert places(flag(90)) == [(Place.LEFT, Place.BESIDE, Place.BESIDE)]


def test_words_keep_off_what_begins_after_their_point() -> None:
    """A bar that begins where nothing fits before it leaves them the line below."""
    assert places(flag(40, until=53)) == [(Place.LEFT, Place.BESIDE, Place.BESIDE)]


def test_who_comes_first_has_its_place_first() -> None:
    """The others take what is left, or are left out on that screen."""
    assert places(flag(50), flag(51), flag(50), flag(52)) == [
        (Place.BESIDE, Place.BESIDE, Place.BESIDE),
        (Place.LEFT, Place.LEFT, Place.LEFT),
        (Place.RIGHT, Place.RIGHT, Place.RIGHT),
    ]


def test_words_without_a_place_anywhere_are_left_out() -> None:
    """They are said elsewhere."""
    assert placed([Wish(10, "text 12 ms", Look.IN, (Place.BESIDE,), until=11)]) == ()


@given(WISHES)
def test_no_words_touch_on_any_screen(wishes: list[Wish]) -> None:
    """Nor do they leave the plot by more than the margin around it."""
    labels = placed(wishes)
    for at, least_px in enumerate(LEAST_PX):
        for plot_px in (least_px, least_px + 170, 2 * least_px):
            drawn = [
                extent(label, place, plot_px)
                for label in labels
                if (place := (label.phone, label.tablet, label.desk)[at]) is not Place.NONE
            ]
            assert all(start >= -8.01 and end <= plot_px + 8.01 for _, start, end in drawn)
            for (line, start, end), (other_line, other_start, other_end) in combinations(drawn, 2):
                assert line != other_line or end <= other_start or other_end <= start


@pytest.mark.parametrize(
    ("view", "phone", "desk"),
    [
        (View(0, 14_500_000), "0 2 s 4 s 6 s 8 s 10 s 12 s 14 s", 15),
        (View(793_500, 807_500), "796 ms 800 ms 804 ms", 14),
        (View(0, 1_450_000_000), "0 4 min 8 min 12 min 16 min 20 min", 12),
        (View(90_000_000, 360_000_000), "2 min 3 min 4 min 5 min", 4),
    ],
)
def test_an_axis_is_written_in_round_steps(view: View, phone: str, desk: int) -> None:
    """So that times have room, and none is left out of a row of them."""
    labels = axis_labels(axis_of(view))
    assert " ".join(each.text for each in labels if each.phone is not Place.NONE) == phone
    assert sum(each.desk is not Place.NONE for each in labels) == desk


def test_times_at_the_edges_are_left_out() -> None:
    """They would leave the page; the others keep their stride."""
    labels = axis_labels(axis_of(View(10_000_000, 24_000_000)))
    assert [each.desk for each in labels] == [Place.NONE, *[Place.MIDDLE] * 13, Place.NONE]
