"""The command line of ``wiretape record``: what it asks for, and what it refuses."""

import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from record_command import record
from recorded import authority_folder

import recorder.run
from recorder.routing import Scope, Upstream
from recorder.run import Outcome, Recording
from wiretape.cli import main
from wiretape.errors import WouldOverwrite
from wiretape.scope import MODEL_HOSTS


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Recording]:
    """What a command line asks for; nothing is recorded."""
    recordings: list[Recording] = []

    def note(recording: Recording, *_: object) -> Outcome:
        recordings.append(recording)
        return Outcome(recording.tape, 5)

    monkeypatch.setattr(recorder.run, "record", note)
    monkeypatch.setattr("recorder.cli.summary_line", lambda tape, *_: str(tape))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    return recordings


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as exit_:
        main(["record", *arguments])
    assert isinstance(exit_.value.code, int)
    return exit_.value.code


def test_a_bare_command(asked: list[Recording]) -> None:
    """Model hosts, agent traffic, a free port of loopback; the exit code is the command's."""
    assert run("-o", "t.db", "--", "codex", "exec", "--json", "hi") == 5
    (recording,) = asked
    assert recording.command == ("codex", "exec", "--json", "hi")
    assert (recording.tape, recording.host, recording.port) == (Path("t.db"), "127.0.0.1", 0)
    assert recording.routing.hosts == MODEL_HOSTS
    assert recording.routing.scope is Scope.RESPONSES
    assert recording.routing.upstream is recording.reverse is None


def test_everything_said(asked: list[Recording], tmp_path: Path) -> None:
    """Hosts from options, configuration and command; scope, address and upstream."""
    (tmp_path / "config.toml").write_text('openai_base_url = "https://one.example/v1"')
    options = ["--host", "*.two.example", "--host", "three", "--scope", "all"]
    options += ["--listen", "[::1]:8080", "--upstream", "https://gw.example"]
    run("-o", "t.db", *options, "--", "codex", "-c", "x.base_url=https://four.example")
    (recording,) = asked
    assert recording.routing.hosts == (
        *MODEL_HOSTS,
        "*.two.example",
        "three",
        "one.example",
        "four.example",
    )
    assert recording.routing.scope is Scope.ALL
    assert (recording.host, recording.port) == ("::1", 8080)
    assert recording.routing.upstream == Upstream("https", "gw.example", 443)
    assert recording.reverse is None


def test_the_configuration_that_env_names(asked: list[Recording], tmp_path: Path) -> None:
    """As Codex will find it."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text('openai_base_url = "https://one.example/v1"')
    two = "OPENAI_BASE_URL=https://two.example"
    run("-o", "t.db", "--", "env", f"CODEX_HOME={home}", two, "codex", "exec", "hi")
    (recording,) = asked
    assert {*recording.routing.hosts} == {*MODEL_HOSTS, "one.example", "two.example"}
    assert recording.command[0] == "env"


def test_an_upstream_without_a_command_is_a_reverse_proxy(asked: list[Recording]) -> None:
    """Every host is opened: whoever talks to it means us."""
    run("-o", "t.db", "--upstream", "https://gw.example")
    (recording,) = asked
    assert recording.reverse == Upstream("https", "gw.example", 443)
    assert recording.routing.upstream is None
    assert recording.routing.hosts == ("*",)


def test_a_configuration_that_cannot_be_read_is_none(
    asked: list[Recording], tmp_path: Path
) -> None:
    """It is the client's business."""
    (tmp_path / "config.toml").write_bytes(b"\xff\xfe")
    run("-o", "t.db", "--", "codex")
    assert asked[0].routing.hosts == MODEL_HOSTS


