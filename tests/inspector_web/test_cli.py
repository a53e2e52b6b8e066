"""``wiretape inspect`` as a command: it serves until it is told to stop, and refuses in words."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

COMMAND = (sys.executable, "-c", "from wiretape.cli import main; main()", "inspect")
ELSEWHERE = ("--listen", "127.0.0.1:0")
"""No test listens where somebody's inspector may be."""


def usually_at(port: int) -> tuple[str, ...]:
    """The command as it is where that is the usual port."""
    source = (
        f"from inspector_web import cli; cli.USUAL_PORT = {port};"
        "from wiretape.cli import main; main()"
    )
    return sys.executable, "-c", source, "inspect"


@contextmanager
def inspecting(
    *arguments: str | Path, command: tuple[str, ...] = COMMAND
) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """The command, once it serves, and what it has said; ended by its own process id."""
    with subprocess.Popen(
        [*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        said: list[str] = []
        try:
            for line in process.stderr:
                said.append(line.strip())
                if "Ctrl-C" in line:
                    break
            yield process, said
        finally:
            process.kill()


def address_in(said: list[str]) -> str:
    found = re.search(r"http://\S+", said[0])
    assert found is not None, said
    return found[0]


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_serves_until_it_is_told_to_stop(fallback: Path, number: signal.Signals) -> None:
    """Ctrl-C, a stop and a closed terminal all end it in order, with nothing more to say."""
    with inspecting(fallback.parent, *ELSEWHERE) as (process, said):
        answer = httpx.get(f"{address_in(said)}sessions.json", trust_env=False)
        assert len(answer.json()["sessions"]) == 1
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout, stderr) == (0, "", "")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "wiretape" / "inspector"


def test_indexes_are_kept_in_the_cache_folder(fallback: Path, cache: Path) -> None:
    """Not beside the tape, and for the next time."""
    beside = sorted(fallback.parent.iterdir())
    with inspecting(fallback, *ELSEWHERE) as (_, said):
        answer = httpx.get(f"{address_in(said)}tapes/fallback/sessions/1", trust_env=False)
        while answer.status_code == 503:
            answer = httpx.get(f"{address_in(said)}tapes/fallback/sessions/1", trust_env=False)
        assert answer.status_code == 200
    assert [path.suffix for path in cache.glob("*.db")] == [".db"]
    assert sorted(fallback.parent.iterdir()) == beside


def test_it_says_what_is_shown_where(fallback: Path) -> None:
    """The paths and the address, on stderr."""
    with inspecting(fallback, *ELSEWHERE) as (_, said):
        assert re.fullmatch(
            rf"wiretape: the tapes in {re.escape(str(fallback))} are shown at "
            r"http://127\.0\.0\.1:\d+/",
            said[0],
        )
        assert said[1:] == ["wiretape: Ctrl-C ends it."]


def test_its_address_is_the_same_each_time(fallback: Path) -> None:
    """So that links and bookmarks stay good; it is free again as soon as it ended."""
    with socket.create_server(("127.0.0.1", 0)) as once:
        port = once.getsockname()[1]
    for _ in range(2):
        with inspecting(fallback, command=usually_at(port)) as (_, said):
            url = f"http://127.0.0.1:{port}/"
            assert said[0] == f"wiretape: the tapes in {fallback} are shown at {url}"
            assert httpx.get(f"{url}sessions", trust_env=False).status_code == 200


def test_two_at_once_have_an_address_each(fallback: Path) -> None:
    """The second says why its own is another one."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with inspecting(fallback, command=usually_at(port)) as (_, said):
            assert said[0] == (
                f"wiretape: port {port}, the usual one, is taken, perhaps by another inspector: "
                "this one is at a free port, and links to it end with it."
            )
            url = address_in(said[1:])
            assert url != f"http://127.0.0.1:{port}/"
            assert httpx.get(f"{url}sessions", trust_env=False).status_code == 200


def test_another_address_needs_the_token_that_is_printed_once(fallback: Path) -> None:
    """Without it, not even the list."""
    with inspecting(fallback, "--listen", "0.0.0.0:0") as (process, said):
        assert said[1].startswith(f"wiretape: the first time, open {address_in(said)}?token=")
        token = said[1].partition("?token=")[2]
        assert len(token) >= 40
        address = f"http://127.0.0.1:{httpx.URL(address_in(said)).port}/"
        with httpx.Client(base_url=address, trust_env=False, follow_redirects=True) as browser:
            assert browser.get("sessions").status_code == 401
            admitted = browser.get(f"sessions?token={token}")
            assert (admitted.status_code, str(admitted.url)) == (200, f"{address}sessions")
        process.terminate()
        stdout, stderr = process.communicate(timeout=30)
    assert token not in stdout + stderr


def test_no_version_is_told(fallback: Path) -> None:
    """Whoever looks for a server with a known fault learns nothing here."""
    with inspecting(fallback, *ELSEWHERE) as (_, said):
        answer = httpx.get(f"{address_in(said)}nothing", trust_env=False)
    assert (answer.status_code, answer.headers["server"]) == (404, "wiretape")


def test_each_address_that_is_printed_is_answered(fallback: Path) -> None:
    """By its name too, but by no other name: what listens anywhere is called many things."""
    with inspecting(fallback, "--listen", "0.0.0.0:0") as (_, said):
        token = said[1].partition("?token=")[2]
        printed = [httpx.URL(each) for each in re.findall(r"http://[^\s,?]+", "\n".join(said))]
        assert not any(each.host == "0.0.0.0" for each in printed)
        assert "127.0.0.1" in {each.host for each in printed}
        port = printed[0].port

        def status(host: str) -> int:
            address = f"http://127.0.0.1:{port}/sessions.json?token={token}"
            headers = {"Host": f"{host}:{port}"}
            return httpx.get(address, headers=headers, trust_env=False).status_code

        assert {each.host: status(each.host) for each in printed} == dict.fromkeys(
            (each.host for each in printed), 302
        )
        assert status("evil.example") == 403


def test_a_busy_port_is_one_sentence(fallback: Path) -> None:
    """With what to do about it, and the exit code of usage."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = run(fallback, "--listen", f"127.0.0.1:{port}")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == (
        f"wiretape: 127.0.0.1:{port} cannot be listened on (Address already in use): "
        "choose another address with --listen, or port 0 for a free one.\n"
    )


