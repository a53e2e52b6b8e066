"""A trial: one client on one recording, to its end or to its deadline."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from declared import REPOSITORY
from tapes import Recording, answer, asks, create, says, sse, wants, warm_up
from wholes import whole

from gateway.authority import Authority
from replayer.trials.homes import fresh_home
from replayer.trials.trial import Client, Trial, Trials
from wiretape.errors import CommandError

CHILD = str(REPOSITORY / "tests" / "support" / "asking_child.py")
URL = "http://api.openai.com/v1/responses"
ASK = ["POST", URL, create("Hello?")]


@pytest.fixture
def tried(authority: Authority, tmp_path: Path) -> Callable[..., Trial]:
    """Runs a command on a recording of one answer."""

    def run(
        *command: str, deadline_s: float = 60.0, environment: Mapping[str, str] = os.environ
    ) -> Trial:
        recording = Recording(scheme="http", port=80)
        recording.post(create("Hello?"), sse(*answer("Hello.")))
        trials = Trials(authority)
        trial = trials.run(whole(recording), Client(command, environment, deadline_s, tmp_path))
        assert trials.count == 1
        return trial

    return run


def asking(*asked: object) -> tuple[str, ...]:
    return sys.executable, CHILD, json.dumps(asked)


def test_a_client_is_answered_from_the_recording(tried: Callable[..., Trial]) -> None:
    """What it printed and how it ended is kept, and what it asked is reported."""
    trial = tried(*asking(ASK), environment={**os.environ, "EXIT_CODE": "3"})
    [[status, text]] = json.loads(trial.stdout)
    assert (trial.exit_code, status, '"delta": "Hello."' in text) == (3, 200, True)
    assert (trial.report.counts()["requests"], trial.unexpected) == (1, 0)
    assert [len(session.requests) for session in trial.sessions] == [1]


def test_what_the_recording_does_not_have_is_unexpected(tried: Callable[..., Trial]) -> None:
    """It is counted, so that an answer of ours is not taken for one of the recording's."""
    trial = tried(*asking(ASK, ASK))
    assert (trial.report.counts()["requests"], trial.unexpected) == (2, 1)


def test_a_warm_up_that_was_not_recorded_is_unexpected(authority: Authority) -> None:
    """Though it is answered: what is left of a recording must hold all that its client asks."""
    recording = Recording(scheme="http", port=80)
    recording.socket(wants(asks("Hello?")), says({"type": "hello"}))
    asked = ["SOCKET", URL.replace("http:", "ws:"), [warm_up(), asks("Hello?")]]
    trial = Trials(authority).run(whole(recording), Client(asking(asked), os.environ, 60.0))
    assert (trial.report.counts()["unexpected"], trial.unexpected) == (0, 1)


def test_a_client_that_does_not_end_is_ended(tried: Callable[..., Trial]) -> None:
    """At the deadline, with all that it started."""
    script = "echo $$; sleep 600 & echo $!; wait"
    trial = tried("sh", "-c", script, deadline_s=0.5)
    assert trial.exit_code is None
    for pid in map(int, trial.stdout.split()):
        assert not is_running(pid)


def test_nothing_of_a_client_stays_behind(tried: Callable[..., Trial]) -> None:
    """What it left running ends with it."""
    trial = tried("sh", "-c", "sleep 600 & echo $!")
    assert trial.exit_code == 0
    assert not is_running(int(trial.stdout))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody tells us of orphans")
@pytest.mark.parametrize(
    ("script", "exit_code"),
    [
        ("setsid sh -c 'sleep 600 & echo $!' & wait", 0),
        ("setsid sh -c 'echo $$; sleep 600 & echo $!; wait' & wait", None),
        (r"""setsid sh -c 'printf "\377" >/proc/$$/comm; echo $$; sleep 600; :' & wait""", None),
    ],
    ids=["an orphan", "a shell at work", "a name that is no text"],
)
def test_nothing_stays_behind_in_a_session_of_its_own(
    script: str, exit_code: int | None, tried: Callable[..., Trial]
) -> None:
    """As clients give one to the shells that they start; nor what those have started."""
    trial = tried("sh", "-c", script, deadline_s=20.0 if exit_code == 0 else 2.0)
    assert trial.exit_code == exit_code
    pids = [int(line) for line in trial.stdout.split()]
    assert pids
    assert not any(map(is_running, pids))


def test_a_client_has_no_input_and_its_own_folder(
    tried: Callable[..., Trial], tmp_path: Path
) -> None:
    """It cannot wait for a person, and works where it is told to."""
    trial = tried("sh", "-c", "cat; pwd; echo no >&2")
    assert (trial.stdout, trial.stderr) == (f"{tmp_path.resolve()}\n", "no\n")


def test_a_command_that_is_not_there_is_named(tried: Callable[..., Trial]) -> None:
    """As where it is run once."""
    with pytest.raises(CommandError, match="there is no command 'no-such-client'"):
        tried("no-such-client")


def test_a_home_is_copied_without_what_runs_left_there(tmp_path: Path) -> None:
    """Settings and logins go along, past sessions do not, and the copy goes with the run."""
    home = tmp_path / "home"
    for name in ("config.toml", "auth.json", "skills/one/log", "sessions/2026/old", "log/big"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(name)
    os.mkfifo(home / "pipe")
    (home / "gone").symlink_to("nowhere")
    with fresh_home({"CODEX_HOME": str(home), "A": "b"}) as environment:
        copy = Path(environment["CODEX_HOME"])
        found = sorted(str(at.relative_to(copy)) for at in copy.rglob("*") if at.is_file())
        (copy / "config.toml").write_text("changed")
    assert environment["A"] == "b"
    assert found == ["auth.json", "config.toml", "skills/one/log"]
    assert (home / "config.toml").read_text() == "config.toml"
    assert not copy.exists()


def is_running(pid: int) -> bool:
    """Whether there is such a process, and it is not only waiting to be buried."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
    except FileNotFoundError:
        return False
    return state != "Z"
