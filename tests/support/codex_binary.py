"""Where the real Codex lies, once ``scripts/fetch-codex`` has fetched it.

The folder is the script's: ``$WIRETAPE_CODEX_CACHE``, else ``.cache/codex`` in the repository,
with one folder for each version. Nothing here fetches anything.
"""

import os
from pathlib import Path

from replayer.versions.fetching import codex_of

VERSIONS = ("0.99.0", "0.169.0")
"""The two fixed points that the project is tested with: the first documented one, and today's."""


def codex_cache() -> Path:
    """The folder that holds the fetched versions; it may not exist."""
    repository = Path(__file__).resolve().parents[2]
    return Path(os.environ.get("WIRETAPE_CODEX_CACHE") or repository / ".cache" / "codex")


def codex_binary(version: str) -> Path | None:
    """The Codex of this version (``"0.99.0"``), or ``None`` where it has not been fetched."""
    return codex_of(version, codex_cache())
