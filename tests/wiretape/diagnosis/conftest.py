"""Prints how good the diagnosis is on recordings of known cause."""

import pytest
from diagnosis_table import ROWS, summary


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Precision and recall, above pytest's own last line."""
    if ROWS:
        terminalreporter.section("diagnosis of recordings with a known cause")
        for line in summary():
            terminalreporter.write_line(line)
