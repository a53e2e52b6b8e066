"""Where two texts part."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector_web.parted import Run, parted


def marked(runs: tuple[Run, ...]) -> str:
    """The runs as a line: what differs in brackets, what is left out as its number."""
    return "".join(
        (f"[{run.text}]" if run.differs else run.text) + (f"…{run.left_out}" * bool(run.left_out))
        for run in runs
    )


@pytest.mark.parametrize(
    ("a", "b", "told_a", "told_b"),
    [
        ("Fix the build.", "Fix the bells.", "Fix the [build].", "Fix the [bells]."),
        ("one two three", "one three", "one [two ]three", "one []three"),
        ("same", "same and more", "same[]", "same[ and more]"),
        ("", "new", "[]", "[new]"),
        ("same", "same", "same", "same"),
        (
            "In /home/ann/work, ask before you write.",
            "In /home/bob/work, ask before they write.",
            "In /home/[ann]/work, ask before [you] write.",
            "In /home/[bob]/work, ask before [they] write.",
        ),
        ("a\nb\nc\nd", "a\nB\nc\nD", "a\n[b\n]c\n[d]", "a\n[B\n]c\n[D]"),
        ("f(x, y)", "g(z, w)", "[f(x, y])", "[g(z, w])"),
    ],
)
def test_the_words_that_differ_are_marked(a: str, b: str, told_a: str, told_b: str) -> None:
    """Each alone, however many there are; signs alone between two changes belong to them."""
    assert tuple(map(marked, parted(a, b))) == (told_a, told_b)


def test_what_is_shared_is_cut() -> None:
    """To what stands beside a change, with the count of the rest: before, between and after."""
    a, _ = parted("one" + "-" * 400 + "two" + "-" * 200, "1" + "-" * 400 + "2" + "-" * 200)
    line = "-" * 160
    assert marked(a) == f"[one]{line}…80{line}[two]{line}…40"
    b, _ = parted("-" * 200 + "one", "-" * 200 + "two")
    assert marked(b) == f"…40{line}[one]"


def test_a_long_difference_is_cut() -> None:
    """With a count of what is left out, and at once."""
    a, b = parted("a" * 20_000_000, "b")
    assert (len(a[0].text), a[0].left_out) == (1500, 19_998_500)
    assert marked(b) == "[b]"


def test_many_differences_are_cut() -> None:
    """What is shown of one text has an end."""
    a, _ = parted(
        *("".join(f"{'word' * 9} {each} {n} " * 9 for n in range(15)) for each in ("one", "two"))
    )
    assert sum(len(run.text) for run in a) < 6000
    assert a[-1].left_out > 0


@given(st.text("ab -\n", max_size=60), st.text("ab -\n", max_size=60))
def test_nothing_is_lost(a: str, b: str) -> None:
    """Short texts are shown whole, and what is not marked is the same on both sides."""
    runs = parted(a, b)
    assert tuple("".join(run.text for run in side) for side in runs) == (a, b)
    shared = [[run.text for run in side if not run.differs] for side in runs]
    assert shared[0] == shared[1]


@pytest.mark.parametrize("filler", ["Be brief. " * 2000, " ".join(map(str, range(5000)))])
def test_changes_far_apart_are_two(filler: str) -> None:
    """However long the line is that they stand on, and whether its words are all alike or not."""
    a, _ = parted(
        f"I am ann. {filler} Think before you go.", f"I am bob. {filler} Think before I go."
    )
    assert [run.text.strip() for run in a if run.differs] == ["ann", "you"]