REFUSALS = {
    "no such option": (["--sccope", "all"], 2, "No such option"),
    "no such scope": (["--scope", "some"], 2, "Invalid value for '--scope'"),
    "no address": (["--listen", "here"], 2, "'here' is no address: give HOST:PORT"),
    "no port": (["--listen", "127.0.0.1:99999"], 2, "is no address: give HOST:PORT"),
    "no upstream": (["--upstream", "gateway"], 2, "'gateway' is not an upstream"),
    "a path": (["--upstream", "http://gw/v1"], 2, "holds more than scheme, host and port"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_makes_no_sense(
    asked: list[Recording], capfd: pytest.CaptureFixture[str], name: str
) -> None:
    """A sentence, exit code 2, and nothing begun."""
    arguments, code, sentence = REFUSALS[name]
    assert run(*arguments, "--", "codex") == code
    said = capfd.readouterr()
    assert sentence in said.err
    assert said.out == ""
    assert asked == []


def test_what_cannot_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each refusal is one sentence with its exit code; the command is not run, nothing is left."""
    monkeypatch.setenv("WIRETAPE_CA_DIR", authority_folder())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exists.db").write_text("mine")
    (tmp_path / "file").touch()
    left = ["exists.db", "file"]
    command = ("--", sys.executable, "-c", "open('it ran', 'w')")
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        cases = (
            (("-o", "exists.db"), 2, "exists.db exists already: choose another name"),
            (("-o", "file/t.db"), 2, "no tape can be made at file/t.db (file is not a folder)"),
            (("-o", "/dev/null/t.db"), 2, "no tape can be made at /dev/null/t.db (/dev/null is"),
            (("-o", "t.db", "--listen", f"127.0.0.1:{port}"), 2, f"127.0.0.1:{port} cannot be"),
            (("-o", "t.db", "--listen", "nowhere.invalid:0"), 2, "nowhere.invalid:0 cannot be"),
            (("-o", "t.db", "--listen", "192.0.2.1:0"), 2, "192.0.2.1:0 cannot be listened on"),
            (("-o", "t.db", "--upstream", "http://nowhere.invalid"), 2, "its name is not known"),
        )
        for arguments, code, sentence in cases:
            assert run(*arguments, *command) == code
            said = capfd.readouterr()
            (line,) = said.err.splitlines()
            assert line.startswith("wiretape: ")
            assert sentence in line
            assert sorted(file.name for file in tmp_path.iterdir()) == left
    assert (tmp_path / "exists.db").read_text() == "mine"


@pytest.mark.parametrize(
    ("command", "code", "sentence"),
    [
        ("no-such-command", 127, "there is no command 'no-such-command': check its name"),
        ("/etc", 126, "'/etc' cannot be run (Permission denied): check its permissions."),
    ],
)
def test_a_command_that_cannot_be_started(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    command: str,
    code: int,
    sentence: str,
) -> None:
    """127 or 126 as in a shell, one sentence, and no empty tape."""
    monkeypatch.setenv("WIRETAPE_CA_DIR", authority_folder())
    assert run("-o", str(tmp_path / "t.db"), "--", command) == code
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith(f"wiretape: {sentence}")
    assert list(tmp_path.iterdir()) == []


def test_no_traceback_from_the_real_command(tmp_path: Path) -> None:
    """The installed command refuses as the function does."""
    run_ = record(tmp_path, "-o", str(tmp_path / "t.db"), "--", "no-such-command")
    assert (run_.returncode, run_.stdout) == (127, "")
    assert run_.stderr == (
        "wiretape: there is no command 'no-such-command': check its name, or give its path.\n"
    )


def test_a_name_that_another_recording_takes_first(
    asked: list[Recording], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tape whose name we chose gets the next one."""
    monkeypatch.setenv("WIRETAPE_RECORDINGS", str(tmp_path))
    note = recorder.run.record

    def overtaken(recording: Recording, *rest: Any) -> Outcome:
        if not asked:
            recording.tape.touch()
        note(recording, *rest)
        if len(asked) == 1:
            raise WouldOverwrite(f"{recording.tape} exists already")
        return Outcome(recording.tape, 5)

    monkeypatch.setattr(recorder.run, "record", overtaken)
    assert run("--", "codex") == 5
    first, second = (recording.tape for recording in asked)
    assert first.exists()
    assert second != first
    assert second.parent == tmp_path
