"""Rules by which differences are ignored."""

import pytest

from wiretape.errors import UsageError
from wiretape.ignoring import Ignored, Rule, all_rules, rules_in


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("tools", "tools"),
        ("tools", "tools[3].description"),
        ("tools[3]", "tools[3]"),
        ("input[*].id", "input[12].id"),
        ("input[*]", "input[0].content[1].text"),
        ("headers.x-*", "headers.x-codex-beta-features"),
        ("*.id", "answer.id"),
        ("answer.output[*].*", "answer.output[0].text"),
    ],
)
def test_a_rule_ignores_what_it_names_and_all_in_it(rule: str, path: str) -> None:
    """A star stands for anything within one step."""
    assert Ignored((Rule(rule),)).holds(path)


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("tools", "tool"),
        ("tools", "tools_used"),
        ("tool", "tools"),
        ("tools[3]", "tools[31]"),
        ("input[*].id", "input[1].content[0].id"),
        ("id", "input[0].id"),
        ("input[*]", "input"),
        ("headers.x-*", "headers.accept"),
        ("headers.a.b", "headers.a-b"),
    ],
)
def test_a_rule_ignores_nothing_else(rule: str, path: str) -> None:
    """Neither what is called alike nor what it is in."""
    assert not Ignored((Rule(rule),)).holds(path)


@pytest.mark.parametrize("path", ["", "$.input", "$[0]", "/input/0", ".tools", "input[0", "a]"])
def test_what_is_no_place_is_refused(path: str) -> None:
    """Other tools write their paths in other ways: it says how they are written here."""
    with pytest.raises(UsageError) as refused:
        all_rules([path], [])
    assert str(refused.value) == (
        f"{path!r} (--ignore) is no place that a report could name: write it as reports do, like "
        "tools, input[*].id or headers.x-*."
    )


def test_a_file_with_such_a_rule_is_named() -> None:
    """With the line."""
    with pytest.raises(UsageError, match=r"'\$\.x' \(bug\.ignore, line 2\) is no place"):
        all_rules([], [("tools\n$.x\n", "bug.ignore")])


def test_a_file_holds_a_rule_on_each_line() -> None:
    """Comments and empty lines are none; each knows its line."""
    text = "# of the client\ntools\n\n  input[*].id   # new each time\nheaders.x-#1\n"
    assert list(rules_in(text, "bug.db.ignore")) == [
        Rule("tools", "bug.db.ignore, line 2"),
        Rule("input[*].id", "bug.db.ignore, line 4"),
        Rule("headers.x-#1", "bug.db.ignore, line 5"),
    ]


def test_a_rule_that_never_matched_is_told() -> None:
    """With its place; one that did is not."""
    ignored = all_rules(["tools", "tolls"], [("reasoning", "bug.db.ignore")])
    assert ignored.holds("tools[0].name")
    assert not ignored.holds("model")
    assert list(ignored.unmatched()) == [
        "nothing was ignored by 'tolls' (--ignore): check its spelling.",
        "nothing was ignored by 'reasoning' (bug.db.ignore, line 1): check its spelling.",
    ]
