"""Where tapes lie unless told otherwise, and what a new one is called."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from platformdirs import user_data_path

from wiretape.errors import WouldOverwrite

_ENDINGS: Final = (".db", ".script")


def recordings_folder(environment: Mapping[str, str]) -> Path:
    """``$WIRETAPE_RECORDINGS``, else ``./recordings`` where it exists, else the user's data.

    A recorder must not litter somebody's repository, so it makes no folder in it.
    """
    named = environment.get("WIRETAPE_RECORDINGS")
    if named:
        return Path(named)
    here = Path("recordings")
    return here if here.is_dir() else user_data_path("wiretape") / "recordings"


def tapes_at(paths: Iterable[Path]) -> Iterator[Path]:
    """The files that are named, and all tapes and scripts in folders, by name."""
    for path in paths:
        if path.is_dir():
            yield from sorted(each for end in _ENDINGS for each in path.rglob(f"*{end}"))
        else:
            yield path


def new_tape_path(folder: Path, now: datetime, command: Sequence[str]) -> Path:
    """A free name in ``folder`` for a tape of ``command``: ``20260102T030405Z-codex.db``."""
    program = re.sub(r"[^\w.-]+", "_", Path(command[0]).name) if command else "proxy"
    stem = f"{now.astimezone(UTC):%Y%m%dT%H%M%SZ}-{program}"
    path = folder / f"{stem}.db"
    number = 2
    while path.exists(follow_symlinks=False):
        path = folder / f"{stem}-{number}.db"
        number += 1
    return path


def at_new_tape_path[T](folder: Path, command: Sequence[str], make: Callable[[Path], T]) -> T:
    """What ``make`` gives for a free name; the next one where another recording was faster."""
    while True:
        try:
            return make(new_tape_path(folder, datetime.now(UTC), command))
        except WouldOverwrite:
            continue
