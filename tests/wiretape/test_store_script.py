"""A script is opened as the tape that it stands for."""

from pathlib import Path

import pytest

from wiretape.errors import NotATape
from wiretape.store_reader import TapeReader

SCRIPT = "# Mine.\nwiretape_script: 1\nexchanges:\n- request: POST /v1/responses\n"


def targets(path: Path) -> list[str]:
    with TapeReader(path) as reader:
        return [exchange.request.target for exchange in reader.exchanges()]


def test_its_name_does_not_matter(tmp_path: Path) -> None:
    """What it says near its beginning does."""
    path = tmp_path / "bug.yaml"
    path.write_text(SCRIPT)
    assert targets(path) == ["/v1/responses"]


def test_a_changed_script_is_read_anew(tmp_path: Path) -> None:
    """Whoever edits one sees what came of it, in a program that goes on."""
    path = tmp_path / "bug.script"
    path.write_text(SCRIPT)
    assert len(targets(path)) == 1
    path.write_text(SCRIPT + "- request: POST /v1/chat/completions\n")
    assert targets(path) == ["/v1/responses", "/v1/chat/completions"]


def test_another_text_is_no_tape(tmp_path: Path) -> None:
    """Though it speaks of scripts."""
    path = tmp_path / "notes.txt"
    path.write_text("I tried `wiretape_script: 1` yesterday.\n" * 100)
    with pytest.raises(NotATape):
        targets(path)


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """The tape that stands for it is in memory."""
    path = tmp_path / "bug.script"
    path.write_text(SCRIPT)
    targets(path)
    assert list(tmp_path.iterdir()) == [path]
