"""Holds some disk space, so that a full disk still has room for what was lost on it."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

_SIZE_BYTES: Final = 512 * 1024


class Ballast:
    """An open file without a name in ``folder``; nothing is left of it, even after a kill.

    Where there is no room for it, there is no ballast.
    """

    def __init__(self, folder: Path) -> None:
        self._descriptor: int | None = None
        with suppress(OSError):
            self._descriptor, name = tempfile.mkstemp(dir=folder, prefix=".wiretape-")
            Path(name).unlink()
            os.write(self._descriptor, bytes(_SIZE_BYTES))

    def release(self) -> None:
        """Gives the space back; a second time does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
