"""Which tapes there are, and what they are called in an address."""

from pathlib import Path

import pytest

from inspector_web.library import Library
from wiretape.errors import TapeMissing


def test_a_folder_is_looked_up_anew(tmp_path: Path) -> None:
    """A tape that is made later is there at the next look; other files are not."""
    library = Library([tmp_path])
    assert library.tapes() == {}
    (tmp_path / "b.db").touch()
    (tmp_path / "a.db").touch()
    (tmp_path / "a.db-wal").touch()
    assert library.tapes() == {"a": tmp_path / "a.db", "b": tmp_path / "b.db"}


def test_folders_are_looked_through(tmp_path: Path) -> None:
    """A tape that has a folder of its own is called by it."""
    for name in ("one/tape.db", "two/tape.db", "two/more.db"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert Library([tmp_path]).tapes() == {
        "one": tmp_path / "one/tape.db",
        "more": tmp_path / "two/more.db",
        "two": tmp_path / "two/tape.db",
    }


def test_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    """The first keeps the name; the other's depends on its own path alone."""
    one, two = tmp_path / "one" / "bug.db", tmp_path / "two" / "bug.db"
    for path in (one, two):
        path.parent.mkdir()
        path.touch()
    names = list(Library([one, two]).tapes())
    assert names[0] == "bug"
    assert names[1].startswith("bug~")
    assert list(Library([one, two.parent]).tapes()) == names


def test_a_path_given_twice_is_one_tape(tmp_path: Path) -> None:
    """As a file and as one of its folder."""
    path = tmp_path / "bug.db"
    path.touch()
    assert list(Library([path, tmp_path]).tapes().values()) == [path]


@pytest.mark.parametrize("name", ["..db", "...db", ".db"])
def test_a_name_that_no_address_can_hold_is_replaced(tmp_path: Path, name: str) -> None:
    """Browsers would walk up at ``.`` and ``..``."""
    (tmp_path / name).touch()
    (found,) = Library([tmp_path / name]).tapes()
    assert "~" in found


def test_a_file_name_that_is_no_text_has_a_name(tmp_path: Path) -> None:
    """Whatever bytes a file is called by, the list can be shown."""
    path = tmp_path / "caf\udce9.db"
    path.touch()
    assert list(Library([tmp_path]).tapes()) == ["caf\ufffd"]


def test_a_missing_path_is_refused(tmp_path: Path) -> None:
    """Before anything is served."""
    with pytest.raises(TapeMissing, match=r"there is no tape at .*nowhere"):
        Library([tmp_path / "nowhere"])


def test_an_unknown_name_is_refused(tmp_path: Path) -> None:
    """In words that name it."""
    with pytest.raises(TapeMissing, match="no tape called 'bug'"):
        Library([tmp_path]).find("bug")
