"""Recordings of ``tapes`` as values."""

import tempfile
from pathlib import Path

from tapes import Recording

from wiretape import recording
from wiretape.store_reader import TapeReader
from wiretape.store_recording import read_recording


def whole(built: Recording) -> recording.Recording:
    """What is on the tape of a recording that a test has built."""
    with (
        tempfile.TemporaryDirectory() as folder,
        TapeReader(built.write(Path(folder) / "tape.db")) as reader,
    ):
        return read_recording(reader)