def test_an_address_that_is_not_ours_is_one_sentence(fallback: Path) -> None:
    """192.0.2.1 is nobody's (RFC 5737)."""
    ran = run(fallback, "--listen", "192.0.2.1:0")
    assert ran.returncode == 2
    assert ran.stderr.startswith("wiretape: 192.0.2.1:0 cannot be listened on (")
    assert ran.stderr.count("\n") == 1


def test_a_missing_path_is_one_sentence(tmp_path: Path) -> None:
    """Before anything is listened on."""
    ran = run(tmp_path / "nowhere.db")
    assert (ran.returncode, ran.stdout) == (3, "")
    assert ran.stderr.startswith("wiretape: there is no tape at ")
    assert ran.stderr.count("\n") == 1


def test_a_file_that_is_no_tape_is_one_sentence(tmp_path: Path) -> None:
    """It was named, so it is not passed over."""
    path = tmp_path / "notes.db"
    path.write_text("some notes\n" * 99)
    ran = run(path)
    assert (ran.returncode, ran.stdout) == (3, "")
    assert ran.stderr == (
        f"wiretape: {path} is not a tape (file is not a database): "
        "give a file that `wiretape record` wrote.\n"
    )


def test_the_default_folder_is_that_of_the_recorder(folder: Path) -> None:
    """Named by the environment, and looked at even while it is empty."""
    with subprocess.Popen(
        [*COMMAND, *ELSEWHERE],
        env=os.environ | {"WIRETAPE_RECORDINGS": str(folder)},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        process.terminate()
    assert f"the tapes in {folder} are shown at" in said


def test_help_tells_what_it_is_for() -> None:
    """Shown without loading the web framework."""
    source = (
        "import sys; from wiretape.cli import wiretape;"
        "wiretape.main(['inspect', '--help'], standalone_mode=False);"
        "assert 'flask' not in sys.modules"
    )
    ran = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "Show tapes in your browser, until you stop it." in ran.stdout
