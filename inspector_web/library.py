"""Which tapes there are to look at, and the name that each has in an address.

A tape's name is its file's, without ``.db``; one that is called ``tape.db`` has its folder's. Where
two share a name, all but the first carry a digest of their path, so that a link means the same
file tomorrow.
"""

import os
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final

from wiretape.commands.places import tapes_at
from wiretape.errors import TapeMissing

_NO_NAMES: Final = ("", ".", "..")
"""What no step of an address can be called."""


class Library:
    """The tapes at ``paths``: files, and all tapes and scripts in folders, looked up each time.

    Raises:
        TapeMissing: one of the paths is neither.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        for path in paths:
            if not path.exists():
                raise TapeMissing(
                    f"there is no tape at {path}: `wiretape ls` lists the tapes there are."
                )
        self._paths = tuple(paths)

    def tapes(self) -> dict[str, Path]:
        """The tapes by name, in the order of the paths given."""
        found: dict[str, Path] = {}
        for path in dict.fromkeys(tapes_at(self._paths)):
            own = path.resolve().parent.name if path.name == "tape.db" else path.name
            name = _as_text(own.removesuffix(".db"))
            if name in found or name in _NO_NAMES:
                digest = blake2b(os.fsencode(path.resolve()), digest_size=4).hexdigest()
                name = f"{name}~{digest}"
            found.setdefault(name, path)
        return found

    def find(self, name: str) -> Path:
        """The tape of that name.

        Raises:
            TapeMissing: there is none.
        """
        path = self.tapes().get(name)
        if path is None:
            raise TapeMissing(
                f"there is no tape called {name!r} here: the list of sessions names those that are."
            )
        return path


def _as_text(file_name: str) -> str:
    """A file name as text that an address can hold, whatever its bytes."""
    return os.fsencode(file_name).decode("utf-8", "replace")
