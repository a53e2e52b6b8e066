"""How the real Codex is fetched: whole or not at all, once, and with one sentence when it fails."""

import os
import platform
import shutil
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from bare_machine import BareMachine, write_script
from codex_binary import VERSIONS, codex_binary
from declared import REPOSITORY

from replayer.versions.fetching import FetchError, package_of

OLD_PLACE = "package/vendor/x86_64-unknown-linux-musl/codex/codex"
NEW_PLACE = "package/vendor/aarch64-apple-darwin/bin/codex"
PACK = 'echo "$*" >>"$HOME/asked"; cp "$HOME/packed.tgz" openai-codex.tgz'


@pytest.fixture
def machine(tmp_path: Path) -> BareMachine:
    """A machine with an npm that hands out one small package."""
    machine = BareMachine.build(tmp_path / "machine")
    machine.install("npm", PACK)
    pack(machine, OLD_PLACE)
    return machine


def pack(machine: BareMachine, place: str) -> None:
    """Lays out the package that npm will hand out, with its binary in ``place``."""
    content = machine.home / "content"
    shutil.rmtree(content, ignore_errors=True)
    write_script(content / place, "echo codex-cli")
    with tarfile.open(machine.home / "packed.tgz", "w:gz") as packed:
        packed.add(content / "package", "package")


def command(*versions: str) -> list[str]:
    """The command line that fetches ``versions``."""
    return [str(REPOSITORY / "scripts" / "fetch-codex"), *versions]


def cache_of(machine: BareMachine) -> dict[str, str]:
    """The cache in the machine's own folder, and a Python, which is not on its PATH."""
    return {"WIRETAPE_CODEX_CACHE": str(machine.home / "cache"), "PYTHON": sys.executable}


def fetch(machine: BareMachine, *versions: str) -> subprocess.CompletedProcess[str]:
    """Runs ``scripts/fetch-codex`` to its end."""
    return machine.run(*command(*versions), **cache_of(machine))


def asked(machine: BareMachine) -> list[str]:
    """What npm was asked for, a line each."""
    log = machine.home / "asked"
    return log.read_text().splitlines() if log.exists() else []


def cached(machine: BareMachine) -> list[str]:
    """Every file in the cache."""
    cache = machine.home / "cache"
    return sorted(str(path.relative_to(cache)) for path in cache.rglob("*") if path.is_file())


def package(version: str) -> str:
    """What npm calls a version for this machine."""
    return package_of(version, platform.system(), platform.machine())


@pytest.mark.parametrize("place", [OLD_PLACE, NEW_PLACE])
def test_the_binary_is_unpacked_and_its_path_printed(
    machine: BareMachine, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """Wherever a version keeps its binary; nothing but the package stays, and tests find it."""
    pack(machine, place)
    ran = fetch(machine, "1.2.3")
    binary = machine.home / "cache" / "1.2.3" / place
    assert (ran.returncode, ran.stdout) == (0, f"{binary}\n")
    assert cached(machine) == [f"1.2.3/{place}"]
    monkeypatch.setenv("WIRETAPE_CODEX_CACHE", str(machine.home / "cache"))
    assert codex_binary("1.2.3") == binary


def test_what_is_there_is_not_fetched_again(machine: BareMachine) -> None:
    """The second time, npm is not even needed."""
    first = fetch(machine, "1.2.3")
    (machine.commands / "npm").unlink()
    second = fetch(machine, "1.2.3")
    assert (second.returncode, second.stdout, second.stderr) == (0, first.stdout, "")


def test_without_arguments_the_versions_of_the_tests_are_fetched(machine: BareMachine) -> None:
    """The script and the tests agree on the two versions."""
    fetch(machine)
    assert asked(machine) == [f"pack --loglevel=error {package(version)}" for version in VERSIONS]


@pytest.mark.parametrize(
    ("system", "hardware", "suffix"),
    [
        ("Linux", "x86_64", "linux-x64"),
        ("Linux", "aarch64", "linux-arm64"),
        ("Darwin", "x86_64", "darwin-x64"),
        ("Darwin", "arm64", "darwin-arm64"),
    ],
)
def test_each_system_gets_its_own_package(system: str, hardware: str, suffix: str) -> None:
    """The package of a version has a name for each system."""
    assert package_of("1.2.3", system, hardware) == f"@openai/codex@1.2.3-{suffix}"


def test_a_system_without_a_package_is_named() -> None:
    """Where there is no Codex to fetch, npm is not asked."""
    with pytest.raises(FetchError) as refused:
        package_of("1.2.3", "SunOS", "sparc")
    assert str(refused.value) == (
        "npm has no Codex for SunOS on sparc: use Linux or macOS, x64 or arm64"
    )


@pytest.mark.parametrize("version", ["..", "../1.2.3", "", "-g", "1.2.3 left-pad"])
def test_what_is_no_version_is_not_asked_for(machine: BareMachine, version: str) -> None:
    """It would name another folder, or another package."""
    ran = fetch(machine, version)
    assert (ran.returncode, ran.stderr) == (
        1,
        f"fetch-codex: {version!r} is no version of Codex: say it like 0.99.0\n",
    )
    assert asked(machine) == []


def test_a_missing_npm_is_named(machine: BareMachine) -> None:
    """One sentence says what is missing and what to do."""
    (machine.commands / "npm").unlink()
    ran = fetch(machine, "1.2.3")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == (
        "fetch-codex: Codex 1.2.3 comes from npm, which is not installed: install npm, "
        "or do without the real client\n"
    )


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (
            "npm error code ETARGET",
            f"npm knows no {package('1.2.3')}: choose another version",
        ),
        (
            "npm error code E404",
            f"npm knows no {package('1.2.3')}: choose another version",
        ),
        (
            "npm error network timeout",
            f"npm could not fetch {package('1.2.3')}: npm error network timeout",
        ),
    ],
)
def test_what_npm_refuses_is_one_sentence(machine: BareMachine, said: str, sentence: str) -> None:
    """npm's long complaint is boiled down, and nothing stays in the cache."""
    machine.install("npm", f'echo "npm error lots of words"\necho "{said}" >&2; exit 1')
    ran = fetch(machine, "1.2.3")
    assert ran.returncode == 1
    assert ran.stderr.splitlines()[1:] == [f"fetch-codex: {sentence}"]
    assert list((machine.home / "cache").iterdir()) == []


