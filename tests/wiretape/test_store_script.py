"""A script is opened as the tape that it stands for."""

from pathlib import Path

import pytest
from tapes import Recording, create

from wiretape.errors import BadScript, NotATape
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


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + SCRIPT,
        "#" + "-" * 5_000 + "\n" + SCRIPT,
        SCRIPT.replace("wiretape_script", '"wiretape_script"'),
        '{"wiretape_script": 1, "exchanges": [{"request": "POST /v1/responses"}]}',
        '{\n "wiretape_script": 1,\n "exchanges": [\n  {"request": "POST /v1/responses"}\n ]\n}\n',
    ],
    ids=["a mark of its order", "a long comment", "in quotes", "JSON", "JSON on many lines"],
)
def test_a_script_is_known_however_it_is_written(text: str, tmp_path: Path) -> None:
    """What an editor puts in front, and what another program writes, is no reason."""
    path = tmp_path / "bug.yaml"
    path.write_text(text, "utf-8")
    assert targets(path) == ["/v1/responses"]


def test_what_is_called_a_script_is_read_as_one(tmp_path: Path) -> None:
    """So that it is told what is missing; a tape is a tape by any name."""
    path = tmp_path / "bug.script"
    path.write_text("exchanges: []\n")
    with pytest.raises(BadScript, match="line 1: `wiretape_script: …` is missing here"):
        targets(path)
    tape = Recording()
    tape.post(create("a"))
    assert targets(tape.write(tmp_path / "tape.script")) == ["/v1/responses"]


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
