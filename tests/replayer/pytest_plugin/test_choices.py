"""What a test asks for, by its marker, its place and the command line."""

from pathlib import Path
from typing import Any

import pytest

from replayer.pytest_plugin.choices import Choice, Mode, choose, default_tape
from wiretape.errors import UsageError

TEST = Path("/project/tests/test_agent.py")


def chosen(mode: str | None = None, *arguments: Any, **options: Any) -> Choice:
    return choose(TEST, "test_hello", mode, arguments, options)


def test_the_tape_lies_beside_the_test() -> None:
    """In ``tapes/``, in a folder of the file's name."""
    assert chosen().tape == Path("/project/tests/tapes/test_agent/test_hello.db")


def test_a_named_tape_is_found_from_the_tests_folder() -> None:
    """Wherever pytest is started."""
    assert chosen(None, "bugs/stall.db").tape == Path("/project/tests/bugs/stall.db")


def test_an_absolute_tape_is_where_it_is() -> None:
    """A path that needs no folder gets none."""
    assert chosen(None, tape=Path("/elsewhere/stall.db")).tape == Path("/elsewhere/stall.db")


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("test_hello", "test_hello.db"),
        ("TestAgent.test_hello", "TestAgent.test_hello.db"),
        ("test_hello[a/b]", "test_hello-a-b-8da15e.db"),
        ("test_hello[a-b]", "test_hello-a-b-4dafb7.db"),
    ],
)
def test_a_name_that_is_no_file_name_is_made_one(name: str, file: str) -> None:
    """What was left out is told apart by a digest."""
    assert default_tape(TEST, name).name == file


def test_a_long_name_is_cut() -> None:
    """To what every file system can hold."""
    assert len(default_tape(TEST, "test_" + "x" * 400).name) == 80 + len("-123456.db")


@pytest.mark.parametrize(
    ("line", "marker", "mode"),
    [
        (None, None, Mode.NONE),
        (None, "once", Mode.ONCE),
        ("none", "once", Mode.NONE),
        ("all", "none", Mode.ALL),
    ],
)
def test_the_command_line_wins(line: str | None, marker: str | None, mode: Mode) -> None:
    """Over the marker; without either nothing is recorded."""
    assert chosen(line, record=marker).mode is mode


@pytest.mark.parametrize(
    ("mode", "is_there", "records"),
    [
        (Mode.NONE, False, False),
        (Mode.NONE, True, False),
        (Mode.ONCE, False, True),
        (Mode.ONCE, True, False),
        (Mode.ALL, False, True),
        (Mode.ALL, True, True),
    ],
)
def test_once_records_where_there_is_no_tape(
    tmp_path: Path, mode: Mode, is_there: bool, records: bool
) -> None:
    """``none`` never records, ``all`` always."""
    tape = tmp_path / "tape.db"
    if is_there:
        tape.touch()
    assert mode.records(tape) is records


def test_everything_else_is_the_markers() -> None:
    """Where the model is, which sessions, how strictly, how fast, how bent; what may be several
    needs no list."""
    assert chosen(
        None,
        base_url="http://127.0.0.1:1/v1",
        session="0199",
        strict=True,
        speed=2.0,
        ignore="tools",
        transport="sse",
        tools="recorded",
        fault=["1:cut", "2:reset"],
    ) == Choice(
        "test_agent.py::test_hello",
        Path("/project/tests/tapes/test_agent/test_hello.db"),
        Mode.NONE,
        "http://127.0.0.1:1/v1",
        ("0199",),
        True,
        2.0,
        ("tools",),
        "sse",
        "recorded",
        ("1:cut", "2:reset"),
    )


def test_a_misspelt_option_is_named() -> None:
    """With those that there are."""
    with pytest.raises(UsageError) as raised:
        chosen(None, stict=True)
    assert str(raised.value).startswith("@pytest.mark.wiretape of test_hello cannot be read: ")
    assert "'stict'" in str(raised.value)
    assert "record=…, base_url=…, session=…, strict=…, speed=…, ignore=…" in str(raised.value)


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("record", "twice", "record='twice': say one of 'none', 'once', 'all'."),
        ("transport", "http", "transport='http': say one of 'recorded', 'sse', 'websocket'."),
        ("tools", "off", "tools='off': say one of 'run', 'recorded'."),
    ],
)
def test_an_unknown_choice_is_named(option: str, value: str, told: str) -> None:
    """With those that there are."""
    with pytest.raises(UsageError) as raised:
        chosen(None, **{option: value})
    assert str(raised.value) == f"@pytest.mark.wiretape of test_hello says {told}"
