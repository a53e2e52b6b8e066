"""Runs ``wiretape record`` as a person does: the installed command, in a clean environment."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import model_client
from recorded import authority_folder

WIRETAPE = str(Path(sys.executable).with_name("wiretape"))
CLIENT = (sys.executable, model_client.__file__)
"""The command that is recorded: see ``model_client``."""

TIMEOUT_S = 60


def clean_environment(home: Path, **more: str) -> dict[str, str]:
    """No proxy, no configuration, a home of its own."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "WIRETAPE_CA_DIR": authority_folder(),
    } | more


def record(
    home: Path, *arguments: str, stdin: str = "", environment: Mapping[str, str] = {}
) -> subprocess.CompletedProcess[str]:
    """Runs it to its end, without a terminal."""
    return subprocess.run(
        [WIRETAPE, "record", *arguments],
        input=stdin,
        env=clean_environment(home, **environment),
        cwd=home,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        start_new_session=True,
    )


@contextmanager
def started(
    home: Path, *command: str | Path, until: str, environment: Mapping[str, str] = {}
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Starts a command; gives the process, and what it said up to the line with ``until``.

    What it says, on stdout and stderr, is one text. It does not outlive the context.
    """
    with subprocess.Popen(
        command,
        env=clean_environment(home, PYTHONUNBUFFERED="1", **environment),
        cwd=home,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        try:
            said = ""
            while until not in said:
                line = process.stdout.readline()
                assert line, said
                said += line
            yield process, said
        finally:
            if process.poll() is None:
                process.kill()


def recording_alone(
    home: Path, *arguments: str
) -> AbstractContextManager[tuple[subprocess.Popen[str], str]]:
    """Starts ``wiretape record`` without a command, and waits until it listens."""
    return started(home, WIRETAPE, "record", *arguments, until="Ctrl-C")
