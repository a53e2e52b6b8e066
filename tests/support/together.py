"""Which files of tests stay in one process when several share the tests.

All tests of such a file rest on one thing that takes long to make, as a recording of many runs.
"""

TOGETHER = (
    "tests/codex/test_tape_size.py",
    "tests/replayer/reference/test_recorded_runs.py",
    "tests/replayer/test_openai_sdk_recorded.py",
    "tests/test_demo.py",
    "tests/test_rules.py",
    "tests/test_wheel.py",
)
