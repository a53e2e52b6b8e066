"""A tape is being written as long as its writer is there."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tape_facts import LABEL, complete, head

from wiretape.store_presence import Presence, is_being_written
from wiretape.store_reader import TapeReader
from wiretape.store_writer import TapeWriter

WRITES = """
import sys
from pathlib import Path
from wiretape.store_writer import TapeLabel, TapeWriter
writer = TapeWriter(Path(sys.argv[1]), TapeLabel("record", 0, "monotonic"), on_trouble=print)
print("ready", flush=True)
sys.stdin.read()
"""


def test_a_tape_is_being_written_until_it_is_closed(tmp_path: Path) -> None:
    """From the moment on that it is there."""
    tape = tmp_path / "t.db"
    assert not is_being_written(tape)
    with TapeWriter(tape, LABEL, on_trouble=pytest.fail) as writer:
        assert is_being_written(tape)
        writer.put(head())
        writer.put(complete())
        assert is_being_written(tape)
    assert not is_being_written(tape)


def test_asking_leaves_everything_as_it_is(tmp_path: Path) -> None:
    """Two may ask, and read, and the tape still closes as one file."""
    tape = tmp_path / "t.db"
    with TapeWriter(tape, LABEL, on_trouble=pytest.fail) as writer, TapeReader(tape) as reader:
        writer.put(head())
        assert [is_being_written(tape), is_being_written(tape)] == [True, True]
        assert not reader.is_closed()
        reader.close()
    assert [each.name for each in tmp_path.iterdir()] == ["t.db"]


def test_a_tape_whose_writer_was_killed_is_not_being_written(tmp_path: Path) -> None:
    """Though nobody could say so any more."""
    tape = tmp_path / "t.db"
    command = [sys.executable, "-c", WRITES, str(tape)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        assert is_being_written(tape)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        assert tape.with_name("t.db-wal").exists()
        assert not is_being_written(tape)


def test_a_copy_is_not_being_written(tmp_path: Path) -> None:
    """What is written is the other one."""
    with TapeWriter(tmp_path / "t.db", LABEL, on_trouble=pytest.fail):
        copy = Path(shutil.copytree(tmp_path, tmp_path.with_name("copy"))) / "t.db"
        assert copy.with_name("t.db-wal").exists()
        assert not is_being_written(copy)


def test_a_link_is_being_written_as_its_tape_is(tmp_path: Path) -> None:
    """The log lies beside the tape, not beside the link."""
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "latest.db"
    link.symlink_to(tmp_path / "t.db")
    with TapeWriter(tmp_path / "t.db", LABEL, on_trouble=pytest.fail):
        assert is_being_written(link)
    assert not is_being_written(link)


def test_whoever_asks_holds_up_no_writer(tmp_path: Path) -> None:
    """Not even where it was stopped while it asked."""
    tape = tmp_path / "t.db"
    asking = os.open(tmp_path / "t.db-wal", os.O_RDWR | os.O_CREAT)
    fcntl.flock(asking, fcntl.LOCK_SH)
    Presence(tape).end()
    os.close(asking)
    writer = Presence(tape)
    assert is_being_written(tape)
    writer.end()
