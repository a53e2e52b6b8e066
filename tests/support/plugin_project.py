"""A project of somebody's, whose tests use the pytest plugin."""

from pathlib import Path

import pytest


class Project:
    """The project. ``folder`` holds its one test file, and its tapes."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.folder = pytester.path
        self._pytester = pytester

    @property
    def tapes(self) -> Path:
        return self.folder / "tapes" / "test_agent"

    def run(self, source: str, *options: str) -> pytest.RunResult:
        """Runs these tests, in a process of their own; a warning is a failure there too."""
        self._pytester.makepyfile(test_agent=source)
        return self.run_again(*options)

    def run_again(self, *options: str) -> pytest.RunResult:
        return self._pytester.runpytest_subprocess(
            "-p", "no:cacheprovider", "-p", "no:anyio", "-W", "error", *options
        )
