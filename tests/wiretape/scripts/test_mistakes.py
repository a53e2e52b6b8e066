"""A mistake in a script is told with its line, and with what to write instead."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mistakes import EVERYTHING, MISTAKES

from wiretape.cli import main
from wiretape.scripts.layout import ScriptFault
from wiretape.scripts.reading import read_script


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told(name: str) -> None:
    """Which line, what is there, what is expected."""
    with pytest.raises(ScriptFault) as refused:
        read_script(MISTAKES[name].script)
    assert str(refused.value) == MISTAKES[name].told


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_whatever_is_broken_is_told(data: st.DataObject) -> None:
    """A slip of the keyboard anywhere in a script: it is read, or the line is told."""
    script = EVERYTHING
    start = data.draw(st.integers(0, len(script)))
    end = data.draw(st.integers(start, min(len(script), start + 12)))
    typed = data.draw(st.text("-:{}[]\"'|&*!#% \n\taz09", max_size=3))
    with suppress(ScriptFault):
        read_script(script[:start] + typed + script[end:])


@pytest.mark.parametrize("end", ["\r", "\x85", "\u2028"])
@pytest.mark.parametrize("mistake", ["  oops: 1", "  ]"])
def test_a_line_is_what_an_editor_counts(end: str, mistake: str) -> None:
    """YAML ends lines in more places than that."""
    before = f'wiretape_script: 1\ntape: {{made_by: "a{end}b"}}\nexchanges:\n- request: POST /\n'
    with pytest.raises(ScriptFault, match=r"^line 5: "):
        read_script(before + mistake)


def test_it_is_nested_too_deeply() -> None:
    """Brackets without end are no crash."""
    with pytest.raises(ScriptFault, match="nested too deeply"):
        read_script("wiretape_script: 1\nexchanges: " + "[" * 2000 + "]" * 2000)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"wiretape_script: 2\n", "line 1: it is in version 2 of the format, and this wiretape "),
        (b"wiretape_script: 1\n# \xff\n", " is no UTF-8 ("),
    ],
)
def test_a_command_says_the_file_and_the_line(
    content: bytes, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sentence on stderr, and the exit code of a tape that cannot be used."""
    path = tmp_path / "bad.script"
    path.write_bytes(content)
    with pytest.raises(SystemExit) as left:
        main(["show", str(path)])
    assert left.value.code == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"wiretape: {path}")
    assert told in line
