"""How a clean clone finds a Python, and what it installs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bare_machine import BareMachine, write_script
from declared import REPOSITORY, closure, needs, tools
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

GOOD = 'echo "$0"'
TOO_OLD = "exit 1"
SHIM_FOR_NO_VERSION = 'echo "pyenv: command not found" >&2; exit 127'


@pytest.fixture
def machine(tmp_path: Path) -> BareMachine:
    """A machine without any Python, and a clone that says it likes 3.13 best."""
    (tmp_path / "clone" / "scripts").mkdir(parents=True)
    shutil.copy(REPOSITORY / "scripts" / "find-python", tmp_path / "clone" / "scripts")
    (tmp_path / "clone" / ".python-version").write_text("3.13\n")
    return BareMachine.build(tmp_path / "machine")


def find_python(machine: BareMachine, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the clone's ``scripts/find-python``."""
    clone = machine.home.parents[1] / "clone"
    return machine.run(clone / "scripts" / "find-python", **environment)


@pytest.mark.parametrize(
    ("commands", "pyenv", "chosen"),
    [
        ({"python3.13": GOOD, "python3.12": GOOD, "python3": GOOD}, {}, "commands/python3.13"),
        ({"python3.12": GOOD, "python3": GOOD}, {}, "commands/python3.12"),
        ({"python3": GOOD}, {}, "commands/python3"),
        ({"python3.13": SHIM_FOR_NO_VERSION, "python3": GOOD}, {}, "commands/python3"),
        ({"python3": TOO_OLD, "python3.15": GOOD}, {}, "commands/python3.15"),
        ({"python3": GOOD}, {"3.13.2": GOOD}, "home/.pyenv/versions/3.13.2/bin/python"),
        ({"python3": TOO_OLD}, {"3.12.1": GOOD}, "home/.pyenv/versions/3.12.1/bin/python"),
        ({"python3": GOOD}, {"3.12.1": GOOD}, "commands/python3"),
        (
            {"python3": SHIM_FOR_NO_VERSION},
            {"3.11.7": TOO_OLD, "3.12.1": GOOD},
            "home/.pyenv/versions/3.12.1/bin/python",
        ),
    ],
)
def test_the_first_python_that_really_works_is_chosen(
    machine: BareMachine, commands: dict[str, str], pyenv: dict[str, str], chosen: str
) -> None:
    """The order is .python-version's, the PATH's, pyenv's others; each is tried by running it."""
    for name, script in commands.items():
        machine.install(name, script)
    for version, script in pyenv.items():
        write_script(machine.home / ".pyenv" / "versions" / version / "bin" / "python", script)
    assert find_python(machine).stdout == f"{machine.home.parent / chosen}\n"


def test_pyenv_is_asked_where_its_versions_are(machine: BareMachine, tmp_path: Path) -> None:
    """A pyenv that lies elsewhere is found through its own command."""
    python = tmp_path / "elsewhere" / "versions" / "3.13.0" / "bin" / "python"
    write_script(python, GOOD)
    machine.install("pyenv", f'[ "$1" = root ] && echo "{tmp_path}/elsewhere"')
    assert find_python(machine).stdout == f"{python}\n"


def test_the_python_of_uv_is_found(machine: BareMachine, tmp_path: Path) -> None:
    """What uv has installed is on no PATH, so uv is asked."""
    write_script(tmp_path / "uv" / "python", GOOD)
    machine.install("uv", f'[ "$1 $2" = "python find" ] && echo "{tmp_path}/uv/python"')
    assert find_python(machine).stdout == f"{tmp_path}/uv/python\n"


def test_without_any_python_one_sentence_says_what_to_do(machine: BareMachine) -> None:
    """No traceback, no list of attempts: one line on stderr, and 1."""
    ran = find_python(machine)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == (
        "No Python 3.12 or newer (with venv and sqlite3) was found: install one, for instance "
        'with "uv python install 3.13", or name it with PYTHON=/path/to/python3.\n'
    )


def test_a_python_that_is_named_goes_before_all_others(machine: BareMachine) -> None:
    """PYTHON=... overrides the search."""
    machine.install("python3.13", GOOD)
    machine.install("mine", GOOD)
    assert find_python(machine, PYTHON="mine").stdout == f"{machine.commands}/mine\n"


def test_a_bad_python_that_is_named_is_refused(machine: BareMachine) -> None:
    """PYTHON=... is never quietly replaced by another one."""
    machine.install("python3.13", GOOD)
    machine.install("mine", TOO_OLD)
    ran = find_python(machine, PYTHON="mine")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == (
        "PYTHON=mine is no Python 3.12 or newer with venv and sqlite3: name another, or none.\n"
    )


def test_a_real_python_is_judged_by_what_it_can_do(machine: BareMachine) -> None:
    """The interpreter printed is the one behind a virtual environment, which can make another."""
    printed = find_python(machine, PYTHON=sys.executable).stdout.strip()
    asked = "import sys, venv; print(sys.version_info[:3], sys.prefix == sys.base_prefix)"
    ran = machine.run(printed, "-c", asked)
    assert ran.stdout == f"{sys.version_info[:3]} True\n"


def test_make_alone_says_what_can_be_made() -> None:
    """The default target changes nothing; it lists the others."""
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"]}
    ran = subprocess.run(
        ["make"], cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=True
    )
    targets = re.findall(r"^  make (\w+)\t", ran.stdout, re.MULTILINE)
    assert targets == ["help", "setup", "codex", "check", "test", "demo"]


PINS = [
    Requirement(line.partition("  #")[0])
    for line in (REPOSITORY / "constraints.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


def test_constraints_name_one_version_each_and_no_host() -> None:
    """A pin is a name, ``==`` and a version: no address, no range, no option."""
    assert [
        str(pin) for pin in PINS if pin.url or not re.fullmatch("==[^,*]+", str(pin.specifier))
    ] == []
    assert "://" not in (REPOSITORY / "constraints.txt").read_text("utf-8")


@pytest.mark.parametrize("version", ["3.12", "3.13", "3.14"])
@pytest.mark.parametrize("system", ["linux", "darwin"])
def test_every_declared_need_is_pinned_within_its_range(version: str, system: str) -> None:
    """On each system and Python, what pyproject.toml asks for has exactly one version."""
    there = {
        "python_version": version,
        "python_full_version": f"{version}.0",
        "sys_platform": system,
    }
    for need in [*needs(), *tools()]:
        name = canonicalize_name(need.name)
        versions = [
            next(iter(pin.specifier)).version
            for pin in PINS
            if canonicalize_name(pin.name) == name
            and (pin.marker is None or pin.marker.evaluate(there))
        ]
        assert len(versions) == 1, f"{name} has {versions}"
        assert need.specifier.contains(versions[0]), f"{need}, but {versions[0]} is pinned"


def test_everything_installed_for_the_project_is_what_constraints_say() -> None:
    """The lock is whole: what the needs bring along is pinned too, and installed like that."""
    pinned: dict[str, str] = {
        canonicalize_name(pin.name): next(iter(pin.specifier)).version
        for pin in PINS
        if pin.marker is None or pin.marker.evaluate()
    }
    installed = {name: found.version for name, found in closure([*needs(), *tools()]).items()}
    assert installed == {name: pinned.get(name) for name in installed}
