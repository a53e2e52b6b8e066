"""Recordings with faults, to be served."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from tapes import Recording

from replayer.faults.bending import Faulted, faulted
from replayer.faults.spec import read_fault
from wiretape.reconstruct import sessions_of
from wiretape.store_reader import TapeReader
from wiretape.store_recording import read_recording, write_recording


@dataclass(frozen=True, slots=True)
class Faulty:
    """A recording with these faults. Written and served as any recording."""

    recording: Recording
    faults: tuple[str, ...]

    def write(self, path: Path) -> Path:
        """Makes the tape at ``path``."""
        write_recording(self.bent().recording, path)
        return path

    def bent(self) -> Faulted:
        """What the faults make of the recording."""
        with (
            tempfile.TemporaryDirectory() as folder,
            TapeReader(self.recording.write(Path(folder) / "tape.db")) as reader,
        ):
            return faulted(
                read_recording(reader), sessions_of(reader), map(read_fault, self.faults)
            )


def faulty(recording: Recording, *faults: str) -> Faulty:
    """The recording with these faults."""
    return Faulty(recording, faults)
