"""A recording that goes on in a process of its own, while a test is the client.

It is ``wiretape record -- COMMAND`` with a command that asks nothing of anybody: it tells us the
environment that it was given, and keeps the recording open for as long as we are there. So the
recorder also ends when this process is killed.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from replayer.pytest_plugin.choices import Choice
from replayer.report import Report
from wiretape.errors import WiretapeError
from wiretape.reconstruct import sessions_of
from wiretape.sessions import Session
from wiretape.store_reader import TapeReader
from wiretape.store_recording import read_recording, write_recording

_WIRETAPE: Final = "from wiretape.cli import main; main()"
_HOLDER: Final = (
    "import json, os, sys; print(json.dumps(dict(os.environ)), flush=True); sys.stdin.read()"
)
_PATIENCE_S: Final = 60.0


class NotRecorded(WiretapeError):
    """The recorder did not begin, or did not end well."""


class BackgroundRecording:
    """A recording under way. ``proxy`` and ``ca_file`` are what its clients need.

    The tape grows in ``folder``, and is put in its place once the test has passed.
    """

    def __init__(
        self, choice: Choice, base_url: str, folder: Path, environment: Mapping[str, str]
    ) -> None:
        """Begins it.

        Raises:
            NotRecorded: it does not begin.
        """
        self._choice = choice
        self._growing = folder / "recording.db"
        self._said = folder / "recording.txt"
        host = urlsplit(base_url).hostname or ""
        with self._said.open("wb") as said:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-c", _WIRETAPE, "record", "--listen", "127.0.0.1:0"),
                    *("--output", self._growing, "--host", host, "--"),
                    *(sys.executable, "-c", _HOLDER),
                ],
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
                # Ctrl-C is for pytest, which ends this when the test is over.
                start_new_session=True,
            )
        assert self._process.stdout is not None
        given = self._process.stdout.readline()
        if not given:
            self.end()
            raise NotRecorded("\n".join(["the recording does not begin:", *self.lines()]))
        inside = json.loads(given)
        self.proxy: str = inside["HTTPS_PROXY"]
        self.ca_file = Path(inside["SSL_CERT_FILE"])

    def end(self) -> None:
        """Ends it, and its tape is complete; the second time does nothing."""
        if self._process.returncode is None:
            self._process.communicate(timeout=_PATIENCE_S)

    def report(self) -> Report | None:
        """None: what is being recorded is what it is."""
        return None

    def is_as_recorded(self) -> bool:
        """What is being recorded is."""
        return True

    def sessions(self) -> list[Session]:
        """What was asked. Ends the recording: of what is not over, no tape can tell."""
        self.end()
        with TapeReader(self._growing) as reader:
            return sessions_of(reader)

    def settle(self) -> None:
        """Ends it, and puts the tape in its place.

        Raises:
            NotRecorded: there is nothing on it, or the recorder failed.
        """
        self.end()
        if self._process.returncode != 0:
            raise NotRecorded("\n".join(["the recorder failed:", *self.lines()]))
        if not self.sessions():
            raise NotRecorded(
                "nothing was recorded, since no client came through the proxy: give it "
                "wiretape_replay.proxy, or see to it that it heeds HTTPS_PROXY."
            )
        with TapeReader(self._growing) as reader:
            recording = read_recording(reader)
        # Who was recorded is the test, not what held the door; nor is it anybody's machine.
        command = json.dumps(["pytest", self._choice.test])
        recording = replace(recording, label=replace(recording.label, command=command))
        tape = self._choice.tape
        tape.parent.mkdir(parents=True, exist_ok=True)
        part = tape.with_name(f"{tape.name}.part")
        part.unlink(missing_ok=True)
        write_recording(recording, part)
        part.replace(tape)

    def lines(self) -> Iterator[str]:
        """What the recorder said."""
        yield from self._said.read_text("utf-8", "replace").splitlines()
