"""docs/faults.md says what is so."""

import re

from declared import REPOSITORY

from replayer.faults.actions import ACTIONS
from replayer.matrix.sets import SETS, set_of_lines

DOCUMENT = (REPOSITORY / "docs" / "faults.md").read_text("utf-8")


def test_the_table_of_actions() -> None:
    """Every action, what it takes, what it does, and over what."""
    rows = re.findall(r"^\| `([^`]+)` \| (.+) \| (both|HTTP|WebSocket) \|$", DOCUMENT, re.M)
    written = [
        (
            name + ("" if not action.takes else _taken(action.takes)),
            action.does,
            str(action.over),
        )
        for name, action in ACTIONS.items()
    ]
    assert rows == written


def _taken(takes: str) -> str:
    """`=CODE`, or `[=CODE]` where it may be left out."""
    return f"[={takes[1:]}" if takes.startswith("[") else f"={takes}"


def test_the_examples() -> None:
    """Every fault that is written there makes sense, and so does every set."""
    faults = re.findall(r"--fault '?([^\s'`]+)", DOCUMENT)
    assert len(faults) == 5
    assert len(set_of_lines(faults)) == 5
    [lines] = re.findall(r"^```text\n(# What.*?)^```", DOCUMENT, re.M | re.S)
    assert [len(case.faults) for case in set_of_lines(lines.split("\n"))] == [1, 2]
    assert all(f"`{name}`" in DOCUMENT for name in SETS)
