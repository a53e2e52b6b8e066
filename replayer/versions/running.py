"""One version of Codex on a recording, in a folder and with settings of its own."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from replayer.bends.folder import in_folder
from replayer.trials.trial import Client, Trial, Trials
from replayer.versions.task import KEY, Task
from wiretape.folders import Folder
from wiretape.recording import Recording

_KEPT: Final = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR")
"""Of our environment, what says nothing about the user."""


def run_version(
    binary: Path,
    task: Task,
    recording: Recording,
    trials: Trials,
    configs: Iterable[str],
    deadline_s: float,
) -> Trial:
    """The run of a version.

    Raises:
        CommandError: it cannot be started.
    """
    with tempfile.TemporaryDirectory(prefix="wiretape-", ignore_cleanup_errors=True) as name:
        home, work = Path(name, "home"), Path(name, "work")
        home.mkdir()
        work.mkdir()
        (home / "config.toml").write_text(task.config(), "utf-8")
        environment = {
            **{kept: os.environ[kept] for kept in _KEPT if kept in os.environ},
            "HOME": str(home),
            "CODEX_HOME": str(home),
            KEY: "none",
        }
        settings = [word for each in configs for word in ("-c", each)]
        command = (
            str(binary),
            "exec",
            "--skip-git-repo-check",
            "--json",
            *settings,
            "--",
            task.prompt,
        )
        for role, recorded in task.folders.items():
            other = {Folder.HOME: home, Folder.WORK: work}[role]
            recording = in_folder(recorded, str(other))(recording)
        return trials.run(recording, Client(command, environment, deadline_s, work))
