"""What compares two recordings, for the tests of this folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from comparisons import Compare, comparing


@pytest.fixture
def compare(tmp_path: Path) -> Iterator[Compare]:
    """Compares the first sessions of two recordings."""
    with comparing(tmp_path) as compared:
        yield compared
