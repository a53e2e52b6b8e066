"""Rows that tests gather for the tables at the end of the run, whichever process ran the test.

A row goes with the report of the test that gathered it, because several processes may share the
tests, and only one of them prints.
"""

import base64
import pickle
from collections import defaultdict
from collections.abc import Sequence

import pytest

_WAITING: list[tuple[str, object]] = []
_PROPERTY = "gathered"


def gather(table: str, row: object) -> None:
    """Adds a row to a table. Until the test is over, the row may still be filled in."""
    _WAITING.append((table, row))


def send_with(report: pytest.TestReport) -> None:
    """Gives a report the rows that were gathered since the last one."""
    for row in _WAITING:
        # Reports travel between processes as text and numbers only.
        report.user_properties.append((_PROPERTY, base64.b64encode(pickle.dumps(row)).decode()))
    _WAITING.clear()


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of equally many cells as lines, column under column."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


class Tables:
    """The rows of all tests, by table, where the run's summary is printed."""

    def __init__(self) -> None:
        self.rows: defaultdict[str, list[object]] = defaultdict(list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Takes the rows that a report brings; each is brought once."""
        for name, value in report.user_properties:
            if name == _PROPERTY:
                table, row = pickle.loads(base64.b64decode(str(value)))
                self.rows[table].append(row)
        report.user_properties = [each for each in report.user_properties if each[0] != _PROPERTY]
