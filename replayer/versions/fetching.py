"""Fetches the Codex CLI of a version from npm, whole or not at all.

Each version lands in a folder of its own, as its package unpacks. It is unpacked beside its place
and then renamed, so that neither a kill nor a second run at the same time leaves half a Codex.

``scripts/fetch-codex`` runs this module where nothing is installed yet: it needs Python alone.
"""

import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Final

from wiretape.errors import WiretapeError

CACHE_VARIABLE: Final = "WIRETAPE_CODEX_CACHE"
"""Names another folder for all versions."""

_PLACES: Final = ("package/vendor/*/bin/codex", "package/vendor/*/codex/codex")
"""Where the binary lies: the second up to about 0.136."""

_SUFFIXES: Final = {
    ("Linux", "x86_64"): "linux-x64",
    ("Linux", "aarch64"): "linux-arm64",
    ("Linux", "arm64"): "linux-arm64",
    ("Darwin", "x86_64"): "darwin-x64",
    ("Darwin", "arm64"): "darwin-arm64",
}
_VERSION: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+-]*")
_PARTIAL: Final = ".partial."
_OLD_S: Final = 24 * 3600.0
"""What is left of a fetch that was killed so long ago is removed."""


class FetchError(WiretapeError):
    """A version of Codex cannot be had."""

    exit_code = 1


def codex_of(version: str, cache: Path) -> Path | None:
    """The binary of a version that was fetched before."""
    found = (path for place in _PLACES for path in sorted((cache / version).glob(place)))
    return next((path for path in found if os.access(path, os.X_OK)), None)


def package_of(version: str, system: str, machine: str) -> str:
    """What npm calls the Codex of a version for a system, as ``uname`` names it.

    Raises:
        FetchError: there is none.
    """
    suffix = _SUFFIXES.get((system, machine))
    if suffix is None:
        raise FetchError(
            f"npm has no Codex for {system} on {machine}: use Linux or macOS, x64 or arm64"
        )
    return f"@openai/codex@{version}-{suffix}"


def fetched(
    version: str, cache: Path, environment: Mapping[str, str], tell: Callable[[str], None]
) -> Path:
    """The binary of a version, fetched unless it is there.

    Raises:
        FetchError: it cannot be had.
    """
    if _VERSION.fullmatch(version) is None:
        raise FetchError(f"{version!r} is no version of Codex: say it like 0.99.0")
    if (found := codex_of(version, cache)) is not None:
        return found
    package = package_of(version, platform.system(), platform.machine())
    npm = shutil.which("npm", path=environment.get("PATH"))
    if npm is None:
        raise FetchError(
            f"Codex {version} comes from npm, which is not installed: install npm, "
            "or do without the real client"
        )
    tell(f"fetching {package} from npm")
    try:
        cache.mkdir(parents=True, exist_ok=True)
        _remove_old(cache)
        with tempfile.TemporaryDirectory(
            prefix=_PARTIAL, dir=cache, ignore_cleanup_errors=True
        ) as name:
            partial = Path(name)
            _unpack(_packed(npm, package, partial, environment), partial)
            if codex_of(".", partial) is None:
                raise FetchError(
                    f"{package} holds no codex where one was expected: its layout has changed"
                )
            _keep(partial / "package", cache / version)
    except OSError as error:
        raise FetchError(
            f"Codex {version} could not be put in {cache / version} ({error.strerror}): "
            f"name another folder in {CACHE_VARIABLE}"
        ) from error
    found = codex_of(version, cache)
    if found is None:
        raise FetchError(
            f"{cache / version} is there and holds no Codex {version}: remove it first"
        )
    return found


def _packed(npm: str, package: str, folder: Path, environment: Mapping[str, str]) -> Path:
    ran = subprocess.run(
        [npm, "pack", "--loglevel=error", package],
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if ran.returncode:
        if "E404" in ran.stdout or "ETARGET" in ran.stdout:
            raise FetchError(f"npm knows no {package}: choose another version")
        said = [line for line in ran.stdout.splitlines() if "npm error" in line] or ["it failed"]
        raise FetchError(f"npm could not fetch {package}: {said[-1]}")
    return next(folder.glob("*.tgz"))


def _unpack(packed: Path, folder: Path) -> None:
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    packed.unlink()


def _keep(package: Path, home: Path) -> None:
    """Puts an unpacked package in its place; another run's, which was faster, stays."""
    home.mkdir(exist_ok=True)
    if not (home / "package").exists():
        try:
            package.rename(home / "package")
        except OSError:
            if not (home / "package").exists():
                raise


def _remove_old(cache: Path) -> None:
    for path in cache.glob(f"{_PARTIAL}*"):
        if time.time() - path.stat().st_mtime > _OLD_S:
            shutil.rmtree(path, ignore_errors=True)


def main(versions: list[str], environment: Mapping[str, str]) -> None:
    """Prints the binaries of these versions, in the folder that the environment names."""

    def tell(sentence: str) -> None:
        print(f"fetch-codex: {sentence}", file=sys.stderr, flush=True)

    def stop(number: int, _frame: FrameType | None) -> None:
        sys.exit(128 + number)

    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    try:
        for version in versions:
            print(fetched(version, Path(environment[CACHE_VARIABLE]), environment, tell))
    except FetchError as error:
        tell(str(error))
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main(sys.argv[1:], os.environ)
