"""What every test may ask for: the real Codex. And what a run may be required to have driven.

Tests that drive the real Codex are marked ``codex``, those that drive a browser ``browser``. Where
there is none they are skipped, and the summary says so. With ``WIRETAPE_REQUIRE_CODEX=1``, or
``WIRETAPE_REQUIRE_BROWSER=1``, a skipped one is a failure, and so is a run in which none took
place: that is how ``.ci/run`` knows that the real ones were really driven.
"""

import os
from collections.abc import Callable, Generator
from pathlib import Path

import depth_table
import diagnosis_table
import model_table
import pytest
import replay_table
from codex_binary import codex_binary, codex_cache
from gathered import Tables, send_with
from slow_tests import SLOW
from together import Scheduling, scheduling
from xdist.remote import Producer

_REQUIRED = {
    mark: variable
    for mark, variable in (
        ("codex", "WIRETAPE_REQUIRE_CODEX"),
        ("browser", "WIRETAPE_REQUIRE_BROWSER"),
    )
    if os.environ.get(variable, "") not in ("", "0")
}
"""The marks that this run is required to have run tests of, and the variable that says so."""

_HAS_RUN: set[str] = set()
"""Those of them that a test has passed of."""

_TABLES = Tables()
_PRINTED = {
    replay_table.TABLE: replay_table.table,
    depth_table.TABLE: depth_table.table,
    model_table.TABLE: model_table.table,
    diagnosis_table.TABLE: diagnosis_table.summary,
}


def pytest_configure(config: pytest.Config) -> None:
    """Has the rows of tables brought to the process that prints them."""
    if not _is_part(config):
        config.pluginmanager.register(_TABLES)


def _is_part(config: pytest.Config) -> bool:
    """Whether this process runs a part of the tests for another one, which judges and prints."""
    return hasattr(config, "workerinput")


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


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    """Keeps together what rests on one thing that takes long to make."""
    return scheduling(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turns the skip of a required test into a failure, and takes along what it gathered."""
    report = yield
    send_with(report)
    required = [mark for mark in _REQUIRED if item.get_closest_marker(mark) is not None]
    if required and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, but {_REQUIRED[required[0]]} is set: {report.longrepr}"
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Notes that a required test has passed, in whichever process."""
    if report.passed and report.when == "call" and not hasattr(report, "wasxfail"):
        _HAS_RUN.update(mark for mark in _REQUIRED if mark in report.keywords)


def _missed(config: pytest.Config) -> dict[str, str]:
    if _is_part(config):
        return {}
    return {mark: variable for mark, variable in _REQUIRED.items() if mark not in _HAS_RUN}


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fails a run that had to drive something and did not."""
    if _missed(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """The tables, and why a run failed in which no test did, above pytest's own last line."""
    for title, rows in _TABLES.rows.items():
        terminalreporter.section(title)
        for line in _PRINTED[title](rows):
            terminalreporter.write_line(line)
    for mark, variable in _missed(config).items():
        terminalreporter.write_line(
            f"FAILED: {variable} is set, and no test marked {mark} has passed", red=True
        )
