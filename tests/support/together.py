"""Which tests stay in one process when several share the tests.

Such tests rest on one thing that takes long to make, as a recording of many runs. They are known
by what their ids have in common.
"""

import re
from typing import Final

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

TOGETHER: Final = re.compile(
    "|".join(
        (
            # The runs of a place, which is recorded once.
            r"(?:tests/codex/test_replay_in_depth\.py)::\w+\[(.+?-(?:sse|websocket))\b",
            r"(tests/codex/test_tape_size\.py)",
            r"(tests/replayer/reference/test_recorded_runs\.py)",
            r"(tests/replayer/test_openai_sdk_recorded\.py)",
            r"(tests/test_demo\.py)",
            r"(tests/test_rules\.py)",
            r"(tests/test_wheel\.py)",
        )
    )
)


def group_of(nodeid: str) -> str:
    """What a test has in common with those that stay with it; its own id, if with none."""
    found = TOGETHER.match(nodeid)
    return nodeid if found is None else next(filter(None, found.groups()))


class Scheduling(LoadScopeScheduling):
    """Gives each group of tests to one process, and every other test to whichever is free."""

    # Marks of a group come to nothing here: pytest 9.2 has ids that pytest-xdist 3.8 cannot mark.
    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def scheduling(config: pytest.Config, log: Producer) -> Scheduling | None:
    """How ``--dist loadgroup`` shares the tests out."""
    return Scheduling(config, log) if config.getoption("dist") == "loadgroup" else None
