"""What the tests of the core may ask for."""

from pathlib import Path

import pytest
from timed_tapes import TapeMaker


@pytest.fixture
def maker(tmp_path: Path) -> TapeMaker:
    """An empty tape."""
    return TapeMaker(tmp_path / "tape.db")
