"""A file system that is full soon, where the machine lets us mount one."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

DETACH = 2


@contextmanager
def small_disk(folder: Path, size_bytes: int) -> Iterator[Path]:
    """Mounts a file system of this size at ``folder``; skips the test where that is not allowed."""
    folder.mkdir()
    libc = ctypes.CDLL(None)
    options = f"size={size_bytes}".encode()
    if not hasattr(libc, "mount") or libc.mount(b"tmpfs", bytes(folder), b"tmpfs", 0, options):
        pytest.skip("a small file system cannot be mounted here")
    try:
        yield folder
    finally:
        libc.umount2(bytes(folder), DETACH)
