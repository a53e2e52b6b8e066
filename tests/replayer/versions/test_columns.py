"""The table of ``wiretape versions``, drawn from columns alone."""

from replayer.versions.columns import Column, table

LONG = "/opt/" + "codex/" * 20 + "codex"


def test_the_table_fits_a_terminal() -> None:
    """Long words stand below it, cut; a long path has a number, and is told whole at the end."""
    found = [
        Column("0.99.0", 0, 1.25, "Done.", 3, 1, 1, 2, 0, 1, 0),
        Column(LONG, None, 60.0, "x" * 100, 3, 0, 0, 2, 1, 0, 0, 'model was "a" and is "b"'),
        Column("1.2.3", trouble="npm knows no such version"),
    ]
    assert table(found) == [
        "            0.99.0  [2]       1.2.3",
        "outcome     exit 0  deadline  did not run",
        "time        1.2 s   60.0 s",
        "attempts    3       3",
        "retries     1       0",
        "fallback    yes     no",
        "exact       2       2",
        "different   0       1",
        "unexpected  1       0",
        "not asked   0       0",
        "",
        "final message",
        "  0.99.0  Done.",
        "  [2]     " + "x" * 69 + "…",
        "",
        "first difference",
        '  [2]  model was "a" and is "b"',
        "",
        "why it did not run",
        "  1.2.3  npm knows no such version",
        "",
        f"[2] is {LONG}",
    ]


def test_more_versions_than_fit_stand_in_another_table_below() -> None:
    """No line is longer than 80, and none of them is left out."""
    found = [Column(f"0.{number}.0-alpha.1", 0) for number in range(100, 108)]
    lines = table(found)
    assert max(map(len, lines)) <= 80
    heads = [line.split() for line in lines if "alpha" in line]
    assert heads == [
        [each.version for each in found[:4]],
        [each.version for each in found[4:]],
    ]
