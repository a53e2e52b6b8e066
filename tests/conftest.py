"""What every test may ask for: the real Codex. And what a run may be required to have driven.

Tests that drive the real Codex are marked ``codex``, those that drive a browser ``browser``. Where
there is none they are skipped, and the summary says so. With ``WIRETAPE_REQUIRE_CODEX=1``, or
``WIRETAPE_REQUIRE_BROWSER=1``, a skipped one is a failure, and so is a run in which none took
place: that is how ``.ci/run`` knows that the real ones were really driven.
"""

import os
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from codex_binary import codex_binary, codex_cache
from slow_tests import SLOW

_REQUIRED = {
    mark: variable
    for mark, variable in (
        ("codex", "WIRETAPE_REQUIRE_CODEX"),
        ("browser", "WIRETAPE_REQUIRE_BROWSER"),
    )
    if os.environ.get(variable, "") not in ("", "0")
}
"""The marks that this run is required to have run tests of, and the variable that says so."""

_HAS_RUN = pytest.StashKey[set[str]]()


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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what takes long, before it is decided by marks which tests are run."""
    for item in items:
        if item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turns the skip of a required test into a failure, and notes that one has run."""
    report = yield
    required = [mark for mark in _REQUIRED if item.get_closest_marker(mark) is not None]
    if not required or hasattr(report, "wasxfail"):
        return report
    if report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped, but {_REQUIRED[required[0]]} is set: {report.longrepr}"
    elif report.passed and report.when == "call":
        item.config.stash.setdefault(_HAS_RUN, set()).update(required)
    return report


def _missed(config: pytest.Config) -> dict[str, str]:
    has_run = config.stash.get(_HAS_RUN, set())
    return {mark: variable for mark, variable in _REQUIRED.items() if mark not in has_run}


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fails a run that had to drive something and did not."""
    if _missed(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Says why such a run failed, above pytest's own last line."""
    for mark, variable in _missed(config).items():
        terminalreporter.write_line(
            f"FAILED: {variable} is set, and no test marked {mark} has passed", red=True
        )
