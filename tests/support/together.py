"""Which tests stay in one process when several share the tests.

Such tests rest on one thing that takes long to make, as a recording of many runs. They are known
by what their ids have in common.
"""

import re
from typing import Final

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

_NONE: Final = re.compile(r"(?!)")

TOGETHER: Final = {
    # The runs of a place, which is recorded once.
    "tests/codex/test_replay_in_depth.py": re.compile(r"\[(.+?-(?:sse|websocket))\b"),
    "tests/codex/test_tape_size.py": None,
    "tests/replayer/reference/test_recorded_runs.py": None,
    "tests/replayer/test_openai_sdk_recorded.py": None,
    "tests/test_demo.py": None,
    "tests/test_rules.py": None,
    "tests/test_wheel.py": None,
}
"""By the path of a file: what those of its tests have in common that stay together; ``None`` where
all of them do."""


def group_of(nodeid: str) -> str:
    """What a test has in common with those that stay with it; its own id, if with none."""
    path = nodeid.partition("::")[0]
    common = TOGETHER.get(path, _NONE)
    if common is None:
        return path
    found = common.search(nodeid)
    return nodeid if found is None else found[1]


class Scheduling(LoadScopeScheduling):
    """Gives each group of tests to one process, and every other test to whichever is free."""

    # Marks of a group come to nothing here: pytest 9.2 has ids that pytest-xdist 3.8 cannot mark.
    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def scheduling(config: pytest.Config, log: Producer) -> Scheduling | None:
    """How ``--dist loadgroup`` shares the tests out."""
    return Scheduling(config, log) if config.getoption("dist") == "loadgroup" else None