def test_a_package_of_another_layout_is_refused(machine: BareMachine) -> None:
    """A package without the binary is not kept as if it were one."""
    pack(machine, "package/somewhere/else/codex")
    ran = fetch(machine, "1.2.3")
    assert ran.returncode == 1
    assert "holds no codex where one was expected" in ran.stderr
    assert list((machine.home / "cache").iterdir()) == []


@pytest.fixture
def slow(machine: BareMachine) -> BareMachine:
    """The same, with an npm that says when it starts and then waits to be let go."""
    os.mkfifo(machine.home / "started")
    os.mkfifo(machine.home / "go")
    machine.install("npm", f'echo here >"$HOME/started"; read word <"$HOME/go"\n{PACK}')
    return machine


def start(machine: BareMachine) -> subprocess.Popen[str]:
    """Starts a fetch, in a process group of its own."""
    return subprocess.Popen(
        command("1.2.3"),
        env=machine.environment(**cache_of(machine)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_until_in_npm(machine: BareMachine) -> None:
    """Returns once a fetch is inside npm."""
    assert (machine.home / "started").read_text() == "here\n"


@pytest.mark.parametrize(
    ("deadly", "left"), [(signal.SIGKILL, 1), (signal.SIGTERM, 0), (signal.SIGINT, 0)]
)
def test_a_kill_in_the_middle_leaves_no_half(
    slow: BareMachine, deadly: signal.Signals, left: int
) -> None:
    """The version is not there; where the script may still act, nothing else is either."""
    with start(slow) as fetching:
        wait_until_in_npm(slow)
        os.killpg(fetching.pid, deadly)
        fetching.communicate()
    folders = [path.name for path in (slow.home / "cache").iterdir()]
    assert "1.2.3" not in folders
    assert len(folders) == left
    slow.install("npm", PACK)
    assert fetch(slow, "1.2.3").returncode == 0


def test_two_at_once_leave_one_whole_codex(slow: BareMachine) -> None:
    """Both succeed with the same path, and neither unpacks into the other's folder."""
    with start(slow) as first, start(slow) as second:
        # Held open for reading and writing, so that no early reader sees the end of the pipe.
        started = os.open(slow.home / "started", os.O_RDWR)
        go = os.open(slow.home / "go", os.O_RDWR)
        heard = b""
        while len(heard) < len(b"here\nhere\n"):
            heard += os.read(started, 64)
        os.write(go, b"now\nnow\n")
        printed = [first.communicate()[0], second.communicate()[0]]
        os.close(started)
        os.close(go)
    assert (first.returncode, second.returncode) == (0, 0)
    assert printed == [f"{slow.home / 'cache' / '1.2.3' / OLD_PLACE}\n"] * 2
    assert cached(slow) == [f"1.2.3/{OLD_PLACE}"]
