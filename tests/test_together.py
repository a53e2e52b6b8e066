"""Tests that rest on one thing that takes long to make stay in one process."""

import subprocess
import sys

import pytest
from declared import REPOSITORY
from together import group_of

DEPTH = "tests/codex/test_replay_in_depth.py"


@pytest.mark.parametrize(
    ("nodeid", "group"),
    [
        ("tests/test_wheel.py::test_any", "tests/test_wheel.py"),
        (f"{DEPTH}::test_it_ends_the_same[answer-0.99.0-sse-script-max]", "answer-0.99.0-sse"),
        (f"{DEPTH}::test_it_is_refused[answer-0.99.0-sse]", "answer-0.99.0-sse"),
        ("tests/test_docs.py::test_any[a-sse]", "tests/test_docs.py::test_any[a-sse]"),
    ],
)
def test_what_a_test_stays_with(nodeid: str, group: str) -> None:
    """The rest of its file, the runs of its place, or nothing."""
    assert group_of(nodeid) == group


def test_the_tests_of_a_file_are_run_by_one_process() -> None:
    """As it is really shared out, between two."""
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-k", "4 or wire"]
    shared = ["--numprocesses", "2", "--dist", "loadgroup", "tests/test_rules.py"]
    ran = subprocess.run([*command, *shared], cwd=REPOSITORY, capture_output=True, text=True)
    workers = {line[:5] for line in ran.stdout.splitlines() if line.startswith("[gw")}
    assert len(workers) == 1, ran.stdout
