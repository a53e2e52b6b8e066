"""What every test may ask for: the real Codex.

Tests that drive it are marked ``codex``. Where it has not been fetched they are skipped, and the
summary says so. With ``WIRETAPE_REQUIRE_CODEX=1`` a skipped one is a failure, and so is a run in
which none took place: that is how ``.ci/run`` knows that the real client was really driven.
"""

import os
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from codex_binary import codex_binary, codex_cache

_IS_REQUIRED = os.environ.get("WIRETAPE_REQUIRE_CODEX", "") not in ("", "0")
_HAS_RUN = pytest.StashKey[bool]()


@pytest.fixture(scope="session")
def codex() -> Callable[[str], Path]:
    """Gives the binary of a version, ``codex("0.99.0")``; skips the test where there is none."""

    def find(version: str) -> Path:
        binary = codex_binary(version)
        if binary is None:
            pytest.skip(
                f"Codex {version} is not in {codex_cache()}: fetch it with scripts/fetch-codex"
            )
        return binary

    return find


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turns the skip of a required Codex test into a failure, and notes that one has run."""
    report = yield
    if item.get_closest_marker("codex") is None or hasattr(report, "wasxfail"):
        return report
    if report.skipped and _IS_REQUIRED:
        report.outcome = "failed"
        report.longrepr = f"skipped, but WIRETAPE_REQUIRE_CODEX is set: {report.longrepr}"
    elif report.passed and report.when == "call":
        item.config.stash[_HAS_RUN] = True
    return report


def _is_missed(config: pytest.Config) -> bool:
    return _IS_REQUIRED and not config.stash.get(_HAS_RUN, False)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fails a run that had to drive the real Codex and did not."""
    if _is_missed(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Says why such a run failed, above pytest's own last line."""
    if _is_missed(config):
        terminalreporter.write_line(
            "FAILED: WIRETAPE_REQUIRE_CODEX is set, and no test marked codex has passed", red=True
        )
