"""Recorded text made safe to read."""

import pytest

from inspector_web.visible import one_line, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("abc\u202edcba", "abc⟨U+202E⟩dcba"),
        ("\u2066isolated\u2069", "⟨U+2066⟩isolated⟨U+2069⟩"),
        ("\x1b[31mred", "⟨U+001B⟩[31mred"),
        ("bell\x07", "bell⟨U+0007⟩"),
        ("zero\u200bwidth", "zero⟨U+200B⟩width"),
        ("two\u2028lines", "two⟨U+2028⟩lines"),
        ("half \ud83d of a pair", "half ⟨U+D83D⟩ of a pair"),
        ("tag\U000e0041", "tag⟨U+E0041⟩"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, shown: str) -> None:
    """Controls, overrides, zero widths and broken surrogates become their code points."""
    assert visible(text) == shown


@pytest.mark.parametrize("text", ["naïve ✓ 漢字 עברית", "a\tb\nc", "👩‍💻", ""])
def test_what_can_be_seen_stays(text: str) -> None:
    """Letters of any script, emoji with their joiners, tabs and line feeds are left alone."""
    assert visible(text) == text


def test_one_line_joins_and_cuts() -> None:
    """White space becomes one space, and what is too long ends with an ellipsis."""
    assert one_line("a\n  b\tc", 10) == "a b c"
    assert one_line("abcdefgh", 8) == "abcdefgh"
    assert one_line("abcdefghi", 8) == "abcdefgh…"


def test_one_line_says_that_it_looked_at_a_part_only() -> None:
    """A text of which only the start was looked at is never shown as if it were whole."""
    assert one_line("a" + " " * 100 + "b", 10) == "a…"
