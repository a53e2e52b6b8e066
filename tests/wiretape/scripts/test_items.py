"""Runs of simple list members are read as YAML would read them."""

import pytest

from wiretape.scripts import layout
from wiretape.scripts.layout import ScriptFault, parse_layout

RUN = """\
steps:
- wait_ms: 1.5
- {"type": "a"}
- client: {"b": [1, 2]}
- 7
- chunk: {"c": 1}
"""
TEXT = """\
a: |
  - {"x": 1}
  - {"x": 2}

  - {"x": 3}
  - {"x": 4}
  - {"x": 5}
  - {"x": 6}
b:
- 1
- 2
- 3
- 4
"""


@pytest.mark.parametrize(
    "text",
    [
        RUN,
        RUN + "  more: 1\n",
        RUN + "# nothing\n- 8\n- 9\n- 10\n- 11\nend: reset\n",
        RUN.replace("\n", "\r\n"),
        RUN.replace("\n- ", "\n  - "),
        TEXT,
        TEXT.replace("|", ">"),
        "- 1\n- 2\n- 3\n- 4\n-\n  - 5\n  - 6\n  - 7\n  - 8\n",
    ],
)
def test_a_run_is_what_its_lines_are(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same tree, with the same lines, wherever the members stand."""
    found = parse_layout(text)
    monkeypatch.setattr(layout, "without_runs", lambda lines, *_: (lines, {}))
    assert parse_layout(text) == found


@pytest.mark.parametrize("mistake", ["- 5: [\n", "a: 1\n", "  - 5\n", "\t- 5\n"])
def test_a_mistake_is_told_as_it_stands(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its line, and in the same words."""
    text = RUN + mistake + RUN
    with pytest.raises(ScriptFault) as found:
        parse_layout(text)
    monkeypatch.setattr(layout, "without_runs", lambda lines, *_: (lines, {}))
    with pytest.raises(ScriptFault) as expected:
        parse_layout(text)
    assert str(found.value) == str(expected.value)
