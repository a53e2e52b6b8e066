"""JSON as a tree."""

from collections.abc import Callable
from pathlib import Path

from flask.testing import FlaskClient

from inspector_web.json_tree import Branch, tree_of
from inspector_web.json_view import Ink, Token


def note(text: str) -> tuple[Token, ...]:
    return (Token(Ink.NOTE, text),)


def test_members_and_elements_are_inside() -> None:
    """Each under its name or its number; what holds nothing is written as it is."""
    assert tree_of({"a": [1, "x"], "b": {}}) == Branch(
        "",
        note("2 members"),
        (
            Branch(
                "a",
                note("2 elements"),
                (
                    Branch("0", (Token(Ink.NUMBER, "1"),)),
                    Branch("1", (Token(Ink.STRING, '"x"'),)),
                ),
            ),
            Branch("b", (Token(Ink.SIGN, "{}"),)),
        ),
    )


def test_what_is_too_much_is_counted() -> None:
    """However many there are, and however deep they lie."""
    wide = tree_of(list(range(1_000_000)))
    assert (len(wide.inside), wide.left_out) == (2000, 998_000)
    deep: list[object] = []
    for _ in range(500):
        deep = [deep]
    branch, depth = tree_of(deep), 0
    while branch.inside:
        (branch,), depth = branch.inside, depth + 1
    assert (depth, branch.left_out) == (40, 1)


def test_a_long_text_is_cut() -> None:
    """The raw text has the rest."""
    cut = tree_of("x" * 300).brief
    assert [token.text for token in cut] == ['"' + "x" * 200, "… 100 more characters"]


def test_a_long_name_is_cut() -> None:
    """As a text is."""
    assert tree_of({"x" * 200: 1, "x" * 201: 2}).inside == (
        Branch("x" * 200, (Token(Ink.NUMBER, "1"),)),
        Branch("x" * 200 + "…", (Token(Ink.NUMBER, "2"),)),
    )


def test_an_event_is_shown_as_a_tree(rounds: Path, browse: Callable[..., FlaskClient]) -> None:
    """Beside the laid out JSON and the text as it crossed; hostile names stay text."""
    assert rounds.exists()
    page = browse().get("/tapes/rounds/exchanges/1/events/3").text
    for heading in ('id="pretty"', 'id="tree"', 'id="raw"'):
        assert heading in page
    assert '<span class="ink-key">response</span>' in page
