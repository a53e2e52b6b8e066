"""Prints what the tests with the real client found, as a table."""

import pytest
from replay_table import ROWS, table


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The record-and-replay table, above pytest's own last line."""
    if ROWS:
        terminalreporter.section("recorded and replayed with the real client")
        for line in table():
            terminalreporter.write_line(line)
