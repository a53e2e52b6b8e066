"""What is installed is what is in the tree: the wheel, its file list, and its life on its own.

The wheel is installed in a virtual environment that sees what the project declares (and what that
brings along), and nothing else: an undeclared import, a tool of the tests or a file left out
would break it. Those packages are linked from here, so nothing is downloaded.
"""

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from declared import REPOSITORY, closure, extras, needs

pytestmark = pytest.mark.slow

ROOMS = ("gateway", "inspector_web", "recorder", "replayer", "wiretape")


def tracked_files() -> list[str]:
    """Every file that git keeps, as it is in the working tree."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    return [name for name in listed.stdout.split("\0") if (REPOSITORY / name).is_file()]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of what git keeps."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in tracked_files():
        copy = folder / "tree" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(REPOSITORY / name, copy)
    built = subprocess.run(
        [
            *(sys.executable, "-m", "build", "--wheel", "--no-isolation"),
            *("--outdir", folder, folder / "tree"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return next(folder.glob("wiretape-*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of a virtual environment with the wheel and its declared needs in it."""
    folder = tmp_path_factory.mktemp("alone")
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    for distribution in closure([*needs(), *extras()]).values():
        # By top-level name: loading every file through a link of its own would lose those
        # shared libraries that look for others beside themselves.
        for top in {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
            (packages / top).symlink_to(Path(os.fspath(distribution.locate_file(top))))
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "install"),
            *("--quiet", "--no-deps", "--no-index", wheel),
        ],
        check=True,
    )
    return folder / "bin"


def run(command: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a command of that environment, away from the repository and from our own settings."""
    return subprocess.run(
        [command, *arguments],
        cwd=command.parents[1],
        env={"PATH": os.defpath, "HOME": str(command.parents[1])},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_wheel_holds_the_rooms_and_nothing_else(wheel: Path) -> None:
    """Each file that git keeps in a room, templates and static files included, and no other."""
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == {name for name in tracked_files() if name.split("/")[0] in ROOMS}
    assert {name.split("/")[0] for name in held} == set(ROOMS)


def test_the_installed_command_shows_its_help(installed: Path) -> None:
    """``wiretape --help`` works where nothing but the wheel and its needs is installed."""
    ran = run(installed / "wiretape", "--help")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("Usage: wiretape ")


def test_every_installed_module_can_be_imported(wheel: Path, installed: Path) -> None:
    """No module needs anything that the wheel does not declare or bring."""
    modules = sorted(
        name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for name in zipfile.ZipFile(wheel).namelist()
        if name.endswith(".py") and not name.endswith("/__main__.py")
    )
    source = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"
    ran = run(installed / "python", "-c", source, *modules)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_every_declared_command_can_be_loaded(installed: Path) -> None:
    """Each entry point leads to something, so no subcommand is a name without a body."""
    source = (
        "from importlib.metadata import entry_points\n"
        "for point in entry_points(group='wiretape.commands'): print(point.name, point.load().name)"
    )
    ran = run(installed / "python", "-c", source)
    assert (ran.returncode, ran.stderr) == (0, "")
    names = [line.split() for line in ran.stdout.splitlines()]
    assert names
    assert all(point == command for point, command in names)
