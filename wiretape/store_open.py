"""Opens a tape to be read and never written to, or a script in its place."""

import re
import sqlite3
from pathlib import Path
from typing import Final

from wiretape.errors import NotATape, TapeError, TapeMissing

_DATABASE: Final = b"SQLite format 3\0"
_SCRIPT: Final = re.compile(
    rb"""^(\xef\xbb\xbf)?[ \t]*\{?[ \t]*["']?wiretape_script["']?[ \t]*:""", re.M
)
"""How a script says that it is one, as YAML or as JSON."""
_SAYS_SO_WITHIN_BYTES: Final = 1 << 16
_SUFFIX: Final = ".script"


def opened(path: Path) -> sqlite3.Connection:
    """The tape, or the script, at ``path``. Whether it is a tape is not looked at.

    Raises:
        TapeMissing, NotATape, BadScript, TapeError: there is nothing to open.
    """
    if not path.exists():
        raise TapeMissing(f"there is no tape at {path}: `wiretape ls` lists the tapes there are.")
    if not path.is_file():
        raise NotATape(f"{path} is not a file: give a file that `wiretape record` wrote.")
    if path.stat().st_size == 0:
        raise NotATape(f"{path} is empty: give a file that `wiretape record` wrote.")
    if is_script(path):
        # Here, and not above: scripts are read by what writes tapes, and few tapes are scripts.
        from wiretape.store_script import tape_of_script

        return in_memory(tape_of_script(path))
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=5.0)
    except sqlite3.Error as error:
        raise TapeError(f"{path} cannot be opened ({error}): check its permissions.") from error
    connection.row_factory = sqlite3.Row
    return connection


def in_memory(content: bytes) -> sqlite3.Connection:
    """The tape that a file of this content would be."""
    connection = sqlite3.connect(":memory:")
    connection.deserialize(content)
    connection.row_factory = sqlite3.Row
    return connection


def is_script(path: Path) -> bool:
    """Whether the file says that it is a script, near its beginning; or is called one, and is no
    tape, so that it is told what is missing."""
    try:
        with path.open("rb") as file:
            begins = file.read(_SAYS_SO_WITHIN_BYTES)
    except OSError:
        return False
    if begins.startswith(_DATABASE):
        return False
    return path.suffix == _SUFFIX or _SCRIPT.search(begins) is not None
