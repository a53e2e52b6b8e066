"""A machine with nothing on its PATH but everyday tools and what a test puts there.

For the scripts that run before there is a virtual environment. Real interpreters and a real npm
would answer differently on every machine, so the tests bring their own.
"""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

_TOOLS = (
    *("cat", "cp", "dirname", "find", "grep", "gzip", "mkdir", "mktemp", "mv", "rm", "sed", "sh"),
    *("sleep", "tail", "tar", "uname"),
)


@dataclass(frozen=True, slots=True)
class BareMachine:
    """``commands`` is the whole PATH, ``home`` the user's folder."""

    commands: Path
    home: Path

    @classmethod
    def build(cls, folder: Path) -> "BareMachine":
        """Makes one in an empty folder."""
        machine = cls(commands=folder / "commands", home=folder / "home")
        machine.commands.mkdir(parents=True)
        machine.home.mkdir()
        for tool in _TOOLS:
            found = shutil.which(tool)
            assert found is not None, f"the tests need {tool}"
            (machine.commands / tool).symlink_to(found)
        return machine

    def install(self, name: str, script: str) -> None:
        """Puts a command on the PATH: the lines of a POSIX shell script."""
        write_script(self.commands / name, script)

    def environment(self, **more: str) -> dict[str, str]:
        """The environment of whatever runs here."""
        return {"PATH": str(self.commands), "HOME": str(self.home), **more}

    def run(self, *command: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
        """Runs a command to its end, with ``more`` in its environment."""
        return subprocess.run(
            [os.fspath(word) for word in command],
            env=self.environment(**more),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


def write_script(path: Path, script: str) -> None:
    """Writes an executable shell script, and the folders that it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    path.chmod(0o755)
