"""A home of its own for each run of Codex, so that no run finds what another left behind."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from gateway.codex import codex_home
from wiretape.errors import UsageError

_LEFT_BEHIND: Final = shutil.ignore_patterns(
    "sessions", "archived_sessions", "log", "logs*", "*.sqlite*", "history.jsonl", "tmp", ".tmp"
)
"""What Codex keeps of earlier runs: it may be large, and no run needs it."""


@contextmanager
def fresh_home(environment: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """``environment`` with a copy of Codex's home, which lasts as long as the context.

    Settings and logins are copied, past sessions and logs are not.

    Raises:
        UsageError: it cannot be copied.
    """
    with tempfile.TemporaryDirectory(prefix="wiretape-home-", ignore_cleanup_errors=True) as name:
        copy = Path(name)
        home = codex_home(environment)
        if home.is_dir():
            _copy(home, copy)
        yield {**environment, "CODEX_HOME": name}


def _copy(home: Path, copy: Path) -> None:
    def ignored(folder: str, names: list[str]) -> set[str]:
        places = {name: Path(folder, name) for name in names}
        odd = {name for name, at in places.items() if not (at.is_dir() or at.is_file())}
        return odd | (_LEFT_BEHIND(folder, names) if Path(folder) == home else set())

    try:
        shutil.copytree(home, copy, ignore=ignored, dirs_exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"Codex's home {home} cannot be copied for a run ({error}): name another one in "
            "CODEX_HOME."
        ) from error
